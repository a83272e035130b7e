package sealmark.lab.app;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.core.StandardContext;
import org.apache.catalina.startup.Tomcat;
import org.apache.catalina.util.ServerInfo;
import org.apache.catalina.valves.AccessLogValve;

/** A Tomcat on a free port of the loopback address, and the clients that keep it busy. */
final class App implements AutoCloseable {
    /** Requests and their times are kept in memory over a span. */
    private static final long MOST_REQUESTS = 200_000;

    /** Kept, because a logger that nobody holds forgets its level. */
    private static final Logger EVERYTHING = Logger.getLogger("");

    private final Tomcat tomcat = new Tomcat();
    private final Log log;
    private final Path directory;
    private final long seed;
    private final AccessLogValve valve;
    private final CountingValve logged = new CountingValve();
    private final Clients clients;

    App(Log log, String directory, long seed, int connections) throws Exception {
        // Tomcat tells of each start and end.
        EVERYTHING.setLevel(Level.WARNING);
        this.log = log;
        this.directory = Path.of(directory);
        this.seed = seed;
        this.valve = log.valve(directory);
        this.clients = new Clients(start(), connections);
    }

    /** Returns the port. */
    private int start() throws Exception {
        tomcat.setBaseDir(directory.resolve("base").toString());
        Connector connector = tomcat.getConnector();
        connector.setPort(0);
        connector.setProperty("address", "127.0.0.1");
        // 100 as it comes; what a connection costs is not this job's question.
        connector.setProperty("maxKeepAliveRequests", "-1");
        // Between two spans other processes have theirs, for minutes on a busy machine.
        connector.setProperty("connectionTimeout", "-1");
        connector.setProperty("keepAliveTimeout", "-1");
        StandardContext context = (StandardContext) tomcat.addContext("", directory.toString());
        // Tomcat clears these references in a server that outlives its application. This one ends with it.
        context.setClearReferencesThreadLocals(false);
        context.setClearReferencesRmiTargets(false);
        Tomcat.addServlet(context, "orders", new OrderServlet());
        context.addServletMapping("/orders/*", "orders");
        tomcat.getHost().getPipeline().addValve(valve);
        // Behind the log: what it has counted has been logged.
        tomcat.getHost().getPipeline().addValve(logged);
        tomcat.start();
        return connector.getLocalPort();
    }

    String code() {
        return ServerInfo.getServerInfo() + ", " + log.code(valve);
    }

    /**
     * Sends the requests numbered {@code first} to {@code first + count − 1}. The log of them, and of no others, lies
     * in the directory afterwards; the span ends when it does.
     */
    Span serve(long first, long count) throws Exception {
        if (count < 1 || count > MOST_REQUESTS) {
            throw Trouble.limited("a span has 1 to " + MOST_REQUESTS + " requests");
        }
        Request[] requests = new Request[(int) count];
        for (int at = 0; at < count; at++) {
            requests[at] = new Request(seed, first + at);
        }
        newLog();
        logged.forget();
        Span span = new Span((int) count);
        span.start(clients);
        clients.send(requests, span);
        logged.await(count);
        // Tomcat's own background thread does this every ten seconds.
        valve.backgroundProcess();
        span.stop(clients);
        return span;
    }

    /** Moves the last span's log away and forgets it: one log is kept, however many spans there are. */
    private void newLog() throws Exception {
        Path before = directory.resolve("before.log");
        Files.deleteIfExists(before);
        if (!valve.rotate(before.toString())) {
            throw Trouble.failed("the access log was not begun anew");
        }
    }

    @Override
    public void close() {
        clients.close();
        try {
            tomcat.stop();
            tomcat.destroy();
        } catch (Exception error) {
            System.err.println("Tomcat did not end well: " + error);
        }
    }
}
