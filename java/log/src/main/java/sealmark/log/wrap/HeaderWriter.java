package sealmark.log.wrap;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import sealmark.log.OpenReport.Previous;
import sealmark.log.keys.PreSharedKey;
import sealmark.log.keys.Recipient;

/** Wraps a session key for its readers (spec/record.md, "Header"). Knows no secret key. */
final class HeaderWriter {
    private static final SecureRandom RANDOM = new SecureRandom();

    private HeaderWriter() {}

    /** {@code sessionKey} are the bytes of {@code secret}; the session before may be null. */
    static byte[] write(SessionSecret secret, byte[] sessionKey, Readers readers, Previous previous) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        List<Recipient> recipients = readers.recipients();
        out.write(Header.VERSION);
        out.writeBytes(secret.id());
        // Several threads may seal: order is never promised.
        OptionalLong count = previous == null ? OptionalLong.empty() : previous.count();
        out.write(Header.TIMED | (previous == null ? 0 : Header.PREVIOUS) | (count.isPresent() ? Header.COUNTED : 0));
        out.writeBytes(previous == null ? new byte[Header.ID] : Base64Url.decode(previous.session()));
        out.writeBytes(ByteBuffer.allocate(Header.COUNT + Header.TIME)
                .putLong(count.orElse(0))
                .putLong(Math.max(0, Instant.now().getEpochSecond())).array());
        out.writeBytes(Bytes.number(recipients.size() + (readers.preShared().isPresent() ? 1 : 0)));
        for (Recipient recipient : recipients) {
            Kem kem = Kem.ofWord(recipient.type());
            stanza(out, kem.id(), Hpke.seal(kem, recipient.bytes(), kem.info(), sessionKey));
        }
        readers.preShared().ifPresent(key -> stanza(out, Header.PRE_SHARED, underPreShared(key, sessionKey)));
        out.writeBytes(secret.mac(out.toByteArray()));
        return out.toByteArray();
    }

    private static void stanza(ByteArrayOutputStream out, int type, byte[] data) {
        out.writeBytes(Bytes.number(type));
        out.writeBytes(Bytes.number(data.length));
        out.writeBytes(data);
    }

    private static byte[] underPreShared(PreSharedKey key, byte[] sessionKey) {
        byte[] salt = new byte[Header.SALT];
        RANDOM.nextBytes(salt);
        byte[] wrapKey = WrapKey.of(key, salt);
        try {
            return Bytes.concat(salt, Aead.seal(wrapKey, WrapKey.NONCE, sessionKey));
        } finally {
            Bytes.wipe(wrapKey);
        }
    }
}
