package sealmark.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static sealmark.log.Seals.EMAIL;
import static sealmark.log.Seals.sessionOf;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SessionsTest {
    @Test
    void aSessionEndsAfterItsValues() {
        LogSealer sealer = Seals.builder().rotateAfterValues(5).build();
        Set<String> sessions = new LinkedHashSet<>();
        for (int value = 0; value < 20; value++) {
            sessions.add(sessionOf(sealer.seal(EMAIL, "a@b.example")));
        }
        assertEquals(4, sessions.size());
        assertEquals(20, sealer.sealed());
    }

    @Test
    void aSessionEndsWhenItIsOldEnough() throws InterruptedException {
        LogSealer sealer = Seals.builder().rotateAfter(Duration.ofMillis(20)).build();
        String first = sessionOf(sealer.seal(EMAIL, "a@b.example"));
        for (int wait = 0; wait < 1_000 && sessionOf(sealer.seal(EMAIL, "a@b.example")).equals(first); wait++) {
            Thread.sleep(10);
        }
        assertNotEquals(first, sessionOf(sealer.seal(EMAIL, "a@b.example")));
    }

    @Test
    void aLongLifeIsNoMistake() {
        LogSealer sealer = Seals.builder().rotateAfter(Duration.ofSeconds(Long.MAX_VALUE)).build();
        assertEquals(sessionOf(sealer.seal(EMAIL, "a")), sessionOf(sealer.seal(EMAIL, "b")));
    }

    @Test
    void nullIsTheTextNull() {
        LogSealer sealer = Seals.sealer();
        assertEquals(sealer.tokenLength(EMAIL, 4), sealer.seal(EMAIL, (CharSequence) null).length());
    }

    @Test
    void labelsFromElsewhereAreMadeToFit() {
        assertEquals("user_name_", Label.fit("user name\n").toString());
        assertEquals("value", Label.fit("").toString());
        assertEquals("a".repeat(64), Label.fit("a".repeat(1000)).toString());
        assertEquals("caf_", Label.fit("café").toString());
        assertTrue(Seals.sealer().seal("é", "x").startsWith("~s1a~_~"));
        for (String bad : new String[] {"", "a b", "é", "a".repeat(65), "a~b", "\u0660"}) {
            assertThrows(IllegalArgumentException.class, () -> Label.of(bad), bad);
        }
        assertEquals("A-Z.a_z0", Label.of("A-Z.a_z0").toString());
    }
}
