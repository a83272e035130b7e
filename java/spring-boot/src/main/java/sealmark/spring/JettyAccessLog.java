package sealmark.spring;

import org.eclipse.jetty.server.CustomRequestLog;
import org.eclipse.jetty.server.RequestLog;
import org.eclipse.jetty.server.Server;
import org.springframework.beans.BeanWrapper;
import sealmark.jetty.SealedRequestLog;

/** The access log of an embedded Jetty. */
final class JettyAccessLog extends EmbeddedAccessLog {
    JettyAccessLog() {
        super("Jetty");
    }

    @Override
    void replace(BeanWrapper factory) {
        customize(factory, server -> sealed((Server) server));
    }

    private Server sealed(Server server) {
        RequestLog log = server.getRequestLog();
        if (log != null && !(log instanceof SealedRequestLog)) {
            server.setRequestLog(replacement(log));
        }
        return server;
    }

    private SealedRequestLog replacement(RequestLog log) {
        if (log.getClass() != CustomRequestLog.class) {
            throw new NotSealedException(
                    "the request log " + log.getClass().getName() + " cannot be replaced with one that seals",
                    "use " + CustomRequestLog.class.getName() + " or " + SealedRequestLog.class.getName());
        }
        CustomRequestLog original = (CustomRequestLog) log;
        SealedRequestLog sealed = new SealedRequestLog(original.getWriter(), original.getFormatString());
        sealed.setIgnorePaths(original.getIgnorePaths());
        configure(sealed::set);
        return sealed;
    }
}
