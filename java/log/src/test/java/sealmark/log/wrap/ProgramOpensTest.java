package sealmark.log.wrap;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sealmark.log.keys.PreSharedKey;
import sealmark.log.keys.Recipient;
import sealmark.log.reader.Identity;

/** The program of the other implementation opens keys that are wrapped here, with keys that it made. */
class ProgramOpensTest {
    private static final Path PROGRAM = Path.of(System.getProperty("sealmark.program"));
    private static final int PART = 600;

    @TempDir
    Path folder;

    private Path key;
    private Path log;

    @BeforeEach
    void programExists() {
        assumeTrue(Files.isExecutable(PROGRAM), "no program: cargo build --release -p sealmark-cli");
        key = folder.resolve("key.txt");
        log = folder.resolve("log");
    }

    @ParameterizedTest
    @EnumSource(Kem.class)
    void opensWhatWasWrappedForARecipient(Kem kem) throws Exception {
        run("keygen", "--kem", kem.word(), "-o", key.toString());
        String shown = run("keygen", "-y", key.toString()).strip();
        Identity identity = Identity.readAll(key).get(0);
        assertEquals(shown, identity.recipient().toString());
        write(Readers.of(List.of(Recipient.parse(shown))));
        assertEquals("the value of a session\n", run("log", "open", "-i", key.toString(), log.toString()));
    }

    @Test
    void opensWhatWasWrappedForThreeRecipients() throws Exception {
        List<Recipient> all = List.of(Identities.of(Kem.MLKEM768X25519).recipient(),
                Identities.of(Kem.MLKEM1024).recipient(), recipientOfKeyFile());
        write(Readers.of(all));
        assertEquals("the value of a session\n", run("log", "open", "-i", key.toString(), log.toString()));
    }

    @Test
    void opensWhatWasWrappedUnderAPreSharedKey() throws Exception {
        run("keygen", "--mode", "psk", "-o", key.toString());
        try (PreSharedKey shared = PreSharedKey.read(key)) {
            write(Readers.of(shared));
        }
        assertEquals("the value of a session\n", run("log", "open", "--psk", key.toString(), log.toString()));
    }

    private Recipient recipientOfKeyFile() throws Exception {
        run("keygen", "--kem", "mlkem768p256", "-o", key.toString());
        return Identity.readAll(key).get(0).recipient();
    }

    private void write(Readers readers) throws Exception {
        try (SessionSecret secret = SessionSecret.generate()) {
            StringBuilder text = new StringBuilder(parts(secret.idText(), secret.header(readers, null)));
            text.append("the ").append(token(secret, "value")).append(" of a session\n");
            Files.writeString(log, text, US_ASCII);
        }
    }

    private static String parts(String session, byte[] header) {
        int count = (header.length + PART - 1) / PART;
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < count; i++) {
            byte[] piece = Arrays.copyOfRange(header, i * PART, Math.min(header.length, (i + 1) * PART));
            lines.append("~s1h~" + session + "~" + HeaderParts.digest(header) + "~" + (i + 1) + "." + count + "~" + Base64Url.encode(piece) + "~\n");
        }
        return lines.toString();
    }

    /** The session's first. */
    private static String token(SessionSecret secret, String value) throws Exception {
        String head = "~s1a~label~" + secret.idText() + "~";
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(secret.valueKey(), "AES"),
                new GCMParameterSpec(128, new byte[12]));
        cipher.updateAAD(head.getBytes(US_ASCII));
        byte[] sealed = cipher.doFinal(value.getBytes(US_ASCII));
        return head + Base64Url.encode(Bytes.concat(new byte[4], sealed)) + "~";
    }

    private String run(String... arguments) throws IOException, InterruptedException {
        Path out = folder.resolve("out");
        String[] command = new String[arguments.length + 1];
        command[0] = PROGRAM.toString();
        System.arraycopy(arguments, 0, command, 1, arguments.length);
        Path said = folder.resolve("said");
        Process process = new ProcessBuilder(command)
                .redirectError(said.toFile()).redirectOutput(out.toFile()).start();
        process.getOutputStream().close();
        boolean hasEnded = process.waitFor(60, TimeUnit.SECONDS);
        process.destroyForcibly();
        assertTrue(hasEnded, "the program does not end");
        assertEquals(0, process.exitValue(), Files.readString(said));
        return Files.readString(out, US_ASCII);
    }
}
