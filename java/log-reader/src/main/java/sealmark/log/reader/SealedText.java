package sealmark.log.reader;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.Arrays;
import java.util.Optional;
import java.util.function.Consumer;
import sealmark.log.grammar.Found;
import sealmark.log.grammar.Grammar;

/** Finds tokens in text, without a key. */
public final class SealedText {
    private SealedText() {}

    /**
     * True if a text may have a token, a part of a header or a closing token in it. This takes a fraction of the time of the
     * other methods.
     *
     * @param text any text from {@code from} to {@code to - 1}
     * @param from the first byte
     * @param to the place after the last byte
     * @return false if it has none
     */
    public static boolean mayBeSealed(byte[] text, int from, int to) {
        return Grammar.start(text, from, to) < to;
    }

    /**
     * True if a text has a token in it, whoever sealed it.
     *
     * @param text any text from {@code from} to {@code to - 1}
     * @param from the first byte
     * @param to the place after the last byte
     * @return false if it has none, or one that was cut off
     */
    public static boolean isSealed(byte[] text, int from, int to) {
        Grammar grammar = new Grammar(text, from, to);
        for (Found found = grammar.next(); found != null; found = grammar.next()) {
            if (found instanceof Found.Token) {
                return true;
            }
        }
        return false;
    }

    /**
     * Finds the sessions that tokens and closing tokens in a text may be of; more than there are, where text looks like a
     * token. A session that follows itself is given once.
     *
     * @param text any text from {@code from} to {@code to - 1}
     * @param from the first byte
     * @param to the place after the last byte
     * @param sessions gets the ids
     */
    public static void sessions(byte[] text, int from, int to, Consumer<String> sessions) {
        int last = -1;
        for (int at = Grammar.start(text, from, to); at < to; at = Grammar.start(text, at + 1, to)) {
            int session = at + Grammar.SUITE + 2;
            if (text[at + Grammar.SUITE] != 'z') {
                int longest = Math.min(to, session + Grammar.LONGEST_LABEL + 1);
                while (session < longest && text[session] != '~') {
                    session++;
                }
                session++;
            }
            int end = session + Grammar.ID;
            boolean isSession = end < to && text[end] == '~' && text[at + Grammar.SUITE] != 'h';
            if (isSession && (last < 0 || !Arrays.equals(text, session, end, text, last, last + Grammar.ID))) {
                last = session;
                sessions.accept(new String(text, session, Grammar.ID, ISO_8859_1));
            }
        }
    }

    /**
     * The label of a token.
     *
     * @param text a token and nothing else, from {@code from} to {@code to - 1}
     * @param from the first byte
     * @param to the place after the last byte
     * @return empty if it is something else
     */
    public static Optional<String> label(byte[] text, int from, int to) {
        return Optional.ofNullable(LineOpener.tokenIn(text, from, to)).map(Found.Token::label);
    }
}
