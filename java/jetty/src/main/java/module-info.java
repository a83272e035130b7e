/** Jetty's request logs with sealed values: {@link sealmark.jetty.SealedRequestLog}. */
module sealmark.jetty {
    requires static transitive org.eclipse.jetty.server;
    requires transitive sealmark.log;
    requires org.slf4j;

    exports sealmark.jetty;
}
