/** Tomcat's access logs with sealed values: {@link sealmark.tomcat.SealedAccessLogValve}. */
module sealmark.tomcat {
    requires static transitive org.apache.tomcat.embed.core;
    requires transitive sealmark.log;

    exports sealmark.tomcat;
}
