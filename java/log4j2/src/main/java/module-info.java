/** Seals values in logs that Log4j 2 writes: plugins for its configuration. */
@SuppressWarnings("module") // Its digit is that of Log4j 2.
module sealmark.log4j2 {
    requires transitive sealmark.log;
    requires transitive org.apache.logging.log4j;
    requires transitive org.apache.logging.log4j.core;
    requires java.desktop; // Log4j tells with java.beans that its configuration has changed.
    requires static transitive org.apache.logging.log4j.layout.template.json;

    exports sealmark.log4j2;
}
