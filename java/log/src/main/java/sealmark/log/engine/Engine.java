package sealmark.log.engine;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;
import sealmark.log.LogSealer;
import sealmark.log.keys.PreSharedKey;
import sealmark.log.keys.Recipient;
import sealmark.log.wrap.Previous;
import sealmark.log.wrap.Readers;
import sealmark.log.wrap.SessionSecret;

/** A way to make sessions: the native library, or pure Java. */
public final class Engine {
    /** Why native code is not used, empty where pure Java is wanted; null for native code, which was loaded. */
    private final String whyJava;

    Engine(String whyJava) {
        this.whyJava = whyJava;
    }

    /**
     * Native code where it can be loaded, unless pure Java is wanted.
     *
     * @throws IllegalStateException if only native code will do and it cannot be loaded
     */
    public static Engine choose(LogSealer.Engine wanted) {
        if (wanted == LogSealer.Engine.PURE_JAVA) {
            return new Engine("");
        }
        Optional<String> why = NativeLibrary.missing();
        if (why.isPresent() && wanted == LogSealer.Engine.NATIVE) {
            throw new IllegalStateException(why.get());
        }
        return new Engine(why.orElse(null));
    }

    /** {@code native} or {@code pure-java}, and why where native code was wanted. */
    public String name() {
        return whyJava == null ? "native" : whyJava.isEmpty() ? "pure-java" : "pure-java (" + whyJava + ")";
    }

    /**
     * Finds out early whether sessions can be begun. The native library has all that it needs.
     *
     * @throws IllegalStateException if this engine cannot seal to one of them; the hint says what to add
     */
    public void require(Readers readers) {
        if (whyJava == null) {
            return;
        }
        try {
            readers.requireSealing();
        } catch (IllegalStateException error) {
            String[] lines = error.getMessage().split("(?=\n)", 2);
            throw whyJava.isEmpty() ? error
                    : new IllegalStateException(lines[0] + ", and native code cannot be used: " + whyJava
                            + (lines.length == 1 ? "" : lines[1]), error);
        }
    }

    /**
     * A new random session.
     *
     * @param readers who can open it
     * @param padding values are padded to a multiple of so many bytes; 0 for none
     * @param limit it ends after so many values, or a little before
     * @param previous the session before it in the same log; null if that is not known
     * @throws SealException if there is no randomness, or no provider of the readers' key encapsulation
     */
    public Session begin(Readers readers, int padding, long limit, Previous previous) throws SealException {
        if (whyJava == null) {
            return beginNative(readers, padding, limit, previous);
        }
        try (SessionSecret secret = SessionSecret.generate()) {
            return new JavaSession(secret, secret.header(readers, previous), padding, limit);
        } catch (RuntimeException error) {
            throw new SealException("no log session: " + error.getMessage(), error);
        }
    }

    private static Session beginNative(Readers readers, int padding, long limit, Previous previous) throws SealException {
        byte[] keys = readers.preShared().map(Engine::secret).orElseGet(() -> lines(readers));
        try {
            byte[] before = previous == null ? null : previous.session().getBytes(US_ASCII);
            long count = previous == null ? -1 : previous.count().orElse(-1);
            return new NativeSession(
                    NativeCalls.begin(keys, readers.preShared().isPresent(), padding, limit, before, count), padding);
        } finally {
            Arrays.fill(keys, (byte) 0);
        }
    }

    private static byte[] lines(Readers readers) {
        return readers.recipients().stream().map(Recipient::toString).collect(Collectors.joining("\n"))
                .getBytes(US_ASCII);
    }

    private static byte[] secret(PreSharedKey key) {
        char[] characters = key.secretChars();
        byte[] bytes = new byte[characters.length];
        US_ASCII.newEncoder().encode(CharBuffer.wrap(characters), ByteBuffer.wrap(bytes), true);
        Arrays.fill(characters, '\0');
        return bytes;
    }
}
