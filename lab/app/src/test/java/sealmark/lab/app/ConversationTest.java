package sealmark.lab.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConversationTest {
    @TempDir
    Path directory;

    @Test
    void the_log_has_the_requests_of_the_last_span_alone() throws Exception {
        for (Log log : List.of(Log.PLAIN, Log.MASK)) {
            try (Conversation conversation = new Conversation(log)) {
                assertEquals("ready", ask(conversation, prepare(log, 3)).get("answer").getAsString());
                assertEquals(40, ask(conversation, time(0, 40)).get("count").getAsLong());
                assertEquals(7, ask(conversation, time(100, 7)).get("count").getAsLong());
            }
            List<String> lines = Files.readAllLines(directory.resolve(Log.FILE));
            assertEquals(7, lines.size());
            for (String line : lines) {
                assertEquals(log == Log.PLAIN, line.contains("guest."), line);
                assertTrue(line.contains("page=2&email=") && line.contains(" 200 "), line);
            }
        }
    }

    @Test
    void a_span_takes_time_and_its_parts_fit_into_it() throws Exception {
        try (Conversation conversation = new Conversation(Log.PLAIN)) {
            ask(conversation, prepare(Log.PLAIN, 2));
            JsonObject served = ask(conversation, time(5, 200));
            long wall = served.get("wall_ns").getAsLong();
            long median = served.get("median_ns").getAsLong();
            assertTrue(median > 0 && median <= served.get("p99_ns").getAsLong(), served::toString);
            assertTrue(served.get("p99_ns").getAsLong() <= wall && 100 * median <= 2 * wall, served::toString);
            assertTrue(served.get("client_cpu_ns").getAsLong() < served.get("cpu_ns").getAsLong(), served::toString);
            assertTrue(served.get("allocated_bytes").getAsLong() > 200 * 100, served::toString);
        }
    }

    @Test
    void bad_news_are_answers_and_it_goes_on() throws Exception {
        try (Conversation conversation = new Conversation(Log.MASK)) {
            assertEquals("failed", ask(conversation, "nonsense").get("answer").getAsString());
            assertEquals("failed", ask(conversation, time(0, 1)).get("answer").getAsString());
            assertEquals("unsupported", ask(conversation, prepare(Log.PLAIN, 1)).get("answer").getAsString());
            assertEquals("limited", ask(conversation, prepare(Log.MASK, 101)).get("answer").getAsString());
            assertEquals("ready", ask(conversation, prepare(Log.MASK, 1)).get("answer").getAsString());
            assertEquals("limited", ask(conversation, time(0, 0)).get("answer").getAsString());
            assertEquals("served", ask(conversation, time(0, 1)).get("answer").getAsString());
        }
    }

    @Test
    void nothing_is_left_of_a_server_that_is_not_needed_any_more() throws Exception {
        Set<String> before = threads();
        try (Conversation conversation = new Conversation(Log.PLAIN)) {
            ask(conversation, prepare(Log.PLAIN, 4));
            ask(conversation, time(0, 4));
            assertFalse(before.containsAll(threads()));
        }
        for (int patience = 0; patience < 500 && !before.containsAll(threads()); patience++) {
            Thread.sleep(10);
        }
        Set<String> left = threads();
        left.removeAll(before);
        assertEquals(Set.of(), left);
    }

    /** The names of Tomcat's threads and the clients', without those of the virtual machine and of the test itself. */
    private static Set<String> threads() {
        return Thread.getAllStackTraces().keySet().stream().map(Thread::getName)
                .filter(name -> name.startsWith("http") || name.startsWith("Catalina") || name.equals("client"))
                .collect(Collectors.toSet());
    }

    private String prepare(Log log, int connections) {
        return "{\"ask\":\"prepare\",\"job\":\"log-app\",\"algorithm\":\"" + log.algorithm + "\","
                + "\"seed\":7,\"directory\":\"" + directory + "\",\"concurrency\":" + connections + "}";
    }

    private static String time(long first, long count) {
        return "{\"ask\":\"time\",\"operation\":\"serve\",\"first\":" + first + ",\"count\":" + count + "}";
    }

    private static JsonObject ask(Conversation conversation, String line) {
        return JsonParser.parseString(conversation.answer(line)).getAsJsonObject();
    }
}
