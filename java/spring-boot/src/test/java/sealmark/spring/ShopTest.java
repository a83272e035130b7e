package sealmark.spring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sealmark.testing.SealmarkProgram;

/** An application with the starter and two properties: started once, used, and ended; then its logs are read. */
class ShopTest {
    private static final String MAIL = "hanako@example.com";

    @TempDir
    static Path folder;

    private static Running shop;

    @BeforeAll
    static void runIt() throws Exception {
        Running.makeKeys(folder);
        shop = new Running(folder, "sealmark.recipients-file=recipients.txt", "sealmark.seal=email,user.*,*.email",
                "logging.pattern.console=%d %-5level [%thread] %logger{39} : %m %X %kvp%n%wEx", "twin.console=twin-console.log",
                "logging.file.name=shop.log", "logging.structured.format.file=ecs", "twin.file=twin.json").awaitStart();
        try {
            assertEquals("paid", shop.get("/pay?email=" + MAIL + "&user=hanako"));
        } finally {
            shop.end();
        }
    }

    @Test
    void theConsoleOpensToItsTwin() throws Exception {
        assertOpensTo("console.log", "twin-console.log");
        String console = shop.console();
        assertTrue(console.startsWith("~s1h~") || console.contains("Starting Shop"), console);
        assertTrue(console.contains("shop=tokyo") && console.contains("amount=\"1980\""), console);
    }

    @Test
    void theFileOpensToItsTwin() throws Exception {
        assertOpensTo("shop.log", "twin.json");
    }

    private static void assertOpensTo(String log, String twin) throws Exception {
        String sealed = Files.readString(folder.resolve(log));
        for (String value : new String[] {MAIL, "hanako", "4111"}) {
            assertFalse(sealed.contains(value), sealed);
        }
        // Sealed values were formatted for the console, whose headers open them in the twin.
        String clear = opened("console.log", twin).substring(opened("console.log").length());
        assertEquals(clear, opened(log));
        SealmarkProgram.run(folder, "log", "verify", "-i", "key.txt", "--closed", log);
    }

    private static String opened(String... logs) throws Exception {
        List<String> command = new ArrayList<>(List.of("log", "open", "-i", "key.txt"));
        command.addAll(List.of(logs));
        return new String(SealmarkProgram.run(folder, command.toArray(String[]::new)), UTF_8);
    }
}
