package sealmark.undertow;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import sealmark.log.access.Dialect;
import sealmark.log.access.Shows;

/** The exchange attributes of Undertow's formats: {@code %u}, <code>%{REMOTE_USER}</code> or <code>%{i,name}</code>. */
final class Attributes implements Dialect {
    /** An attribute, or {@code %%}. */
    static final Pattern TOKEN = Pattern.compile("%\\{([^},]*)(?:,([^}]*))?\\}|\\$\\{([^}]*)\\}|%(.)");

    private static final String CONTEXT = "$";
    /** Ends the code of an attribute with a name: <code>%{o,name}</code> has nothing in common with {@code %o}. */
    private static final String COMMA = ",";
    private static final Map<String, Shows> PLAIN = Map.ofEntries(Map.entry("a", Shows.CLIENT), Map.entry("h", Shows.CLIENT),
            Map.entry("o", Shows.CLIENT), Map.entry("REMOTE_IP", Shows.CLIENT), Map.entry("REMOTE_HOST", Shows.CLIENT),
            Map.entry("REMOTE_OBFUSCATED_IP", Shows.CLIENT), Map.entry("u", Shows.USER), Map.entry("REMOTE_USER", Shows.USER),
            Map.entry("r", Shows.REQUEST), Map.entry("REQUEST_LINE", Shows.REQUEST), Map.entry("U", Shows.TARGET),
            Map.entry("REQUEST_URL", Shows.TARGET), Map.entry("R", Shows.TARGET), Map.entry("RELATIVE_PATH", Shows.TARGET),
            Map.entry("REQUEST_PATH", Shows.TARGET), Map.entry("RESOLVED_PATH", Shows.TARGET), Map.entry("q", Shows.QUERY),
            Map.entry("QUERY_STRING", Shows.QUERY), Map.entry("BARE_QUERY_STRING", Shows.BARE_QUERY),
            Map.entry("m", Shows.METHOD), Map.entry("METHOD", Shows.METHOD), Map.entry("v", Shows.HOST),
            Map.entry("LOCAL_SERVER_NAME", Shows.HOST), Map.entry("HOST_AND_PORT", Shows.HOST),
            Map.entry("SSL_CLIENT_CERT", Shows.USER), Map.entry("SSL_SESSION_ID", Shows.SESSION),
            Map.entry("STORED_RESPONSE", Shows.MESSAGE));
    private static final Map<String, Shows> NAMED = Map.of("i,", Shows.HEADER, "o,", Shows.HEADER, "c,", Shows.COOKIE,
            "req-cookie,", Shows.COOKIE, "resp-cookie,", Shows.COOKIE, "q,", Shows.PARAMETER,
            "p,", Shows.PARAMETER, CONTEXT, Shows.ATTRIBUTE,
            // Servlets' requests and sessions.
            "r,", Shows.ATTRIBUTE, "s,", Shows.ATTRIBUTE);

    @Override
    public Element element(String word) {
        Matcher matcher = TOKEN.matcher(word);
        if (!matcher.matches()) {
            return null;
        }
        Element element = element(matcher);
        boolean isClients = shows(element) != null || (element.name() == null && NAMED.containsKey(element.code()));
        return isClients ? element : null;
    }

    static Element element(Matcher token) {
        if (token.group(4) != null) {
            return new Element(token.group(4), null);
        }
        if (token.group(3) != null) {
            return ofContext(token.group(3));
        }
        String withName = token.group(1) + COMMA;
        boolean isNamed = token.group(2) != null || NAMED.containsKey(withName);
        return new Element(isNamed ? withName : token.group(1), token.group(2));
    }

    static Element ofContext(String name) {
        return new Element(CONTEXT, name);
    }

    @Override
    public Shows shows(Element element) {
        return element.name() == null ? PLAIN.get(element.code()) : NAMED.get(element.code());
    }

    @Override
    public String text(Element element) {
        String code = element.code();
        return code.equals(CONTEXT) ? "${" + element.name() + "}"
                : element.name() != null ? "%{" + code + element.name() + "}"
                : code.length() == 1 ? "%" + code : "%{" + code.replace(COMMA, "") + "}";
    }
}
