package sealmark.log.wrap;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/** Reads files of keys: one a line; empty lines and those that begin with {@code #} are skipped (spec/record.md). */
public final class KeyFile {
    private static final int MOST_BYTES = 16 << 20;

    private KeyFile() {}

    /**
     * The keys in a file; at least one.
     *
     * @param missing says that a file has no key, with a hint
     * @throws IllegalArgumentException if it contains no key or something else; names file and line, and quotes no more
     *     than {@code parse} does
     */
    public static <T> List<T> read(Path file, Function<CharSequence, T> parse, String missing) throws IOException {
        byte[] bytes = bytes(file);
        CharBuffer text = CharBuffer.allocate(bytes.length);
        try {
            if (UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes), text, true).isError()) {
                throw new IllegalArgumentException("key file \"" + file + "\" is not a text file");
            }
            List<T> keys = keys(file, text.flip(), parse);
            if (keys.isEmpty()) {
                throw new IllegalArgumentException("key file \"" + file + "\" contains " + missing);
            }
            return keys;
        } finally {
            Bytes.wipe(bytes);
            Arrays.fill(text.array(), '\0');
        }
    }

    /** Says why a text is not such a key, with a hint. */
    public static IllegalArgumentException refused(String what, IllegalArgumentException why, String hint) {
        return new IllegalArgumentException("not a " + what + ": " + why.getMessage() + "\n" + hint);
    }

    private static byte[] bytes(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(MOST_BYTES + 1);
            if (bytes.length > MOST_BYTES) {
                throw new IllegalArgumentException("key file \"" + file + "\" is larger than 16 MiB");
            }
            return bytes;
        }
    }

    private static <T> List<T> keys(Path file, CharBuffer text, Function<CharSequence, T> parse) {
        List<T> keys = new ArrayList<>();
        int number = 1;
        for (int from = 0; from < text.limit(); number++) {
            int end = from;
            while (end < text.limit() && text.get(end) != '\n') {
                end++;
            }
            CharSequence line = trimmed(text, from, end);
            if (line.length() > 0 && line.charAt(0) != '#') {
                keys.add(parsed(line, parse, file, number));
            }
            from = end + 1;
        }
        return keys;
    }

    private static <T> T parsed(CharSequence line, Function<CharSequence, T> parse, Path file, int number) {
        try {
            return parse.apply(line);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("key file \"" + file + "\", line " + number + ": " + e.getMessage(), e);
        }
    }

    /** A view: no copy of a secret is made. */
    private static CharSequence trimmed(CharBuffer text, int from, int end) {
        while (from < end && text.get(from) <= ' ') {
            from++;
        }
        while (end > from && text.get(end - 1) <= ' ') {
            end--;
        }
        return text.subSequence(from, end);
    }
}
