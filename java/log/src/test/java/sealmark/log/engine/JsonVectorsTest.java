package sealmark.log.engine;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.InflaterInputStream;
import org.junit.jupiter.api.Test;
import sealmark.log.Label;
import sealmark.log.LogSealer;
import sealmark.log.Shape;
import sealmark.log.json.JsonText;
import sealmark.log.keys.PreSharedKey;
import sealmark.log.reader.Headers;
import sealmark.log.reader.LogOpener;
import sealmark.log.wrap.Base64Url;
import sealmark.log.wrap.Readers;
import sealmark.log.wrap.SessionSecret;

/**
 * JSON texts in the vectors: what their tokens open to seals to the same tokens, under the same session key at the same
 * counter. Native code chooses its session keys itself; what it seals is held against pure Java.
 */
class JsonVectorsTest {
    private static final Path FOLDER = Path.of(System.getProperty("sealmark.root"), "spec/vectors/record");
    private static final Pattern KEY = Pattern.compile("key: (SEALMARK-SECRET-KEY-PSK-\\S+)");
    private static final Pattern HEADER = Pattern.compile("~s1h~[^~]*~[^~]*~1\\.1~([^~]*)~");
    private static final Pattern TOKEN = Pattern.compile("~s1([jq])~([^~]*)~[^~]*~([^~]*)~");
    /** Authentic tokens, and how many of them hold no JSON. */
    private static final int CASES = 41;
    private static final int NO_JSON = 6;
    /** In front of the ciphertext and behind it. */
    private static final int COUNTER_AND_TAG = 4 + 16;

    /** An authentic token, and what it holds, as far as that is JSON or not. */
    private record Case(
            String file, PreSharedKey key, String header, Label label, int padding, String token, String valueBytes) {
        byte[] value() {
            return valueBytes.getBytes(ISO_8859_1);
        }

        boolean isJson() {
            return JsonText.is(value(), 0, value().length);
        }
    }

    private static List<Case> cases() throws IOException {
        List<Case> cases = new ArrayList<>();
        try (Stream<Path> files = Files.list(FOLDER)) {
            for (Path file : files.sorted().toList()) {
                addCases(file, cases);
            }
        }
        assertEquals(CASES, cases.size(), cases::toString);
        assertEquals(NO_JSON, cases.stream().filter(one -> !one.isJson()).count());
        return cases;
    }

    private static void addCases(Path file, List<Case> cases) throws IOException {
        String vector = text(Files.readAllBytes(file));
        Matcher token = TOKEN.matcher(vector);
        while (token.find()) {
            PreSharedKey key = PreSharedKey.parse(only(KEY, vector));
            byte[] body = bytes(token.group(3));
            int padding = token.group(1).equals("q") ? body.length - COUNTER_AND_TAG : 0;
            opened(key, vector, token.group()).ifPresent(value -> cases.add(
                    new Case(file.getFileName().toString(), key, only(HEADER, vector), Label.of(token.group(2)),
                            padding, token.group(), new String(value, ISO_8859_1))));
        }
    }

    /** Head and log; a log that compresses well is kept compressed. */
    private static String text(byte[] vector) throws IOException {
        String text = new String(vector, ISO_8859_1);
        int log = text.indexOf("\n\n") + 2;
        if (!text.substring(0, log).contains("compressed: zlib")) {
            return text;
        }
        byte[] compressed = Arrays.copyOfRange(vector, log, vector.length);
        byte[] inflated = new InflaterInputStream(new ByteArrayInputStream(compressed)).readAllBytes();
        return text.substring(0, log) + new String(inflated, ISO_8859_1);
    }

    private static Optional<byte[]> opened(PreSharedKey key, String vector, String token) {
        try (LogOpener opener = LogOpener.builder().preSharedKey(key).build()) {
            opener.learn(vector.getBytes(ISO_8859_1));
            return opener.openToken(token);
        }
    }

    private static String only(Pattern pattern, String text) {
        return pattern.matcher(text).results().findFirst().orElseThrow().group(1);
    }

    private static byte[] bytes(String base64) {
        return Base64Url.decode(base64.getBytes(ISO_8859_1), 0, base64.length()).orElseThrow();
    }

    /** Pure Java's, under the key in a header. */
    private static Session session(Case one, String headerBody) throws Exception {
        byte[] header = bytes(headerBody);
        try (SessionSecret secret = Headers.openShared(header, List.of(one.key))) {
            return new JavaSession(secret, header, one.padding, Session.MAX_VALUES);
        }
    }

    @Test
    void whatTheyOpenToSealsToThemAgain() throws Exception {
        for (Case one : cases()) {
            if (one.isJson()) {
                assertEquals(one.token, sealed(session(one, one.header), one), one.file);
                String text = new String(one.value(), UTF_8);
                assertEquals(one.token, session(one, one.header).seal(Kind.JSON, one.label, text), one.file);
            } else {
                assertRefused(session(one, one.header), one);
            }
        }
    }

    @Test
    void nativeCodeSealsThemAsPureJavaDoes() throws Exception {
        assumeTrue(NativeLibrary.missing().isEmpty(), () -> NativeLibrary.missing().toString());
        for (Case one : cases()) {
            Session session = Engine.choose(LogSealer.Engine.NATIVE)
                    .begin(Readers.of(one.key), one.padding, Session.MAX_VALUES, null);
            if (one.isJson()) {
                String header = only(HEADER, session.headerLines(Shape.PLAIN));
                assertEquals(sealed(session(one, header), one), sealed(session, one), one.file);
            } else {
                assertRefused(session, one);
            }
            session.destroy();
        }
    }

    private static String sealed(Session session, Case one) throws SealException {
        byte[] out = new byte[one.token.length()];
        int length = session.seal(Kind.JSON, one.label, one.value(), 0, one.value().length, out, 0);
        return new String(out, 0, length, ISO_8859_1);
    }

    private static void assertRefused(Session session, Case one) {
        SealException refused = assertThrows(SealException.class, () -> sealed(session, one), one.file);
        assertEquals("the value is not a single JSON value on one line", refused.getMessage());
        assertEquals(0, session.count());
    }
}
