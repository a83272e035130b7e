package sealmark.log.reader;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The golden cases of the program {@code sealmark}, over this one: its output, messages and exit codes are the same. Verbs that
 * this program does not have are those of the other, and so is a step after a line that begins with {@code Not in Java}.
 */
class ProgramTest {
    private static final Path CASES = Path.of(System.getProperty("sealmark.root"), "crates/sealmark-cli/tests/cmd");
    private static final Path PROGRAM = Path.of(System.getProperty("sealmark.program")).toAbsolutePath();

    @TempDir
    Path folder;

    private Path work;

    /** A command, and what it prints. */
    private record Step(String command, boolean isOfOther, List<String> out, List<String> err, int code) {
        @Override
        public String toString() {
            return "$ " + command + "\n> " + String.join("\n> ", out) + "\n! " + String.join("\n! ", err) + "\n? " + code;
        }
    }

    @BeforeEach
    void aDispatcher() throws Exception {
        assumeTrue(Files.isExecutable(PROGRAM), "no program: cargo build -p sealmark-cli");
        work = Files.createDirectory(folder.resolve("work"));
        Path bin = Files.createDirectory(folder.resolve("bin"));
        Path script = Files.writeString(bin.resolve("sealmark"), """
                #!/bin/bash
                [ -z "$ONLY_OTHER" ] && case "$1 $2" in
                "keygen "* | "log open" | "log grep" | "log verify")
                    exec %s "$@" ;;
                esac
                exec "%s" "$@"
                """.formatted(java("-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Dfile.encoding=UTF-8 -Dsun.jnu.encoding=UTF-8"),
                        PROGRAM));
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "keygen-makes-a-key-of-each-mode",
        "keygen-makes-a-pre-shared-key",
        "keygen-never-overwrites",
        "keygen-prints-the-public-key",
        "keygen-refuses-what-it-cannot-make",
        "keygen-to-standard-output",
        "keygen-warns-when-others-can-read",
        "log-grep",
        "log-grep-as-grep-does",
        "log-grep-prints",
        "log-headers-in-any-order",
        "log-json",
        "log-open-labels",
        "log-open-leaves-closed",
        "log-open-nested",
        "log-open-rotated",
        "log-read-by-head",
        "log-verify",
    })
    void aGoldenCase(String name) throws Exception {
        List<Step> steps = steps(Files.readAllLines(CASES.resolve(name + ".txt")));
        assertTrue(steps.stream().anyMatch(step -> !step.isOfOther), "no step is of this program");
        for (Step step : steps) {
            Step seen = run(step);
            if (step.code != seen.code || !matches(step.out, seen.out) || !matches(step.err, seen.err)) {
                assertEquals(step.toString(), seen.toString(), name);
            }
        }
    }

    @Test
    void aNameThatTheLocaleCannotEncodeIsAnError() throws Exception {
        String program = "LC_ALL=C exec " + java("") + " ";
        for (String words : List.of("open -i KEY log", "open -i key.txt KEY", "grep -i key.txt x KEY log", "keygen -o KEY",
                "open -i key.txt -o KEY log", "verify -i key.txt --side-file KEY log")) {
            Files.writeString(work.resolve("log"), "nothing\n");
            run(new Step("rm -f key.txt; sealmark keygen -o key.txt 2>&1", true, List.of(), List.of(), 0));
            Step seen = run(new Step(program + words.replace("KEY", "$'caf\\xc3\\xa9'"), false, List.of(), List.of(), 1));
            assertTrue(seen.code == (words.startsWith("grep") ? 2 : 1), seen::toString);
            assertTrue(seen.err.get(0).contains("is not a file name here: the locale cannot encode"), seen::toString);
            assertTrue(seen.err.get(1).startsWith("hint: "), seen::toString);
        }
    }

    /** The hint for such a key. */
    @Test
    void aLockedKeyComesFromTheOtherProgram() throws Exception {
        for (String command : List.of("echo open sesame > pw",
                "sealmark keygen -p --passphrase-file pw --mode ecc -o key.txt 2>&1",
                "sealmark keygen -y key.txt --passphrase-file pw > ops.pub",
                "echo '{\"user\":\"hanako\"}' | sealmark log seal --json user -R ops.pub > app.log")) {
            assertEquals(0, run(new Step(command, true, List.of(), List.of(), 0)).code, command);
        }
        Step refused = run(new Step("sealmark log open -i key.txt app.log", false, List.of(), List.of(), 3));
        assertEquals(3, refused.code, refused::toString);
        Step seen = run(new Step("ONLY_OTHER=1 sealmark open --passphrase-file pw -o - key.txt | sealmark log open -i - app.log",
                false, List.of(), List.of(), 0));
        assertEquals(List.of("{\"user\":\"hanako\"}"), seen.out, seen::toString);
    }

    @Test
    void patternsMatchWholeLinesOnly() {
        assertTrue(isLike("a*c", "abbc") && isLike("*", "") && isLike("a*b*c", "aXbYc"));
        assertTrue(!isLike("a*c", "abcd") && !isLike("a", "ab"));
        assertTrue(matches(List.of("a", "…", "z"), List.of("a", "b", "z")) && !matches(List.of("a"), List.of("a", "b")));
    }

    /** A command that runs the program. */
    private static String java(String options) {
        // From JDK 24 on, Java warns of native code otherwise. The manifest of the program's jar says the same.
        String access = Runtime.version().feature() < 24 ? "" : "--enable-native-access=ALL-UNNAMED";
        return "'%s' %s %s -cp '%s' sealmark.log.reader.Program".formatted(
                ProcessHandle.current().info().command().orElseThrow(), access, options, System.getProperty("java.class.path"));
    }

    private static List<Step> steps(List<String> lines) {
        List<Step> steps = new ArrayList<>();
        boolean isOfOther = false;
        for (String line : lines) {
            String rest = line.length() > 2 ? line.substring(2) : "";
            Step last = steps.isEmpty() ? null : steps.get(steps.size() - 1);
            switch (line.isEmpty() ? ' ' : line.charAt(0)) {
                case '$' -> {
                    steps.add(new Step(rest, isOfOther, new ArrayList<>(), new ArrayList<>(), 0));
                    isOfOther = false;
                }
                case '>' -> last.out.add(rest);
                case '!' -> last.err.add(rest);
                case '?' -> steps.set(steps.size() - 1,
                        new Step(last.command, last.isOfOther, last.out, last.err, Integer.parseInt(rest)));
                default -> isOfOther |= line.startsWith("Not in Java");
            }
        }
        return steps;
    }

    private Step run(Step step) throws Exception {
        // The program warns if others can read the file that it prints a secret key to.
        Path out = Files.createTempFile(folder, "out", null);
        Path err = Files.createTempFile(folder, "err", null);
        ProcessBuilder builder = new ProcessBuilder("setsid", "--wait", "bash", "-c", "umask 022; " + step.command);
        builder.directory(work.toFile()).redirectInput(new File("/dev/null")).redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().put("PATH", folder.resolve("bin") + ":" + System.getenv("PATH"));
        builder.environment().put("LC_ALL", "C.UTF-8");
        builder.environment().put("ONLY_OTHER", step.isOfOther ? "1" : "");
        Process process = builder.start();
        try {
            assertTrue(process.waitFor(300, TimeUnit.SECONDS), step.command);
            return new Step(step.command, step.isOfOther, lines(out), lines(err), process.exitValue());
        } finally {
            process.destroyForcibly();
        }
    }

    private static List<String> lines(Path file) throws Exception {
        return new String(Files.readAllBytes(file), UTF_8).lines().toList();
    }

    private static boolean matches(List<String> patterns, List<String> lines) {
        if (patterns.isEmpty()) {
            return lines.isEmpty();
        }
        List<String> rest = patterns.subList(1, patterns.size());
        if (patterns.get(0).equals("…")) {
            for (int skipped = 0; skipped <= lines.size(); skipped++) {
                if (matches(rest, lines.subList(skipped, lines.size()))) {
                    return true;
                }
            }
            return false;
        }
        return !lines.isEmpty() && isLike(patterns.get(0), lines.get(0)) && matches(rest, lines.subList(1, lines.size()));
    }

    /** True if a line is that, with any text in place of each {@code *}. */
    private static boolean isLike(String pattern, String line) {
        String regex = String.join(".*", Arrays.stream(pattern.split("\\*", -1)).map(Pattern::quote).toList());
        return Pattern.compile(regex, Pattern.DOTALL).matcher(line).matches();
    }
}
