package sealmark.log.access;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import sealmark.log.Label;
import sealmark.log.ValueNames;
import sealmark.log.access.Dialect.Element;

/**
 * Decides what is sealed in an access log, in the same way for all servers: the values of parameters wherever the pattern shows
 * them, and whole elements that {@code seal} names, except for those that {@code clear} names.
 *
 * <pre>{@code
 * RequestRules rules = new RequestRules(dialect, "%u", null, null, values, warning -> LOG.warn(warning));
 * Rule rule = rules.of(new Dialect.Element("r", null));
 * String text = rule.sealed("GET /?email=hanako@example.com HTTP/1.1");   // GET /?email=~s1a~email~… HTTP/1.1
 * }</pre>
 */
public final class RequestRules {
    private final Selection selection;
    private final Query query;
    /** That of an element which stays in the clear. */
    private final Query named;
    private final Values values;
    private final ValueNames counts;
    private final List<Element> pattern = new ArrayList<>();

    /**
     * Rules of one log.
     *
     * @param dialect that of the server
     * @param seal null, or as in {@link AccessLogSealer}
     * @param names null, or as in {@link AccessLogSealer}
     * @param clear null, or as in {@link AccessLogSealer}
     * @param values writes the tokens
     * @param warning gets a line if a name matches nothing
     */
    public RequestRules(Dialect dialect, String seal, String names, String clear, Values values, Consumer<String> warning) {
        this.values = values;
        selection = Selection.of(dialect, seal, names, clear);
        counts = new ValueNames(selection.names(), told -> warning.accept("names: " + told
                + "\nhint: write parameters in names exactly as clients send them"));
        query = new Query(selection, selection.onlyNames(), counts, values);
        named = new Query(selection, true, counts, values);
    }

    /**
     * The rule of an element, which is then known to be in the pattern.
     *
     * @param element an element of the pattern
     * @return null if nothing in it is sealed
     */
    public Rule of(Element element) {
        pattern.add(element);
        Shows shown = selection.dialect().shows(element);
        if (selection.isClear(element)) {
            return selection.names().isEmpty() ? null : ofParameters(named, shown);
        }
        if (selection.isUnknown(element)) {
            return ofWhole(Label.fit(element.name() == null ? element.code() : element.name()));
        }
        if (selection.isWhole(element) || selection.isParameter(element)) {
            boolean hasName = shown.isNamed && element.name() != null;
            return ofWhole(hasName ? Label.fit(element.name()) : Label.of(shown.label));
        }
        return selection.hasParameters() ? ofParameters(query, shown) : null;
    }

    private static Rule ofParameters(Query query, Shows shown) {
        return shown == null || shown.kind == null ? null
                : (chars, from, to, out) -> query.write(shown.kind, chars, from, to, out);
    }

    private Rule ofWhole(Label label) {
        return (chars, from, to, out) -> {
            if (Query.isNothing(chars, from, to)) {
                out.write(chars, from, to - from);
            } else {
                values.write(label, chars, from, to, out);
            }
        };
    }

    /**
     * Reports words in {@code seal}, {@code names} and {@code clear} that are probably mistakes.
     *
     * @param example an example of such a setting without a mistake
     * @param error gets a line for each of {@code seal} that is not an element, and for a {@code *} in {@code names}
     * @param warning gets a line for each that is not in the pattern, or is to be sealed and to stay in the clear
     */
    public void report(String example, Consumer<String> error, Consumer<String> warning) {
        selection.unknown().forEach(word -> error.accept("\"" + word + "\" in seal cannot be sealed, so everything that"
                + " clients send is sealed\nhint: " + example));
        if (selection.namesAll()) {
            error.accept("\"*\" in names is not the name of a parameter, so clear is ignored\n"
                    + "hint: name each parameter in names");
        }
        reportUnmatched("seal", selection.elements(), warning);
        reportUnmatched("clear", selection.clearElements(), warning);
        selection.contradictions().forEach(word -> warning.accept("\"" + word + "\" is to be sealed and to stay in the clear,"
                + " so it is sealed\nhint: remove it from clear, or from seal and names"));
    }

    private void reportUnmatched(String list, List<Element> elements, Consumer<String> warning) {
        selection.unmatched(elements, pattern).forEach(word -> warning.accept("\"" + word + "\" in " + list
                + " is not in the pattern\nhint: write elements in " + list + " exactly as in the pattern"));
    }

    /** A request was logged. */
    public void record() {
        counts.record();
    }

    /** The log ends: a name that matched nothing is reported. */
    public void end() {
        counts.end();
    }
}
