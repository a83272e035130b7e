/** Seals values inside log records: {@link sealmark.log.LogSealer} writes tokens. */
// The adapters need this module, so they are not there when it is compiled.
@SuppressWarnings("module")
module sealmark.log {
    // Jackson 2 and 3 read it; without Jackson, the JVM skips it.
    requires static com.fasterxml.jackson.annotation;
    requires java.management;
    requires static org.bouncycastle.provider;

    exports sealmark.log;
    exports sealmark.log.keys;
    exports sealmark.log.engine
            to sealmark.log.reader;
    exports sealmark.log.grammar
            to sealmark.log.reader;
    exports sealmark.log.json
            to sealmark.log.reader;
    exports sealmark.log.wrap
            to sealmark.log.reader;
    exports sealmark.log.access
            to sealmark.jetty, sealmark.logback.access, sealmark.reactornetty, sealmark.tomcat, sealmark.undertow;
}
