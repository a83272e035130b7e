package sealmark.undertow;

import java.util.Map;
import java.util.Set;
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
            Map.entry("S", Shows.SESSION), Map.entry("SESSION_ID", Shows.SESSION),
            Map.entry("REQUESTED_SESSION_ID", Shows.SESSION), Map.entry("REQUEST_LOCALE", Shows.HEADER),
            Map.entry("REQUEST_CHARACTER_ENCODING", Shows.HEADER), Map.entry("STORED_RESPONSE", Shows.MESSAGE));
    private static final Map<String, Shows> NAMED = Map.ofEntries(Map.entry("i,", Shows.HEADER), Map.entry("o,", Shows.HEADER),
            Map.entry("c,", Shows.COOKIE), Map.entry("req-cookie,", Shows.COOKIE), Map.entry("resp-cookie,", Shows.COOKIE),
            Map.entry("q,", Shows.PARAMETER), Map.entry("p,", Shows.PARAMETER), Map.entry(CONTEXT, Shows.ATTRIBUTE),
            // Parameters and attributes of servlets' requests, attributes of their sessions and contexts.
            Map.entry("rp,", Shows.PARAMETER), Map.entry("r,", Shows.ATTRIBUTE), Map.entry("s,", Shows.ATTRIBUTE),
            Map.entry("sc,", Shows.ATTRIBUTE));
    /** Attributes that only the server fills. */
    private static final Set<String> SERVER = Set.of("A", "LOCAL_IP", "p", "LOCAL_PORT", "H", "PROTOCOL",
            "TRANSPORT_PROTOCOL", "SCHEME", "SECURE", "SSL_CIPHER", "AUTHENTICATION_TYPE", "l", "t", "DATE_TIME", "time,", "I",
            "THREAD_NAME", "s", "RESPONSE_CODE", "RESPONSE_REASON_PHRASE", "b", "B", "BYTES_SENT", "D", "T", "RESPONSE_TIME",
            "RESPONSE_TIME_MICROS", "RESPONSE_TIME_NANOS", "NULL", "SERVLET_NAME", "REQUESTED_SESSION_ID_VALID",
            "REQUESTED_SESSION_ID_FROM_COOKIE");

    @Override
    public Element element(String word) {
        Matcher matcher = TOKEN.matcher(word);
        if (!matcher.matches()) {
            return null;
        }
        Element element = element(matcher);
        return isClients(element) ? element : null;
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
        if (!isKnown(element)) {
            return Shows.MESSAGE;
        }
        return element.name() == null ? PLAIN.get(element.code()) : NAMED.get(element.code());
    }

    /** False for an attribute of a library, or of a newer Undertow: nobody can tell what is in it. */
    static boolean isKnown(Element element) {
        return isClients(element) || SERVER.contains(element.code());
    }

    private static boolean isClients(Element element) {
        return PLAIN.containsKey(element.code()) || NAMED.containsKey(element.code());
    }

    @Override
    public String text(Element element) {
        String code = element.code();
        return code.equals(CONTEXT) ? "${" + element.name() + "}"
                : element.name() != null ? "%{" + code + element.name() + "}"
                : code.length() == 1 ? "%" + code : "%{" + code.replace(COMMA, "") + "}";
    }
}
