package sealmark.lab.engine;

/**
 * A look at text before {@link java.util.Base64} has it. On some JVMs its decoder writes past its buffer for an ending
 * that is cut short (JDK-8392044), and altered text is what the lab has in store.
 */
final class Base64Text {
    private Base64Text() {}

    /** Groups of four, the last of which may be padded or, with the padding left out, shorter. */
    static void mustBe(byte[] text, String more) throws Trouble {
        int end = text.length;
        while (end > 0 && text.length - end < 2 && text[end - 1] == '=') {
            end--;
        }
        boolean whole = end == text.length ? end % 4 != 1 : text.length % 4 == 0;
        for (int at = 0; whole && at < end; at++) {
            whole = isDigit(text[at], more);
        }
        if (!whole) {
            throw Trouble.refused("the text is not base64");
        }
    }

    private static boolean isDigit(byte octet, String more) {
        return octet >= 'A' && octet <= 'Z' || octet >= 'a' && octet <= 'z' || octet >= '0' && octet <= '9'
                || more.indexOf(octet) >= 0;
    }
}
