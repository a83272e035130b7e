package sealmark.reactornetty;

import io.netty.handler.codec.http.cookie.Cookie;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.stream.Collectors;
import reactor.netty.http.server.logging.AccessLogArgProvider;
import sealmark.log.access.Dialect;
import sealmark.log.access.Shows;

/** A format: Reactor Netty has none, so elements are called as in the formats of other servers. */
final class Format implements Dialect {
    /** The line that Reactor Netty itself writes. */
    static final String DEFAULT = "%h - %u [%t] \"%m %U %H\" %s %b %D";

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("dd/MMM/yyyy:HH:mm:ss Z", Locale.US);
    private static final String MISSING = "-";

    /** A part is text of the format, or an element with its values; {@code text} or {@code element} is null. */
    record Part(String text, Element element, Function<AccessLogArgProvider, Object> written) {
        String write(AccessLogArgProvider request) {
            Object value = element == null ? text : written.apply(request);
            return value == null || value.toString().isEmpty() ? MISSING : value.toString();
        }
    }

    /** The parts of a format. */
    List<Part> parts(String format) {
        List<Part> parts = new ArrayList<>();
        Matcher matcher = Element.PATTERN.matcher(format);
        int done = 0;
        while (matcher.find()) {
            addText(format.substring(done, matcher.start()), parts);
            if (matcher.group().equals("%%")) {
                addText("%", parts);
            } else {
                Element element = new Element(matcher.group(2), matcher.group(1));
                parts.add(new Part(null, element, writing(element)));
            }
            done = matcher.end();
        }
        addText(format.substring(done), parts);
        return parts;
    }

    private static void addText(String text, List<Part> parts) {
        if (!text.isEmpty()) {
            parts.add(new Part(text, null, null));
        }
    }

    private static Function<AccessLogArgProvider, Object> writing(Element element) {
        String name = element.name();
        return switch (element.code() + (name == null ? "" : "{}")) {
            case "h" -> Format::client;
            case "u" -> AccessLogArgProvider::user;
            case "t" -> request -> request.accessDateTime() == null ? null : TIME.format(request.accessDateTime());
            case "m" -> AccessLogArgProvider::method;
            case "U" -> AccessLogArgProvider::uri;
            case "H" -> AccessLogArgProvider::protocol;
            case "s" -> AccessLogArgProvider::status;
            case "b" -> request -> request.contentLength() > -1 ? request.contentLength() : null;
            case "D" -> AccessLogArgProvider::duration;
            case "i{}" -> request -> request.requestHeader(name);
            case "o{}" -> request -> request.responseHeader(name);
            case "c{}" -> request -> cookie(request, name);
            default -> throw new IllegalArgumentException("\"" + new Format().text(element)
                    + "\" is not an element of an access log\nhint: " + DEFAULT + " \"%{Referer}i\" %{SESSION}c %{Location}o");
        };
    }

    /** The address of the connection, as in Reactor Netty's own line, and not that of a header. */
    @SuppressWarnings("deprecation")
    private static Object client(AccessLogArgProvider request) {
        SocketAddress address = request.remoteAddress();
        return address instanceof InetSocketAddress internet ? internet.getHostString() : null;
    }

    private static Object cookie(AccessLogArgProvider request, String name) {
        Map<CharSequence, Set<Cookie>> cookies = request.cookies();
        return cookies == null ? null : cookies.entrySet().stream().filter(entry -> name.contentEquals(entry.getKey()))
                .flatMap(entry -> entry.getValue().stream()).map(Cookie::value).collect(Collectors.joining(","));
    }

    @Override
    public Shows shows(Element element) {
        boolean hasName = element.name() != null;
        return switch (element.code()) {
            case "h" -> Shows.CLIENT;
            case "u" -> Shows.USER;
            case "m" -> Shows.METHOD;
            case "U" -> Shows.TARGET;
            case "i", "o" -> hasName ? Shows.HEADER : null;
            case "c" -> hasName ? Shows.COOKIE : null;
            default -> null;
        };
    }
}
