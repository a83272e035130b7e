package sealmark.log4j2;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import application.Main;
import java.io.File;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Applications of another kind than these tests are: each its own JVM, which closes its log when it ends. */
class OtherJvmTest {
    @TempDir
    Path folder;

    private Program program;

    @BeforeEach
    void configure() throws Exception {
        program = new Program(folder);
        Files.writeString(folder.resolve("log4j2.xml"), """
                <Configuration status="WARN">
                  <Sealer recipient="%s"/>
                  <Appenders><File name="app" fileName="%s/app.log">
                    <SealedLayout><PatternLayout pattern="%%p %%m %%sealedEx{short.message}%%n"/></SealedLayout>
                  </File></Appenders>
                  <Loggers><Root level="info"><AppenderRef ref="app"/></Root></Loggers>
                </Configuration>
                """.formatted(program.recipient, folder));
    }

    /** Parts of the class path of these tests whose names match. */
    private static String path(String names) {
        Pattern wanted = Pattern.compile(names);
        return Pattern.compile(File.pathSeparator, Pattern.LITERAL).splitAsStream(System.getProperty("java.class.path"))
                .filter(part -> wanted.matcher(part).find()).collect(Collectors.joining(File.pathSeparator));
    }

    private static final String NEEDED = "sealmark-log/|sealmark-log4j2/classes|log4j-(api|core)-";

    private String run(List<String> options) throws Exception {
        List<String> command = new ArrayList<>(options);
        command.add(0, Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add(1, "-Dlog4j2.configurationFile=" + folder.resolve("log4j2.xml").toUri());
        command.add(Main.class.getName());
        Path said = folder.resolve("said.txt");
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile()).start();
        process.getOutputStream().close();
        boolean hasEnded = process.waitFor(60, TimeUnit.SECONDS);
        process.destroyForcibly();
        assertTrue(hasEnded, "the application does not end");
        assertEquals(0, process.exitValue(), () -> Program.text(said));
        return Files.readString(said, UTF_8);
    }

    private void assertOpens() throws Exception {
        Path log = folder.resolve("app.log");
        assertFalse(Program.text(log).contains("mallory") || Program.text(log).contains("secret"), Program.text(log));
        assertEquals("INFO of mallory@example.org secret\n", program.open(log));
        program.verify(log);
    }

    @Test
    void onTheClassPathWithoutTemplates() throws Exception {
        String said = run(List.of("-cp", path(NEEDED + "|test-classes")));
        assertFalse(said.contains("WARN ") || said.contains("ERROR "), said);
        assertOpens();
    }

    @Test
    void onTheModulePath() throws Exception {
        String said = run(List.of(
                "-p", path(NEEDED), "--add-modules", "sealmark.log4j2", "-cp", path("sealmark-log4j2/test-classes")));
        assertFalse(said.contains("WARN ") || said.contains("ERROR "), said);
        assertOpens();
    }

    @Test
    void withoutDirectEncodersItComplains() throws Exception {
        String said = run(List.of("-Dlog4j2.enableDirectEncoders=false", "-cp", path(NEEDED + "|test-classes")));
        assertTrue(said.contains("log4j2.enableDirectEncoders"), said);
        String text = Program.text(folder.resolve("app.log"));
        assertTrue(text.startsWith("INFO of ~s1a~email~"), text);
    }

    /** A copy of Log4j that says of itself to be older than the oldest that is supported. */
    @Test
    void anOldLog4jIsRefused() throws Exception {
        Path old = folder.resolve("log4j-core.jar");
        Files.copy(Path.of(path("log4j-core-")), old);
        try (FileSystem jar = FileSystems.newFileSystem(old)) {
            Path manifest = jar.getPath("META-INF/MANIFEST.MF");
            String text = Files.readString(manifest, UTF_8);
            Files.writeString(manifest, text.replaceAll("(?<=Implementation-Version: )\\S+", "2.17.1"), UTF_8);
        }
        String others = path("sealmark-log/|sealmark-log4j2/(test-)?classes|log4j-api-");
        String said = run(List.of("-cp", others + File.pathSeparator + old));
        assertTrue(said.contains("Log4j 2.17.1 is too old, so nothing is sealed and values become ~s1x~…~\n"
                + "hint: use log4j-core 2.17.2 or later"), said);
        String text = Program.text(folder.resolve("app.log"));
        assertTrue(text.startsWith("INFO of ~s1x~email~"), text);
        assertFalse(text.contains("mallory") || text.contains("secret"), text);
    }

    @ParameterizedTest
    @CsvSource({"2.17.1, true", "2.3.2, true", "2.17.2, false", "2.25.3, false", "3.0.0-beta2, false", ", false", "unknown, false"})
    void onlyOldVersionsAreRefused(String version, boolean isTooOld) {
        assertEquals(isTooOld, SealerElement.isTooOld(version));
    }
}
