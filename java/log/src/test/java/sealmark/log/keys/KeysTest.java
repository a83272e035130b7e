package sealmark.log.keys;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.CharBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sealmark.log.reader.Identity;
import sealmark.log.wrap.Bech32;
import sealmark.log.wrap.Kem;
import sealmark.log.wrap.Secret;

class KeysTest {
    @ParameterizedTest
    @EnumSource(Kem.class)
    void aRecipientSurvivesItsString(Kem kem) {
        try (Identity identity = Identity.parse(secretText(kem, secret(kem)))) {
            Recipient recipient = identity.recipient();
            String text = recipient.toString();
            assertTrue(text.startsWith(kem.recipientPrefix() + "1"), text);
            assertEquals(recipient, Recipient.parse(text));
            assertEquals(recipient.hashCode(), Recipient.parse(text).hashCode());
            assertEquals(recipient, Recipient.of(kem.word(), recipient.bytes()));
            assertEquals(kem.word(), recipient.type());
            assertEquals(kem.isPostQuantum(), recipient.isPostQuantum());
            assertEquals(kem.word(), identity.type());
            assertEquals("Identity(" + kem.word() + ")", identity.toString());
            assertArrayEquals(secret(kem), identity.secretBytes());
        }
    }

    @Test
    void recipientsDifferByKeyAndType() {
        Recipient one = Identity.parse(secretText(Kem.X25519, new byte[32])).recipient();
        byte[] other = new byte[32];
        other[5] = 1;
        assertNotEquals(one, Identity.parse(secretText(Kem.X25519, other)).recipient());
        assertNotEquals(one, null);
    }

    @ParameterizedTest
    @EnumSource(Kem.class)
    void eachTypeHasItsLength(Kem kem) {
        byte[] longer = new byte[secret(kem).length + 1];
        assertRefused("wrong length or value", () -> Identity.parse(secretText(kem, longer)));
        byte[] key = Identity.parse(secretText(kem, secret(kem))).recipient().bytes();
        byte[] shorter = Arrays.copyOf(key, key.length - 1);
        String text = new String(Bech32.encode(kem.recipientPrefix(), shorter, false));
        assertRefused("wrong length or value", () -> Recipient.parse(text));
    }

    @Test
    void keysThatProtectNothingAreRefused() {
        String lowOrder = new String(Bech32.encode("age", new byte[32], false));
        assertRefused("wrong length or value", () -> Recipient.parse(lowOrder));
        assertRefused("wrong length or value", () -> Identity.parse(secretText(Kem.P256, new byte[32])));
        assertRefused("wrong length or value", () -> Recipient.of("p256", new byte[65]));
    }

    @Test
    void aKeyOfAnotherKindIsNamed() {
        String secret = secretText(Kem.X25519, new byte[32]);
        String recipient = Identity.parse(secret).recipient().toString();
        String shared = new String(PreSharedKey.generate().secretChars());
        assertRefused("this is a secret key, but a public key is needed", () -> Recipient.parse(secret));
        assertRefused("this is a secret key, but a public key is needed", () -> Recipient.parse(shared));
        assertRefused("this is a public key, but a secret key is needed", () -> Identity.parse(recipient));
        assertRefused("this is a pre-shared key: add it with preSharedKeyFile", () -> Identity.parse(shared));
        assertRefused("this is a key of another type", () -> PreSharedKey.parse(secret));
        assertRefused("all lower case", () -> Recipient.parse(recipient.toUpperCase(Locale.ROOT)));
        assertRefused("all upper case", () -> Identity.parse(secret.toLowerCase(Locale.ROOT)));
        assertRefused("all upper case", () -> PreSharedKey.parse(shared.toLowerCase(Locale.ROOT)));
        String unknown = new String(Bech32.encode("sealmark-rsa-", new byte[32], false));
        assertRefused("this version does not know the type of this key; a newer one may", () -> Recipient.parse(unknown));
        assertThrows(IllegalArgumentException.class, () -> Recipient.of("rsa", new byte[32]));
    }

    @Test
    void aTypingErrorInAPublicKeyIsQuotedAndInASecretOneNot() {
        String typo = "age1" + "q".repeat(58);
        assertRefused("\"" + typo.substring(0, 40) + "…\": its Bech32 encoding is invalid: mistyped or cut short",
                () -> Recipient.parse(typo));
        String secret = secretText(Kem.X25519, new byte[32]).replace('Q', 'P');
        String lower = secret.toLowerCase(Locale.ROOT);
        for (String text : List.of(secret, lower, "hunter2", "sealmark-secret-key-psk-1zz")) {
            for (Executable parse : List.<Executable>of(
                    () -> Recipient.parse(text), () -> Identity.parse(text), () -> PreSharedKey.parse(text))) {
                String message = assertThrows(IllegalArgumentException.class, parse).getMessage();
                assertFalse(message.contains(text.substring(text.length() - 3)), message);
                assertTrue(message.contains("\nhint: "), message);
            }
        }
    }

    @Test
    void aPreSharedKeySurvivesItsStringAndIsNeverPrinted() {
        try (PreSharedKey key = PreSharedKey.generate()) {
            char[] text = key.secretChars();
            assertTrue(new String(text).startsWith("SEALMARK-SECRET-KEY-PSK-1"));
            assertArrayEquals(key.secretBytes(), PreSharedKey.parse(CharBuffer.wrap(text)).secretBytes());
            assertArrayEquals(key.secretBytes(), PreSharedKey.of(key.secretBytes()).secretBytes());
            assertFalse(Arrays.equals(key.secretBytes(), PreSharedKey.generate().secretBytes()));
            assertEquals("PreSharedKey", key.toString());
        }
        assertThrows(IllegalArgumentException.class, () -> PreSharedKey.of(new byte[31]));
        String shorter = new String(Bech32.encode("sealmark-secret-key-psk-", new byte[31], true));
        assertRefused("wrong length or value", () -> PreSharedKey.parse(shorter));
    }

    @Test
    void aClosedKeyIsWiped() {
        byte[] bytes = {1, 2, 3};
        new Secret("RAW", bytes).destroy();
        assertArrayEquals(new byte[3], bytes);
        PreSharedKey shared = PreSharedKey.generate();
        shared.close();
        assertThrows(IllegalStateException.class, shared::secretBytes);
        assertThrows(IllegalStateException.class, shared::secretChars);
        Identity identity = Identity.parse(secretText(Kem.X25519, new byte[32]));
        identity.close();
        assertThrows(IllegalStateException.class, identity::secretBytes);
        assertThrows(IllegalStateException.class, identity::recipient);
    }

    private static void assertRefused(String why, Executable parse) {
        String message = assertThrows(IllegalArgumentException.class, parse).getMessage();
        assertTrue(message.startsWith("not a ") || message.equals(why), message);
        assertTrue(message.contains(why), message);
    }

    private static byte[] secret(Kem kem) {
        byte[] secret = new byte[kem == Kem.MLKEM768 || kem == Kem.MLKEM1024 ? 64 : 32];
        secret[3] = 77;
        return secret;
    }

    private static String secretText(Kem kem, byte[] secret) {
        return new String(Bech32.encode(kem.identityPrefix(), secret, true));
    }
}
