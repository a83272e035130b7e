package sealmark.tomcat;

import sealmark.log.access.Dialect;
import sealmark.log.access.Shows;

/** The elements of Tomcat's patterns: {@code %u} or <code>%{name}i</code>. */
final class Pattern implements Dialect {
    @Override
    public Shows shows(Element element) {
        boolean hasName = element.name() != null;
        return switch (element.code()) {
            case "a", "h" -> Shows.CLIENT;
            case "u", "l" -> Shows.USER;
            case "r" -> hasName ? Shows.ATTRIBUTE : Shows.REQUEST;
            case "U" -> Shows.TARGET;
            case "q" -> Shows.QUERY;
            case "S" -> Shows.SESSION;
            case "v" -> Shows.HOST;
            case "m" -> Shows.METHOD;
            case "i", "o" -> hasName ? Shows.HEADER : null;
            case "c" -> hasName ? Shows.COOKIE : null;
            case "s" -> hasName ? Shows.ATTRIBUTE : null;
            default -> null;
        };
    }
}
