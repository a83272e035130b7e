package sealmark.log.access;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;
import sealmark.log.access.Dialect.Element;

/** The elements of a pattern that are sealed as a whole, and the parameters that are sealed wherever they are. */
record Selection(Dialect dialect, boolean query, List<Element> elements, List<String> names, List<String> clear,
        List<String> unknown) {
    private static final String QUERY = "query";
    /** Commas within braces belong to an element. */
    private static final Pattern BETWEEN = Pattern.compile("[\\s,]+(?![^{}]*\\})");

    /**
     * Reads a choice.
     *
     * @param seal {@code query} and elements as they are in a pattern, with commas or blanks between them
     */
    static Selection of(Dialect dialect, String seal, String names, String clear) {
        boolean query = false;
        List<Element> elements = new ArrayList<>();
        List<String> unknown = new ArrayList<>();
        for (String word : words(seal)) {
            Element element = dialect.element(word);
            query |= word.equals(QUERY);
            if (element != null) {
                elements.add(element);
            } else if (!word.equals(QUERY)) {
                unknown.add(word);
            }
        }
        return new Selection(dialect, query, List.copyOf(elements), words(names), words(clear), List.copyOf(unknown));
    }

    /** Words that are no element of the pattern: another one may show the value that was meant. */
    List<String> unmatched(Collection<Element> inPattern) {
        return elements.stream().filter(chosen -> inPattern.stream().noneMatch(one -> selects(chosen, one)))
                .map(dialect::text).toList();
    }

    /** True if the element is sealed as a whole. A word that nobody knows may have meant any element. */
    boolean isWhole(Element element) {
        return dialect.shows(element) != null
                && (!unknown.isEmpty() || elements.stream().anyMatch(chosen -> selects(chosen, element)));
    }

    /** True if an element was chosen that only the server knows, such as an attribute of another library's. */
    boolean isUnknown(Element element) {
        return dialect.shows(element) == null && unknown.contains(dialect.text(element));
    }

    /** True if all of an element counts as a value of a query. */
    boolean isParameter(Element element) {
        Shows shown = dialect.shows(element);
        if (!query || shown != Shows.PARAMETER) {
            return query && shown == Shows.MESSAGE;
        }
        String name = String.valueOf(element.name());
        return names.isEmpty() ? !clear.contains(name) : names.stream().anyMatch(name::equalsIgnoreCase);
    }

    /** {@code %i} selects all headers, and {@code %r} the request line, but no attribute <code>%{name}r</code>. */
    private boolean selects(Element chosen, Element element) {
        if (chosen.name() != null) {
            return chosen.is(element);
        }
        Shows shown = dialect.shows(element);
        Shows meant = dialect.shows(chosen);
        return chosen.code().equals(element.code()) && shown != null && (meant == null || meant == shown);
    }

    /** Splits at commas and blanks. */
    private static List<String> words(String text) {
        return text == null ? List.of() : BETWEEN.splitAsStream(text).filter(word -> !word.isEmpty()).toList();
    }
}
