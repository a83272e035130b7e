package sealmark.log.engine;

/** The kind of a value (spec/record.md, "Values"). */
public enum Kind {
    /** Any text or bytes: suites {@code a} and {@code p}. */
    ANY,
    /** One JSON text on one line: suites {@code j} and {@code q}. */
    JSON;

    static SealException notJson() {
        return new SealException("the value is not a single JSON value on one line");
    }
}
