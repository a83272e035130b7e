package sealmark.log.reader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class SayTest {
    @Test
    void secretKeysAreLeftOut() {
        String key = "AGE-SECRET-KEY-PQ-1QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L";
        for (String one : List.of(key, key.toLowerCase(Locale.ROOT), key.replace("PQ-", ""))) {
            String shown = Say.withoutSecrets("--a='" + one + "' and \"" + one + "\"");
            assertFalse(shown.toLowerCase(Locale.ROOT).contains("qpzry9x8"), shown);
            assertTrue(shown.contains("and"), shown);
        }
        String innocent = "\"my-secret-key-of-2025.txt\": no such file or directory";
        assertEquals(innocent, Say.withoutSecrets(innocent));
    }

    @Test
    void aNameIsQuotedOnOneLine() {
        assertEquals("\"a\\\"b\\\\c\\nd\\u{1b}[m\u00e9\"", Say.quoted("a\"b\\c\nd\u001b[m\u00e9"));
    }
}
