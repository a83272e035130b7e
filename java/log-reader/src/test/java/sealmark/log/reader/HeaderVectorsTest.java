package sealmark.log.reader;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sealmark.log.keys.Recipient;
import sealmark.log.wrap.Base64Url;
import sealmark.log.wrap.Bytes;
import sealmark.log.wrap.Header;
import sealmark.log.wrap.Readers;
import sealmark.log.wrap.SessionSecret;

/** The headers of spec/vectors/record. */
class HeaderVectorsTest {
    @ParameterizedTest
    @ValueSource(strings = {
        "x25519_opens",
        "p256_opens",
        "mlkem768_opens",
        "mlkem1024_opens",
        "mlkem768x25519_opens",
        "mlkem768p256_opens",
        "mlkem1024p384_opens",
        "a_pre_shared_key_opens",
        "the_last_of_several_keys_opens",
        "the_second_of_two_recipients_opens",
        "a_stanza_of_unknown_type_is_ignored",
        "a_header_of_1000_stanzas",
        "a_header_of_1900000_bytes",
        "a_header_that_tells_nothing",
        "a_header_that_tells_all",
        "a_header_that_promises_order",
        "a_header_that_names_the_session_before",
        "a_header_that_counts_no_value_before",
        "a_header_that_counts_the_session_before",
    })
    void opens(String name) throws Exception {
        Vector vector = Vector.read(name);
        try (SessionSecret secret = HeaderReader.open(vector.header(), vector.session(), vector.keys())) {
            assertArrayEquals(vector.session(), secret.id());
            assertEquals(Base64Url.encode(vector.session()), secret.idText());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "another_recipient, NO_KEY",
        "another_pre_shared_key, NO_KEY",
        "a_recipient_of_another_type, NO_KEY",
        "a_recipient_where_a_pre_shared_key_is_at_hand, NO_KEY",
        "a_stanza_with_the_info_of_a_file, NO_KEY",
        "only_stanzas_of_unknown_types, NO_KEY",
        "a_header_of_1001_stanzas, MALFORMED",
        "a_header_of_1900001_bytes, MALFORMED",
        "a_header_of_75_bytes, MALFORMED",
        "a_header_of_another_version, MALFORMED",
        "a_header_with_a_count_and_no_session_before, MALFORMED",
        "a_header_with_a_count_without_its_flag, MALFORMED",
        "a_header_with_a_session_before_without_its_flag, MALFORMED",
        "a_header_with_a_time_without_its_flag, MALFORMED",
        "a_header_with_flag_10, MALFORMED",
        "a_header_with_flag_20, MALFORMED",
        "a_header_with_flag_40, MALFORMED",
        "a_header_with_flag_80, MALFORMED",
        "a_header_with_a_byte_behind_its_mac, MALFORMED",
        "a_header_with_fewer_stanzas_than_it_says, MALFORMED",
        "a_header_with_more_stanzas_than_it_says, MALFORMED",
        "a_header_without_a_stanza, MALFORMED",
        "a_header_without_its_last_byte, MALFORMED",
        "a_hybrid_share_of_low_order, MALFORMED",
        "a_pre_shared_key_beside_a_recipient, MALFORMED",
        "a_pre_shared_key_beside_an_unknown_type, MALFORMED",
        "a_pre_shared_keys_stanza_of_79_bytes, MALFORMED",
        "a_pre_shared_keys_stanza_of_81_bytes, MALFORMED",
        "two_pre_shared_keys, MALFORMED",
        "a_recipients_ciphertext_of_47_bytes, MALFORMED",
        "a_recipients_ciphertext_of_49_bytes, MALFORMED",
        "another_recipients_stanza_of_another_length, MALFORMED",
        "an_x25519_share_of_low_order, MALFORMED",
        "an_x25519_share_of_low_order_behind_one_that_opens, MALFORMED",
        "a_header_under_another_session_than_its_parts, TAMPERED",
        "a_header_with_another_mac, TAMPERED",
        "a_header_with_the_mac_of_another_key, TAMPERED",
        "a_session_that_is_not_its_keys, TAMPERED",
        "a_part_that_was_altered, NO_KEY",
    })
    void refuses(String name, HeaderException.Reason reason) throws IOException {
        Vector vector = Vector.read(name);
        byte[] header = vector.header();
        HeaderException refusal = assertThrows(
                HeaderException.class, () -> HeaderReader.open(header, vector.session(), vector.keys()));
        assertEquals(reason, refusal.reason(), refusal.getMessage());
    }

    @Test
    void withoutKeysAHeaderIsMalformedOrClosed() throws IOException {
        LogKeys none = new LogKeys(List.of(), List.of());
        assertEquals(HeaderException.Reason.NO_KEY, reason(Vector.read("x25519_opens").header(), none));
        assertEquals(HeaderException.Reason.MALFORMED, reason(Vector.read("two_pre_shared_keys").header(), none));
    }

    /** A share that is none is found out behind one that opens, too: as an off-curve point of P-256. */
    @Test
    void aPointOffItsCurveRefusesTheHeader() throws Exception {
        Vector vector = Vector.read("p256_opens");
        Recipient recipient = vector.identities().get(0).recipient();
        Readers both = Readers.of(List.of(recipient, recipient));
        try (SessionSecret secret = SessionSecret.generate()) {
            byte[] header = secret.header(both, null);
            HeaderReader.open(header, vector.keys()).close();
            header[header.length - Header.MAC - Header.WRAPPED - 1] ^= 1;
            assertEquals(HeaderException.Reason.MALFORMED, reason(header, vector.keys()));
        }
    }

    @Test
    void aStanzaBeyondTheEndOfItsHeaderIsMalformed() {
        LogKeys none = new LogKeys(List.of(), List.of());
        byte[] start = Bytes.concat(new byte[] {1}, new byte[12 + 1 + 12 + 8 + 8], Bytes.number(2));
        byte[] unknown = Bytes.concat(Bytes.number(0xfff0), Bytes.number(0xffff));
        for (int behind = 0; behind < 40; behind++) {
            byte[] header = Bytes.concat(start, unknown, new byte[behind]);
            assertEquals(HeaderException.Reason.MALFORMED, reason(header, none));
        }
    }

    /** A header is refused whatever is altered or cut off, and nothing else is thrown. */
    @ParameterizedTest
    @CsvSource({"a_pre_shared_key_opens, 1", "x25519_opens, 1", "p256_opens, 3", "mlkem768_opens, 41",
        "mlkem768x25519_opens, 37", "mlkem1024p384_opens, 53"})
    void alteredHeadersAreRefused(String name, int step) throws IOException {
        Vector vector = Vector.read(name);
        byte[] header = vector.header();
        for (int at = 0; at < header.length; at += step) {
            byte[] altered = header.clone();
            altered[at] ^= (byte) 0x81;
            reason(altered, vector.keys());
            reason(Arrays.copyOf(header, at), vector.keys());
        }
    }

    private static HeaderException.Reason reason(byte[] header, LogKeys keys) {
        return assertThrows(HeaderException.class, () -> HeaderReader.open(header, keys)).reason();
    }
}
