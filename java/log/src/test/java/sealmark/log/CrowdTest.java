package sealmark.log;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static sealmark.log.Seals.EMAIL;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sealmark.log.keys.PreSharedKey;
import sealmark.log.reader.LogOpener;

/**
 * Thousands of threads seal at once, virtual ones where the JVM has them, while sessions end: each value opens, once, and
 * no counter is used twice.
 * The soak test makes it 10,000 values a thread.
 */
class CrowdTest {
    private static final int VALUES = Integer.getInteger("sealmark.crowd.values");
    private static final int BATCH = 60;
    private static final int OPENERS = 4;

    private final PreSharedKey key = PreSharedKey.generate();
    private final BlockingQueue<Opener> openers = new ArrayBlockingQueue<>(OPENERS);
    /** By session. */
    private final ConcurrentMap<String, AtomicLongArray> counters = new ConcurrentHashMap<>();

    @ParameterizedTest
    @EnumSource(value = LogSealer.Engine.class, names = {"AUTO", "PURE_JAVA"})
    void eachValueOpensOnce(LogSealer.Engine engine) throws Exception {
        Crowd crowd = Crowd.gather();
        long all = (long) crowd.threads * VALUES;
        AtomicLongArray seen = bits(all);
        for (int number = 0; number < OPENERS; number++) {
            openers.add(new Opener(key));
        }
        LogSealer sealer =
                Seals.builder().preSharedKey(key).engine(engine).rotateAfterValues(all / 3).build();
        List<Future<?>> done = new ArrayList<>();
        for (int thread = 0; thread < crowd.threads; thread++) {
            long first = (long) thread * VALUES;
            done.add(crowd.service.submit(() -> sealAndOpen(sealer, first, seen, all)));
        }
        for (Future<?> future : done) {
            future.get();
        }
        crowd.service.shutdown();
        assertEquals(all, count(seen));
        assertEquals(all, counters.values().stream().mapToLong(CrowdTest::count).sum());
        assertEquals(all, sealer.sealed());
        assertEquals(0, sealer.failed());
    }

    private Void sealAndOpen(LogSealer sealer, long first, AtomicLongArray seen, long all) throws InterruptedException {
        for (int done = 0; done < VALUES; done += BATCH) {
            List<String> tokens = new ArrayList<>(BATCH);
            for (int at = done; at < Math.min(VALUES, done + BATCH); at++) {
                tokens.add(sealer.seal(EMAIL, Long.toString(first + at)));
            }
            Opener opener = openers.take();
            try {
                for (String token : tokens) {
                    mark(seen, opener.open(token));
                    mark(counters.computeIfAbsent(Seals.sessionOf(token), any -> bits(all)), counterOf(token));
                }
            } finally {
                openers.put(opener);
            }
        }
        return null;
    }

    private static AtomicLongArray bits(long number) {
        return new AtomicLongArray((int) (number / Long.SIZE + 1));
    }

    private static long count(AtomicLongArray bits) {
        long count = 0;
        for (int at = 0; at < bits.length(); at++) {
            count += Long.bitCount(bits.get(at));
        }
        return count;
    }

    /** The first four bytes of the body. */
    private static long counterOf(String token) {
        int body = token.lastIndexOf('~', token.length() - 2) + 1;
        return ByteBuffer.wrap(Base64.getUrlDecoder().decode(token.substring(body, body + 8))).getInt() & 0xFFFFFFFFL;
    }

    private static void mark(AtomicLongArray seen, long value) {
        long bit = 1L << value;
        long before = seen.getAndAccumulate((int) (value / Long.SIZE), bit, (had, more) -> had | more);
        assertEquals(0, before & bit, "twice");
    }

    /** Used by one thread at a time. */
    private static final class Opener {
        private final SessionLines own = new SessionLines(Shape.PLAIN);
        private final LogOpener opener;

        Opener(PreSharedKey key) {
            opener = LogOpener.builder().preSharedKey(key).build();
        }

        long open(String token) {
            String before = own.before(token);
            if (!before.isEmpty()) {
                opener.learn(before.getBytes(ISO_8859_1));
            }
            return Long.parseLong(new String(opener.openToken(token).orElseThrow(), ISO_8859_1));
        }
    }

    /** 4,096 virtual threads, or 256 of the platform on a JVM without them. */
    private record Crowd(int threads, ExecutorService service) {
        static Crowd gather() throws ReflectiveOperationException {
            if (Runtime.version().feature() < 21) {
                return new Crowd(256, Executors.newFixedThreadPool(256));
            }
            Object service = Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
            return new Crowd(4096, (ExecutorService) service);
        }
    }
}
