package sealmark.log.reader;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.Optional;
import java.util.function.Consumer;
import sealmark.log.grammar.Found;
import sealmark.log.grammar.Grammar;

/** Finds tokens in text, without a key. */
public final class SealedText {
    private static final int LONGEST_LABEL = 64;

    private SealedText() {}

    /**
     * True if a text has a token in it, whoever sealed it.
     *
     * @param text any text
     * @return false if it has none, or one that was cut off
     */
    public static boolean isSealed(byte[] text) {
        Grammar grammar = new Grammar(text, 0, text.length);
        for (Found found = grammar.next(); found != null; found = grammar.next()) {
            if (found instanceof Found.Token) {
                return true;
            }
        }
        return false;
    }

    /**
     * Finds the sessions that tokens and closing tokens in a text may be of; more than there are, where text looks like a
     * token.
     *
     * @param text any text from {@code from} to {@code to - 1}
     * @param from the first byte
     * @param to the place after the last byte
     * @param sessions gets ids, one as often as it is there
     */
    public static void sessions(byte[] text, int from, int to, Consumer<String> sessions) {
        for (int at = Grammar.start(text, from, to); at < to; at = Grammar.start(text, at + 1, to)) {
            int session = at + Grammar.SUITE + 2;
            if (text[at + Grammar.SUITE] != 'z') {
                int longest = Math.min(to, session + LONGEST_LABEL + 1);
                while (session < longest && text[session] != '~') {
                    session++;
                }
                session++;
            }
            int end = session + Grammar.ID;
            if (end < to && text[end] == '~' && text[at + Grammar.SUITE] != 'h') {
                sessions.accept(new String(text, session, Grammar.ID, ISO_8859_1));
            }
        }
    }

    /**
     * The label of a token.
     *
     * @param text a token and nothing else
     * @return empty if it is something else
     */
    public static Optional<String> label(byte[] text) {
        return new Grammar(text, 0, text.length).next() instanceof Found.Token token && token.end - token.start == text.length
                ? Optional.of(token.label()) : Optional.empty();
    }
}
