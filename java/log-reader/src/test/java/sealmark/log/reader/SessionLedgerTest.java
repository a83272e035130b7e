package sealmark.log.reader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import sealmark.log.reader.OpenReport.Run;
import sealmark.log.reader.OpenReport.SessionReport;
import sealmark.log.wrap.Tally;

class SessionLedgerTest {
    private static final long LAST = 0xffff_ffffL;

    private final SessionLedger ledger = new SessionLedger(HeaderFacts.NONE);

    @Test
    void anyOrderComesToTheSame() {
        List<Long> counters = new ArrayList<>(List.of(LAST));
        for (long counter = 0; counter < 500; counter += counter % 7 == 2 ? 2 : 1) {
            counters.add(counter);
        }
        SessionReport inOrder = met(counters).report();
        assertEquals(List.of(counters.size(), 72), List.of((int) inOrder.values(), inOrder.missing().size()));
        for (int seed = 0; seed < 20; seed++) {
            Collections.shuffle(counters, new Random(seed));
            assertEquals(inOrder, met(counters).report());
        }
    }

    @Test
    void aCounterMetTwiceIsRepeated() {
        List.of(0L, 1L, 2L, 5L, 1L, 4L, 5L).forEach(ledger::meet);
        assertEquals(new SessionReport(
                5, 2, OptionalLong.empty(), List.of(new Run(3, 4)), 0, false, Optional.empty(),
                Optional.empty()), ledger.report());
    }

    @Test
    void theClosingTokenWithTheHighestCountHolds() {
        List.of(0L, 1L, 2L, 4L, 5L).forEach(ledger::meet);
        ledger.close(new Tally(8, List.of()));
        assertReport(8, List.of(new Run(3, 4), new Run(6, 8)), 0);
        ledger.close(new Tally(9, List.of(new Tally.Run(1, 3), new Tally.Run(6, 8))));
        assertReport(5, List.of(new Run(3, 4), new Run(8, 9)), 2);
        ledger.close(new Tally(7, List.of()));
        ledger.meet(9);
        assertReport(5, List.of(new Run(3, 4), new Run(8, 9)), 3);
    }

    private void assertReport(long closing, List<Run> missing, long beyond) {
        SessionReport report = ledger.report();
        assertEquals(OptionalLong.of(closing), report.closing());
        assertEquals(List.of(missing, beyond), List.of(report.missing(), report.beyond()));
        assertFalse(report.isWhole());
    }

    @Test
    void aSessionWithAllItsValuesIsWhole() {
        List.of(0L, 1L, 4L).forEach(ledger::meet);
        assertFalse(ledger.report().isWhole());
        ledger.close(new Tally(5, List.of(new Tally.Run(2, 4))));
        assertTrue(ledger.report().isWhole());
        assertEquals(OptionalLong.of(3), ledger.report().closing());
    }

    @Test
    void whatIsNearCostsNoMemory() {
        List.of(5L, 6L).forEach(ledger::meet);
        for (long counter = 3; counter < 10; counter++) {
            assertEquals(counter >= 4 && counter <= 7, ledger.isNear(counter), "" + counter);
        }
        assertEquals(1, ledger.runs());
    }

    @Test
    void aClosingTokenHasRunsThatAscendAndDoNotTouch() {
        assertEquals(new Tally(9, List.of()), read(9));
        assertEquals(new Tally(9, List.of(new Tally.Run(0, 2), new Tally.Run(3, 8))), read(9, 0, 2, 3, 5));
        assertEquals(new Tally(LAST + 1, List.of(new Tally.Run(1, LAST))), read(LAST + 1, 1, (int) (LAST - 1)));
        int[][] wrong = {{0, 2, 2, 1}, {3, 1, 0, 1}, {0, 0}, {8, 1}, {9, 1}, {0, -1}, {1, 2, 1, 2}, {1}};
        for (int[] runs : wrong) {
            assertNull(read(9, runs));
        }
        assertEquals(new Tally(Long.MAX_VALUE, List.of()), read(-1), "2^64 - 1");
    }

    @Test
    void countersInARowCountAsEachAlone() {
        Random random = new Random(1);
        for (int round = 0; round < 500; round++) {
            SessionLedger rows = new SessionLedger(HeaderFacts.NONE);
            SessionLedger each = new SessionLedger(HeaderFacts.NONE);
            for (int row = 0; row < 8; row++) {
                long start = random.nextInt(30);
                long end = start + 1 + random.nextInt(8);
                rows.meet(start, end);
                LongStream.range(start, end).forEach(each::meet);
            }
            assertEquals(each.report(), rows.report());
            assertEquals(each.runs(), rows.runs());
        }
    }

    private static Tally read(long count, int... runs) {
        ByteBuffer bytes = ByteBuffer.allocate(4 * runs.length);
        for (int number : runs) {
            bytes.putInt(number);
        }
        return Tally.read(count, bytes.flip());
    }

    private static SessionLedger met(List<Long> counters) {
        SessionLedger ledger = new SessionLedger(HeaderFacts.NONE);
        counters.forEach(ledger::meet);
        return ledger;
    }
}
