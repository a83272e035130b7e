package sealmark.log4j2;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import application.Main;
import java.io.File;
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
}
