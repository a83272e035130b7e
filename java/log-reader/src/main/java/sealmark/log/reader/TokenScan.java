package sealmark.log.reader;

import java.util.function.Predicate;
import sealmark.log.grammar.Found;
import sealmark.log.grammar.Grammar;

/** Finds tokens by their session, without opening them. */
final class TokenScan {
    private final Predicate<String> isMet;
    /** The session of most tokens, which was met. */
    private String last = "";

    /** Passes over tokens of the session that {@code isMet} was true for last. */
    TokenScan(Predicate<String> isMet) {
        this.isMet = isMet;
    }

    /** Returns the start of the first token whose session fulfils a condition; {@code to} if there is none. */
    int first(byte[] text, int from, int to, Predicate<String> isSuch) {
        for (int start = Grammar.start(text, from, to); start < to; start = Grammar.start(text, start + 1, to)) {
            // The grammar looks at each character of a token, which would take far longer than this for most of them.
            if (!isOfLast(text, start, to) && Grammar.at(text, start, to) instanceof Found.Token token) {
                if (isSuch.test(token.session)) {
                    return start;
                }
                last = isMet.test(token.session) ? token.session : last;
            }
        }
        return to;
    }

    /** True if the text that begins here is ordinary, or a token of the last session. */
    private boolean isOfLast(byte[] text, int start, int to) {
        int label = start + Grammar.SUITE + 2;
        int tilde = label;
        while (tilde < to && tilde <= label + Grammar.LONGEST_LABEL && text[tilde] != '~') {
            tilde++;
        }
        int id = tilde + 1;
        if (last.isEmpty() || id + Grammar.ID > to) {
            return false;
        }
        for (int at = 0; at < Grammar.ID; at++) {
            if (text[id + at] != last.charAt(at)) {
                return false;
            }
        }
        return true;
    }
}
