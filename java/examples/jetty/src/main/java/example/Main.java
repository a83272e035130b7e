package example;

import java.nio.file.Path;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.RequestLogWriter;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import sealmark.jetty.SealedRequestLog;

/** An embedded Jetty that logs who asked for what, and leaves no value of a query in the clear. */
public final class Main {
    private Main() {}

    /**
     * Serves until it is told to stop.
     *
     * @param arguments the folder that has {@code recipients.txt} and gets the log, and the port; 0 is any
     * @throws Exception if the server does not start
     */
    public static void main(String[] arguments) throws Exception {
        Server server = new Server();
        ServerConnector connector = new ServerConnector(server);
        connector.setHost("127.0.0.1");
        connector.setPort(Integer.parseInt(arguments[1]));
        server.addConnector(connector);
        server.setHandler(new Hello());
        server.setRequestLog(requestLog(Path.of(arguments[0])));
        // Stopping ends the log with the number of its values: what somebody cuts off is missed.
        server.setStopAtShutdown(true);
        server.start();
        System.out.println("http://127.0.0.1:" + connector.getLocalPort() + "/");
        server.join();
    }

    /** Everything but keys and what is sealed is as in Jetty's own CustomRequestLog. */
    private static SealedRequestLog requestLog(Path folder) {
        String format = "%{client}a %t \"%r\" %s %O \"%{Referer}i\" \"%{User-Agent}i\" \"%{Authorization}i\"";
        SealedRequestLog log = new SealedRequestLog(new RequestLogWriter(folder.resolve("access.log").toString()), format);
        log.set("recipientsFile", folder.resolve("recipients.txt").toString());
        log.set("seal", "%{client}a %{Authorization}i");
        return log;
    }

    private static final class Hello extends Handler.Abstract {
        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            response.getHeaders().put("Content-Type", "text/plain");
            Content.Sink.write(response, true, "hello\n", callback);
            return true;
        }
    }
}
