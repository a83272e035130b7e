/** Logs of java.util.logging with sealed values: {@link sealmark.jul.SealedFormatter}. */
module sealmark.jul {
    requires static org.jboss.logmanager;
    requires transitive java.logging;
    requires transitive sealmark.log;

    exports sealmark.jul;
}
