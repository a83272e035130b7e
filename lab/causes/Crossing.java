import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Base64;

/**
 * Measures base64 of 49 bytes in Java and through JNI, and how much of the latter is JNI itself: a call of C that does nothing
 * (Double.doubleToRawLongBits, once the compiler's own version of it is switched off), and the lab's native encoder on no
 * bytes, which takes and makes an array and encodes nothing.
 *
 * <p>Arguments: bytes=49 rounds=15 library=target/java/lib/libsealmark_lab_jni.so. JVM flags: -XX:+UnlockDiagnosticVMOptions
 * -XX:DisableIntrinsic=_doubleToRawLongBits
 */
final class Crossing {
    private static final int SPAN = 200_000;
    private static final byte[] NOTHING = new byte[0];
    private static final MethodHandle NATIVE = nativeEncode();

    // Volatile, so that no call is optimised away.
    private static volatile Object kept;
    private static volatile double number = 49;
    private static volatile long bits;

    public static void main(String[] arguments) {
        String library = Common.text(arguments, "library", "target/java/lib/libsealmark_lab_jni.so");
        System.load(Paths.get(library).toAbsolutePath().toString());
        byte[] input = new byte[Common.number(arguments, "bytes", 49)];
        double[][] nanos = new double[4][Common.number(arguments, "rounds", 15)];
        // In turn, so that a disturbance meets all of them. The first rounds warm up, and the median leaves them out.
        for (int round = 0; round < nanos[0].length; round++) {
            nanos[0][round] = javaEncoder(input);
            nanos[1][round] = nativeEncoder(input);
            nanos[2][round] = nativeEncoder(NOTHING);
            nanos[3][round] = nothingInC();
        }
        for (double[] row : nanos) {
            Arrays.sort(row);
        }
        int middle = nanos[0].length / 2;
        System.out.printf("java.util.Base64          %6.1f ns%n", nanos[0][middle]);
        System.out.printf("native encoder over JNI   %6.1f ns%n", nanos[1][middle]);
        System.out.printf("the same on no bytes      %6.1f ns%n", nanos[2][middle]);
        System.out.printf("a call of C, does nothing %6.1f ns%n", nanos[3][middle]);
    }

    private static double javaEncoder(byte[] input) {
        long start = Common.nanos();
        for (int call = 0; call < SPAN; call++) {
            kept = Base64.getEncoder().encode(input);
        }
        return (Common.nanos() - start) / (double) SPAN;
    }

    private static double nativeEncoder(byte[] input) {
        try {
            long start = Common.nanos();
            for (int call = 0; call < SPAN; call++) {
                kept = (byte[]) NATIVE.invokeExact(input);
            }
            return (Common.nanos() - start) / (double) SPAN;
        } catch (Throwable error) {
            throw new IllegalStateException(error);
        }
    }

    private static double nothingInC() {
        long start = Common.nanos();
        for (int call = 0; call < SPAN; call++) {
            bits = Double.doubleToRawLongBits(number);
        }
        return (Common.nanos() - start) / (double) SPAN;
    }

    /** The lab's engine keeps its native methods to itself. */
    private static MethodHandle nativeEncode() {
        try {
            Method encode = Class.forName("sealmark.lab.engine.NativeBytes").getDeclaredMethod("encode", byte[].class);
            encode.setAccessible(true);
            return MethodHandles.lookup().unreflect(encode);
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException("the lab's engine is missing; hint: lab/scripts/java.sh", error);
        }
    }
}
