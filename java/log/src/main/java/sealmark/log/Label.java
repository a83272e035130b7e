package sealmark.log;

import static sealmark.log.grammar.Grammar.LONGEST_LABEL;

import java.nio.charset.StandardCharsets;

/**
 * The name of a value: 1 to 64 letters, digits, {@code .}, {@code _} or {@code -} (spec/record.md, "Grammar").
 *
 * <p>Everybody who sees the log can read it. A token that was moved to another label does not open.
 *
 * <pre>{@code
 * Label email = Label.of("email");        // refuses other characters
 * Label header = Label.fit("X-User Id");  // replaces them
 * }</pre>
 */
public final class Label {
    private final String name;
    private final byte[] bytes;
    private final String unsealed;

    private Label(String name) {
        this.name = name;
        // The marker is made now, because it is needed when nothing else works.
        this.unsealed = "~s1x~" + name + "~";
        this.bytes = name.getBytes(StandardCharsets.ISO_8859_1);
    }

    /**
     * Checks the name once, so that sealing need not.
     *
     * @param name the label's characters
     * @return the label of that name
     * @throws IllegalArgumentException if it is empty, too long or has another character
     */
    public static Label of(String name) {
        if (name.isEmpty() || name.length() > LONGEST_LABEL || !name.chars().allMatch(Label::isAllowed)) {
            throw new IllegalArgumentException("\"" + shown(name) + "\" is not a label\n"
                    + "hint: use 1 to 64 of the characters A-Z a-z 0-9 . _ -");
        }
        return new Label(name);
    }

    /**
     * The label nearest to any name: characters that a label cannot have become {@code _}, a longer name is cut, and an empty
     * name becomes {@code value}. Use it for names from elsewhere, such as those of query parameters.
     *
     * @param name any text
     * @return a label
     */
    public static Label fit(String name) {
        if (name.isEmpty()) {
            return new Label("value");
        }
        StringBuilder fitted = new StringBuilder(name.substring(0, Math.min(name.length(), LONGEST_LABEL)));
        for (int at = 0; at < fitted.length(); at++) {
            if (!isAllowed(fitted.charAt(at))) {
                fitted.setCharAt(at, '_');
            }
        }
        return new Label(fitted.toString());
    }

    /**
     * The marker that replaces a value which could not be sealed. It is not a token and holds nothing of the value.
     *
     * @return {@code ~s1x~label~}
     */
    public String unsealed() {
        return unsealed;
    }

    /**
     * The name's length.
     *
     * @return its characters, which are as many bytes
     */
    public int length() {
        return bytes.length;
    }

    /**
     * Writes the name as ASCII.
     *
     * @param out gets {@link #length} bytes
     * @param at where the first of them goes
     */
    public void copyTo(byte[] out, int at) {
        System.arraycopy(bytes, 0, out, at, bytes.length);
    }

    /** The name itself. */
    @Override
    public String toString() {
        return name;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Label label && label.name.equals(name);
    }

    @Override
    public int hashCode() {
        return name.hashCode();
    }

    private static boolean isAllowed(int character) {
        return character < 128 && (Character.isLetterOrDigit(character) || "._-".indexOf(character) >= 0);
    }

    private static String shown(String name) {
        return name.length() <= 2 * LONGEST_LABEL ? name : name.substring(0, 2 * LONGEST_LABEL) + "…";
    }
}
