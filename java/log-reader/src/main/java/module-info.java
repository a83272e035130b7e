/** Opens logs with sealed values: {@link sealmark.log.reader.LogOpener}. */
module sealmark.log.reader {
    requires transitive sealmark.log;
    requires org.bouncycastle.provider;

    exports sealmark.log.reader;
}
