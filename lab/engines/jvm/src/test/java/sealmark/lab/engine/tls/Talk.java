package sealmark.lab.engine.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The engine in a process of its own: what it offers is settled when the library's classes are loaded. */
final class Talk implements AutoCloseable {
    private static final Pattern MEMBER = Pattern.compile("\"(\\w+)\":(?:\"([^\"]*)\"|([0-9]+|true|false))");

    private final Process engine;
    private final BufferedReader answers;

    Talk(String library, String... flags) throws Exception {
        List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java"));
        command.addAll(List.of(flags));
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"),
                "sealmark.lab.engine.Main", library));
        engine = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        answers = new BufferedReader(new InputStreamReader(engine.getInputStream(), StandardCharsets.UTF_8));
    }

    long pid() {
        return engine.pid();
    }

    /** Asks with quotes that need no escape in Java, and reads the one answer. */
    Map<String, String> ask(String ask) throws Exception {
        OutputStream asks = engine.getOutputStream();
        asks.write((ask.replace('\'', '"') + "\n").getBytes(StandardCharsets.UTF_8));
        asks.flush();
        return read(answers.readLine());
    }

    private static Map<String, String> read(String line) {
        Map<String, String> answer = new TreeMap<>();
        Matcher member = MEMBER.matcher(line);
        while (member.find()) {
            answer.put(member.group(1), member.group(2) == null ? member.group(3) : member.group(2));
        }
        return answer;
    }

    static String prepare(String job, String algorithm, String shape, int bytes, Path directory, String more) {
        String[] words = algorithm.split(" ");
        return "{'ask':'prepare','job':'" + job + "','protocol':'" + words[0] + "','suite':'" + words[1] + "','group':'"
                + words[2] + "','certificate':'" + words[3] + "','transport':'" + shape + "','bytes':" + bytes + ",'seed':7,'directory':'" + directory + "'" + more + "}";
    }

    static String time(String operation, int first, int count) {
        return "{'ask':'time','operation':'" + operation + "','first':" + first + ",'count':" + count + "}";
    }

    @Override
    public void close() throws IOException {
        engine.getOutputStream().close();
        assertEquals(0, engine.onExit().join().exitValue());
    }
}
