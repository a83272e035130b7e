package sealmark.testing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Requests as a server on the open network meets them: each value has the canary's mark, and no path. */
public final class OddRequests {
    private static final int PATIENCE_MILLIS = 20_000;
    private static final int THREADS = 8;
    /** Text of browsers, proxies and attackers in queries and headers. */
    private static final List<String> ODDITIES = List.of("a%20b+c", "\"quoted\"", "\\x22", "back\\slash", "~s1a~", "~s1x~q~",
            "{\"a\":\"~s1h~\"}", "a&".repeat(200), "\u00c3\u00a9\u00ff\u00fe", "'", "-", "%00%0a", "<script>", "$(id)",
            "\u007f", ";", "&&", "?", "#", "x".repeat(700), ",", "~s1a~x~" + "B".repeat(16) + "~" + "A".repeat(27) + "~",
            "~s1z~" + "B".repeat(16) + "~" + "A".repeat(32) + "~", "~s1h~" + "B".repeat(16) + "~AAAAAAAAAAAA~1.1~AAAA~");
    private static final List<String> PATHS = List.of("/", "/index.html", "/missing", "/%7Euser/", "/a;v=" + Canary.MARK,
            "//", "*", "/a%3Fb", "http://localhost/x");

    private OddRequests() {}

    /** Sends so many requests, one after the other: two logs of one server then have the same order. */
    public static void send(int port, int requests) throws IOException {
        Random chance = new Random(requests);
        for (int request = 0; request < requests; request++) {
            ask(port, request(chance, request));
        }
    }

    /** Sends so many requests from each of several threads, all with bodies that the server does not refuse. */
    public static void crowd(int port, int requests) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                int first = thread * requests;
                all.add(threads.submit(() -> {
                    for (int number = first; number < first + requests; number++) {
                        ask(port, get("/?key=" + Canary.MARK + number));
                    }
                    return null;
                }));
            }
            for (Future<?> one : all) {
                one.get();
            }
        } finally {
            threads.shutdown();
        }
    }

    /** The request lines of {@link #crowd}. */
    public static List<String> crowdLines(int requests) {
        List<String> lines = new ArrayList<>();
        for (int number = 0; number < THREADS * requests; number++) {
            lines.add("GET /?key=" + Canary.MARK + number + " HTTP/1.1");
        }
        return lines;
    }

    /** A request for a target, with more headers. */
    public static String get(String target, String... headers) {
        StringBuilder request = new StringBuilder("GET " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
        for (String header : headers) {
            request.append(header).append("\r\n");
        }
        return request.append("\r\n").toString();
    }

    /** Each request has a connection of its own, because a server closes those of malformed requests anyway. */
    public static String ask(int port, String request) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(PATIENCE_MILLIS);
            socket.getOutputStream().write(request.getBytes(ISO_8859_1));
            return answer(socket);
        }
    }

    /** The answer as far as it comes: a server that refuses a request may reset the connection amid it. */
    private static String answer(Socket socket) {
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        byte[] some = new byte[4096];
        try {
            for (int length = socket.getInputStream().read(some); length >= 0; length = socket.getInputStream().read(some)) {
                answer.write(some, 0, length);
            }
        } catch (IOException reset) {
            return answer.toString(ISO_8859_1);
        }
        return answer.toString(ISO_8859_1);
    }

    private static String request(Random chance, int number) {
        if (chance.nextInt(50) == 0) {
            return Canary.MARK + number + " \u00ff no request at all\r\n\r\n";
        }
        List<String> headers = new ArrayList<>();
        for (String header : List.of("Referer", "User-Agent", "X-Form", "Cookie")) {
            if (chance.nextInt(5) > 0) {
                headers.add(header + ": " + (header.equals("User-Agent") ? "x (?a=" : header.equals("Cookie") ? "sid=" : "a=")
                        + text(chance, number));
            }
        }
        if (chance.nextInt(3) == 0) {
            String login = Canary.MARK + number + ":password";
            headers.add("Authorization: Basic " + Base64.getEncoder().encodeToString(login.getBytes(UTF_8)));
        }
        return get(target(chance, number), headers.toArray(String[]::new));
    }

    private static String target(Random chance, int number) {
        StringBuilder target = new StringBuilder(PATHS.get(chance.nextInt(PATHS.size())));
        for (int parameters = chance.nextInt(4), at = 0; at < parameters; at++) {
            String name = List.of("q", "email", "%71", "").get(chance.nextInt(4));
            target.append(at == 0 ? '?' : '&').append(name).append('=').append(text(chance, number));
        }
        return target.toString();
    }

    private static String text(Random chance, int number) {
        StringBuilder text = new StringBuilder(Canary.MARK + number);
        for (int left = chance.nextInt(3); left > 0; left--) {
            text.append(ODDITIES.get(chance.nextInt(ODDITIES.size())));
        }
        return text.toString();
    }
}
