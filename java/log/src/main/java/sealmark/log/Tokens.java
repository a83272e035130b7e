package sealmark.log;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.nio.charset.Charset;
import java.util.Arrays;
import java.util.List;
import sealmark.log.grammar.Grammar;
import sealmark.log.grammar.TokenSpan;
import sealmark.log.json.JsonText;

/**
 * Seals texts that may have tokens in them already, such as a message whose arguments were {@link Sealed}. Adapters of logging
 * frameworks use this: a token that is sealed once more would open to a token.
 *
 * <pre>{@code
 * String sealed = Tokens.seal(Sealers.find("default"), Label.of("message"), event.getMessage());
 * }</pre>
 *
 * <p>Text counts as a token if the grammar matches all of it and it names one of this JVM's recent sessions. Anybody can write
 * text that looks like a token; it is sealed as other text is.
 */
public final class Tokens {
    private static final Label LOOKALIKE = Label.of("lookalike");

    private Tokens() {}

    /**
     * Tells if a text is one token and nothing else.
     *
     * @param text any text
     * @return true if nothing of it is in the clear
     */
    public static boolean isToken(CharSequence text) {
        List<TokenSpan> tokens = in(text.toString());
        return tokens.size() == 1 && tokens.get(0).start() == 0 && tokens.get(0).end() == text.length();
    }

    /**
     * Seals the text between tokens, and leaves the tokens as they are.
     *
     * <p>If the text is JSON and a token is the whole content of a string in it, the quotes around the token and one brace
     * before it stay in the clear: they show readers that the token is in a string within a string, if the text itself becomes
     * a JSON string. Backslashes of quotes around the token of a JSON value are removed. The token of a JSON value, such as
     * those of {@link Sealed#toJsonToken}, is not opened elsewhere in a JSON string.
     *
     * @param sealer seals each piece for itself
     * @param label the label of all pieces
     * @param value its {@code toString} is sealed; null is the text {@code null}
     * @return tokens, {@link Label#unsealed} for a piece that could not be sealed, and a brace and quotes around tokens, which
     *     code that writes JSON escapes as in other text; {@link Label#unsealed} alone if {@code toString} fails
     */
    public static String seal(LogSealer sealer, Label label, Object value) {
        try {
            return seal(sealer, label, String.valueOf(value), true);
        } catch (Throwable error) {
            return sealer.unsealed(label, error.getClass().getName());
        }
    }

    /** Writes only tokens and markers, unless {@code withQuotes} allows a brace and quotes around tokens. */
    private static String seal(LogSealer sealer, Label label, String all, boolean withQuotes) {
        // Without a log that has headers, nobody could open the tokens either: all of the text becomes one marker.
        List<TokenSpan> tokens = sealer.isWithoutLog() ? List.of() : in(all);
        if (tokens.isEmpty()) {
            return sealer.seal(label, all);
        }
        StringBuilder sealed = new StringBuilder();
        int done = 0;
        boolean hasBrace = false;
        for (TokenSpan token : tokens) {
            int around = withQuotes ? quoteAround(token, all, done) : 0;
            int brace = around > 0 && !hasBrace ? all.substring(0, token.start()).indexOf('{', done) : -1;
            if (brace >= 0) {
                sealed.append(piece(sealer, label, all.substring(done, brace))).append('{');
                done = brace + 1;
                hasBrace = true;
            }
            around = hasBrace ? around : 0;
            String quote = around > 0 ? "\"" : "";
            sealed.append(piece(sealer, label, all.substring(done, token.start() - around)));
            sealed.append(quote).append(all, token.start(), token.end()).append(quote);
            done = token.end() + around;
        }
        return sealed.append(piece(sealer, label, all.substring(done))).toString();
    }

    /**
     * How many characters, backslashes and a quote, are the same on either side. A JSON value takes them along, however many;
     * around a text, which they belong to, only a quote alone stays what it is.
     */
    private static int quoteAround(TokenSpan token, String text, int from) {
        int start = token.start() - 1;
        if (start < from || text.charAt(start) != '"') {
            return 0;
        }
        boolean isJson = "jq".indexOf(text.charAt(token.start() + Grammar.START.length())) >= 0;
        while (isJson && start > from && text.charAt(start - 1) == '\\') {
            start--;
        }
        String before = text.substring(start, token.start());
        return text.startsWith(before, token.end()) ? before.length() : 0;
    }

