package sealmark.jetty;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.AsyncRequestLogWriter;
import org.eclipse.jetty.server.CustomRequestLog;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.RequestLog;
import org.eclipse.jetty.server.RequestLogWriter;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.component.LifeCycle;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sealmark.log.LogSealer;
import sealmark.log.Sealers;
import sealmark.log.access.Dialect;
import sealmark.testing.Canary;
import sealmark.testing.LogProgram;
import sealmark.testing.OddRequests;

/** A log opened with the program is the log that Jetty itself writes of the same requests. */
class SealedRequestLogTest {
    private static final int REQUESTS = 200;
    private static final int OF_EACH = 40;
    /** Each element of Jetty's that shows what a client sent, in quotes and without. */
    private static final String ALL = "%{client}a %a %{remote}a %u %t \"%r\" %r %s %O %q \"%q\" %U \"%U\" %m %H %{sid}C \"%C\""
            + " \"%{Referer}i\" %{User-Agent}i %{X-Form}i \"%{Authorization}i\" %400{Referer}i %!200{X-Form}i %{Location}o %X"
            + " 100%% end";

    /** Some codes have fixed names. */
    private static final List<String> NAMES = Arrays.asList(null, "name", "client", "remote", "server", "local", "CLF", "us",
            "query", "path", "host", "authority", "scheme", "port", "-query", "-path", "-path,-query");
    /** Elements that show nothing of what a client sent but the protocol, the scheme and the port. */
    private static final String SERVERS = "%{scheme}uri %{port}uri %attr %D %H %I %O %R %S %T %X %{local}a %e %k %p %s %t";

    @TempDir
    Path folder;

    private LogProgram program;
    private Path sealed;
    private Path plain;

    @BeforeEach
    void makeKeys() throws Exception {
        program = new LogProgram(folder);
        sealed = Files.createDirectory(folder.resolve("logs")).resolve("sealed.log");
        plain = folder.resolve("plain.log");
    }

    @Test
    void theJettyIsTheOneThatIsMeant() {
        assertEquals(System.getProperty("sealmark.jetty"), Server.getVersion());
    }

    /** Another Jetty may have an element that no table of ours knows. */
    @Test
    void eachElementOfJettysIsOfTheClientOrOfTheServer() {
        List<String> unknown = new ArrayList<>();
        List<String> codes = new ArrayList<>(List.of("ti", "to", "uri", "attr"));
        IntStream.concat(IntStream.rangeClosed('A', 'Z'), IntStream.rangeClosed('a', 'z'))
                .forEach(letter -> codes.add(Character.toString(letter)));
        for (String code : codes) {
            List<Dialect.Element> jettys = NAMES.stream().map(name -> new Dialect.Element(code, name))
                    .filter(element -> isJettys(Format.DIALECT.text(element))).toList();
            List<Dialect.Element> servers = jettys.stream().filter(one -> Format.DIALECT.shows(one) == null).toList();
            if (servers.equals(jettys)) {
                servers.stream().limit(1).forEach(one -> unknown.add("%" + code));
            } else {
                servers.forEach(one -> unknown.add(Format.DIALECT.text(one)));
            }
        }
        assertEquals(SERVERS, String.join(" ", unknown));
    }

