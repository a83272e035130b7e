package sealmark.log.reader;

import static java.nio.charset.StandardCharsets.UTF_8;

import sealmark.log.Label;
import sealmark.log.LogSealer;
import sealmark.log.SessionLines;
import sealmark.log.Shape;
import sealmark.log.keys.PreSharedKey;

/** A process of its own, as compiled code takes less stack: openers whose thread runs out of it open for others afterwards. */
final class OpenerOutOfStack {
    private static final int DEPTHS = 250;

    private final PreSharedKey key = PreSharedKey.generate();
    private final String token;
    private final byte[] header;
    private int left;

    private OpenerOutOfStack() {
        LogSealer sealer = LogSealer.builder().preSharedKey(key).engine(LogSealer.Engine.PURE_JAVA).build();
        token = sealer.seal(Label.of("email"), "a@b.example");
        header = new SessionLines(Shape.PLAIN).before(token).getBytes(UTF_8);
    }

    public static void main(String[] arguments) throws Exception {
        System.out.println(new OpenerOutOfStack().opened() + " of " + DEPTHS);
    }

    private int opened() throws InterruptedException {
        // All classes are there then, which another thread would fail to load at the end of its stack.
        opener().openToken(token);
        inThread(() -> openAt(Integer.MAX_VALUE, null));
        int bottom = Integer.MAX_VALUE - left;
        int opened = 0;
        for (int above = 1; above <= DEPTHS; above++) {
            LogOpener opener = opener();
            int depth = bottom - above;
            inThread(() -> openAt(depth, opener));
            opened += opensLater(opener) ? 1 : 0;
        }
        return opened;
    }

    private LogOpener opener() {
        LogOpener opener = LogOpener.builder().preSharedKey(key).build();
        opener.learn(header);
        return opener;
    }

    private boolean opensLater(LogOpener opener) {
        try {
            return opener.openToken(token).isPresent();
        } catch (RuntimeException error) {
            return false;
        }
    }

    private static void inThread(Runnable work) throws InterruptedException {
        Thread thread = new Thread(null, () -> {
            try {
                work.run();
            } catch (StackOverflowError end) {
                return;
            }
        }, "deep", 512 << 10);
        thread.start();
        thread.join();
    }

    private int openAt(int deeper, LogOpener opener) {
        left = deeper;
        return deeper == 0 ? opener.openToken(token).map(value -> value.length).orElse(0) : openAt(deeper - 1, opener);
    }
}
