package sealmark.log.access;

/** Text with escapes as in JSON strings (RFC 8259, section 7), as servers write it into logs. */
final class Escapes {
    private static final String ESCAPES = "\"\\/bfnrt";
    private static final String MEANT = "\"\\/\b\f\n\r\t";
    private static final int HEX = 16;
    private static final int DIGITS = 4;

    private Escapes() {}

    /** The text that is meant. Characters that are no escape stand for themselves. */
    static String unescaped(char[] chars, int from, int to) {
        int at = indexOf('\\', chars, from, to);
        if (at == to) {
            return new String(chars, from, to - from);
        }
        StringBuilder text = new StringBuilder(to - from);
        text.append(chars, from, at - from);
        while (at < to) {
            at = chars[at] == '\\' ? escape(chars, at, to, text) : plain(chars, at, text);
        }
        return text.toString();
    }

    /** Where the character is first; {@code to} where it is not. */
    static int indexOf(char wanted, char[] chars, int from, int to) {
        int at = from;
        while (at < to && chars[at] != wanted) {
            at++;
        }
        return at;
    }

    private static int plain(char[] chars, int at, StringBuilder text) {
        text.append(chars[at]);
        return at + 1;
    }

    private static int escape(char[] chars, int at, int to, StringBuilder text) {
        int short1 = at + 1 < to ? ESCAPES.indexOf(chars[at + 1]) : -1;
        if (short1 >= 0) {
            text.append(MEANT.charAt(short1));
            return at + 2;
        }
        int unit = at + 1 < to && chars[at + 1] == 'u' ? hex(chars, at + 2, to, DIGITS) : -1;
        if (unit < 0) {
            return plain(chars, at, text);
        }
        text.append((char) unit);
        return at + 2 + DIGITS;
    }

    /** The number that some hexadecimal digits stand for; negative if there are fewer. */
    static int hex(char[] chars, int at, int to, int digits) {
        if (at + digits > to) {
            return -1;
        }
        int value = 0;
        for (int next = at; next < at + digits; next++) {
            int digit = chars[next] < 128 ? Character.digit(chars[next], HEX) : -1;
            if (digit < 0) {
                return -1;
            }
            value = value * HEX + digit;
        }
        return value;
    }
}
