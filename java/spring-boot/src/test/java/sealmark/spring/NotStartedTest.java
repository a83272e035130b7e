package sealmark.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An application whose log cannot be sealed does not start, and says what to do. */
class NotStartedTest {
    @TempDir
    Path folder;

    /** In a JVM of its own, as an operator sees it. */
    @Test
    void anOperatorReadsWhatIsMissing() throws Exception {
        Running shop = new Running(folder, "sealmark.recipients-file=recipients.txt", "sealmark.seal=email");
        assertEquals(1, shop.awaitEnd());
        String said = shop.console() + shop.errors();
        for (String part : List.of("APPLICATION FAILED TO START",
                "The application's log cannot be sealed: sealmark.recipients-file \""
                        + folder.toRealPath().resolve("recipients.txt") + "\" cannot be read: no such file",
                "sealmark keygen -y key.txt > recipients.txt", "To log in the clear, set sealmark.enabled=false.")) {
            assertTrue(said.contains(part), said);
        }
        assertFalse(said.contains("\tat "), "no stack trace: " + said);
    }
}
