package sealmark.log.reader;

import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Optional;
import sealmark.log.keys.PreSharedKey;
import sealmark.log.wrap.Bytes;
import sealmark.log.wrap.Header;
import sealmark.log.wrap.Kem;
import sealmark.log.wrap.Secret;
import sealmark.log.wrap.SessionSecret;

/** Finds the session key in a header, or says why there is none (spec/record.md, "Header"). */
final class HeaderReader {
    private HeaderReader() {}

    /**
     * The key of the session that the header's parts named.
     *
     * @param session the twelve bytes that stand in the parts
     * @throws HeaderException also where the header is another session's
     */
    public static SessionSecret open(byte[] header, byte[] session, LogKeys keys) throws HeaderException {
        ParsedHeader parsed = ParsedHeader.parse(header);
        if (!Arrays.equals(parsed.id(), session)) {
            throw tampered();
        }
        return open(parsed, keys);
    }

    /** The facts of a header that was opened. */
    public static HeaderFacts facts(byte[] header) throws HeaderException {
        return ParsedHeader.parse(header).facts();
    }

    /** The key of the session that the header names. */
    public static SessionSecret open(byte[] header, LogKeys keys) throws HeaderException {
        return open(ParsedHeader.parse(header), keys);
    }

    private static SessionSecret open(ParsedHeader header, LogKeys keys) throws HeaderException {
        SessionSecret secret = secretOf(header, keys);
        if (Arrays.equals(secret.id(), header.id())
                && MessageDigest.isEqual(secret.mac(header.authenticated()), header.mac())) {
            return secret;
        }
        secret.close();
        throw tampered();
    }

    private static SessionSecret secretOf(ParsedHeader header, LogKeys keys) throws HeaderException {
        // All stanzas of an identity's type have their form before the first is opened.
        for (ParsedHeader.Stanza stanza : header.stanzas()) {
            Optional<Identity> any = keys.identities(stanza.type()).stream().findFirst();
            if (any.isPresent() && !Decapsulation.of(Kem.ofWord(any.get().type())).isEnc(header.opening(stanza))) {
                throw HeaderException.malformed("a stanza's encapsulated key is invalid");
            }
        }
        for (ParsedHeader.Stanza stanza : header.stanzas()) {
            for (Identity identity : keys.identities(stanza.type())) {
                Optional<SessionSecret> found = opened(header, stanza, identity);
                if (found.isPresent()) {
                    return found.get();
                }
            }
        }
        return preShared(header, keys).orElseThrow(() ->
                new HeaderException(HeaderException.Reason.NO_KEY, "none of the keys opens this log header"));
    }

    private static Optional<SessionSecret> opened(ParsedHeader header, ParsedHeader.Stanza stanza, Identity identity) {
        Kem kem = Kem.ofWord(identity.type());
        byte[] secret = identity.secretBytes();
        try {
            return Decapsulation.open(kem, secret, header.opening(stanza), kem.info(), header.wrapped(stanza))
                    .map(SessionSecret::taking);
        } finally {
            Bytes.wipe(secret);
        }
    }

    private static Optional<SessionSecret> preShared(ParsedHeader header, LogKeys keys) {
        ParsedHeader.Stanza first = header.stanzas().get(0);
        if (first.type() != Header.PRE_SHARED) {
            return Optional.empty();
        }
        byte[] salt = header.opening(first);
        byte[] wrapped = header.wrapped(first);
        return keys.preShared().stream().flatMap(key -> unwrapped(key, salt, wrapped).stream()).findFirst()
                .map(SessionSecret::taking);
    }

    /** Empty where the session key was wrapped under another key. */
    private static Optional<byte[]> unwrapped(PreSharedKey key, byte[] salt, byte[] wrapped) {
        byte[] wrapKey = Header.wrapKey(key, salt);
        try {
            return Optional.ofNullable(new TokenCipher().decrypt(new Secret("AES", wrapKey), Header.wrapNonce(), wrapped));
        } finally {
            Bytes.wipe(wrapKey);
        }
    }

    private static HeaderException tampered() {
        return new HeaderException(HeaderException.Reason.TAMPERED, "the log header was altered or damaged");
    }
}
