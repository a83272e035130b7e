package sealmark.logback.access;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.access.common.PatternLayout;
import ch.qos.logback.access.jetty.RequestLogImpl;
import ch.qos.logback.core.status.Status;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sealmark.testing.Canary;
import sealmark.testing.LogProgram;
import sealmark.testing.OddRequests;

/** A log opened with the program is the log that logback-access's own encoder writes of the same requests. */
class SealedPatternLayoutEncoderTest {
    private static final int REQUESTS = 200;
    private static final String ALL = "%h %a %l %u [%t] \"%r\" %s %b %q %U %m %H %v %i{Referer} \"%header{User-Agent}\""
            + " %header{X-Form} %header{Authorization} %reqCookie{sid} %responseHeader{Location} %green(%q) 100\\% end";

    /** Words that show nothing of what a client sent but the protocol, unless other words are within them. */
    private static final String SERVERS = "A B BARE D H I T b black blue boldBlue boldCyan boldGreen boldMagenta boldRed"
            + " boldWhite boldYellow bytesSent cyan date elapsedSeconds elapsedTime gray green l localIP localPort magenta n protocol red"
            + " replace s statusCode t threadName white yellow";

    @TempDir
    Path folder;

    private LogProgram program;
    private Path sealed;
    private Path plain;
    private final Semaphore logged = new Semaphore(0);

    @BeforeEach
    void makeKeys() throws Exception {
        program = new LogProgram(folder);
        sealed = Files.createDirectory(folder.resolve("logs")).resolve("sealed.log");
        plain = folder.resolve("plain.log");
    }

    /** Another logback-access may have a word that no table of ours knows. */
    @Test
    void eachWordOfLogbacksIsOfTheClientOrOfTheServer() {
        assertEquals(SERVERS, new PatternLayout().getDefaultConverterSupplierMap().keySet().stream()
                .filter(word -> !Words.isClients(word)).sorted().collect(Collectors.joining(" ")));
    }

    @Test
    void oddRequestsLeaveNothingInClearAndOpenToTheTwin() throws Exception {
        serve(ALL, "<seal>%i %header %reqCookie %responseHeader %h %a %u</seal>", "ops.pub",
                port -> OddRequests.send(port, REQUESTS));
        assertTrue(Files.readString(plain).contains(Canary.MARK));
        assertTrue(Files.readAllLines(plain).size() > REQUESTS / 2);
        assertNothingInClear();
        LogProgram.assertSameLines(Files.readString(plain), program.openText(sealed));
        program.verifyClosed(sealed);
    }

    @Test
    void theNamedPatternIsSealed() throws Exception {
        serve("combined", "<seal>%h %i{Referer}</seal><clear>page</clear>", "ops.pub",
                port -> OddRequests.ask(port, OddRequests.get("/?page=3&a=SECRET", "Referer: SECRET")));
        assertNothingInClear();
        String text = Files.readString(sealed);
        assertTrue(text.contains("\"GET /?page=3&a=~s1a~a~") && text.contains("\"~s1a~Referer~"), text);
        assertFalse(text.contains("127.0.0.1"), text);
        LogProgram.assertSameLines(Files.readString(plain), program.openText(sealed));
        program.verifyClosed(sealed);
    }

    /** The word writes all headers, credentials and cookies among them. */
    @Test
    void allHeadersInOneWordAreSealed() throws Exception {
        for (String settings : List.of("", "<seal>%header %i</seal>", "<seal>%haeder</seal>", "<clear>*</clear>")) {
            serve("%header %i %header{} %s%n", settings, "ops.pub",
                    port -> OddRequests.ask(port, OddRequests.get("/", "Authorization: Basic SECRET", "Cookie: sid=SECRET")));
            assertTrue(Files.readString(plain).contains("SECRET"));
            assertNothingInClear();
            assertTrue(Files.readString(sealed).contains("\n~s1a~message~"), settings);
            LogProgram.assertSameLines(Files.readString(plain), program.openText(sealed));
            Files.delete(plain);
            Files.delete(sealed);
        }
        serve("%header %s%n", "<clear>%header</clear>", "ops.pub",
                port -> OddRequests.ask(port, OddRequests.get("/", "X: PLAIN")));
        assertTrue(Files.readString(sealed).contains("PLAIN"));
    }

