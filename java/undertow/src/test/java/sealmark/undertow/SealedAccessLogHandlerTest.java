package sealmark.undertow;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.undertow.Undertow;
import io.undertow.UndertowOptions;
import io.undertow.attribute.ExchangeAttributeBuilder;
import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.handlers.StoredResponseHandler;
import io.undertow.server.handlers.accesslog.AccessLogHandler;
import io.undertow.server.handlers.accesslog.AccessLogReceiver;
import io.undertow.server.handlers.accesslog.DefaultAccessLogReceiver;
import io.undertow.servlet.api.Deployment;
import io.undertow.servlet.handlers.ServletRequestContext;
import io.undertow.util.Headers;
import jakarta.servlet.ServletRequest;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sealmark.testing.Canary;
import sealmark.testing.LogProgram;
import sealmark.testing.OddRequests;

/** A log opened with the program is the log that Undertow's own handler writes of the same requests. */
class SealedAccessLogHandlerTest {
    private static final int REQUESTS = 200;
    private static final int OF_EACH = 40;
    private static final ClassLoader LOADER = SealedAccessLogHandlerTest.class.getClassLoader();
    /** Each attribute of Undertow's that shows what a client sent, but cookies: odd ones keep it from logging the request. */
    private static final String ALL = "%h %a %l %u %t \"%r\" %s %b %q \"%{BARE_QUERY_STRING}\" %U %R %{REQUEST_PATH} %m %H %v"
            + " %{HOST_AND_PORT} %{q,email} %{p,v} \"%{i,Referer}\" %{i,User-Agent} %{i,X-Form}"
            + " %{i,Authorization} %{o,Location} ${none} $ 100%% end";

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

    @ParameterizedTest
    @ValueSource(strings = {ALL, "combined", "common"})
    void oddRequestsLeaveNothingInClearAndOpenToTheTwin(String format) throws Exception {
        HttpHandler twin = new AccessLogHandler(SealedAccessLogHandlerTest::answer, utf8(plain), format, LOADER);
        SealedAccessLogHandler log = log(twin, format);
        log.set("seal", "%{i} %{o,Location} %h %a %u %{p,v}");
        serve(log, port -> {
            OddRequests.send(port, REQUESTS);
            awaitLogs();
            assertEquals(0, log.getFailed());
        });
        assertTrue(Files.readString(plain).contains(Canary.MARK));
        assertTrue(Files.readAllLines(plain).size() > REQUESTS / 2);
        assertNothingInClear();
        LogProgram.assertSameLines(Files.readString(plain), program.openText(sealed));
        program.verifyClosed(sealed);
    }

    @Test
    void attributesThatAreNamedAreSealedAsAWholeBesidesParameters() throws Exception {
        SealedAccessLogHandler log = log(SealedAccessLogHandlerTest::answer, "%h \"%{i,authorization}\" %{c,sid} %r %s");
        log.set("seal", "%h %{i,Authorization} %{c,sid}");
        log.set("clear", "a");
        serve(log, port -> get(port, "/?a=CLEAR&b=SECRET", "Authorization: Basic SECRET", "Cookie: sid=SECRET"));
        String text = Files.readString(sealed);
        assertFalse(text.contains("SECRET") || text.contains("127.0.0.1"), text);
        for (String label : List.of("client", "authorization", "sid")) {
            assertTrue(text.contains("~s1a~" + label + "~"), label + " in " + text);
        }
        assertTrue(text.contains(" GET /?a=CLEAR&b=~s1a~b~") && text.contains("~ HTTP/1.1 200\n"), text);
    }

    /** The lines are those of docs/java.md. */
    @Test
    void theLinesOfThePageSeal() throws Exception {
        HttpHandler next = SealedAccessLogHandlerTest::answer;
        AccessLogReceiver receiver = utf8(sealed);
        SealedAccessLogHandler log = new SealedAccessLogHandler(next, receiver, "combined", getClass().getClassLoader());
        log.set("recipientsFile", "recipients.txt");
        log.set("seal", "%h %u %{i,Authorization}");
        // A test has a folder of its own and no working directory.
        log.set("recipientsFile", program.recipients.toString());
        serve(log, port -> get(port, "/?a=SECRET"));
        assertNothingInClear();
        String text = Files.readString(sealed);
        assertTrue(text.contains("\"GET /?a=~s1a~a~") && !text.contains("127.0.0.1"), text);
        program.verifyClosed(sealed);
    }

    @Test
    void someParametersAreSealed() throws Exception {
        SealedAccessLogHandler log = log(SealedAccessLogHandlerTest::answer, "%r %{q,email} %{q,page}");
        log.set("names", "EMAIL");
        log.set("clear", "*");
        serve(log, port -> get(port, "/?page=3&%65mail=SECRET"));
        String text = Files.readString(sealed);
        assertFalse(text.contains("SECRET"), text);
        assertTrue(text.contains("mail=~s1a~EMAIL~"), text);
        assertTrue(text.contains(" ~s1a~email~") && text.endsWith("~\n") && text.contains("~ 3\n"), text);
        assertTrue(program.openText(sealed).endsWith("mail=SECRET HTTP/1.1 SECRET 3\n"), text);
    }

