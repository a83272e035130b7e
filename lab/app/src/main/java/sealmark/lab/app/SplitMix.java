package sealmark.lab.app;

/** The generator of spec/engine.md, "Inputs". */
final class SplitMix {
    private long state;

    private SplitMix(long seed) {
        this.state = seed;
    }

    /** The first bytes for a seed, in lower-case hexadecimal; {@code bytes} is a multiple of eight. */
    static String hex(long seed, int bytes) {
        SplitMix random = new SplitMix(seed);
        StringBuilder text = new StringBuilder(2 * bytes);
        for (int at = 0; at < bytes; at += Long.BYTES) {
            long next = Long.reverseBytes(random.next());
            for (int shift = 60; shift >= 0; shift -= 4) {
                text.append(Character.forDigit((int) (next >>> shift) & 15, 16));
            }
        }
        return text.toString();
    }

    private long next() {
        state += 0x9E3779B97F4A7C15L;
        long z = (state ^ (state >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
