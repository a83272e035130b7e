package sealmark.spring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import application.Shop;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sealmark.testing.SealmarkProgram;

/** An application with the starter and two properties: started once, used, and ended; then its logs are read. */
class ShopTest {
    private static final int REQUESTS = 2_000;
    private static final int THREADS = 4;
    private static final String MAIL = "hanako@example.com";

    @TempDir
    static Path folder;

    private static Running shop;
    private static String health;
    private static List<String> meters;

    @BeforeAll
    static void runIt() throws Exception {
        Running.makeKeys(folder);
        shop = new Running(folder, "sealmark.recipients-file=recipients.txt", "sealmark.seal=email,user.*,*.email",
                "logging.pattern.console=%d %-5level [%thread] %logger{39} : %m %X %kvp%n%wEx{3}", "twin.console=twin-console.log",
                "logging.file.name=shop.log", "logging.structured.format.file=ecs", "twin.file=twin.json",
                "logging.structured.json.stacktrace.max-throwable-depth=3",
                "management.endpoints.web.exposure.include=health,metrics", "management.endpoint.health.show-details=always",
                "server.tomcat.basedir=.", "server.tomcat.accesslog.enabled=true", "server.tomcat.accesslog.directory=access",
                "server.tomcat.accesslog.pattern=%h %u %r %s %{X-User}i", "server.tomcat.accesslog.rotate=false",
                "sealmark.access-log.seal=%h,%u,%{X-User}i", Users.ON_TOMCAT).awaitStart();
        try {
            assertEquals("paid", shop.get("/pay?email=" + MAIL + "&user=hanako"));
            health = shop.get("/actuator/health/sealmark");
            meters = List.of(shop.get("/actuator/metrics/sealmark.values.sealed"),
                    shop.get("/actuator/metrics/sealmark.values.unsealed"),
                    shop.get("/actuator/metrics/sealmark.sessions.without.header"));
            crowd();
        } finally {
            shop.end();
        }
    }

    /** Two thousand requests on several connections. */
    private static void crowd() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<String>> answers = new ArrayList<>();
            for (int request = 0; request < REQUESTS; request++) {
                String path = "/pay?email=" + request + MAIL + "&user=hanako" + request;
                answers.add(threads.submit(() -> shop.get(path)));
            }
            for (Future<String> answer : answers) {
                assertEquals("paid", answer.get());
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** Spring Boot 4 writes the members of a meter in another order. */
    private static String inOrder(String meter) {
        return meter.replaceAll("[{](.*)(\"name\":\"[^\"]*\"),?(.*)[}]", "{$2,$1$3}");
    }

    @Test
    void theConsoleOpensToItsTwin() throws Exception {
        assertOpensTo("console.log", "twin-console.log");
        String console = shop.console();
        assertTrue(console.contains("shop=tokyo") && console.contains("amount=\"1980\""), console);
    }

    /** The main thread has an address in the MDC before Spring Boot writes anything. */
    @Test
    void theFirstLineIsSealed() throws Exception {
        for (String log : List.of("console.log", "shop.log")) {
            String first = Files.readString(folder.resolve(log)).lines().filter(line -> !line.contains("~s1h~")).findFirst()
                    .orElseThrow();
            assertTrue(first.contains("Starting Shop") && first.contains("~s1a~email~"), first);
            String opened = opened(log).lines().findFirst().orElseThrow();
            assertTrue(opened.contains("Starting Shop") && opened.contains(Shop.OPERATOR), opened);
        }
    }

    @Test
    void theFileOpensToItsTwin() throws Exception {
        assertOpensTo("shop.log", "twin.json");
    }

    @Test
    void theAccessLogIsSealed() throws Exception {
        String log = "access/access_log.log";
        String sealed = Files.readString(folder.resolve(log));
        assertFalse(sealed.contains(MAIL) || sealed.contains("hanako") || sealed.contains("127.0.0.1"), sealed);
        List<String> lines = opened(log).lines().filter(line -> line.contains("/pay")).toList();
        String request = "127.0.0.1 hanako GET /pay?email=";
        assertEquals(request + MAIL + "&user=hanako HTTP/1.1 200 hanako", lines.get(0));
        assertTrue(lines.contains(request + "7" + MAIL + "&user=hanako7 HTTP/1.1 200 hanako"), "one of the crowd");
        assertEquals(1 + REQUESTS, lines.size());
        SealmarkProgram.run(folder, "log", "verify", "-i", "key.txt", "--closed", log);
    }

    @Test
    void healthAndMetersTell() {
        for (String part : List.of("\"status\":\"UP\"", "\"engine\":\"native", "\"unsealed\":0",
                "\"sessionsWithoutHeader\":0")) {
            assertTrue(health.contains(part), health);
        }
        assertTrue(Pattern.compile("\"sealed\":[1-9]").matcher(health).find(), health);
        for (String meter : List.of("sealed", "unsealed", "header")) {
            Pattern value = Pattern.compile("[.]" + meter + "\".*\"value\":" + (meter.equals("sealed") ? "[1-9]" : "0[.]0"));
            assertTrue(meters.stream().anyMatch(one -> value.matcher(inOrder(one)).find()), meters.toString());
        }
    }

    private static void assertOpensTo(String log, String twin) throws Exception {
        String sealed = Files.readString(folder.resolve(log));
        for (String value : new String[] {MAIL, "hanako", "4111 ", Shop.OPERATOR}) {
            assertFalse(sealed.contains(value), sealed);
        }
        // Sealed values were formatted for the console, whose headers open them in the twin.
        String clear = opened("console.log", twin).substring(opened("console.log").length());
        assertEquals(sorted(clear), sorted(opened(log)));
        SealmarkProgram.run(folder, "log", "verify", "-i", "key.txt", "--closed", log);
    }

    /** Threads come to the log and to its twin in another order. */
    private static List<String> sorted(String log) {
        return log.lines().sorted().toList();
    }

    private static String opened(String... logs) throws Exception {
        List<String> command = new ArrayList<>(List.of("log", "open", "-i", "key.txt"));
        command.addAll(List.of(logs));
        return new String(SealmarkProgram.run(folder, command.toArray(String[]::new)), UTF_8);
    }
}
