package sealmark.log.reader;

/** How values are written where their tokens were (spec/record.md, "Opening"). */
enum Context {
    /** No value adds a line to the log, or a member to the JSON around it. */
    ESCAPED,
    /** Line breaks outside of JSON strings stay as they are. */
    RAW,
    /**
     * For searching: values stand as they were, JSON strings without their escapes, and U+FFFD stands for each token that
     * cannot be opened, and for each part and closing token.
     */
    SEARCH
}
