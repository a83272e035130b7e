package sealmark.lab.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The program as a process of its own, with nothing but its own classes on the class path. */
class LibrariesTest {
    private static final List<String> ELSEWHERE =
            List.of("BouncyCastle", "BCJSSE", "ACCP", "Conscrypt", "Tink",
                    "commons-codec", "native-jni", "sealmark-java", "sealmark-java-pure", "sealmark-wss",
                    "sealmark-wss-pure");

    @Test
    void aMissingLibraryIsAnAnswerAndMissedByNoOther() throws Exception {
        for (String name : Libraries.names()) {
            Map<String, Object> answer = converse(name, "{\"ask\":\"hello\",\"protocol\":3}").get(0);
            assertEquals(ELSEWHERE.contains(name) ? "unsupported" : "hello", answer.get("answer"), name + answer);
            assertTrue(!ELSEWHERE.contains(name) || answer.get("why").toString().contains(" "), name);
        }
    }

    @Test
    void withoutWss4jTheOtherShapesOfPayloadAreThere() throws Exception {
        List<Map<String, Object>> answers = converse("SunJCE", payload("wss4j"), payload("stream"), payload("one-shot"));
        assertEquals("unsupported", answers.get(0).get("answer"), answers::toString);
        assertTrue(answers.get(0).get("why").toString().startsWith("cannot be loaded here: "), answers::toString);
        assertEquals("ready", answers.get(1).get("answer"), answers::toString);
        assertEquals("ready", answers.get(2).get("answer"), answers::toString);
    }

    /** On Java 8, with all libraries on the class path, those built for newer JVMs say so, and all others answer. */
    @Test
    void onJava8EachLibraryAnswers() throws Exception {
        Path java = fetched("8");
        assumeTrue(Files.isExecutable(java), "hint: make jdks");
        String libraries = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        for (String name : Libraries.names()) {
            ProcessBuilder engine = new ProcessBuilder(java.toString(), "-cp", libraries, "sealmark.lab.engine.Main", name);
            engine.environment().put("SEALMARK_LAB_JNI", System.getProperty("sealmark.lab.jni", ""));
            Map<String, Object> answer = converse(engine.start(), "{\"ask\":\"hello\",\"protocol\":3}").get(0);
            boolean isNewer = name.startsWith("sealmark-java");
            assertEquals(isNewer ? "unsupported" : "hello", answer.get("answer"), name + answer);
            assertTrue(!isNewer || answer.get("why").toString().contains("UnsupportedClassVersionError"), answer::toString);
        }
    }

    private static String payload(String mode) {
        return "{\"ask\":\"prepare\",\"job\":\"payload\",\"algorithm\":\"AES-128-GCM\",\"mode\":\"" + mode
                + "\",\"bytes\":1,\"seed\":7,\"directory\":\"/nowhere\"}";
    }

    @Test
    void anUnknownNameIsAUsageError() throws Exception {
        Process engine = start("Java");
        assertTrue(engine.waitFor(60, TimeUnit.SECONDS));
        assertEquals(2, engine.exitValue());
        String said = new String(engine.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(said.startsWith("error: ") && said.contains("\nhint: one of SunJCE, "), said);
    }

    /**
     * A compiler that leaves the loop out makes it take no time at all, however many turns are asked for. One that
     * unrolls it sixteenfold, which it may do with nothing in it, still takes a cycle for sixteen turns.
     */
    @Test
    void theEmptyLoopIsRunAllTheSame() throws Exception {
        int count = 2_000_000;
        String[] asks = new String[31];
        Arrays.fill(asks, "{\"ask\":\"time\",\"operation\":\"loop\",\"first\":1,\"count\":" + count + "}");
        asks[0] = "{\"ask\":\"prepare\",\"job\":\"empty\",\"bytes\":0,"
                + "\"seed\":7,\"directory\":\"/nowhere\"}";
        long fastest = converse(start("SunJCE", newestJava()), asks).stream().skip(1)
                .mapToLong(span -> (Long) span.get("wall_ns")).min().orElseThrow();
        assertTrue(fastest > count / 100, () -> count + " turns in " + fastest + " ns");
    }

    /** The compilers of JDK 25 and newer leave such a loop out: `make jdks` has one. */
    private static String newestJava() {
        Path fetched = fetched("27");
        return Files.isExecutable(fetched) ? fetched.toString() : System.getProperty("java.home") + "/bin/java";
    }

    private static Path fetched(String version) {
        return Path.of("../../../target/jdks", version, "bin/java").toAbsolutePath();
    }

    private static List<Map<String, Object>> converse(String name, String... asks) throws Exception {
        return converse(start(name), asks);
    }

    private static List<Map<String, Object>> converse(Process engine, String... asks) throws Exception {
        engine.getOutputStream().write((String.join("\n", asks) + "\n").getBytes(StandardCharsets.UTF_8));
        engine.getOutputStream().close();
        List<Map<String, Object>> answers = new ArrayList<>();
        for (byte[] line = Line.next(engine.getInputStream()); line != null; line = Line.next(engine.getInputStream())) {
            answers.add(Line.read(line));
        }
        assertEquals(0, engine.waitFor());
        assertEquals(asks.length, answers.size());
        return answers;
    }

    private static Process start(String name) throws Exception {
        return start(name, System.getProperty("java.home") + "/bin/java");
    }

    private static Process start(String name, String java) throws Exception {
        Path classes = Path.of(Main.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        ProcessBuilder engine =
                new ProcessBuilder(java, "-cp", classes.toString(), "sealmark.lab.engine.Main", name);
        engine.environment().remove("SEALMARK_LAB_JNI");
        return engine.start();
    }
}
