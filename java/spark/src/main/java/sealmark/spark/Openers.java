package sealmark.spark;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import sealmark.log.reader.LogOpener;

/** Makes an opener for one task: the keys are read on the executor, and wiped with the opener. */
final class Openers {
    private static final String PRE_SHARED = "SEALMARK-SECRET-KEY-PSK-";

    private Openers() {}

    /**
     * An opener with the provider's keys.
     *
     * @param headers has the headers of a session by its id
     * @throws IOException if the keys cannot be had, or are none; the message quotes no key
     */
    static LogOpener opener(KeyProvider provider, Configuration configuration, Function<String, List<byte[]>> headers)
            throws IOException {
        byte[] bytes = provider.keys(configuration);
        CharBuffer text = CharBuffer.allocate(bytes.length);
        LogOpener.Builder builder = LogOpener.builder().headers(headers);
        try {
            if (UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes), text, true).isError()) {
                throw new IOException("the keys are not text\nhint: provide the content of a file that `sealmark keygen` wrote");
            }
            add(text.flip(), builder);
            return builder.build();
        } catch (IllegalArgumentException e) {
            throw new IOException(e.getMessage(), e);
        } finally {
            Arrays.fill(bytes, (byte) 0);
            Arrays.fill(text.array(), '\0');
        }
    }

    private static void add(CharBuffer text, LogOpener.Builder builder) throws IOException {
        int keys = 0;
        for (int from = 0; from < text.limit(); ) {
            int end = from;
            while (end < text.limit() && text.get(end) != '\n') {
                end++;
            }
            CharSequence line = trimmed(text, from, end);
            if (line.length() > 0 && line.charAt(0) != '#') {
                addKey(line, builder);
                keys++;
            }
            from = end + 1;
        }
        if (keys == 0) {
            throw new IOException("no secret key given\nhint: make one with `sealmark keygen -o key.txt`");
        }
    }

    private static void addKey(CharSequence line, LogOpener.Builder builder) {
        boolean isPreShared = line.length() > PRE_SHARED.length()
                && CharSequence.compare(line.subSequence(0, PRE_SHARED.length()), PRE_SHARED) == 0;
        if (isPreShared) {
            builder.preSharedKey(line);
        } else {
            builder.identity(line);
        }
    }

    /** A view: no copy of a secret is made. */
    private static CharSequence trimmed(CharBuffer text, int from, int end) {
        int start = from;
        int behind = end;
        while (start < behind && text.get(start) <= ' ') {
            start++;
        }
        while (behind > start && text.get(behind - 1) <= ' ') {
            behind--;
        }
        return text.subSequence(start, behind);
    }
}