    /**
     * Seals one JSON text, as {@link LogSealer#sealJson(Label, CharSequence)} does. A string that is escaped as readers escape
     * it is sealed as the text that it represents. A text that is not JSON, has tokens in it, or has more characters than
     * {@link LogSealer#maxValue}, is sealed as {@link #seal} does, and opens as a string.
     *
     * @param sealer seals it
     * @param label the label of all pieces
     * @param json the text to seal if it is JSON
     * @param text the text that a JSON string stands for; for other texts, the text to seal if it is not sealed as JSON
     * @return one token, without quotes around it, or what {@link #seal} returns
     */
    public static String sealJson(LogSealer sealer, Label label, CharSequence json, CharSequence text) {
        String all = json.toString();
        boolean isShort = all.length() <= sealer.maxValue();
        boolean isSealedAsText = all.startsWith("\"") && JsonText.isAsReadersWrite(all);
        return isShort && !isSealedAsText && in(all).isEmpty() && JsonText.is(all)
                ? sealer.sealJson(label, all)
                : seal(sealer, label, text);
    }

    /**
     * Seals a value that fills a JSON string: a number or a boolean opens as what it is, in the place of the string, and any
     * other value as text. Numbers that JSON does not have, such as {@code NaN}, are text.
     *
     * @param sealer seals it
     * @param label the value's name
     * @param value its {@code toString} is sealed; null is the text {@code null}
     * @return tokens without quotes around them, or {@link Label#unsealed}, also if {@code toString} fails
     */
    public static String sealInJson(LogSealer sealer, Label label, Object value) {
        try {
            String text = String.valueOf(value);
            boolean isJson = (value instanceof Number || value instanceof Boolean)
                    && text.length() <= sealer.maxValue()
                    && JsonText.is(text);
            return isJson ? sealer.sealJson(label, text) : seal(sealer, label, text, false);
        } catch (Throwable error) {
            return sealer.unsealed(label, error.getClass().getName());
        }
    }

    /**
     * Seals the message of an exception.
     *
     * @param sealer seals it
     * @param label the label of all pieces
     * @param thrown is asked for its localized message
     * @return null if it has none; {@link Label#unsealed} if it fails to give it, else what {@link #seal} returns
     */
    public static String sealMessage(LogSealer sealer, Label label, Throwable thrown) {
        try {
            String message = thrown.getLocalizedMessage();
            return message == null ? null : seal(sealer, label, message);
        } catch (Throwable error) {
            return sealer.unsealed(label, error.getClass().getName());
        }
    }

    /**
     * Tells if readers, who look for tokens in bytes, find those in a log that is written in a charset.
     *
     * @param charset that of the log
     * @return false if it writes letters of ASCII as other bytes
     */
    public static boolean areFoundIn(Charset charset) {
        String ascii = "~s1a09AZaz-_";
        return Arrays.equals(ascii.getBytes(charset), ascii.getBytes(ISO_8859_1));
    }

    private static String piece(LogSealer sealer, Label label, String text) {
        return text.isEmpty() ? "" : sealer.seal(label, text);
    }

    /**
     * Seals what a reader of a finished line would take for a token of ours, and is none (spec/record.md, "Text that looks
     * like a token"): a stranger wrote it, into a URL perhaps. All else stays, own tokens too.
     *
     * @return the line itself where there is nothing of that kind
     */
    static String withoutLookalikes(LogSealer sealer, String line) {
        StringBuilder sealed = new StringBuilder();
        int done = 0;
        for (TokenSpan span : spans(line)) {
            if (!span.isOwn()) {
                sealed.append(line, done, span.start());
                sealed.append(sealer.seal(LOOKALIKE, line.substring(span.start(), span.end())));
                done = span.end();
            }
        }
        return done == 0 ? line : sealed.append(line, done, line.length()).toString();
    }

    private static List<TokenSpan> in(String text) {
        return spans(text).stream().filter(TokenSpan::isOwn).toList();
    }

    private static List<TokenSpan> spans(String text) {
        return text.contains(Grammar.START) ? TokenSpan.in(text, id -> KnownSessions.find(id) != null) : List.of();
    }
}