    @Test
    @Timeout(60)
    void manyThreadsWriteThroughUndertowsOwnReceiver() throws Exception {
        ExecutorService writing = Executors.newSingleThreadExecutor();
        DefaultAccessLogReceiver receiver = DefaultAccessLogReceiver.builder().setLogWriteExecutor(writing)
                .setOutputDirectory(sealed.getParent()).setLogBaseName("sealed.").setLogNameSuffix("log").build();
        SealedAccessLogHandler log = new SealedAccessLogHandler(SealedAccessLogHandlerTest::answer, line -> {
            receiver.logMessage(line);
            logged.release();
        }, "%r", LOADER);
        log.set("recipient", program.recipient());
        serve(log, port -> {
            OddRequests.crowd(port, OF_EACH);
            awaitLogs();
        });
        while (!Files.exists(sealed) || !Files.readString(sealed).contains("\n~s1z~")) {
            Thread.sleep(10);
        }
        receiver.close();
        writing.shutdown();
        assertTrue(writing.awaitTermination(1, TimeUnit.MINUTES));
        assertNothingInClear();
        assertEquals(OddRequests.crowdLines(OF_EACH).stream().sorted().toList(),
                program.openText(sealed).lines().sorted().toList());
        program.verifyClosed(sealed);
    }

    @Test
    void withoutAKeyEachValueIsAMarker() throws Exception {
        SealedAccessLogHandler log = new SealedAccessLogHandler(SealedAccessLogHandlerTest::answer, utf8(sealed),
                "%r %{i,X}", LOADER);
        log.set("recipientsFile", folder.resolve("no.pub").toString());
        serve(log, port -> {
            get(port, "/?a=SECRET", "X: b=SECRET");
            assertTrue(log.getFailed() > 0);
        });
        assertEquals("GET /?a=~s1x~a~ HTTP/1.1 b=~s1x~b~\n", Files.readString(sealed));
    }

    @Test
    void aWordThatIsNoAttributeSealsEverything() throws Exception {
        SealedAccessLogHandler log = log(SealedAccessLogHandlerTest::answer, "%h %m %r %U %{i,X} %s");
        log.set("seal", "%{x,X}");
        serve(log, port -> get(port, "/SECRET", "X: SECRET"));
        String text = Files.readString(sealed);
        assertFalse(text.contains("SECRET") || text.contains("GET") || text.contains("127.0.0.1"), text);
        assertTrue(text.contains("~ 200\n"), text);
    }

    /** <code>%{o}</code> is all headers of the response; {@code %o} is the client. */
    @Test
    void bracesWithoutANameAreAllOfTheirKind() throws Exception {
        SealedAccessLogHandler log = log(SealedAccessLogHandlerTest::answer, "%o %{o,Location} %{q,email} %r %s");
        log.set("seal", "%{o}");
        log.set("clear", "%{q} %o");
        serve(log, port -> get(port, "/?email=PLAIN"));
        String text = Files.readString(sealed);
        assertTrue(text.contains(" ~s1a~Location~") && text.contains("~ PLAIN GET /?email=~s1a~email~"), text);
        assertFalse(text.contains("~s1a~client~"), text);
    }

    @Test
    void aParameterOfAServletIsSealed() throws Exception {
        Object servlets = Proxy.newProxyInstance(LOADER, new Class<?>[] {Deployment.class, ServletRequest.class},
                (proxy, method, arguments) -> method.getName().equals("getParameter") ? arguments[0] + "=SECRET" : null);
        SealedAccessLogHandler log = log(exchange -> {
            ServletRequestContext servlet = new ServletRequestContext((Deployment) servlets, null, null, null);
            servlet.setServletRequest((ServletRequest) servlets);
            exchange.putAttachment(ServletRequestContext.ATTACHMENT_KEY, servlet);
            answer(exchange);
        }, "%{rp,card} %s");
        serve(log, port -> get(port, "/"));
        String text = Files.readString(sealed);
        assertFalse(text.contains("SECRET"), text);
        assertEquals("card=SECRET 200\n", program.openText(sealed));
    }

    /** Another version of Undertow may have an attribute that no table of ours knows. */
    @Test
    void eachAttributeOfUndertowsIsInATable() throws Exception {
        List<String> unknown = new ArrayList<>();
        int all = 0;
        for (ExchangeAttributeBuilder builder : ServiceLoader.load(ExchangeAttributeBuilder.class, LOADER)) {
            List<String> tokens = tokens(builder);
            assertFalse(tokens.isEmpty(), builder + " has no token");
            for (String token : tokens) {
                Matcher matcher = Attributes.TOKEN.matcher(token);
                assertTrue(matcher.matches(), token);
                all++;
                if (!Attributes.isKnown(Attributes.element(matcher))) {
                    unknown.add(token);
                }
            }
        }
        assertTrue(all > 80, all + " attributes");
        assertEquals(List.of(), unknown);
    }

