package sealmark.jetty;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import sealmark.log.access.Dialect;
import sealmark.log.access.Shows;

/**
 * A format of Jetty's with a mark before and after each element that a client can fill. Jetty puts a line together before
 * anybody can look at its elements; by the marks, they are found again. Nobody who sends requests knows the mark.
 */
final class Format {
    static final Dialect DIALECT = new Codes();

    private static final Pattern ELEMENT = Pattern.compile("%(!?[0-9,]+)?(?:\\{([^}]+)\\})?(ti|to|uri|attr|[a-zA-Z%])");

    private final String mark = "\u0001" + UUID.randomUUID();
    private final List<Dialect.Element> elements = new ArrayList<>();
    private final String plain;
    private final String marked;

    Format(String format) {
        plain = format;
        StringBuilder with = new StringBuilder();
        Matcher matcher = ELEMENT.matcher(format);
        while (matcher.find()) {
            Dialect.Element element = new Dialect.Element(matcher.group(3), matcher.group(2));
            boolean isClients = DIALECT.shows(element) != null;
            if (isClients) {
                elements.add(element);
            }
            String text = isClients ? mark + matcher.group() + mark : matcher.group();
            matcher.appendReplacement(with, Matcher.quoteReplacement(text));
        }
        marked = matcher.appendTail(with).toString();
    }

    String plain() {
        return plain;
    }

    String marked() {
        return marked;
    }

    /** The elements that a client can fill, in order. */
    List<Dialect.Element> elements() {
        return elements;
    }

    /** The texts between the marks: text of the format, and elements, in turn. */
    List<String> parts(String line) {
        List<String> parts = new ArrayList<>();
        int done = 0;
        for (int at = line.indexOf(mark); at >= 0; at = line.indexOf(mark, done)) {
            parts.add(line.substring(done, at));
            done = at + mark.length();
        }
        parts.add(line.substring(done));
        return parts;
    }

    /** The codes of {@code CustomRequestLog}. */
    private static final class Codes implements Dialect {
        @Override
        public Element element(String word) {
            Matcher matcher = ELEMENT.matcher(word);
            if (!matcher.matches() || matcher.group(1) != null) {
                return null;
            }
            return ifClients(new Element(matcher.group(3), matcher.group(2)));
        }

        @Override
        public Shows shows(Element element) {
            String name = element.name() == null ? "" : element.name();
            return switch (element.code()) {
                // Without a name, it is the host that the client asked for.
                case "a" -> name.equals("client") || name.equals("remote") ? Shows.CLIENT
                        : name.equals("local") ? null : Shows.HOST;
                case "u" -> Shows.USER;
                case "r" -> Shows.REQUEST;
                case "U", "f" -> Shows.TARGET;
                case "q" -> Shows.QUERY;
                case "m" -> Shows.METHOD;
                case "uri" -> switch (name) {
                    case "query" -> Shows.QUERY;
                    case "authority", "host", "-path,-query" -> Shows.HOST;
                    case "scheme", "port" -> null;
                    default -> Shows.TARGET;
                };
                case "C" -> Shows.COOKIE;
                case "i", "o", "ti", "to" -> name.isEmpty() ? null : Shows.HEADER;
                case "attr" -> name.isEmpty() ? null : Shows.ATTRIBUTE;
                default -> null;
            };
        }
    }
}