    /** The lines are those of docs/java.md. */
    @Test
    void theLinesOfThePageSeal() throws Exception {
        String page;
        try (InputStream resource = getClass().getResourceAsStream("/page.xml")) {
            page = new String(resource.readAllBytes(), UTF_8);
        }
        List<String> errors = serve(page.replace("recipients.txt", program.recipients.toString())
                        .replace("access.log", sealed.toString()).replace("access.%d.log", sealed + ".%d"),
                port -> OddRequests.ask(port, OddRequests.get("/?a=SECRET")));
        assertEquals(List.of(), errors);
        assertNothingInClear();
        String text = Files.readString(sealed);
        assertTrue(text.contains("\"GET /?a=~s1a~a~") && !text.contains("127.0.0.1"), text);
        program.verifyClosed(sealed);
    }

    @Test
    void withoutAKeyEachValueIsAMarker() throws Exception {
        serve("%r %header{X}%n", "", "no.pub",
                port -> OddRequests.ask(port, OddRequests.get("/?a=SECRET", "X: b=SECRET")));
        assertEquals("GET /?a=~s1x~a~ HTTP/1.1 b=~s1x~b~\n", Files.readString(sealed));
    }

    @Test
    void aWordThatIsNoElementSealsEverythingAndIsAnError() throws Exception {
        List<String> errors = serve("%h %m %r %U %header{X} %s%n", "<seal>%cookie</seal>", "ops.pub",
                port -> OddRequests.ask(port, OddRequests.get("/SECRET", "X: SECRET")));
        String text = Files.readString(sealed);
        assertFalse(text.contains("SECRET") || text.contains("GET") || text.contains("127.0.0.1"), text);
        assertTrue(text.contains("~ 200\n"), text);
        assertEquals(List.of("\"%cookie\" in seal cannot be sealed, so everything that clients send is sealed\n"
                + "hint: <seal>%u %header{Authorization}</seal>"), errors);
    }

    private interface Work {
        void run(int port) throws Exception;
    }

    /** Serves with a sealed log and its twin, and returns what Logback's statuses complain of. */
    private List<String> serve(String pattern, String settings, String recipients, Work work) throws Exception {
        return serve("""
                <configuration>
                  <appender name="SEALED" class="sealmark.logback.SealedFileAppender">
                    <sealer class="sealmark.logback.SealerConfig"><recipientsFile>FOLDER/RECIPIENTS</recipientsFile></sealer>
                    <file>FOLDER/logs/sealed.log</file>
                    <encoder class="sealmark.logback.access.SealedPatternLayoutEncoder">
                      <charset>UTF-8</charset><pattern>PATTERN</pattern>SETTINGS
                    </encoder>
                  </appender>
                  <appender name="PLAIN" class="ch.qos.logback.core.FileAppender">
                    <file>FOLDER/plain.log</file>
                    <encoder><charset>UTF-8</charset><pattern>PATTERN</pattern></encoder>
                  </appender>
                  <appender-ref ref="SEALED"/>
                  <appender-ref ref="PLAIN"/>
                </configuration>
                """.replace("FOLDER", folder.toString()).replace("RECIPIENTS", recipients).replace("PATTERN", pattern)
                .replace("SETTINGS", settings), work);
    }

    /** Serves with this configuration. */
    private List<String> serve(String configuration, Work work) throws Exception {
        Path xml = Files.writeString(folder.resolve("logback-access.xml"), configuration);
        RequestLogImpl log = new RequestLogImpl();
        log.setFileName(xml.toString());
        log.setQuiet(true);
        Server server = new Server();
        ServerConnector connector = new ServerConnector(server);
        connector.setHost("127.0.0.1");
        connector.getConnectionFactory(HttpConnectionFactory.class).getHttpConfiguration()
                .setUriCompliance(UriCompliance.UNSAFE);
        server.addConnector(connector);
        server.setHandler(new Answer());
        log.start();
        server.setRequestLog((request, response) -> {
            log.log(request, response);
            logged.release();
        });
        server.start();
        try {
            work.run(connector.getLocalPort());
            do {
                logged.drainPermits();
            } while (logged.tryAcquire(200, TimeUnit.MILLISECONDS));
        } finally {
            server.stop();
            log.stop();
        }
        return log.getStatusManager().getCopyOfStatusList().stream().filter(status -> status.getLevel() >= Status.WARN)
                .map(Status::getMessage).filter(text -> !text.contains("~s1x~")).toList();
    }

    private void assertNothingInClear() throws IOException {
        Canary.assertNoneIn(sealed.getParent());
        String text = Files.readString(sealed);
        assertFalse(text.contains("SECRET") || text.contains("~s1x~"), text);
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
