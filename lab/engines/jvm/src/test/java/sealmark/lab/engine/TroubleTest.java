package sealmark.lab.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.ProviderException;
import java.util.Base64;
import javax.crypto.AEADBadTagException;
import javax.crypto.IllegalBlockSizeException;
import javax.crypto.ShortBufferException;
import javax.crypto.spec.GCMParameterSpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Exceptions that libraries and virtual machines were seen to throw, and the answers that they become. */
class TroubleTest {
    @TempDir
    private Path scratch;

    @Test
    void aSizeThatTheLibraryRefusesIsALimit() {
        limit(new ProviderException("SunJCE provider only supports input size up to 2147483647 bytes"));
        limit(new ProviderException("SunJCE provider only supports input up to 2147483647 bytes"));
        limit(new OutOfMemoryError("Required array size too large"));
        limit(new OutOfMemoryError("Required length exceeds implementation limit"));
        limit(new OutOfMemoryError("Required array length 2147483639 + 9 is too large"));
        limit(new OutOfMemoryError("Requested array size exceeds VM limit"));
        // ACCP's, as its class has it: past 2^30 bytes it copies all it has kept for each piece, so none of us got there.
        limit(new IllegalArgumentException("Invalid capacity. Limit: 2147483639, Requested: -2147483648."));
    }

    /** Streams wrap what they cannot throw. */
    private static void limit(Throwable error) {
        for (boolean back : new boolean[] {false, true}) {
            is(Trouble.Kind.LIMITED, error, back);
            is(Trouble.Kind.LIMITED, new IOException(error), back);
        }
    }

    /**
     * SunJCE of JDK 25 fails so in the middle of 2^31 + 1 bytes: its error names no size, and the data is not at fault.
     */
    @Test
    void losingCountPastAnIntIsALimitAndAFaultElsewhere() throws Exception {
        Path small = Files.write(scratch.resolve("small"), new byte[100]);
        Path large = scratch.resolve("large");
        try (FileChannel sparse = FileChannel.open(large, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            sparse.write(ByteBuffer.allocate(1), 1L << 31);
        }
        for (Exception error : new Exception[] {new ArrayIndexOutOfBoundsException("arraycopy"),
            new NegativeArraySizeException(), new ArithmeticException("integer overflow")}) {
            assertEquals(Trouble.Kind.LIMITED, Payload.trouble(error, true, large).kind, error::toString);
            assertEquals(Trouble.Kind.LIMITED, Payload.trouble(new IOException(error), true, large).kind);
            assertEquals(Trouble.Kind.FAILED, Payload.trouble(error, true, small).kind, error::toString);
        }
        Exception blamesTheData = new ShortBufferException();
        assertEquals(Trouble.Kind.LIMITED, Payload.trouble(blamesTheData, true, large).kind);
        assertEquals(Trouble.Kind.REFUSED, Payload.trouble(blamesTheData, true, small).kind);
        assertEquals(Trouble.Kind.REFUSED, Payload.trouble(new AEADBadTagException(), true, large).kind);
    }

    @Test
    void memoryThatIsNotThereIsExhausted() {
        is(Trouble.Kind.EXHAUSTED, new OutOfMemoryError("Java heap space"), false);
        is(Trouble.Kind.EXHAUSTED, new OutOfMemoryError("Java heap space"), true);
        is(Trouble.Kind.EXHAUSTED, new IOException(new OutOfMemoryError("Java heap space")), true);
    }

    @Test
    void onlyTheWayBackBlamesTheData() {
        for (Exception error : new Exception[] {new AEADBadTagException("Tag mismatch"), new IllegalBlockSizeException()}) {
            is(Trouble.Kind.REFUSED, error, true);
            is(Trouble.Kind.REFUSED, new IOException(new IOException(error)), true);
            is(Trouble.Kind.FAILED, error, false);
            is(Trouble.Kind.FAILED, new IOException(error), false);
        }
    }

    /** A tamper probe takes any refusal for an answer, so a wrong argument of ours must not be one. */
    @Test
    void anIllegalArgumentIsTheDatasFaultOnlyWhereADecoderSaysSo() {
        for (String text : new String[] {"ab!d", "a", "abc=d", "abcde", "ab=", "YWJj=ZGVm"}) {
            is(Trouble.Kind.REFUSED, assertThrows(IllegalArgumentException.class,
                    () -> Base64.getDecoder().decode(text), text), true);
        }
        is(Trouble.Kind.REFUSED, new IllegalArgumentException("not base64"), true);
        is(Trouble.Kind.FAILED, new IllegalArgumentException("not base64"), false);
        is(Trouble.Kind.FAILED, assertThrows(IllegalArgumentException.class,
                () -> Base64.getDecoder().decode(new byte[8], new byte[1])), true);
        is(Trouble.Kind.FAILED, assertThrows(IllegalArgumentException.class,
                () -> new GCMParameterSpec(128, new byte[1], 1, 12)), true);
        is(Trouble.Kind.FAILED, new IOException(new IllegalArgumentException()), true);
    }

    @Test
    void theRestFailed() {
        is(Trouble.Kind.FAILED, new NoSuchFileException("absent"), true);
        is(Trouble.Kind.FAILED, new IOException("No space left on device"), true);
        is(Trouble.Kind.FAILED, new IOException(new IllegalStateException()), true);
    }

    private static void is(Trouble.Kind kind, Throwable error, boolean back) {
        assertEquals(kind, Trouble.of(error, back).kind, error::toString);
    }
}
