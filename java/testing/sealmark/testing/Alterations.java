package sealmark.testing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.List;
import java.util.Random;

/** Alters a log as strangers do, the same way for the same seed. */
public final class Alterations {
    private final String log;
    private final Random random;
    private final List<String> pieces;

    /** Alters a log that has a header in its first line. */
    public Alterations(String log, long seed) {
        this.log = log;
        this.random = new Random(seed);
        String header = log.substring(0, log.indexOf('\n') + 1);
        this.pieces = List.of("~", "~s1", "~s1a~", "~s1h~", "~s1z~", "~s1q~v~", "\"", "\\", "\\\"", "{", "}", "\n",
                "\r\n", ":", "1.1", "65535.65535", "\0", "\u00ff", "=", "A".repeat(5000), header);
    }

    /** The log, altered in one to six places. */
    public String altered() {
        StringBuilder altered = new StringBuilder(log);
        for (int times = 1 + random.nextInt(6); times > 0; times--) {
            int at = random.nextInt(altered.length() + 1);
            int end = Math.min(altered.length(), at + random.nextInt(random.nextInt(200) + 1));
            switch (random.nextInt(4)) {
                case 0 -> altered.delete(at, end);
                case 1 -> altered.insert(random.nextInt(altered.length() + 1), altered.substring(at, end));
                case 2 -> altered.insert(at, pieces.get(random.nextInt(pieces.size())));
                default -> altered.replace(at, end, noise(end - at));
            }
        }
        return altered.toString();
    }

    /** Text that looks like a log here and there, and has no header. */
    public String nonsense() {
        StringBuilder text = new StringBuilder();
        for (int piece = random.nextInt(30); piece > 0; piece--) {
            boolean isNoise = random.nextBoolean();
            text.append(isNoise ? noise(random.nextInt(40)) : pieces.get(random.nextInt(pieces.size() - 1)));
        }
        return text.toString();
    }

    private String noise(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return new String(bytes, ISO_8859_1);
    }
}
