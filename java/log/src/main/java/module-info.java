/** Seals values inside log records: {@link sealmark.log.LogSealer} writes tokens. */
module sealmark.log {
    requires java.management;
    requires static org.bouncycastle.provider;

    exports sealmark.log;
    exports sealmark.log.keys;
}
