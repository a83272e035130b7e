package sealmark.lab.engine;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import javax.crypto.ShortBufferException;

/**
 * A prepared job {@code payload}: AES-GCM from file to file. A sealed file is the initialization vector, the ciphertext
 * and the tag. A failure leaves the output as it is then, because the lab checks what a receiver would hold.
 */
abstract class Payload {
    static final int VECTOR = 12;
    private static final int BUFFER = 8192;

    /** Exceptions from counting past 2^31 in an {@code int}; the last of them would blame the data. */
    private static final List<Class<? extends Throwable>> LOST_COUNT = Arrays.asList(IndexOutOfBoundsException.class,
            NegativeArraySizeException.class, ArithmeticException.class, ShortBufferException.class);

    /** The name of the code that does the work, which may be another than the engine's. */
    final String code;

    Payload(String code) {
        this.code = code;
    }

    /** From the opening of the files to the closing of the output: all that is timed. */
    abstract void seal(Path input, Path output) throws Exception;

    /** From the opening of the files to the closing of the output: all that is timed. */
    abstract void open(Path input, Path output) throws Exception;

    /** Sorts what came of an input, which may have been more than a library can count. */
    static Trouble trouble(Throwable error, boolean opens, Path input) throws IOException {
        Trouble trouble = Trouble.of(error, opens);
        return lostCount(error) && Files.size(input) > Job.LONGEST_ARRAY
                ? Trouble.limited("lost count past 2^31 bytes: " + trouble.getMessage())
                : trouble;
    }

    private static boolean lostCount(Throwable error) {
        return LOST_COUNT.stream().anyMatch(type -> type.isInstance(error) || type.isInstance(error.getCause()));
    }

    static InputStream from(Path input) throws IOException {
        return Files.newInputStream(input);
    }

    static OutputStream to(Path output) throws IOException {
        return Files.newOutputStream(output, StandardOpenOption.CREATE_NEW);
    }

    static byte[] buffer() {
        return new byte[BUFFER];
    }

    /** Not the JDK's own way to copy a stream, whose buffer has grown in newer JDKs. */
    static void copy(InputStream in, OutputStream out) throws IOException {
        byte[] buffer = buffer();
        for (int length = in.read(buffer); length != -1; length = in.read(buffer)) {
            out.write(buffer, 0, length);
        }
    }

    static byte[] vector(InputStream sealed) throws IOException, Trouble {
        byte[] vector = new byte[VECTOR];
        int length = 0;
        for (int more = 0; more != -1 && length < VECTOR; length += Math.max(0, more)) {
            more = sealed.read(vector, length, VECTOR - length);
        }
        if (length < VECTOR) {
            throw withoutVector(length);
        }
        return vector;
    }

    static Trouble withoutVector(long length) {
        return Trouble.refused("the file ends after " + length + " bytes, within its initialization vector");
    }
}
