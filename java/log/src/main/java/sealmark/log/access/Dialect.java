package sealmark.log.access;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The elements of the access log patterns of one server. */
public interface Dialect {
    /**
     * An element of a pattern. In a list of elements to seal, an element without a name stands for all elements of its code
     * that show the same part of a request.
     *
     * @param code the letter or the word that says what it shows
     * @param name the name of a header and the like, or another argument; null if it has none
     */
    record Element(String code, String name) {
        /**
         * An element, or {@code %%}, in the notation of Apache httpd: the name is group 1, the code is group 2. A dialect that
         * splits formats itself uses it too, because settings must be able to name each element of a format.
         */
        public static final Pattern PATTERN = Pattern.compile("%(?:\\{([^}]+)\\})?([a-zA-Z%])");

        boolean is(Element other) {
            return code.equals(other.code) && (name == null ? other.name == null : name.equalsIgnoreCase(other.name));
        }
    }

    /**
     * Reads an element; in the notation of Apache httpd, unless a dialect has another.
     *
     * @param word the element as it is in a pattern
     * @return null if it is not one, or shows nothing of a client
     */
    default Element element(String word) {
        Matcher matcher = Element.PATTERN.matcher(word);
        return matcher.matches() ? ifClients(new Element(matcher.group(2), matcher.group(1))) : null;
    }

    /**
     * The part of a request that an element shows.
     *
     * @param element one of a pattern, or one that {@link #element} has read
     * @return null if clients cannot fill it
     */
    Shows shows(Element element);

    /**
     * Returns the element if clients can fill it, or can fill an element of its code that has a name.
     *
     * @param element one of a pattern
     * @return null if they cannot
     */
    default Element ifClients(Element element) {
        boolean isClients = shows(element) != null || shows(new Element(element.code(), "any")) != null;
        return isClients ? element : null;
    }

    /**
     * Writes an element as {@link #element} reads it.
     *
     * @param element one of those
     * @return its text in a pattern
     */
    default String text(Element element) {
        return "%" + (element.name() == null ? "" : "{" + element.name() + "}") + element.code();
    }
}
