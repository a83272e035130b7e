package sealmark.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.File;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class OpenerOutOfStackTest {
    @Test
    void anOpenerGoesOnAfterAThreadThatIsOutOfStack() throws Exception {
        Process process = new ProcessBuilder(ProcessHandle.current().info().command().orElseThrow(), "-Xint", "-cp",
                System.getProperty("java.class.path"), OpenerOutOfStack.class.getName())
                .redirectInput(new File("/dev/null")).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        String said = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
        process.waitFor(60, TimeUnit.SECONDS);
        assertEquals("250 of 250", said);
    }
}
