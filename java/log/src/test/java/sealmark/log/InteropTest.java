package sealmark.log;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import sealmark.log.reader.LogOpener;
import sealmark.log.reader.OpenReport;
import sealmark.testing.Alterations;
import sealmark.testing.SealmarkProgram;

/** Each implementation opens the other's values, with keys of every type. */
class InteropTest {
    private static final Path NATIVE = Path.of(System.getProperty("sealmark.jni"));
    private static final String LINES_OF_JSON = """
            {"time":"12:00:01","email":"a@b.example","n":12,"o":{"a":[1,2.5e3,"x"],"b":null}}
            {"time":"12:00:02","email":"\\u00e9\\/ \\" \\\\ é","n":"12","o":[]}
            {"email":"","n":-0.0,"o":true}
            """;
    private static final String LINES_OF_LOGFMT = """
            time=12:00:01 email=a@b.example n=12
            time=12:00:02 email="a \\"b\\" c" n=13
            """;

    @TempDir
    Path folder;

    @BeforeEach
    void programIsBuilt() {
        SealmarkProgram.assumeBuilt();
    }

    static Stream<Arguments> waysToSeal() {
        return Keys.TYPES.stream().flatMap(type -> Stream.of(LogSealer.Engine.PURE_JAVA, LogSealer.Engine.NATIVE)
                .flatMap(engine -> Stream.of(0, 32).map(padding -> Arguments.of(type, engine, padding))));
    }

    static List<String> types() {
        return Keys.TYPES;
    }

    @ParameterizedTest
    @MethodSource("waysToSeal")
    void bothOpenWhatJavaSeals(String type, LogSealer.Engine engine, int padding) throws Exception {
        assumeTrue(engine != LogSealer.Engine.NATIVE || Files.exists(NATIVE), "no native library was built");
        Keys keys = Keys.make(folder, type);
        for (Shape shape : Shape.values()) {
            LogSealer sealer = keys.sealer().engine(engine).padding(padding).rotateAfterValues(7).build();
            SampleLog log = SampleLog.write(sealer, shape);
            assertEquals(log.values, sealer.sealed());
            assertArrayEquals(log.plain.toByteArray(), openedByTheProgram(keys, log));
            assertOpenedByJava(keys, log);
        }
    }

    private byte[] openedByTheProgram(Keys keys, SampleLog log) throws Exception {
        Path file = Files.write(folder.resolve("app.log"), log.sealed.toByteArray());
        run("verify", keys.toOpen(), "--closed", file.toString());
        return run("open", keys.toOpen(), file.toString());
    }

    private static void assertOpenedByJava(Keys keys, SampleLog log) throws Exception {
        try (LogOpener opener = keys.opener()) {
            assertArrayEquals(log.plain.toByteArray(), opener.open(log.sealed.toByteArray()));
            assertIsWhole(opener.report(), log.values);
            assertEquals(6, opener.report().sessions().size(), "two of 7 and 3 values, thrice");
        }
    }

    @ParameterizedTest
    @MethodSource("types")
    void javaOpensWhatTheProgramSeals(String type) throws Exception {
        Keys keys = Keys.make(folder, type);
        assertOpensWhatTheProgramSeals(keys, LINES_OF_JSON, "--json", "email", "--json", "n", "--json", "o");
        assertOpensWhatTheProgramSeals(keys, LINES_OF_LOGFMT, "--logfmt", "email", "--logfmt", "n");
    }

    private void assertOpensWhatTheProgramSeals(Keys keys, String lines, String... fields) throws Exception {
        Path file = Files.writeString(folder.resolve("plain.log"), lines);
        List<String> arguments = new ArrayList<>(List.of(fields));
        arguments.add(file.toString());
        byte[] sealed = run("seal", keys.toSeal(), arguments.toArray(String[]::new));
        try (LogOpener opener = keys.opener()) {
            assertEquals(lines, new String(opener.open(sealed), UTF_8));
            assertIsWhole(opener.report(), lines.lines().count() * fields.length / 2);
        }
    }

    /** With tokens of every kind, in all kinds of surroundings; headers are known from elsewhere. */
    @Test
    void bothOpenWhatSomebodyAlteredAlike() throws Exception {
        Keys keys = Keys.make(folder, "psk");
        Path plain = Files.writeString(folder.resolve("plain.log"), LINES_OF_JSON.repeat(2));
        String sealed = new String(run("seal", keys.toSeal(), "--json", "email", "--json", "n", "--json", "o",
                plain.toString()), ISO_8859_1);
        String nested = sealed.replace("\"", "\\\"").lines()
                .map(line -> "{\"log\":\"" + line + "\\n\"}\n").collect(joining());
        Path headers = Files.writeString(folder.resolve("headers.txt"), sealed);
        StringBuilder log = new StringBuilder();
        Alterations alterations = new Alterations(sealed + nested, 7);
        for (int round = 0; round < 500; round++) {
            log.append(alterations.altered()).append(alterations.nonsense()).append('\n');
        }
        Path file = Files.write(folder.resolve("app.log"), log.toString().getBytes(ISO_8859_1));
        byte[] opened = SealmarkProgram.run(folder, 4, "log", "open", "--psk", keys.toOpen().get(1), "--side-file",
                headers.toString(), file.toString());
        try (LogOpener opener = keys.opener()) {
            opener.learn(headers);
            assertEquals(new String(opened, ISO_8859_1), new String(opener.open(Files.readAllBytes(file)), ISO_8859_1));
            OpenReport report = opener.report();
            assertTrue(report.opened() > 1000 && report.tampered() > 50 && report.notText() > 10, report::toString);
        }
    }

    private static void assertIsWhole(OpenReport report, long values) {
        assertTrue(report.isWhole(), report::toString);
        assertEquals(values, report.opened());
        assertTrue(report.sessions().values().stream().allMatch(session -> session.closing().isPresent()));
    }

    private byte[] run(String verb, List<String> keys, String... arguments) throws Exception {
        List<String> all = new ArrayList<>(List.of("log", verb));
        all.addAll(keys);
        all.addAll(List.of(arguments));
        return SealmarkProgram.run(folder, all.toArray(String[]::new));
    }
}
