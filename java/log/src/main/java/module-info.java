/** Seals values inside log records: {@link sealmark.log.LogSealer} writes tokens. */
// The adapters need this module, so they are not there when it is compiled.
@SuppressWarnings("module")
module sealmark.log {
    requires java.management;
    requires static org.bouncycastle.provider;

    exports sealmark.log;
    exports sealmark.log.keys;
    exports sealmark.log.access
            to sealmark.jetty, sealmark.logback.access, sealmark.reactornetty, sealmark.tomcat, sealmark.undertow;
}
