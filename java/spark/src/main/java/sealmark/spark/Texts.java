package sealmark.spark;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.Optional;
import sealmark.log.reader.LogOpener;

/** The functions on bytes of text, however they are called. */
final class Texts {
    private Texts() {}

    /** The value of a text that is a token; any other text, and a token that does not open, stays. */
    static byte[] open(LogOpener opener, byte[] text) {
        Optional<byte[]> value = text.length > 0 && text[0] == '~' ? opener.openToken(new String(text, ISO_8859_1))
                : Optional.empty();
        return value.orElse(text);
    }

    /** The opened line; null for a line that the log has for itself, which {@code sealmark log open} leaves out. */
    static byte[] openLine(LogOpener opener, byte[] line) {
        byte[] opened = opener.open(line);
        return opened.length == 0 && line.length > 0 ? null : opened;
    }
}
