package sealmark.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static sealmark.log.Seals.EMAIL;
import static sealmark.log.Seals.sessionOf;

import java.util.List;
import org.junit.jupiter.api.Test;

class TokensTest {
    private static final Label MESSAGE = Label.of("message");

    private final LogSealer sealer = Seals.sealer();
    private final String token = sealer.seal(EMAIL, "a@b.example");

    @Test
    void tokensStayAndWhatIsBetweenThemIsSealed() {
        assertEquals(token, Tokens.seal(sealer, MESSAGE, token));
        assertEquals(token + token, Tokens.seal(sealer, MESSAGE, token + token));
        String sealed = Tokens.seal(sealer, MESSAGE, "花子 \uD83D\uDE00 " + token + " end");
        assertTrue(sealed.matches("~s1a~message~[\\w~-]+~\\Q" + token + "\\E~s1a~message~[\\w~-]+~"), sealed);
        assertTrue(Tokens.seal(sealer, MESSAGE, "").startsWith("~s1a~message~"));
    }

    @Test
    void whatLooksLikeATokenIsSealed() {
        String other = "~s1a~email~AAAAAAAAAAAAAAAA~";
        List<String> texts = List.of("", "~s1", "~s1 secret", token.substring(1), token + "secret", " " + token,
                token.substring(0, token.length() - 1), "~s1x~email~", token + token, other + "secret~",
                other + "secretsecretsecretsecretsecret~", "~s1a~email~" + sessionOf(token) + "~secret~");
        for (String text : texts) {
            assertFalse(Tokens.isToken(text), text);
            assertFalse(Tokens.seal(sealer, MESSAGE, text).contains("secret"), text);
        }
        assertTrue(Tokens.isToken(token));
    }

    @Test
    void whatIsSealedAlreadyIsNotSealedOnceMore() {
        Sealers.install("twice", sealer);
        try {
            assertEquals(token, Sealed.of("message", token).by("twice").toString());
            assertEquals(token, Sealed.of("message", token).by("twice").toJsonToken());
            String sealed = Sealed.of("message", "no such user " + token).by("twice").toString();
            assertTrue(sealed.matches("~s1a~message~[\\w~-]+~\\Q" + token + "\\E"), sealed);
            String exception = Sealed.of("error", new IllegalStateException("user " + token)).by("twice").toString();
            assertTrue(exception.endsWith(token) && !exception.contains("user"), exception);
            String inJson = Sealed.of("message", "\"" + sealer.sealJson(EMAIL, "1") + "\"").by("twice").toJsonToken();
            assertFalse(inJson.contains("\""), inJson);
        } finally {
            Sealers.remove("twice");
        }
    }

    @Test
    void inJsonANumberIsSealedAsJsonAndAnythingElseAsText() {
        for (Object json : List.of(1980, 1.5, true)) {
            assertTrue(Tokens.sealInJson(sealer, EMAIL, json).startsWith("~s1j~email~"), json.toString());
        }
        for (Object text : List.of("1980", Double.NaN, 'c', List.of(1))) {
            assertTrue(Tokens.sealInJson(sealer, EMAIL, text).startsWith("~s1a~email~"), text.toString());
        }
        assertEquals(token, Tokens.sealInJson(sealer, MESSAGE, token));
        Object failing = new Object() {
            @Override
            public String toString() {
                throw new IllegalStateException("secret");
            }
        };
        assertEquals("~s1x~email~", Tokens.sealInJson(sealer, EMAIL, failing));
    }

    @Test
    void anOwnTokenBehindWhatLooksLikeOneIsNotSealedOnceMore() {
        String before = "~s1a~email~AAAAAAAAAAAAAAAA~" + "A".repeat(30);
        assertTrue(Tokens.seal(sealer, MESSAGE, before + token).endsWith("~" + token));
    }
}