    private static boolean isJettys(String format) {
        try {
            return new CustomRequestLog(line -> { }, format).getFormatString().equals(format);
        } catch (IllegalArgumentException unknown) {
            return false;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {ALL, CustomRequestLog.EXTENDED_NCSA_FORMAT, CustomRequestLog.NCSA_FORMAT})
    void oddRequestsLeaveNothingInClearAndOpenToTheTwin(String format) throws Exception {
        SealedRequestLog log = log(utf8(sealed), format);
        log.set("seal", "%{Authorization}i %{Referer}i %{User-Agent}i %{X-Form}i %C %{client}a %a %{remote}a %u");
        try (Running server = new Running(log, new CustomRequestLog(utf8(plain), format))) {
            OddRequests.send(server.port(), REQUESTS);
            server.awaitLogs();
            assertEquals(0, log.getFailed());
        }
        assertEquals(format, log.getFormatString());
        assertTrue(Files.readString(plain).contains(Canary.MARK));
        assertTrue(Files.readAllLines(plain).size() >= REQUESTS * 9 / 10);
        assertNothingInClear();
        assertFalse(Files.readString(sealed).contains("127.0.0.1"));
        LogProgram.assertSameLines(Files.readString(plain), program.openText(sealed));
        program.verifyClosed(sealed);
    }

    @Test
    void elementsThatAreNamedAreSealedAsAWholeBesidesParameters() throws Exception {
        String format = "%{client}a %u \"%{authorization}i\" \"%{sid}C\" %r %s";
        SealedRequestLog log = log(utf8(sealed), format);
        log.set("seal", "%{client}a, %u %{Authorization}i,%{sid}C %{X}i");
        log.set("clear", "a");
        try (Running server = new Running(log, new CustomRequestLog(utf8(plain), format))) {
            server.get("/?a=CLEAR&b=SECRET", "Authorization: Basic SECRET", "Cookie: sid=SECRET");
            server.get("/?a=CLEAR");
        }
        String text = Files.readString(sealed);
        assertFalse(text.contains("SECRET") || text.contains("127.0.0.1"), text);
        for (String label : List.of("client", "authorization", "sid")) {
            assertTrue(text.contains("~s1a~" + label + "~"), label + " in " + text);
        }
        assertTrue(text.contains(" GET /?a=CLEAR&b=~s1a~b~") && text.contains(" GET /?a=CLEAR HTTP/1.1 "), text);
        LogProgram.assertSameLines(Files.readString(plain), program.openText(sealed));
    }

    @Test
    void someParametersAreSealedOrSomeStayInClear() throws Exception {
        SealedRequestLog log = log(utf8(sealed), "%r");
        log.set("clear", "page");
        try (Running server = new Running(log)) {
            server.get("/?page=CLEAR&Page=SECRET&other=SECRET");
            log.stop();
            log.set("names", "EMAIL");
            log.set("clear", "*");
            log.start();
            server.get("/?page=3&%65mail=SECRET");
        }
        String text = Files.readString(sealed);
        assertFalse(text.contains("SECRET"), text);
        assertTrue(text.contains("GET /?page=CLEAR&Page=~s1a~Page~"), text);
        assertTrue(text.contains("GET /?page=3&%65mail=~s1a~EMAIL~"), text);
        program.verifyClosed(sealed);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void manyThreadsWriteThroughJettysOwnWriters(boolean isAsync) throws Exception {
        String file = sealed.toString();
        RequestLogWriter writer = isAsync ? new AsyncRequestLogWriter(file) : new RequestLogWriter(file);
        try (Running server = new Running(log(writer, "%r"))) {
            OddRequests.crowd(server.port(), OF_EACH);
            server.awaitLogs();
        }
        assertNothingInClear();
        assertEquals(OddRequests.crowdLines(OF_EACH).stream().sorted().toList(),
                program.openText(sealed).lines().sorted().toList());
        program.verifyClosed(sealed);
    }

    /** Jetty begins a file at midnight, in the writer itself. */
    @Test
    @Timeout(60)
    void theNextFileHasItsOwnHeader() throws Exception {
        Path next = sealed.resolveSibling("next.log");
        Daily writer = new Daily(sealed);
        try (Running server = new Running(log(writer, "%r"))) {
            server.get("/?a=SECRET1");
            writer.current = next;
            server.get("/?a=SECRET2");
        }
        assertEquals("GET /?a=SECRET1 HTTP/1.1\n", program.openText(sealed));
        assertEquals("GET /?a=SECRET2 HTTP/1.1\n", program.openText(next));
        program.verifyClosed(sealed, next);
    }

    @Test
    void withoutAKeyEachValueIsAMarker() throws Exception {
        SealedRequestLog log = new SealedRequestLog(utf8(sealed), "%r %{X}i");
        log.set("recipientsFile", folder.resolve("no.pub").toString());
        try (Running server = new Running(log)) {
            String answer = server.get("/?a=SECRET", "X: b=SECRET");
            assertTrue(answer.startsWith("HTTP/1.1 200"), answer);
            assertTrue(log.getFailed() > 0);
        }
        assertEquals("GET /?a=~s1x~a~ HTTP/1.1 b=~s1x~b~\n", Files.readString(sealed));
    }

    @Test
    void aWordThatIsNoElementSealsEverything() throws Exception {
        SealedRequestLog log = log(utf8(sealed), "%{client}a %m %r %U %{X}i %s");
        log.set("seal", "%{X}j");
        try (Running server = new Running(log)) {
            server.get("/SECRET", "X: SECRET");
        }
        String text = Files.readString(sealed);
        assertFalse(text.contains("SECRET") || text.contains("GET") || text.contains("127.0.0.1"), text);
        assertTrue(text.contains("~ 200\n"), text);
    }

    /** A value that had a mark in it: nobody can tell where it ends. */
    @Test
    void aLineThatCannotBeTakenApartIsSealedAsAWhole() throws Exception {
        SealedRequestLog.SealingWriter writer = new SealedRequestLog.SealingWriter(utf8(sealed), new Format("%r"));
        Sealers.install(Sealers.DEFAULT, LogSealer.builder().recipient(program.recipient()).build());
        writer.start();
        writer.write("GET /?a=SECRET HTTP/1.1");
        writer.stop();
        Sealers.remove(Sealers.DEFAULT);
        assertNothingInClear();
        assertFalse(Files.readString(sealed).contains("GET"));
        assertEquals("GET /?a=SECRET HTTP/1.1\n", program.openText(sealed));
        program.verifyClosed(sealed);
    }

    private void assertNothingInClear() throws IOException {
        Canary.assertNoneIn(sealed.getParent());
        String text = Files.readString(sealed);
        assertFalse(text.contains("SECRET") || text.contains("~s1x~"), text);
    }

    private SealedRequestLog log(RequestLog.Writer writer, String format) throws IOException {
        SealedRequestLog log = new SealedRequestLog(writer, format);
        log.set("recipient", program.recipient());
        return log;
    }

    /** Jetty's own writer has the charset of the machine. */
    private static RequestLog.Writer utf8(Path file) {
        return line -> Files.writeString(file, line + "\n", UTF_8, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    /** A writer whose file changes at any moment. */
    private static final class Daily extends RequestLogWriter {
        private volatile Path current;

        Daily(Path first) {
            current = first;
        }

        @Override
        protected void doStart() {
            // Files are opened for each line.
        }

        @Override
        public String getDatedFilename() {
            return current.toString();
        }

        @Override
        public void write(String line) throws IOException {
            utf8(current).write(line);
        }
    }

    /** A Jetty on loopback that sends a header back. */
    private static final class Running implements AutoCloseable {
        private final Server server = new Server();
        private final ServerConnector connector = new ServerConnector(server);
        private final Semaphore logged = new Semaphore(0);

        Running(RequestLog... logs) throws Exception {
            connector.setHost("127.0.0.1");
            connector.getConnectionFactory(HttpConnectionFactory.class).getHttpConfiguration()
                    .setUriCompliance(UriCompliance.UNSAFE);
            server.addConnector(connector);
            server.setHandler(new Answer());
            RequestLog all = new RequestLog.Collection(logs);
            server.setRequestLog((request, response) -> {
                all.log(request, response);
                logged.release();
            });
            for (RequestLog log : logs) {
                server.addBean(log);
            }
            server.start();
        }

        int port() {
            return connector.getLocalPort();
        }

        /** Until no request is logged any more. */
        void awaitLogs() throws InterruptedException {
            do {
                logged.drainPermits();
            } while (logged.tryAcquire(200, TimeUnit.MILLISECONDS));
        }

        /** Jetty logs a request when its client has the answer. */
        String get(String target, String... headers) throws IOException {
            logged.drainPermits();
            String answer = OddRequests.ask(port(), OddRequests.get(target, headers));
            logged.acquireUninterruptibly();
            return answer;
        }

        @Override
        public void close() {
            LifeCycle.stop(server);
        }
    }

    private static final class Answer extends Handler.Abstract {
        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            response.getHeaders().put("Location", "/next?code=" + Canary.MARK);
            callback.succeeded();
            return true;
        }
    }
}
