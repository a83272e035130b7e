package sealmark.tomcat;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import sealmark.log.Label;

/** Which elements of a pattern are sealed, and how: what {@code seal}, {@code names} and {@code clear} say. */
record Selection(boolean query, List<Element> elements, List<String> names, List<String> clear, List<String> unknown) {
    private static final String QUERY = "query";
    private static final Pattern BETWEEN = Pattern.compile("[\\s,]+");
    /** Letters that show what clients sent, and the labels of those without a name. */
    private static final Map<Character, String> LETTERS = Map.ofEntries(Map.entry('a', "client"),
            Map.entry('h', "client"), Map.entry('u', "user"), Map.entry('l', "user"), Map.entry('r', "request"),
            Map.entry('U', "path"), Map.entry('q', QUERY), Map.entry('S', "session"), Map.entry('v', "host"),
            Map.entry('m', "method"), Map.entry('i', "header"), Map.entry('o', "header"), Map.entry('c', "cookie"),
            Map.entry('s', "session"));
    /** Letters that show headers and the like where they have a name. */
    private static final String FIELDS = "iocrs";
    /** Letters that show nothing of a client where they have no name. */
    private static final String NAMED = "iocs";

    /** Words of {@code seal} that are no element of the pattern: another one may show the value that was meant. */
    List<String> unmatched(Set<Element> inPattern) {
        return elements.stream()
                .filter(element -> inPattern.stream().noneMatch(one -> element.is(one.name, one.letter)))
                .map(Element::toString).toList();
    }

    /** An element of a pattern. Without a name it is all elements of its letter. */
    record Element(String name, char letter) {
        private boolean is(String name, char letter) {
            return this.letter == letter && (this.name == null ? isAnyOf(name, letter) : this.name.equals(lower(name)));
        }

        @Override
        public String toString() {
            return "%" + (name == null ? "" : "{" + name + "}") + letter;
        }

        /** {@code %r} is the request line and no attribute, and {@code %s} in a pattern the status. */
        private static boolean isAnyOf(String name, char letter) {
            return name == null ? NAMED.indexOf(letter) < 0 : letter != 'r';
        }
    }

    /** How to treat an element's text; it stays as it is if both are null. */
    record Treatment(Label whole, Query.Kind query) {
        static final Treatment NONE = new Treatment(null, null);
    }

    /**
     * @param seal {@code query} and elements as they stand in a pattern, separated by commas or blanks
     */
    static Selection of(String seal, String names, String clear) {
        boolean query = false;
        List<Element> elements = new ArrayList<>();
        List<String> unknown = new ArrayList<>();
        for (String word : words(seal)) {
            Element element = element(word);
            query |= word.equals(QUERY);
            if (element != null) {
                elements.add(element);
            } else if (!word.equals(QUERY)) {
                unknown.add(word);
            }
        }
        return new Selection(query, List.copyOf(elements), words(names), words(clear), List.copyOf(unknown));
    }

    /** A word that nobody knows may have meant any element: all that clients can fill are sealed then. */
    Treatment of(String name, char letter) {
        boolean isOfClient = LETTERS.containsKey(letter) && (name != null || NAMED.indexOf(letter) < 0);
        boolean isMeant = elements.stream().anyMatch(element -> element.is(name, letter));
        if (isMeant || (isOfClient && !unknown.isEmpty())) {
            return new Treatment(name == null || letter == 'a' ? Label.of(LETTERS.get(letter)) : Label.fit(name), null);
        }
        return query ? new Treatment(null, kind(name, letter)) : Treatment.NONE;
    }

    private static Query.Kind kind(String name, char letter) {
        if (name != null) {
            return FIELDS.indexOf(letter) >= 0 ? Query.Kind.FIELD : null;
        }
        return switch (letter) {
            case 'r' -> Query.Kind.REQUEST;
            case 'q' -> Query.Kind.QUERY;
            case 'U' -> Query.Kind.TARGET;
            default -> null;
        };
    }

    /** {@code %u} or <code>%{name}i</code>; null if it is neither. */
    private static Element element(String word) {
        char letter = word.charAt(word.length() - 1);
        if (!word.startsWith("%") || !LETTERS.containsKey(letter)) {
            return null;
        }
        String name = word.substring(1, word.length() - 1);
        if (name.isEmpty()) {
            return new Element(null, letter);
        }
        boolean isName = name.length() > 2 && name.startsWith("{") && name.endsWith("}");
        return isName ? new Element(lower(name.substring(1, name.length() - 1)), letter) : null;
    }

    /** Splits at commas and blanks. */
    static List<String> words(String text) {
        return text == null ? List.of() : BETWEEN.splitAsStream(text).filter(word -> !word.isEmpty()).toList();
    }

    private static String lower(String name) {
        return name == null ? null : name.toLowerCase(Locale.ROOT);
    }
}
