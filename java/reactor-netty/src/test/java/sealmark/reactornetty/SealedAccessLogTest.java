package sealmark.reactornetty;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import io.netty.handler.codec.http.cookie.Cookie;
import io.netty.handler.codec.http.cookie.ServerCookieDecoder;
import io.netty.handler.codec.http.cookie.ServerCookieEncoder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import org.slf4j.helpers.MessageFormatter;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;
import reactor.netty.http.server.logging.AccessLog;
import reactor.netty.http.server.logging.AccessLogArgProvider;
import reactor.netty.http.server.logging.AccessLogFactory;
import sealmark.testing.Canary;
import sealmark.testing.LogProgram;
import sealmark.testing.OddRequests;

/** A log opened with the program is the log that Reactor Netty itself writes of the same requests. */
class SealedAccessLogTest {
    private static final int REQUESTS = 200;
    private static final int OF_EACH = 40;
    private static final String ALL = Format.DEFAULT.replace(" %D", "")
            + " \"%{Referer}i\" %{User-Agent}i %{X-Form}i %{Authorization}i %{sid}c %{Location}o 100%% end";

    @TempDir
    Path folder;

    private final LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    private final List<String> plain = Collections.synchronizedList(new ArrayList<>());
    private final Semaphore logged = new Semaphore(0);
    private LogProgram program;
    private Path sealed;

    @BeforeEach
    void configure() throws Exception {
        program = new LogProgram(folder);
        sealed = Files.createDirectory(folder.resolve("logs")).resolve("sealed.log");
        configure("recipients.txt");
    }

    private void configure(String recipients) throws Exception {
        Files.copy(program.recipients, folder.resolve("recipients.txt"), StandardCopyOption.REPLACE_EXISTING);
        context.reset();
        JoranConfigurator configurator = new JoranConfigurator();
        configurator.setContext(context);
        configurator.doConfigure(new ByteArrayInputStream("""
                <configuration>
                  <contextListener class="sealmark.logback.SealerConfig">
                    <recipientsFile>FOLDER/RECIPIENTS</recipientsFile>
                  </contextListener>
                  <appender name="FILE" class="sealmark.logback.SealedFileAppender">
                    <file>FOLDER/logs/sealed.log</file>
                    <clear>msg, ex</clear>
                    <encoder><charset>UTF-8</charset><pattern>%msg%n</pattern></encoder>
                  </appender>
                  <logger name="reactor.netty.http.server.AccessLog" level="INFO"><appender-ref ref="FILE"/></logger>
                  <root level="OFF"/>
                </configuration>
                """.replace("FOLDER", folder.toString()).replace("RECIPIENTS", recipients).getBytes(UTF_8)));
    }

    @AfterEach
    void stop() {
        context.reset();
    }

    @Test
    void oddRequestsLeaveNothingInClearAndOpenToTheTwin() throws Exception {
        SealedAccessLog log = SealedAccessLog.builder().format(ALL).seal("%h %i %o %c %u").build();
        serve(log, port -> OddRequests.send(port, REQUESTS));
        assertTrue(plain.stream().anyMatch(line -> line.contains(Canary.MARK)));
        assertTrue(plain.size() > REQUESTS / 2, plain::toString);
        assertNothingInClear();
        assertFalse(Files.readString(sealed).contains("127.0.0.1"));
        LogProgram.assertSameLines(String.join("\n", plain), program.openText(sealed));
        program.verifyClosed(sealed);
    }

    @Test
    void theDefaultIsTheLineOfReactorNetty() throws Exception {
        serve(SealedAccessLog.builder().build(), port -> OddRequests.ask(port, OddRequests.get("/?a=SECRET")));
        assertNothingInClear();
        String opened = program.openText(sealed);
        assertTrue(opened.matches(
                "127\\.0\\.0\\.1 - - \\[[^]]+ [+-]\\d{4}\\] \"GET /\\?a=SECRET HTTP/1\\.1\" 200 0 \\d+\n"), opened);
        assertTrue(Files.readString(sealed).contains("\"GET /?a=~s1a~a~"));
    }

    /** The lines are those of docs/java.md. */
    @Test
    @Timeout(60)
    void theLinesOfThePageSeal() throws Exception {
        HttpServer server =
                HttpServer.create().accessLog(true, SealedAccessLog.builder().seal("%h %{Authorization}i")
                .format("%h - %u [%t] \"%m %U %H\" %s %b \"%{Referer}i\" \"%{Authorization}i\"").build());
        DisposableServer bound = server.host("127.0.0.1").port(0).handle((request, response) -> response.send()).bindNow();
        try {
            OddRequests.ask(bound.port(), OddRequests.get("/?a=SECRET", "Authorization: SECRET"));
            // A request may be logged after its client has the answer.
            while (!Files.readString(sealed).contains("~s1a~Authorization~")) {
                Thread.sleep(10);
            }
        } finally {
            bound.disposeNow();
            context.reset();
        }
        assertNothingInClear();
        String text = Files.readString(sealed);
        assertTrue(text.contains("\"GET /?a=~s1a~a~") && !text.contains("127.0.0.1"), text);
        program.verifyClosed(sealed);
    }

    @Test
    void manyConnectionsAtOnceAreAllThere() throws Exception {
        serve(SealedAccessLog.builder().format("%m %U %H").build(), port -> OddRequests.crowd(port, OF_EACH));
        assertNothingInClear();
        assertEquals(OddRequests.crowdLines(OF_EACH).stream().sorted().toList(),
                program.openText(sealed).lines().sorted().toList());
        program.verifyClosed(sealed);
    }

