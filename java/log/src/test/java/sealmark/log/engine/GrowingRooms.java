package sealmark.log.engine;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import java.util.List;
import sealmark.log.Label;
import sealmark.log.LogSealer;
import sealmark.log.Shape;
import sealmark.log.keys.PreSharedKey;
import sealmark.log.reader.LogOpener;
import sealmark.log.wrap.Readers;

/**
 * A process of its own, as rooms never shrink: threads run out of stack while those of their slots grow. Seals at all slots
 * afterwards, and says what opens.
 */
final class GrowingRooms {
    private static final Label LABEL = Label.of("number");
    private static final int ROUNDS = 100;

    private final Session session;
    /** JSON, too. */
    private final Kind kind;
    private final boolean asText;

    private GrowingRooms(Session session, Kind kind, boolean asText) {
        this.session = session;
        this.kind = kind;
        this.asText = asText;
    }

    public static void main(String[] arguments) throws Exception {
        NativeLibrary.missing().ifPresent(why -> System.out.println(why));
        boolean isLinked = Boolean.getBoolean("linked") && Runtime.version().feature() >= 24;
        if (isLinked && !Linked.works()) {
            throw new AssertionError("no way but JNI");
        }
        NativeSlot.useLinked(isLinked);
        Kind kind = Kind.valueOf(System.getProperty("kind"));
        PreSharedKey key = PreSharedKey.generate();
        Session session = Engine.choose(LogSealer.Engine.NATIVE).begin(Readers.of(key), 0, Session.MAX_VALUES, null);
        GrowingRooms rooms = new GrowingRooms(session, kind, Boolean.getBoolean("text"));
        for (int round = 0; round < ROUNDS; round++) {
            Thread deep = new Thread(null, rooms::sealAtTheEndOfTheStack, "deep", (256 << 10) + 4096L * (round % 16));
            deep.start();
            deep.join();
        }
        int[] opened = new int[1];
        try (LogOpener opener = LogOpener.builder().preSharedKey(key).build()) {
            opener.learn(session.headerLines(Shape.PLAIN).getBytes(UTF_8));
            for (int round = 0; round < ROUNDS; round++) {
                Thread thread = new Thread(() -> opened[0] += rooms.opens(opener) ? 1 : 0);
                thread.start();
                thread.join();
            }
        }
        System.out.println(List.of("opened", opened[0]));
    }

    private void sealAtTheEndOfTheStack() {
        sealed(40);
        goDown(0);
    }

    /** Returns how far above the end it is. */
    private int goDown(int depth) {
        int above;
        try {
            above = depth == Integer.MAX_VALUE ? 0 : goDown(depth + 1);
        } catch (StackOverflowError end) {
            above = 0;
        }
        if (above < 60) {
            try {
                sealed(500);
            } catch (StackOverflowError end) {
                return above + 1;
            }
        }
        return above + 1;
    }

    private boolean opens(LogOpener opener) {
        return opener.openToken(sealed(500)).filter(value -> Arrays.equals(value, digits(500))).isPresent();
    }

    private String sealed(int length) {
        byte[] value = digits(length);
        try {
            if (asText) {
                return session.seal(kind, LABEL, new String(value, ISO_8859_1));
            }
            byte[] out = new byte[2 * length + 100];
            return new String(out, 0, session.seal(kind, LABEL, value, 0, length, out, 0), ISO_8859_1);
        } catch (SealException error) {
            return "";
        }
    }

    private static byte[] digits(int length) {
        byte[] digits = new byte[length];
        Arrays.fill(digits, (byte) '1');
        return digits;
    }
}
