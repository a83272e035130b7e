package sealmark.log.reader;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import sealmark.log.keys.PreSharedKey;
import sealmark.log.keys.Recipient;
import sealmark.log.wrap.Bech32;
import sealmark.log.wrap.Bytes;
import sealmark.log.wrap.Header;
import sealmark.log.wrap.Kem;
import sealmark.log.wrap.Previous;
import sealmark.log.wrap.Readers;
import sealmark.log.wrap.SessionSecret;

/** Headers are collected without a key, and wrapped for other readers with what they tell. */
class HeaderRewriterTest {
    private final PreSharedKey key = PreSharedKey.generate();
    private final SessionSecret secret = SessionSecret.generate();
    private final byte[] header = secret.header(Readers.of(key), new Previous("AAAAAAAAAAAAAAAA", OptionalLong.of(7)));

    @Test
    void aNewHeaderHasTheSameKeyAndFacts() throws Exception {
        Identity identity = classic();
        byte[] rewritten = rewriter(identity.recipient()).rewrite(header).orElseThrow();
        LogKeys keys = new LogKeys(List.of(identity), List.of());
        try (SessionSecret opened = HeaderReader.open(rewritten, secret.id(), keys)) {
            assertArrayEquals(secret.valueKey(), opened.valueKey());
        }
        assertEquals(HeaderReader.facts(header), HeaderReader.facts(rewritten));
        assertEquals(7, HeaderReader.facts(rewritten).previous().count().orElseThrow());
        assertTrue(HeaderCollector.claimedTime(rewritten).orElseThrow().isBefore(Instant.now().plusSeconds(1)));
        assertEquals(List.of(), new HeaderRewriter(List.of(), List.of(), List.of(identity.recipient())).rewrite(header).stream()
                .toList(), "no key opens it");
    }

    @Test
    void aClassicHeaderDoesNotBecomePostQuantum() {
        Identity classic = classic();
        byte[] old = secret.header(Readers.of(List.of(classic.recipient())), null);
        Recipient postQuantum = identity(Kem.MLKEM768X25519, new byte[32]).recipient();
        HeaderRewriter rewriter = new HeaderRewriter(List.of(classic), List.of(key), List.of(postQuantum));
        assertTrue(assertThrows(IllegalArgumentException.class, () -> rewriter.rewrite(old)).getMessage()
                .contains("cannot become post-quantum"));
        assertTrue(rewriter.rewrite(header).isPresent(), "a pre-shared key is no classic one");
    }

    @Test
    void aStanzaOfAnUnknownTypeMayBeClassic() {
        Kem hybrid = Kem.ofWord("mlkem768x25519");
        Identity identity = identity(hybrid, new byte[32]);
        HeaderRewriter rewriter = new HeaderRewriter(List.of(identity), List.of(), List.of(identity.recipient()));
        byte[] known = secret.header(Readers.of(List.of(identity.recipient())), null);
        assertTrue(rewriter.rewrite(known).isPresent());
        ByteArrayOutputStream unknown = new ByteArrayOutputStream();
        unknown.write(known, 0, Header.START - 2);
        unknown.writeBytes(Bytes.number(2));
        unknown.write(known, Header.START, known.length - Header.MAC - Header.START);
        unknown.writeBytes(new byte[] {0x77, 0x77, 0, 0});
        unknown.writeBytes(secret.mac(unknown.toByteArray()));
        assertTrue(assertThrows(IllegalArgumentException.class, () -> rewriter.rewrite(unknown.toByteArray())).getMessage()
                .contains("cannot become post-quantum"));
    }

    @Test
    void headersAreCollectedWithoutAKey() {
        List<byte[]> found = new ArrayList<>();
        HeaderCollector collector = new HeaderCollector((session, one) -> {
            assertEquals(secret.idText(), session);
            found.add(one);
        });
        byte[] lines = HeaderCollector.lines(secret.idText(), header);
        byte[] text = ("before\n" + new String(lines, ISO_8859_1) + "{\"sealmark\":\"" + "~s1h~" + "\"}\n").getBytes(ISO_8859_1);
        collector.collect(text, 0, text.length);
        collector.collect(text, 0, text.length);
        assertEquals(1, found.size(), "a header that is repeated is one");
        assertArrayEquals(header, found.get(0));
    }

    @Test
    void aHeaderUnderTheNameOfAnotherSessionIsNone() {
        byte[] lines = HeaderCollector.lines("AAAAAAAAAAAAAAAA", header);
        new HeaderCollector((session, one) -> assertFalse(true, session)).collect(lines, 0, lines.length);
        byte[] malformed = HeaderCollector.lines(secret.idText(), new byte[] {2, 1, 0});
        new HeaderCollector((session, one) -> assertFalse(true, session)).collect(malformed, 0, malformed.length);
        assertEquals(List.of(), HeaderCollector.claimedTime(new byte[1]).stream().toList());
    }

    private static Identity classic() {
        byte[] bytes = new byte[32];
        new SecureRandom().nextBytes(bytes);
        return identity(Kem.ofWord("x25519"), bytes);
    }

    private static Identity identity(Kem kem, byte[] secret) {
        return Identity.parse(String.valueOf(Bech32.encode(kem.identityPrefix(), secret, true)));
    }

    private HeaderRewriter rewriter(Recipient recipient) {
        return new HeaderRewriter(List.of(), List.of(key), List.of(recipient));
    }
}