    @Test
    void someParametersAreSealedOrSomeStayInClear() throws Exception {
        serve(SealedAccessLog.builder().format("%U").names("EMAIL").clear("*").build(),
                port -> OddRequests.ask(port, OddRequests.get("/?page=3&%65mail=SECRET")));
        assertNothingInClear();
        assertTrue(Files.readString(sealed).contains("/?page=3&%65mail=~s1a~EMAIL~"));
        program.verifyClosed(sealed);
    }

    @Test
    void withoutAKeyEachValueIsAMarker() throws Exception {
        configure("no.pub");
        serve(SealedAccessLog.builder().format("%m %U %{X}i").build(),
                port -> OddRequests.ask(port, OddRequests.get("/?a=SECRET", "X: b=SECRET")));
        assertEquals("GET /?a=~s1x~a~ b=~s1x~b~\n", Files.readString(sealed));
    }

    @Test
    void aWordThatIsNoElementSealsEverything() throws Exception {
        serve(SealedAccessLog.builder().format("%h %m %U %{X}i %s").seal("%{X}j").build(),
                port -> OddRequests.ask(port, OddRequests.get("/SECRET", "X: SECRET")));
        String text = Files.readString(sealed);
        assertFalse(text.contains("SECRET") || text.contains("GET") || text.contains("127.0.0.1"), text);
        assertTrue(text.contains("~ 200\n"), text);
    }

    /** The servers' formats allow any character but a closing brace in a name, so settings must do so too. */
    @Test
    void aNameWithABraceIsSealedWithoutEverythingElse() throws Exception {
        SealedAccessLog log = SealedAccessLog.builder().format("%m %{a{b}c %{sid}c").seal("%{a{b}c").build();
        serve(SealedAccessLogTest::takeOddCookies, log,
                port -> OddRequests.ask(port, OddRequests.get("/", "Cookie: a{b=SECRET; sid=CLEAR")));
        assertNothingInClear();
        assertTrue(Files.readString(sealed).matches("(?s).*\nGET ~s1a~a_b~[^ ]+ CLEAR\n.*"), Files.readString(sealed));
        assertEquals("GET SECRET CLEAR\n", program.openText(sealed));
        program.verifyClosed(sealed);
    }

    /** Netty's other decoder passes over such a name, so that no log has its value. */
    @SuppressWarnings("deprecation")
    private static HttpServer takeOddCookies(HttpServer server) {
        return server.cookieCodec(ServerCookieEncoder.LAX, ServerCookieDecoder.LAX);
    }

    @Test
    void anElementThatNobodyKnowsIsRefused() {
        assertTrue(assertThrows(IllegalArgumentException.class, () -> SealedAccessLog.builder().format("%h %q").build())
                .getMessage().startsWith("\"%q\" is not an element of an access log\nhint: "));
        assertThrows(IllegalArgumentException.class, () -> SealedAccessLog.builder().format("%i").build());
    }

    private interface Work {
        void run(int port) throws Exception;
    }

    private void serve(SealedAccessLog log, Work work) throws Exception {
        serve(server -> server, log, work);
    }

    private void serve(UnaryOperator<HttpServer> settings, SealedAccessLog log, Work work) throws Exception {
        AccessLogFactory both = request -> {
            plain.add(twin(request));
            AccessLog line = log.apply(request);
            logged.release();
            return line;
        };
        DisposableServer server = settings.apply(HttpServer.create()).host("127.0.0.1").port(0).accessLog(true, both)
                .httpRequestDecoder(spec -> spec.maxHeaderSize(65_536).maxInitialLineLength(65_536))
                .handle((request, response) -> response.header("Location", "/next?code=" + Canary.MARK).send()).bindNow();
        try {
            work.run(server.port());
            do {
                logged.drainPermits();
            } while (logged.tryAcquire(200, TimeUnit.MILLISECONDS));
        } finally {
            server.disposeNow();
            context.reset();
        }
    }

    /** The line as Reactor Netty formats it, with more arguments, and without the duration that changes. */
    @SuppressWarnings("deprecation")
    private static String twin(AccessLogArgProvider request) {
        String cookie = request.cookies() == null ? "" : request.cookies().values().stream()
                .flatMap(Set::stream).filter(one -> one.name().equals("sid")).map(Cookie::value).findFirst().orElse("");
        return MessageFormatter.arrayFormat("{} - {} [{}] \"{} {} {}\" {} {} \"{}\" {} {} {} {} {} 100% end", new Object[] {
            ((InetSocketAddress) request.remoteAddress()).getHostString(), request.user(), request.zonedDateTime(),
            request.method(), request.uri(), request.protocol(), request.status(),
            request.contentLength() > -1 ? request.contentLength() : "-", header(request, "Referer"),
            header(request, "User-Agent"), header(request, "X-Form"), header(request, "Authorization"),
            cookie.isEmpty() ? "-" : cookie,
            request.responseHeader("Location") == null ? "-" : request.responseHeader("Location")}).getMessage();
    }

    private static Object header(AccessLogArgProvider request, String name) {
        return request.requestHeader(name) == null ? "-" : request.requestHeader(name);
    }

    private void assertNothingInClear() throws IOException {
        Canary.assertNoneIn(sealed.getParent());
        String text = Files.readString(sealed);
        assertFalse(text.contains("SECRET") || text.contains("~s1x~"), text);
    }
}
