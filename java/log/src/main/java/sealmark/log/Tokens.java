package sealmark.log;

import java.util.List;
import sealmark.log.json.JsonText;
import sealmark.log.read.TokenSpan;

/**
 * Tokens in a text that others made, such as a message whose arguments were {@link Sealed}. For who adapts a logging
 * framework: sealed once more, they would open to tokens.
 *
 * <p>A token is what the grammar wholly matches and names one of this JVM's recent sessions. Anybody can write what
 * looks like one; that is sealed as other text is.
 */
public final class Tokens {
    private static final String START = "~s1";

    private Tokens() {}

    /**
     * Whether a text is one token, and nothing else.
     *
     * @param text any text
     * @return true if nothing of it is in clear
     */
    public static boolean isToken(CharSequence text) {
        List<TokenSpan> tokens = in(text.toString());
        return tokens.size() == 1 && tokens.get(0).start() == 0 && tokens.get(0).end() == text.length();
    }

    /**
     * Seals what is no token yet, and leaves tokens between it as they are.
     *
     * @param sealer seals each piece for itself
     * @param label the label of all pieces
     * @param text any text
     * @return tokens only, or {@link Label#unsealed} for a piece that could not be sealed
     */
    public static String seal(LogSealer sealer, Label label, CharSequence text) {
        String all = text.toString();
        List<TokenSpan> tokens = in(all);
        if (tokens.isEmpty()) {
            return sealer.seal(label, all);
        }
        StringBuilder sealed = new StringBuilder();
        int done = 0;
        for (TokenSpan token : tokens) {
            sealed.append(piece(sealer, label, all.substring(done, token.start())));
            sealed.append(all, token.start(), token.end());
            done = token.end();
        }
        return sealed.append(piece(sealer, label, all.substring(done))).toString();
    }

    /**
     * Seals one JSON text, as {@link LogSealer#sealJson(Label, CharSequence)} does. What is none, or has tokens in it,
     * is sealed as a text, as {@link #seal} does, and opens as a string.
     *
     * @param sealer seals it
     * @param label the label of all pieces
     * @param json what to seal, if it is JSON
     * @param text what to seal else
     * @return tokens only, without quotes, or {@link Label#unsealed} for a piece that could not be sealed
     */
    public static String sealJson(LogSealer sealer, Label label, CharSequence json, CharSequence text) {
        String all = json.toString();
        return in(all).isEmpty() && JsonText.is(all) ? sealer.sealJson(label, all) : seal(sealer, label, text);
    }

    private static String piece(LogSealer sealer, Label label, String text) {
        return text.isEmpty() ? "" : sealer.seal(label, text);
    }

    private static List<TokenSpan> in(String text) {
        if (!text.contains(START)) {
            return List.of();
        }
        return TokenSpan.in(text).stream().filter(token -> KnownSessions.find(token.session()) != null).toList();
    }
}
