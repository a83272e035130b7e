package sealmark.log.read;

import java.util.ArrayList;
import java.util.List;

/**
 * Where in a text a token stands.
 *
 * @param start its first character
 * @param end the character behind its last
 * @param session the session that it names
 * @param isJson whether its value is a JSON text
 */
public record TokenSpan(int start, int end, String session, boolean isJson) {
    /**
     * Looks for tokens as readers do.
     *
     * @param text any text
     * @return its tokens, from left to right
     */
    public static List<TokenSpan> in(CharSequence text) {
        List<TokenSpan> tokens = new ArrayList<>();
        Grammar grammar = new Grammar(ascii(text), 0, text.length());
        for (Found found = grammar.next(); found != null; found = grammar.next()) {
            if (found instanceof Found.Token token) {
                tokens.add(new TokenSpan(token.start, token.end, token.session, token.isJson));
            }
        }
        return tokens;
    }

    /** A byte for each character, so that places stay; what is no ASCII is in no token. */
    private static byte[] ascii(CharSequence text) {
        byte[] bytes = new byte[text.length()];
        for (int at = 0; at < bytes.length; at++) {
            bytes[at] = (byte) (text.charAt(at) < 128 ? text.charAt(at) : '?');
        }
        return bytes;
    }
}
