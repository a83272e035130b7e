package sealmark.log.reader;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.function.Predicate;
import sealmark.log.grammar.Grammar;

/** Finds tokens by their session, without opening them. */
final class TokenScan {
    private static final int LONGEST_LABEL = 64;
    private static final int LABEL = 5;

    private final Predicate<String> isMet;
    /** The session of most tokens, which was met. */
    private String last = "";

    /** Passes over tokens of the session that {@code isMet} was true for last. */
    TokenScan(Predicate<String> isMet) {
        this.isMet = isMet;
    }

    /** Where the first token is whose session is such; {@code to} if there is none. A cut token counts, too. */
    int first(byte[] text, int from, int to, Predicate<String> isSuch) {
        for (int start = Grammar.start(text, from, to); start < to; start = Grammar.start(text, start + 1, to)) {
            int id = sessionAt(text, start);
            if (id > 0 && !isLast(text, id)) {
                String session = new String(text, id, Grammar.ID, ISO_8859_1);
                if (isSuch.test(session)) {
                    return start;
                }
                last = isMet.test(session) ? session : last;
            }
        }
        return to;
    }

    private boolean isLast(byte[] text, int id) {
        for (int at = 0; at < last.length(); at++) {
            if (text[id + at] != last.charAt(at)) {
                return false;
            }
        }
        return !last.isEmpty();
    }

    /** Where the session of the token at {@code start} is; 0 if that is no token. */
    private static int sessionAt(byte[] text, int start) {
        int label = start + LABEL;
        if (label >= text.length || text[label - 1] != '~' || "apjq".indexOf(text[start + Grammar.SUITE]) < 0) {
            return 0;
        }
        int tilde = label;
        while (tilde < text.length && tilde <= label + LONGEST_LABEL && text[tilde] != '~') {
            tilde++;
        }
        int end = tilde + 1 + Grammar.ID;
        return tilde > label && end < text.length && text[tilde] == '~' && text[end] == '~' ? tilde + 1 : 0;
    }
}
