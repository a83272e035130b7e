package sealmark.log.grammar;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Where in a text of one's own a token stands, or what a reader would take for one of ours.
 *
 * @param start its first character
 * @param end the character behind its last
 * @param isOwn whether it is a whole token of a session of one's own; otherwise it is to be sealed, and has no last tilde,
 *     because an own token may begin with that
 */
public record TokenSpan(int start, int end, boolean isOwn) {
    /**
     * Looks for tokens as readers do.
     *
     * @param text any text
     * @param isOwn whether a session is one's own
     * @return whole tokens of own sessions, and between them what matches the grammar or was cut off and names
     *     another session, parts and closing tokens in any case; from left to right, and no two overlap
     */
    public static List<TokenSpan> in(CharSequence text, Predicate<String> isOwn) {
        List<TokenSpan> spans = new ArrayList<>();
        Grammar grammar = new Grammar(ascii(text), 0, text.length());
        for (Found found = grammar.next(); found != null; found = grammar.next()) {
            boolean isToken = found instanceof Found.Token;
            boolean canBeOwn = isToken || (found instanceof Found.CutOff cut && cut.isToken);
            if (!canBeOwn || !isOwn.test(found.session)) {
                addForeign(spans, found);
                grammar.goOn(found);
            } else if (isToken) {
                endLastAt(spans, found.start);
                spans.add(new TokenSpan(found.start, found.end, true));
            }
        }
        return spans;
    }

    /** Joins what overlaps or touches, so that a text is sealed in few tokens. */
    private static void addForeign(List<TokenSpan> spans, Found found) {
        TokenSpan last = spans.isEmpty() ? null : spans.get(spans.size() - 1);
        boolean isJoined = last != null && !last.isOwn && found.start <= last.end;
        int start = isJoined ? last.start : found.start;
        int end = isJoined ? Math.max(last.end, found.end - 1) : found.end - 1;
        if (isJoined) {
            spans.remove(spans.size() - 1);
        }
        spans.add(new TokenSpan(start, end, false));
    }

    /** A token that was cut off may end in the own one behind it. */
    private static void endLastAt(List<TokenSpan> spans, int start) {
        TokenSpan last = spans.isEmpty() ? null : spans.get(spans.size() - 1);
        if (last != null && last.end > start) {
            spans.set(spans.size() - 1, new TokenSpan(last.start, start, false));
        }
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
