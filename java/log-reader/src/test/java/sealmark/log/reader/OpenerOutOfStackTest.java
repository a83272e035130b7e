package sealmark.log.reader;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class OpenerOutOfStackTest {
    @Test
    void anOpenerGoesOnAfterAThreadThatIsOutOfStack() throws Exception {
        Process process = new ProcessBuilder(ProcessHandle.current().info().command().orElseThrow(), "-Xint", "-cp",
                System.getProperty("java.class.path"), OpenerOutOfStack.class.getName())
                .redirectInput(new File("/dev/null")).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try {
            assertTrue(process.waitFor(60, TimeUnit.SECONDS), "it does not end");
            assertEquals("250 of 250", new String(process.getInputStream().readAllBytes(), UTF_8).strip());
        } finally {
            process.destroyForcibly();
        }
    }
}
