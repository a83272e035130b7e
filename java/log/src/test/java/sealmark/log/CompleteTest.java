package sealmark.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Where scripts/java.sh runs the tests, what some of them do without is there. */
@EnabledIfSystemProperty(named = "sealmark.complete", matches = "true")
class CompleteTest {
    @Test
    void theProgramAndTheNativeLibraryWereBuilt() {
        for (String built : new String[] {"sealmark.program", "sealmark.jni"}) {
            assertTrue(Files.isRegularFile(Path.of(System.getProperty(built))), built);
        }
    }

    @Test
    void nativeCodeRuns() {
        assertEquals("native", Seals.builder().engine(LogSealer.Engine.AUTO).build().engine());
    }
}
