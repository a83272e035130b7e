import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Seals the same input again and again, a new Cipher each time, and says at which call it became faster, by CPU time of its
 * thread. With the JVM's flag -Xbatch a call waits for the compilers, so that counts of calls do not depend on load.
 *
 * <p>Arguments: bytes=1048576 calls=1200 piece=0 (the input goes to update in pieces of this size; 0: one call) warm=0 (calls
 * before the first measured one, on warm-bytes=8192) open=0 (1: opens what it sealed, too, after the time) provider=SunJCE
 * (or BC)
 */
final class GcmRamp {
    private static final byte[] KEY = new byte[16];

    private static long number;
    private static byte[] output;

    public static void main(String[] arguments) throws Exception {
        int bytes = Common.number(arguments, "bytes", 1 << 20);
        int calls = Common.number(arguments, "calls", 1_200);
        int piece = Common.number(arguments, "piece", 0);
        boolean opens = Common.number(arguments, "open", 0) == 1;
        String provider = Common.provider(arguments);
        long begun = Common.nanos();
        byte[] small = new byte[Common.number(arguments, "warm-bytes", 8_192)];
        for (int call = Common.number(arguments, "warm", 0); call > 0; call--) {
            seal(small, 0, provider);
        }
        System.out.printf("before the first call: %.2f s%n", (Common.nanos() - begun) / 1e9);
        byte[] input = new byte[bytes];
        double[] speeds = new double[calls];
        double best = 0;
        for (int call = 0; call < calls; call++) {
            long start = Common.nanos();
            seal(input, piece, provider);
            speeds[call] = bytes * 1e3 / (Common.nanos() - start);
            if (opens) {
                open(provider);
            }
            // Three calls in a row, because one may have been lucky or disturbed.
            if (call >= 2 && lowest(speeds, call) > 2 * best) {
                best = lowest(speeds, call);
                double since = (Common.nanos() - begun) / 1e9;
                System.out.printf("call %d: %.0f MB/s, after %.2f s%n", call - 1, best, since);
            }
        }
        double[] last = Arrays.copyOfRange(speeds, calls - calls / 10, calls);
        Arrays.sort(last);
        double steady = last[last.length / 2];
        int slow = 0;
        while (slow < calls && speeds[slow] < steady / 4) {
            slow++;
        }
        double[] before = Arrays.copyOf(speeds, slow);
        Arrays.sort(before);
        System.out.printf("the first %d calls: %.0f MB/s; the last tenth: %.0f MB/s%n",
                slow, slow == 0 ? 0 : before[slow / 2], steady);
    }

    private static double lowest(double[] speeds, int call) {
        return Math.min(speeds[call], Math.min(speeds[call - 1], speeds[call - 2]));
    }

    private static void open(String provider) throws Exception {
        output = cipher(Cipher.DECRYPT_MODE, provider).doFinal(output);
    }

    private static void seal(byte[] input, int piece, String provider) throws Exception {
        number++;
        Cipher cipher = cipher(Cipher.ENCRYPT_MODE, provider);
        if (piece > 0) {
            for (int at = 0; at < input.length; at += piece) {
                output = cipher.update(input, at, Math.min(piece, input.length - at));
            }
            output = cipher.doFinal();
        } else {
            output = cipher.doFinal(input);
        }
    }

    /** Under a nonce that is the number of the call. */
    private static Cipher cipher(int mode, String provider) throws Exception {
        byte[] nonce = new byte[12];
        for (int at = 0; at < 8; at++) {
            nonce[at + 4] = (byte) (number >>> (8 * at));
        }
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding", provider);
        cipher.init(mode, new SecretKeySpec(KEY, "AES"), new GCMParameterSpec(128, nonce));
        return cipher;
    }
}
