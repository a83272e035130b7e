package sealmark.log.access;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import sealmark.log.Label;
import sealmark.log.ValueNames;

/**
 * Names of parameters as they were configured, found however a client writes them: with escapes of the query or of the
 * log, in upper or lower case, and without what some servers take away.
 */
final class Names {
    private static final int BYTE = 2;

    private final List<Name> names = new ArrayList<>();
    private final ValueNames counts;

    private record Name(String configured, String plain, Label label) {}

    /**
     * @param counts what each name matches
     */
    Names(List<String> configured, ValueNames counts) {
        this.counts = counts;
        configured.forEach(name -> names.add(new Name(name, lower(name.getBytes(UTF_8)).strip(), Label.fit(name))));
    }

    /** The label of a name as it is written, or of it without blanks around it and what is behind {@code [} or NUL. */
    Label find(char[] chars, int from, int to) {
        if (names.isEmpty()) {
            return null;
        }
        String whole = decoded(chars, from, to);
        int end = 0;
        while (end < whole.length() && whole.charAt(end) != '[' && whole.charAt(end) != 0) {
            end++;
        }
        String stem = whole.substring(0, end).strip();
        String stripped = whole.strip();
        for (Name name : names) {
            if (name.plain.equals(stripped) || name.plain.equals(stem)) {
                counts.matched(name.configured);
                return name.label;
            }
        }
        return null;
    }

    /** Bytes as characters, letters of ASCII in lower case. */
    private static String lower(byte[] bytes) {
        return new String(bytes, ISO_8859_1).toLowerCase(Locale.ROOT);
    }

    /** Decodes first the escapes of the log, then those of the query. Other characters stand for themselves. */
    private static String decoded(char[] chars, int from, int to) {
        byte[] sent = sent(chars, from, to);
        ByteArrayOutputStream decoded = new ByteArrayOutputStream(sent.length);
        char[] units = new String(sent, ISO_8859_1).toCharArray();
        for (int at = 0; at < units.length; at++) {
            int escaped = units[at] == '%' ? Escapes.hex(units, at + 1, units.length, BYTE) : -1;
            if (escaped >= 0) {
                decoded.write(escaped);
                at += BYTE;
            } else {
                decoded.write(units[at] == '+' ? ' ' : units[at]);
            }
        }
        return lower(decoded.toByteArray());
    }

    /** The bytes of a client, which servers write as characters of Latin-1, or {@code backslash u} and four digits. */
    private static byte[] sent(char[] chars, int from, int to) {
        String text = Escapes.unescaped(chars, from, to);
        boolean isLatin = text.chars().allMatch(unit -> unit < 256);
        return text.getBytes(isLatin ? ISO_8859_1 : UTF_8);
    }
}
