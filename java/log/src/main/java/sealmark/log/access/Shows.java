package sealmark.log.access;

/** The part of a request that an element of a log's pattern shows: its label if it is sealed, and where parameters may be. */
public enum Shows {
    /** The address or the name of a client. */
    CLIENT("client", null, false),
    /** The user that was authenticated. */
    USER("user", null, false),
    /** The request line. */
    REQUEST("request", Query.Kind.REQUEST, false),
    /** The path, or the whole target, of a request. */
    TARGET("path", Query.Kind.TARGET, false),
    /** The query of a request. */
    QUERY("query", Query.Kind.QUERY, false),
    /** The query of a request without its question mark. */
    BARE_QUERY("query", Query.Kind.FORM, false),
    /** The identifier of a session. */
    SESSION("session", null, false),
    /** The host that the client asked for. */
    HOST("host", null, false),
    /** The method of a request. */
    METHOD("method", null, false),
    /** A header or a trailer, whose name is its label. */
    HEADER("header", Query.Kind.FIELD, true),
    /** A cookie, whose name is its label, or all of them. */
    COOKIE("cookie", Query.Kind.FIELD, true),
    /** The value of one parameter, whose name is its label. */
    PARAMETER("parameter", null, true),
    /** A body, or all of a request: nobody can tell what is in it. */
    MESSAGE("message", null, false),
    /** An attribute that the application gave the request or the session; its name is its label. */
    ATTRIBUTE("attribute", Query.Kind.FIELD, true);

    /** The label of an element without a name. */
    final String label;
    /** Null if no parameters are in it. */
    final Query.Kind kind;
    /** True if the element's name is the name of the value. */
    final boolean isNamed;

    Shows(String label, Query.Kind kind, boolean isNamed) {
        this.label = label;
        this.kind = kind;
        this.isNamed = isNamed;
    }
}
