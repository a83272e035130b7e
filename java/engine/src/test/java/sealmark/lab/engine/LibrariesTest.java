package sealmark.lab.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The program as a process of its own, with nothing but its own classes on the class path. */
class LibrariesTest {
    private static final List<String> ELSEWHERE =
            List.of("BouncyCastle", "ACCP", "Conscrypt", "commons-codec", "native-jni");

    @Test
    void aMissingLibraryIsAnAnswerAndMissedByNoOther() throws Exception {
        for (String name : Libraries.names()) {
            Map<String, Object> answer = Line.read(converse(name, "{\"ask\":\"hello\",\"protocol\":2}\n"));
            assertEquals(ELSEWHERE.contains(name) ? "unsupported" : "hello", answer.get("answer"), name + answer);
            assertTrue(!ELSEWHERE.contains(name) || answer.get("why").toString().contains(" "), name);
        }
    }

    @Test
    void anUnknownNameIsAUsageError() throws Exception {
        Process engine = start("Java");
        assertTrue(engine.waitFor(60, TimeUnit.SECONDS));
        assertEquals(2, engine.exitValue());
        String said = new String(engine.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(said.startsWith("error: ") && said.contains("\nhint: one of SunJCE, "), said);
    }

    private static byte[] converse(String name, String asks) throws Exception {
        Process engine = start(name);
        engine.getOutputStream().write(asks.getBytes(StandardCharsets.UTF_8));
        engine.getOutputStream().close();
        byte[] answer = Line.next(engine.getInputStream());
        assertEquals(0, engine.waitFor(), name);
        return answer;
    }

    private static Process start(String name) throws Exception {
        Path classes = Path.of(Main.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        String java = System.getProperty("java.home") + File.separator + "bin" + File.separator + "java";
        ProcessBuilder engine =
                new ProcessBuilder(java, "-cp", classes.toString(), "sealmark.lab.engine.Main", name);
        engine.environment().remove("SEALMARK_LAB_JNI");
        return engine.start();
    }
}
