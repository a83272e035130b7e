package sealmark.spark;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import sealmark.log.keys.PreSharedKey;
import sealmark.log.reader.Identity;
import sealmark.log.reader.TokenReader;

/** Makes readers of logs for one task: the keys are read on the executor, and wiped with the reader. */
final class Openers {
    private static final String PRE_SHARED = "SEALMARK-SECRET-KEY-PSK-";

    private Openers() {}

    /** A reader with the keys of a provider, which asks for the headers that it needs. */
    static TaskReader reader(KeyProvider provider, Configuration configuration, HeaderTable headers, boolean isOpening)
            throws IOException {
        Keys keys = keys(provider, configuration);
        try {
            // Verification needs the place of each token, which native code does not tell.
            return new TaskReader(new TokenReader(keys.identities, keys.preShared, isOpening), keys::close, headers);
        } catch (RuntimeException | Error e) {
            keys.close();
            throw e;
        }
    }

    /** The keys of a provider; closing wipes them. */
    record Keys(List<Identity> identities, List<PreSharedKey> preShared) implements AutoCloseable {
        @Override
        public void close() {
            identities.forEach(Identity::close);
            preShared.forEach(PreSharedKey::close);
        }
    }

    static Keys keys(KeyProvider provider, Configuration configuration) throws IOException {
        Keys keys = new Keys(new ArrayList<>(), new ArrayList<>());
        fill(keys, provider, configuration);
        return keys;
    }

    /** Adds the keys of a provider; wipes those that were read if one cannot be. */
    static void fill(Keys keys, KeyProvider provider, Configuration configuration) throws IOException {
        try {
            read(provider, configuration, line -> {
                if (isPreShared(line)) {
                    keys.preShared.add(PreSharedKey.parse(line));
                } else {
                    keys.identities.add(Identity.parse(line));
                }
            });
        } catch (IOException | RuntimeException | Error e) {
            keys.close();
            throw e;
        }
    }

    /** Gives each line with a key; messages quote none. */
    private static void read(KeyProvider provider, Configuration configuration, Consumer<CharSequence> key) throws IOException {
        byte[] bytes = provider.keys(configuration);
        CharBuffer text = CharBuffer.allocate(bytes.length);
        try {
            if (UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes), text, true).isError()) {
                throw new IOException("the keys are not text\nhint: provide the content of a file that `sealmark keygen`"
                        + " wrote");
            }
            if (each(text.flip(), key) == 0) {
                throw new IOException("the key file has no key\nhint: make one with `sealmark keygen -o key.txt`");
            }
        } catch (IllegalArgumentException e) {
            throw new IOException(e.getMessage(), e);
        } finally {
            Arrays.fill(bytes, (byte) 0);
            Arrays.fill(text.array(), '\0');
        }
    }

    private static int each(CharBuffer text, Consumer<CharSequence> key) {
        int keys = 0;
        for (int from = 0; from < text.limit(); ) {
            int end = from;
            while (end < text.limit() && text.get(end) != '\n') {
                end++;
            }
            CharSequence line = trimmed(text, from, end);
            if (line.length() > 0 && line.charAt(0) != '#') {
                key.accept(line);
                keys++;
            }
            from = end + 1;
        }
        return keys;
    }

    private static boolean isPreShared(CharSequence line) {
        return line.length() > PRE_SHARED.length()
                && CharSequence.compare(line.subSequence(0, PRE_SHARED.length()), PRE_SHARED) == 0;
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
