package sealmark.lab.engine;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;

class Base64TextTest {
    @Test
    void whatAnEncoderMakesPasses() {
        for (int length = 0; length < 70; length++) {
            byte[] bytes = Recipe.bytes(length, length);
            assertDoesNotThrow(() -> Base64Text.mustBe(Base64.getEncoder().encode(bytes), "+/"));
            assertDoesNotThrow(() -> Base64Text.mustBe(Base64.getUrlEncoder().encode(bytes), "-_"));
            assertDoesNotThrow(() -> Base64Text.mustBe(Base64.getUrlEncoder().withoutPadding().encode(bytes), "-_"));
        }
    }

    @Test
    void everythingElseIsRefused() {
        for (String text : List.of("A", "AAAAA", "AA=", "AAA==", "A===", "====", "=", "==", "AA=A", "AAAA=", "AAAAAA=",
                "AA A", "AAA\n", "AAA-", "AA_A", "AAAé", "\0AAA")) {
            Trouble trouble = assertThrows(Trouble.class,
                    () -> Base64Text.mustBe(text.getBytes(StandardCharsets.UTF_8), "+/"), text);
            assertEquals(Trouble.Kind.REFUSED, trouble.kind);
        }
        assertThrows(Trouble.class, () -> Base64Text.mustBe(new byte[] {'A', 'A', 'A', '+'}, "-_"));
    }
}
