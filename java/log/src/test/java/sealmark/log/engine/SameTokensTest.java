package sealmark.log.engine;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sealmark.log.Label;
import sealmark.log.LogSealer;
import sealmark.log.SessionLines;
import sealmark.log.Shape;
import sealmark.log.keys.PreSharedKey;
import sealmark.log.reader.Headers;
import sealmark.log.wrap.Base64Url;
import sealmark.log.wrap.SessionSecret;
import sealmark.testing.SealmarkProgram;

/** The same session key makes the same tokens at the same counters, whoever seals: byte for byte. */
class SameTokensTest {
    private static final Path NATIVE = Path.of(System.getProperty("sealmark.jni"));
    private static final Pattern HEADER = Pattern.compile("~s1h~[^~]*~[^~]*~1\\.1~([^~]*)~");
    private static final Pattern TOKEN = Pattern.compile("~s1[apjq]~[^~]*~[^~]*~[^~]*~");
    private static final Pattern CLOSING = Pattern.compile("~s1z~[^~]*~[^~]*~");
    private static final Label LABEL = Label.of("v");
    /** More than a run of counters, of all lengths around blocks of ciphers and encodings. */
    private static final List<String> VALUES =
            IntStream.rangeClosed(1, 300).mapToObj(length -> "é" + "x".repeat(length)).toList();
    /** Arrays of these values, and some that are too large for a slot. */
    private static final List<String> TEXTS = Stream.concat(
            VALUES.stream(), IntStream.of(5_000, 17_000, 40_000, 200_000).mapToObj("x"::repeat))
            .map(value -> "[\"" + value + "\"]").toList();

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({"ANY, 0", "ANY, 16", "JSON, 0", "JSON, 16"})
    void nativeCodeMakesTheTokensOfPureJava(Kind kind, int padding) throws Exception {
        assumeTrue(Files.exists(NATIVE), "no native library was built");
        PreSharedKey key = PreSharedKey.generate();
        LogSealer sealer =
                LogSealer.builder().preSharedKey(key).padding(padding).engine(LogSealer.Engine.NATIVE).build();
        SessionLines own = new SessionLines(Shape.PLAIN);
        StringBuilder log = new StringBuilder();
        for (String value : kind == Kind.JSON ? TEXTS : VALUES) {
            String token = kind == Kind.JSON ? sealer.sealJson(LABEL, value) : sealer.seal(LABEL, value);
            log.append(own.before(token)).append(token).append('\n');
        }
        sealer.close();
        assertSealedAsByPureJava(key, kind, padding, log + own.closing());
    }

    @Test
    void theProgramMakesTheTokensOfPureJava() throws Exception {
        SealmarkProgram.assumeBuilt();
        Path keyFile = folder.resolve("key.txt");
        Path plain = folder.resolve("plain.log");
        Files.write(plain, VALUES.stream().map(value -> "{\"v\":\"" + value + "\"}").toList());
        SealmarkProgram.run(folder, "keygen", "--mode", "psk", "-o", keyFile.toString());
        byte[] log =
                SealmarkProgram.run(folder, "log", "seal", "--psk", keyFile.toString(), "--json", "v", plain.toString());
        assertSealedAsByPureJava(PreSharedKey.read(keyFile), Kind.ANY, 0, new String(log, UTF_8));
    }

    private static void assertSealedAsByPureJava(PreSharedKey key, Kind kind, int padding, String log)
            throws Exception {
        byte[] header = header(log);
        try (SessionSecret secret = Headers.openShared(header, List.of(key))) {
            JavaSession session = new JavaSession(secret, header, padding, Session.MAX_VALUES);
            List<String> expected = new ArrayList<>();
            for (String value : kind == Kind.JSON ? TEXTS : VALUES) {
                expected.add(session.seal(kind, LABEL, value));
            }
            assertEquals(expected, all(TOKEN, log));
            assertEquals(List.of(session.close()), all(CLOSING, log));
        }
    }

    private static byte[] header(String log) {
        byte[] body = HEADER.matcher(log).results().findFirst().orElseThrow().group(1).getBytes(ISO_8859_1);
        return Base64Url.decode(body, 0, body.length).orElseThrow();
    }

    private static List<String> all(Pattern pattern, String log) {
        return pattern.matcher(log).results().map(MatchResult::group).toList();
    }
}
