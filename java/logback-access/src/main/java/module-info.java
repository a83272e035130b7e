/** logback-access with sealed values: {@link sealmark.logback.access.SealedPatternLayoutEncoder}. */
module sealmark.logback.access {
    requires static transitive ch.qos.logback.access.common;
    requires transitive sealmark.logback;

    exports sealmark.logback.access;
}
