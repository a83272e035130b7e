package sealmark.log.wrap;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import sealmark.log.keys.PreSharedKey;
import sealmark.log.keys.Recipient;
import sealmark.log.reader.Headers;
import sealmark.log.reader.Identity;

class ReadersTest {
    private final Recipient classic = Identities.of(Kem.X25519).recipient();
    private final Recipient hybrid = Identities.of(Kem.MLKEM768X25519).recipient();

    @Test
    void classicKeysAreNotMixedWithPostQuantumOnes() {
        String message = refusal(List.of(hybrid, classic));
        assertTrue(message.contains("quantum computers\nhint: "), message);
        Readers.of(List.of(classic, Identities.of(Kem.P256).recipient()));
        Readers.of(List.of(hybrid, Identities.of(Kem.MLKEM1024).recipient()));
    }

    @Test
    void thereAreOneToAThousandRecipients() {
        assertTrue(refusal(List.of()).startsWith("no recipient given\nhint: "));
        assertEquals("more than 1000 recipients", refusal(Collections.nCopies(1001, classic)));
        Readers.of(Collections.nCopies(1000, classic));
    }

    @Test
    void everyOfManyRecipientsOpens() throws Exception {
        try (Identity first = Identities.of(Kem.X25519); Identity last = Identities.of(Kem.P256);
                SessionSecret secret = SessionSecret.generate()) {
            byte[] header = secret.header(Readers.of(List.of(first.recipient(), classic, last.recipient())), null);
            for (Identity identity : List.of(first, last)) {
                try (SessionSecret found = Headers.open(header, List.of(Identities.of(Kem.X25519), identity))) {
                    assertArrayEquals(secret.valueKey(), found.valueKey());
                }
            }
        }
    }

    @Test
    void headersOfOneSessionDifferAndSayTheSame() throws Exception {
        try (PreSharedKey key = PreSharedKey.generate(); SessionSecret secret = SessionSecret.generate()) {
            byte[] one = secret.header(Readers.of(key), null);
            byte[] other = secret.header(Readers.of(key), null);
            assertFalse(Arrays.equals(one, other));
            List<PreSharedKey> keys = List.of(PreSharedKey.generate(), key);
            assertArrayEquals(Headers.openShared(one, keys).valueKey(), Headers.openShared(other, keys).valueKey());
        }
    }

    @Test
    void aClosedSecretIsWiped() {
        byte[] bytes = Identities.filled(32, 1);
        SessionSecret secret = SessionSecret.taking(bytes);
        byte[] id = secret.id();
        secret.close();
        assertArrayEquals(new byte[32], bytes);
        assertArrayEquals(id, secret.id());
        assertThrows(IllegalStateException.class, secret::valueKey);
        assertThrows(IllegalStateException.class, () -> secret.header(Readers.of(List.of(classic)), null));
        assertEquals("SessionSecret(" + Base64Url.encode(id) + ")", secret.toString());
    }

    @Test
    void aSecretHas32Bytes() {
        assertThrows(IllegalArgumentException.class, () -> SessionSecret.of(new byte[31]));
        assertFalse(Arrays.equals(SessionSecret.generate().valueKey(), SessionSecret.generate().valueKey()));
        byte[] bytes = Identities.filled(32, 1);
        SessionSecret secret = SessionSecret.of(bytes);
        byte[] before = secret.valueKey();
        bytes[0] = 2;
        assertArrayEquals(before, secret.valueKey());
    }

    private static String refusal(List<Recipient> recipients) {
        return assertThrows(IllegalArgumentException.class, () -> Readers.of(recipients)).getMessage();
    }
}
