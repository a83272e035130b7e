package sealmark.log.reader;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** The patterns of a search. */
final class Patterns {
    private static final Comparator<MatchResult> FIRST =
            Comparator.<MatchResult>comparingInt(MatchResult::start).thenComparingInt(match -> -match.end());

    private final List<Pattern> all = new ArrayList<>();

    /** A text that patterns are compared with. One that is not UTF-8 is compared byte by byte. */
    record Text(String text, boolean isUtf8) {
        static Text of(byte[] bytes, int from, int to) {
            try {
                return new Text(UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, from, to - from)).toString(), true);
            } catch (CharacterCodingException notUtf8) {
                return new Text(new String(bytes, from, to - from, ISO_8859_1), false);
            }
        }

        /** The bytes of a part. */
        byte[] bytes(int from, int to) {
            return text.substring(from, to).getBytes(isUtf8 ? UTF_8 : ISO_8859_1);
        }
    }

    /** A line feed is between two patterns, as in grep. */
    Patterns(List<String> typed, boolean isPlain, boolean ignoresCase) throws Fault {
        int flags = Pattern.UNIX_LINES | (isPlain ? Pattern.LITERAL : 0)
                | (ignoresCase ? Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE : 0);
        for (String several : typed) {
            for (String pattern : several.split("\n", -1)) {
                all.add(compiled(pattern, flags));
            }
        }
    }

    private static Pattern compiled(String pattern, int flags) throws Fault {
        try {
            return Pattern.compile(pattern, flags);
        } catch (PatternSyntaxException invalid) {
            String why = invalid.getDescription();
            String words = why.substring(0, 1).toLowerCase(Locale.ROOT) + why.substring(1);
            throw Fault.usage(Say.quoted(pattern) + ": not a regular expression: " + words,
                    "to search for plain text, add --fixed-strings; the syntax is that of java.util.regex");
        }
    }

    boolean isMatch(Text text) {
        return all.stream().anyMatch(pattern -> pattern.matcher(text.text).find());
    }

    /** The matches that are not empty, from the first to the last: where several patterns match at a place, the longest. */
    List<MatchResult> matches(Text text) {
        List<Matcher> matchers = all.stream().map(pattern -> pattern.matcher(text.text)).toList();
        List<MatchResult> found = new ArrayList<>();
        int at = 0;
        while (true) {
            int from = at;
            MatchResult first = matchers.stream().map(matcher -> next(matcher, from, text.text.length()))
                    .filter(Objects::nonNull).min(FIRST).orElse(null);
            if (first == null) {
                return found;
            }
            found.add(first);
            at = first.end();
        }
    }

    /** The next match that is not empty; null if there is none. */
    private static MatchResult next(Matcher matcher, int from, int length) {
        int at = from;
        while (at <= length && matcher.find(at)) {
            if (matcher.end() > matcher.start()) {
                return matcher.toMatchResult();
            }
            at = matcher.end() + 1;
        }
        return null;
    }
}
