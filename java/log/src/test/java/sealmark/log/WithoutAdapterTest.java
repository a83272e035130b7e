package sealmark.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sealmark.log.reader.LogOpener;
import sealmark.testing.SealmarkProgram;

/** The program of docs/java.md, "Without an adapter"; paths and the name of the sealer are this test's. */
class WithoutAdapterTest {
    @TempDir
    Path folder;

    @Test
    void aLogIsWrittenByHand() throws Exception {
        Keys keys = Keys.make(folder, "x25519");
        Path recipients = Files.write(folder.resolve("recipients.txt"), SealmarkProgram.run(folder, "keygen", "-y", "x25519.txt"));
        Path file = folder.resolve("app.log");
        String name = "by hand";

        LogSealer sealer = LogSealer.builder().recipientsFile(recipients).build();
        Sealers.install(name, sealer);                            // Sealed.of finds it by this name
        try (Writer log = Files.newBufferedWriter(file)) {
            SessionLines own = new SessionLines(Shape.PLAIN);             // one for each log
            String line = own.format(() -> "login of " + Sealed.of("email", "hanako@example.com").by(name) + "\n");
            String safe = own.withoutLookalikes(sealer, line);    // seals text that looks like a token
            log.append(own.before(safe)).append(safe);            // before() returns the header, if the log needs one
            log.append(own.closing());
        }
        Sealers.remove(name);

        assertFalse(Files.readString(file).contains("hanako"));
        try (LogOpener opener = keys.opener()) {
            assertEquals("login of hanako@example.com\n", new String(opener.open(Files.readAllBytes(file)), UTF_8));
        }
    }

    @Test
    void recordsAreSentByHand() throws Exception {
        Keys keys = Keys.make(folder, "x25519");
        Path recipients = Files.write(folder.resolve("recipients.txt"), SealmarkProgram.run(folder, "keygen", "-y", "x25519.txt"));
        String name = "sent by hand";
        List<String> queue = new ArrayList<>();
        try (LogSealer sealer = LogSealer.builder().recipientsFile(recipients).build()) {
            Sealers.install(name, sealer);
            SessionLines own = SessionLines.ofRecords();                  // one for each topic, stream or logger
            String record = own.format(() -> "login of " + Sealed.of("email", "hanako@example.com").by(name));
            own.before(record).lines().forEach(queue::add);
            queue.add(record);
            own.closing().lines().forEach(queue::add);                    // at the end
        }
        Sealers.remove(name);

        String sent = String.join("\n", queue);
        assertFalse(sent.contains("hanako"), sent);
        try (LogOpener opener = keys.opener()) {
            assertEquals("login of hanako@example.com", new String(opener.open(sent.getBytes(UTF_8)), UTF_8).strip());
        }
    }
}
