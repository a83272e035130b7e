package sealmark.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static sealmark.log.Seals.EMAIL;
import static sealmark.log.Seals.sessionOf;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A process that is restored from a snapshot has sessions of its own. Each case is a JVM, with CRaC in another package. */
class CheckpointsTest {
    @ParameterizedTest
    @CsvSource({"jdk.crac, ''",
            "com.amazonaws.services.lambda.crac, -Dorg.crac.Core.Compat=com.amazonaws.services.lambda.crac"})
    void aCheckpointEndsTheSessionOfEverySealer(String where, String option) throws Exception {
        List<String> command = new ArrayList<>(List.of(ProcessHandle.current().info().command().orElseThrow(), "-cp",
                System.getProperty("java.class.path")));
        if (!option.isEmpty()) {
            command.add(option);
        }
        command.addAll(List.of(Restored.class.getName(), where));
        Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try {
            String said = new String(process.getInputStream().readAllBytes(), UTF_8);
            assertTrue(process.waitFor(60, TimeUnit.SECONDS), "it does not end");
            assertEquals("markers amid, two other sessions behind",
                    said.lines().reduce("", (before, line) -> line), said);
        } finally {
            process.destroyForcibly();
        }
    }

    /** Seals before, amid and after what a checkpoint does. */
    static final class Restored {
        private Restored() {}

        public static void main(String[] arguments) throws Exception {
            LogSealer one = Seals.sealer();
            LogSealer other = Seals.sealer();
            String before = sessionOf(one.seal(EMAIL, "a@b.example"));
            String otherBefore = sessionOf(other.seal(EMAIL, "a@b.example"));
            Class<?> core = Class.forName(arguments[0] + ".Core");
            core.getMethod("beforeCheckpoint").invoke(null);
            LogSealer late = Seals.sealer();
            boolean isMarker = Stream.of(one, other, late).allMatch(each -> each.seal(EMAIL, "a").equals("~s1x~email~"));
            core.getMethod("afterRestore").invoke(null);
            boolean isOther = late.seal(EMAIL, "a").startsWith("~s1a~") && !before.equals(sessionOf(one.seal(EMAIL, "a@b.example")))
                    && !otherBefore.equals(sessionOf(other.seal(EMAIL, "a@b.example")));
            System.out.println((isMarker ? "markers amid, " : "a session that an image could hold, ")
                    + (isOther ? "two other sessions behind" : "the same session again"));
        }
    }
}
