package sealmark.log.reader;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.Optional;
import sealmark.log.grammar.Found;
import sealmark.log.grammar.Grammar;

/** Finds tokens in text, without a key. */
public final class SealedText {
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
     * The label of a token.
     *
     * @param text a token and nothing else
     * @return empty if it is something else
     */
    public static Optional<String> label(byte[] text) {
        boolean isToken = new Grammar(text, 0, text.length).next() instanceof Found.Token token
                && token.end - token.start == text.length;
        if (!isToken) {
            return Optional.empty();
        }
        int from = Grammar.SUITE + 2;
        int to = from;
        while (text[to] != '~') {
            to++;
        }
        return Optional.of(new String(text, from, to - from, ISO_8859_1));
    }
}
