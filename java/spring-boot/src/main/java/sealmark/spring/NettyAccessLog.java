package sealmark.spring;

import org.springframework.beans.BeanWrapper;
import reactor.netty.ReactorNetty;
import reactor.netty.http.server.HttpServer;
import sealmark.reactornetty.SealedAccessLog;

/** The access log of an embedded Reactor Netty, which Reactor Netty writes if its own system property says so. */
final class NettyAccessLog extends EmbeddedAccessLog {
    NettyAccessLog() {
        super("Netty");
    }

    @Override
    void replace(BeanWrapper factory) {
        if (Boolean.getBoolean(ReactorNetty.ACCESS_LOG_ENABLED)) {
            customize(factory, server -> ((HttpServer) server).accessLog(true, log()));
        }
    }

    private SealedAccessLog log() {
        SealedAccessLog.Builder log = SealedAccessLog.builder();
        configure((setting, text) -> {
            switch (setting) {
                case "seal" -> log.seal(text);
                case "names" -> log.names(text);
                default -> log.clear(text);
            }
        });
        return log.build();
    }
}
