package sealmark.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import sealmark.log.reader.TokenReader;

/** The findings of a file are bounded, and none is dropped without being counted. */
class FileLedgerTest {
    private final FileLedger ledger = new FileLedger("file", session -> new TokenReader.Facts(true, Optional.empty()));

    @Test
    void jumpsAreBoundedOverAllSessionsOfAFile() {
        int sessions = 10;
        int values = 3_000;
        for (int value = 0; value < values; value++) {
            ledger.at(100L * value, value);
            for (int session = 0; session < sessions; session++) {
                // Every other value is missing.
                ledger.value("session " + session, 2L * value, session);
            }
        }
        int jumps = sessions * (values - 1);
        assertEquals(FileLedger.MOST_FINDINGS, kept());
        assertEquals(jumps - FileLedger.MOST_FINDINGS, ledger.untracked, "the others are counted");
    }

    @Test
    void aRepeatedValueIsNoJump() {
        for (long counter : new long[] {0, 1, 2, 1, 3, 7, 3, 8}) {
            ledger.value("session", counter, 0);
        }
        assertEquals(1, kept());
        assertEquals(2, ledger.findings.size());
        assertEquals(0, ledger.untracked);
    }

    private int kept() {
        return ledger.sessions.values().stream().mapToInt(piece -> piece.jumps.size()).sum();
    }
}
