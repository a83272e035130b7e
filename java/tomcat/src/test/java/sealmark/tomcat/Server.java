package sealmark.tomcat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.security.Principal;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.Valve;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.startup.Tomcat;
import org.apache.catalina.valves.AccessLogValve;
import org.apache.catalina.valves.ValveBase;

/** A Tomcat on loopback whose application sends back what was posted. It has no servlets: their names change with Tomcat's. */
final class Server implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 20_000;

    private final Tomcat tomcat = new Tomcat();
    private final Connector connector = new Connector();

    Server(Path folder, Valve... logs) throws Exception {
        tomcat.setBaseDir(folder.toString());
        connector.setPort(0);
        connector.setProperty("address", "127.0.0.1");
        connector.setProperty("maxHttpHeaderSize", "65536");
        connector.setProperty("relaxedQueryChars", "\"<>[\\]^`{|}");
        connector.setProperty("relaxedPathChars", "\"<>[\\]^`{|}");
        tomcat.setConnector(connector);
        tomcat.addContext("", folder.toString());
        for (Valve log : logs) {
            tomcat.getHost().getPipeline().addValve(log);
        }
        tomcat.getHost().getPipeline().addValve(new Application());
        tomcat.start();
    }

    /** Settings that both logs of a comparison share. */
    static <V extends AccessLogValve> V log(V valve, Path folder, String prefix, String pattern) {
        valve.setDirectory(folder.toString());
        valve.setPrefix(prefix);
        valve.setSuffix(".log");
        valve.setRotatable(false);
        valve.setPattern(pattern);
        return valve;
    }

    int port() {
        return connector.getLocalPort();
    }

    /** The answer to a whole request, whatever its bytes; the connection is closed behind it. */
    String send(String request) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port())) {
            socket.setSoTimeout(PATIENCE_MILLIS);
            socket.getOutputStream().write(request.getBytes(ISO_8859_1));
            socket.shutdownOutput();
            return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
        }
    }

    /** The answer to a request for a target, with more headers. */
    String get(String target, String... headers) throws IOException {
        String more = Stream.of(headers).map(header -> header + "\r\n").collect(Collectors.joining());
        return send("GET " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + more + "\r\n");
    }

    void restart() throws LifecycleException {
        tomcat.stop();
        tomcat.start();
    }

    @Override
    public void close() throws LifecycleException {
        tomcat.stop();
        tomcat.destroy();
    }

    /** Logs on from its headers, sets an attribute from its headers, and answers with the body. */
    private static final class Application extends ValveBase {
        Application() {
            super(true);
        }

        @Override
        public void invoke(Request request, Response response) throws IOException {
            String user = request.getHeader("X-User");
            if (user != null) {
                request.setUserPrincipal(new User(user));
            }
            request.setAttribute("note", request.getHeader("X-Note"));
            request.setAttribute("note{", request.getHeader("X-Note"));
            String body = request.getReader().lines().collect(Collectors.joining("\n"));
            response.setHeader("Location", "/next?code=" + request.getHeader("X-Code"));
            response.setContentType("text/plain");
            response.getWriter().write(body);
        }
    }

    private record User(String name) implements Principal {
        @Override
        public String getName() {
            return name;
        }
    }
}
