package sealmark.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.file.Path;
import java.util.List;
import sealmark.log.keys.PreSharedKey;
import sealmark.log.reader.LogOpener;
import sealmark.testing.SealmarkProgram;

/** A key file that the program made, by the word of its type. */
final class Keys {
    static final List<String> TYPES = List.of("x25519", "p256", "mlkem768", "mlkem1024", "mlkem768x25519",
            "mlkem768p256", "mlkem1024p384", "psk");

    private final Path file;
    private final String recipient;

    private Keys(Path file, String recipient) {
        this.file = file;
        this.recipient = recipient;
    }

    static Keys make(Path folder, String type) throws Exception {
        Path file = folder.resolve(type + ".txt");
        if (type.equals("psk")) {
            SealmarkProgram.run(folder, "keygen", "--mode", "psk", "-o", file.toString());
            return new Keys(file, null);
        }
        SealmarkProgram.run(folder, "keygen", "--kem", type, "-o", file.toString());
        return new Keys(file, new String(SealmarkProgram.run(folder, "keygen", "-y", file.toString()), UTF_8).strip());
    }

    LogSealer.Builder sealer() throws Exception {
        LogSealer.Builder builder = LogSealer.builder();
        return recipient == null ? builder.preSharedKey(PreSharedKey.read(file)) : builder.recipient(recipient);
    }

    LogOpener opener() throws Exception {
        LogOpener.Builder builder = LogOpener.builder();
        return (recipient == null ? builder.preSharedKeyFile(file) : builder.identitiesFile(file)).build();
    }

    /** How the program is told to open with it. */
    List<String> toOpen() {
        return List.of(recipient == null ? "--psk" : "-i", file.toString());
    }

    /** How the program is told to seal for it. */
    List<String> toSeal() {
        return recipient == null ? toOpen() : List.of("-r", recipient);
    }
}