    /** The tokens that a builder accepts, of those that are in its class file. */
    private static List<String> tokens(ExchangeAttributeBuilder builder) throws IOException {
        String name = builder.getClass().getName();
        try (InputStream in = LOADER.getResourceAsStream(name.replace('.', '/') + ".class")) {
            String code = new String(in.readAllBytes(), ISO_8859_1);
            return Pattern.compile("%\\{[A-Za-z_-]+[,}]|%[A-Za-z]|\\$\\{").matcher(code).results().map(MatchResult::group)
                    .map(token -> token.endsWith(",") || token.equals("${") ? token + "name}" : token).distinct()
                    .filter(token -> builder.build(token) != null).toList();
        }
    }

    @Test
    void anAttributeThatNoTableHasIsSealedUnlessItIsInClear() throws Exception {
        for (String clear : new String[] {null, "%{LIBRARY,any}"}) {
            SealedAccessLogHandler log = log(SealedAccessLogHandlerTest::answer, "%{LIBRARY,any} %s");
            log.set("clear", clear);
            serve(log, port -> get(port, "/"));
            String text = Files.readString(sealed);
            assertEquals(clear != null, text.contains("%{LIBRARY,any} 200\n"), text);
            assertEquals("%{LIBRARY,any} 200\n", program.openText(sealed));
            Files.delete(sealed);
        }
    }

    @Test
    void anAttributeOfTheServerIsSealedIfItIsNamed() throws Exception {
        SealedAccessLogHandler log = log(SealedAccessLogHandlerTest::answer, "%{THREAD_NAME} %{SCHEME} %s");
        log.set("seal", "%{SCHEME}");
        serve(log, port -> get(port, "/"));
        String text = Files.readString(sealed);
        assertTrue(text.contains(" ~s1a~SCHEME~") && text.contains("~ 200\n"), text);
    }

    /** A response has what its request asked for. */
    @Test
    void aStoredResponseIsSealed() throws Exception {
        HttpHandler answering = exchange -> {
            exchange.getResponseHeaders().put(Headers.CONTENT_TYPE, "text/plain; charset=UTF-8");
            exchange.getResponseSender().send("SECRET");
        };
        SealedAccessLogHandler log = log(new StoredResponseHandler(answering), "%{STORED_RESPONSE} %s");
        serve(log, port -> get(port, "/"));
        String text = Files.readString(sealed);
        assertTrue(text.contains("~s1a~message~") && text.contains("~ 200\n"), text);
        assertFalse(text.contains("SECRET"), text);
    }

    private static void answer(HttpServerExchange exchange) {
        exchange.getResponseHeaders().put(Headers.LOCATION, "/next?code=" + Canary.MARK);
        exchange.endExchange();
    }

    private void get(int port, String target, String... headers) throws IOException {
        logged.drainPermits();
        String answer = OddRequests.ask(port, OddRequests.get(target, headers));
        assertTrue(answer.startsWith("HTTP/1.1 200"), answer);
        logged.acquireUninterruptibly();
    }

    /** Until no line is logged any more: Undertow may log a request when its client has the answer. */
    private void awaitLogs() throws InterruptedException {
        do {
            logged.drainPermits();
        } while (logged.tryAcquire(200, TimeUnit.MILLISECONDS));
    }

    private interface Work {
        void run(int port) throws Exception;
    }

    private static void serve(SealedAccessLogHandler log, Work work) throws Exception {
        log.start();
        Undertow server = Undertow.builder().addHttpListener(0, "127.0.0.1").setHandler(log).setIoThreads(2)
                .setWorkerThreads(4).setServerOption(UndertowOptions.ALLOW_UNESCAPED_CHARACTERS_IN_URL, true).build();
        server.start();
        try {
            work.run(((InetSocketAddress) server.getListenerInfo().get(0).getAddress()).getPort());
        } finally {
            server.stop();
            log.close();
        }
    }

    private SealedAccessLogHandler log(HttpHandler next, String format) throws IOException {
        SealedAccessLogHandler log = new SealedAccessLogHandler(next, utf8(sealed), format, LOADER);
        log.set("recipient", program.recipient());
        return log;
    }

    /** Undertow's own receiver has the charset of the machine. */
    private AccessLogReceiver utf8(Path file) {
        return line -> {
            try {
                synchronized (file) {
                    Files.writeString(file, line + "\n", UTF_8, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
                }
            } catch (IOException error) {
                throw new UncheckedIOException(error);
            }
            logged.release();
        };
    }

    private void assertNothingInClear() throws IOException {
        Canary.assertNoneIn(sealed.getParent());
        String text = Files.readString(sealed);
        assertFalse(text.contains("SECRET") || text.contains("~s1x~"), text);
    }
}
