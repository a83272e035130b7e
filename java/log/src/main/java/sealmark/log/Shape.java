package sealmark.log;

/** The shape of a log's own lines: header parts and closing tokens look like the lines around them. */
public enum Shape {
    /** A line of text. */
    PLAIN("", ""),
    /** A JSON object of one member, {@code sealmark}. */
    JSON("{\"sealmark\":\"", "\"}");

    private final String before;
    private final String behind;

    Shape(String before, String behind) {
        this.before = before;
        this.behind = behind;
    }

    /**
     * A line of this shape.
     *
     * @param own a part or a closing token
     * @return the line with its line feed
     */
    public String line(String own) {
        return before + own + behind + "\n";
    }
}
