package sealmark.log.engine;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.CharBuffer;
import java.util.Arrays;
import java.util.stream.Collectors;
import sealmark.log.OpenReport.Previous;
import sealmark.log.keys.PreSharedKey;
import sealmark.log.keys.Recipient;
import sealmark.log.wrap.Readers;

/** Sessions of the native library, which was loaded. */
final class NativeEngine implements Engine {
    @Override
    public String name() {
        return "native";
    }

    /** The library has all that it needs. */
    @Override
    public void require(Readers readers) {}

    @Override
    public Session begin(Readers readers, int padding, long limit, Previous previous)
            throws SealException {
        byte[] keys = readers.preShared().map(NativeEngine::secret).orElseGet(() -> lines(readers));
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
        US_ASCII.newEncoder().encode(CharBuffer.wrap(characters), java.nio.ByteBuffer.wrap(bytes), true);
        Arrays.fill(characters, '\0');
        return bytes;
    }
}
