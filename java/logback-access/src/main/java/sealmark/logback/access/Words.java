package sealmark.logback.access;

import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import sealmark.log.access.Dialect;
import sealmark.log.access.Shows;

/** The conversion words of logback-access: {@code %u}, {@code %user} or <code>%header{name}</code>. */
final class Words implements Dialect {
    private static final Pattern WORD = Pattern.compile("%([a-zA-Z]+)(?:\\{([^}]*)\\})?");
    private static final Map<String, Shows> PLAIN = Map.ofEntries(Map.entry("a", Shows.CLIENT),
            Map.entry("remoteIP", Shows.CLIENT), Map.entry("h", Shows.CLIENT), Map.entry("clientHost", Shows.CLIENT),
            Map.entry("u", Shows.USER), Map.entry("user", Shows.USER), Map.entry("r", Shows.REQUEST),
            Map.entry("requestURL", Shows.REQUEST), Map.entry("U", Shows.TARGET), Map.entry("requestURI", Shows.TARGET),
            Map.entry("q", Shows.QUERY), Map.entry("queryString", Shows.QUERY), Map.entry("m", Shows.METHOD),
            Map.entry("requestMethod", Shows.METHOD), Map.entry("S", Shows.SESSION), Map.entry("sessionID", Shows.SESSION),
            Map.entry("v", Shows.HOST), Map.entry("server", Shows.HOST), Map.entry("requestContent", Shows.MESSAGE),
            Map.entry("responseContent", Shows.MESSAGE), Map.entry("fullRequest", Shows.MESSAGE),
            Map.entry("fullResponse", Shows.MESSAGE));
    private static final Map<String, Shows> NAMED = Map.of("i", Shows.HEADER, "header", Shows.HEADER, "responseHeader",
            Shows.HEADER, "reqCookie", Shows.COOKIE, "requestCookie", Shows.COOKIE, "reqAttribute", Shows.ATTRIBUTE,
            "requestAttribute", Shows.ATTRIBUTE, "reqParameter", Shows.PARAMETER, "requestParameter", Shows.PARAMETER);

    /** Words that write all headers if no name is behind them, or an empty one. */
    private static final Set<String> ALL_HEADERS = Set.of("i", "header");

    /** A word of a pattern, with an empty name if it writes all headers: without a name it would be any header in a choice. */
    static Element inPattern(String word, String option) {
        return new Element(word, option == null && ALL_HEADERS.contains(word) ? "" : option);
    }

    /** True if a client can fill what the word shows. */
    static boolean isClients(String word) {
        return PLAIN.containsKey(word) || NAMED.containsKey(word);
    }

    @Override
    public Element element(String word) {
        Matcher matcher = WORD.matcher(word);
        if (!matcher.matches() || !isClients(matcher.group(1))) {
            return null;
        }
        return new Element(matcher.group(1), matcher.group(2));
    }

    @Override
    public Shows shows(Element element) {
        if (ALL_HEADERS.contains(element.code()) && "".equals(element.name())) {
            return Shows.MESSAGE;
        }
        Shows plain = PLAIN.get(element.code());
        return plain != null || element.name() == null ? plain : NAMED.get(element.code());
    }

    @Override
    public String text(Element element) {
        return "%" + element.code() + (element.name() == null ? "" : "{" + element.name() + "}");
    }
}
