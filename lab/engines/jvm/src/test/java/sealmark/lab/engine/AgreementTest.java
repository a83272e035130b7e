package sealmark.lab.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** All libraries make the same of the same, in both shapes, and open what the others sealed. */
class AgreementTest {
    private static final int[] LENGTHS = {0, 1, 7, 8, 9, 15, 16, 17, 48, 49, 57, 58, 8404};
    private static final Recipe RECIPE = new Recipe(7);

    @TestFactory
    List<DynamicTest> everyPairAgreesWithTheFirst() {
        List<DynamicTest> tests = new ArrayList<>();
        forEachPair((job, algorithm, pair) -> tests.add(DynamicTest.dynamicTest(pair + " " + algorithm, () -> {
            Work first = Support.pairs(job, algorithm).get(0).prepare(job, algorithm, RECIPE);
            Work work = pair.prepare(job, algorithm, RECIPE);
            for (int length : LENGTHS) {
                agrees(first, work, RECIPE.input(length));
            }
        })));
        assertTrue(tests.size() > 60, () -> "only " + tests.size() + " pairs found");
        return tests;
    }

    private static void agrees(Work first, Work work, byte[] plain) throws Exception {
        byte[] sealed = Support.once(work.forward, plain, 5);
        assertArrayEquals(Support.once(first.forward, plain, 5), sealed);
        assertArrayEquals(sealed, Support.once(work.forward, plain, 5), "the same number again");
        assertArrayEquals(plain, Support.once(work.back, sealed, 5));
        work.forward.begin(plain, 3);
        work.forward.forward(3, 3);
        work.forward.end();
        assertArrayEquals(sealed, work.forward.result(), "the last of a span");
        work.back.begin(sealed, 5);
        work.back.back(5, 3);
        work.back.end();
        assertArrayEquals(plain, work.back.result(), "the way back in a span");
    }

    @TestFactory
    List<DynamicTest> whatAuthenticatesRefusesDamageAndGoesOn() {
        List<DynamicTest> tests = new ArrayList<>();
        forEachPair((job, algorithm, pair) -> {
            if (job.equals("cipher") && algorithm.contains("-")) {
                tests.add(DynamicTest.dynamicTest(pair + " " + algorithm, () -> refusesDamage(pair, algorithm)));
            }
        });
        assertTrue(tests.size() > 20, () -> "only " + tests.size() + " pairs found");
        return tests;
    }

    private static void refusesDamage(Support.Pair pair, String algorithm) throws Exception {
        Work work = pair.prepare("cipher", algorithm, RECIPE);
        assertTrue(work.authenticated);
        byte[] plain = RECIPE.input(49);
        byte[] sealed = Support.once(work.forward, plain, 5);
        for (int at = 0; at < sealed.length; at++) {
            refused(work, Bytes.withFlippedBit(sealed, at), 5);
            refused(work, Arrays.copyOf(sealed, at), 5);
        }
        refused(work, sealed, 6);
        assertArrayEquals(plain, Support.once(work.back, sealed, 5));
    }

    private static void refused(Work work, byte[] sealed, long number) {
        Exception error = assertThrows(Exception.class, () -> Support.once(work.back, sealed, number));
        assertEquals(Trouble.Kind.REFUSED, Trouble.of(error, true).kind, error::toString);
        work.back.recover();
    }

    @TestFactory
    List<DynamicTest> everythingElseIsUnsupported() {
        List<DynamicTest> tests = new ArrayList<>();
        for (String name : Libraries.names()) {
            for (String job : Support.ALGORITHMS.keySet()) {
                for (String algorithm : Support.ALGORITHMS.get(job)) {
                    for (boolean tuned : new boolean[] {false, true}) {
                        Support.Pair pair = new Support.Pair(name, tuned);
                        if (!contains(Support.pairs(job, algorithm), pair)) {
                            tests.add(DynamicTest.dynamicTest(pair + " " + algorithm,
                                    () -> unsupported(pair, job, algorithm)));
                        }
                    }
                }
            }
        }
        return tests;
    }

    private static boolean contains(List<Support.Pair> pairs, Support.Pair wanted) {
        return pairs.stream().anyMatch(pair -> pair.toString().equals(wanted.toString()));
    }

    private static void unsupported(Support.Pair pair, String job, String algorithm) {
        Trouble trouble = assertThrows(Trouble.class, () -> pair.prepare(job, algorithm, RECIPE));
        assertEquals(Trouble.Kind.UNSUPPORTED, trouble.kind);
    }

    private static void forEachPair(PairTest test) {
        Support.ALGORITHMS.forEach((job, algorithms) -> algorithms.forEach(algorithm ->
                Support.pairs(job, algorithm).forEach(pair -> test.accept(job, algorithm, pair))));
    }

    private interface PairTest {
        void accept(String job, String algorithm, Support.Pair pair);
    }
}
