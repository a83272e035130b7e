package sealmark.log.access;

/** The elements of the patterns that one server writes access logs by. */
public interface Dialect {
    /**
     * An element of a pattern. Without a name, in a list of elements to be sealed, it is all elements of its code that show the
     * same.
     *
     * @param code the letter or the word that says what it shows
     * @param name the name of a header and the like, or another argument; null if it has none
     */
    record Element(String code, String name) {
        boolean is(Element other) {
            return code.equals(other.code) && (name == null ? other.name == null : name.equalsIgnoreCase(other.name));
        }
    }

    /**
     * Reads an element.
     *
     * @param word the element as it is in a pattern
     * @return null if it is not one, or shows nothing of a client
     */
    Element element(String word);

    /**
     * The part of a request that an element shows.
     *
     * @param element one of a pattern, or one that {@link #element} has read
     * @return null if clients cannot fill it
     */
    Shows shows(Element element);

    /**
     * Writes an element as {@link #element} reads it.
     *
     * @param element one of those
     * @return its text in a pattern
     */
    String text(Element element);
}
