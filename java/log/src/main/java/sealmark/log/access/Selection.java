package sealmark.log.access;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import sealmark.log.access.Dialect.Element;

/**
 * The values of an access log that are sealed. The values of parameters are by default; {@code seal} and {@code names} only add
 * to them, and {@code clear} takes out by name, so that nobody seals less by naming more.
 *
 * @param elements of the pattern, sealed as a whole
 * @param unknown words of {@code seal} that are no element
 * @param names parameters that are sealed whatever else stays in the clear
 * @param clearElements of the pattern, with the parameters in them that have other names
 * @param clearNames parameters
 * @param onlyNames true if {@code clear} has all other parameters
 */
record Selection(Dialect dialect, List<Element> elements, List<String> unknown, List<String> names,
        List<Element> clearElements, List<String> clearNames, boolean onlyNames) {
    /** The default, which may be written in {@code seal}. */
    private static final String QUERY = "query";
    private static final String ALL_PARAMETERS = "*";
    /** Commas within braces belong to an element. */
    private static final Pattern BETWEEN = Pattern.compile("[\\s,]+(?![^{}]*\\})");

    /** Reads a choice, each of whose texts may be null. */
    static Selection of(Dialect dialect, String seal, String names, String clear) {
        List<Element> elements = new ArrayList<>();
        List<String> unknown = new ArrayList<>();
        split(dialect, words(seal), elements, unknown);
        unknown.removeIf(QUERY::equals);
        List<String> named = words(names);
        List<Element> clearElements = new ArrayList<>();
        List<String> clearNames = new ArrayList<>();
        if (!named.contains(ALL_PARAMETERS)) {
            split(dialect, words(clear), clearElements, clearNames);
        }
        boolean onlyNames = clearNames.removeIf(ALL_PARAMETERS::equals);
        return new Selection(dialect, elements, unknown, named, clearElements, clearNames, onlyNames);
    }

    private static void split(Dialect dialect, List<String> words, List<Element> elements, List<String> others) {
        for (String word : words) {
            Element element = dialect.element(word);
            if (element == null) {
                others.add(word);
            } else {
                elements.add(element);
            }
        }
    }

    /** Elements of a list that the pattern has not: another one may show the value that was meant. */
    List<String> unmatched(List<Element> list, Collection<Element> pattern) {
        return list.stream().filter(chosen -> pattern.stream().noneMatch(one -> selects(chosen, one)))
                .map(dialect::text).toList();
    }

    /** Elements and parameters that are to be sealed and to stay in the clear: they are sealed. */
    List<String> contradictions() {
        Stream<Element> chosen = elements.stream().filter(one -> clearElements.stream().anyMatch(one::is));
        Stream<String> named = names.stream().filter(name -> clearNames.stream().anyMatch(name::equalsIgnoreCase));
        return Stream.of(chosen.map(dialect::text), clearElements.stream().filter(this::isNamed).map(dialect::text), named)
                .flatMap(Function.identity()).distinct().toList();
    }

    /** True if the names have the word that is for all parameters elsewhere: nobody knows what was to stay in the clear. */
    boolean namesAll() {
        return names.contains(ALL_PARAMETERS);
    }

    /** True if the element is sealed as a whole. A word that nobody knows may have meant any element. */
    boolean isWhole(Element element) {
        return dialect.shows(element) != null && (!unknown.isEmpty() || narrowness(elements, element) > 0);
    }

    /**
     * True if only names are sealed in an element. The list that names it more narrowly decides. One that no table has, such
     * as an attribute of a library, is a word like a parameter's in {@code clear}.
     */
    boolean isClear(Element element) {
        boolean isNamedAsText = clearNames.contains(dialect.text(element));
        return unknown.isEmpty() && !isNamed(element)
                && (isNamedAsText || narrowness(clearElements, element) > narrowness(elements, element));
    }

    /** True if an element was chosen that only the server knows, such as an attribute of another library's. */
    boolean isUnknown(Element element) {
        return dialect.shows(element) == null && unknown.contains(dialect.text(element));
    }

    /** True if all of an element counts as a value of a query. */
    boolean isParameter(Element element) {
        Shows shown = dialect.shows(element);
        if (shown != Shows.PARAMETER) {
            return shown == Shows.MESSAGE;
        }
        return isNamed(element) || !(onlyNames || clearNames.contains(String.valueOf(element.name())));
    }

    /** True if an element is a parameter that is sealed whatever else stays in the clear. */
    private boolean isNamed(Element element) {
        return dialect.shows(element) == Shows.PARAMETER
                && names.stream().anyMatch(name -> name.equalsIgnoreCase(element.name()));
    }

    /** True if some parameters are sealed. */
    boolean hasParameters() {
        return !onlyNames || !names.isEmpty();
    }

    /** 0 if no element of a list selects another, 2 if one does so with the same name. */
    private int narrowness(List<Element> list, Element element) {
        return list.stream().mapToInt(one -> one.is(element) ? 2 : selects(one, element) ? 1 : 0).max().orElse(0);
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
