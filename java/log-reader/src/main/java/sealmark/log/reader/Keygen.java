package sealmark.log.reader;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import sealmark.log.keys.PreSharedKey;
import sealmark.log.keys.Recipient;
import sealmark.log.reader.Arguments.Option;
import sealmark.log.wrap.Bytes;
import sealmark.log.wrap.Kem;

/** Makes a key, or prints the public keys of secret ones: the files of {@code sealmark keygen}. */
final class Keygen {
    static final List<Option> OPTIONS = List.of(
            Option.value("--mode", 0, "MODE", "Kind of key: hybrid (default), ecc or pqc; or psk, a key that the writers and"
                    + " readers of a log share"),
            Option.value("--kem", 0, "NAME", "Key encapsulation: " + names()),
            Option.value("--public-of", 'y', "FILE", "Print the public keys of the secret keys in this file (\"-\": standard"
                    + " input) instead of making a key"),
            Option.elsewhere("--sign", 0, "sealmark keygen --sign -o sign.txt"),
            Option.elsewhere("--passphrase", 'p', "sealmark-log-reader.jar cannot open a key that has a passphrase; to make"
                    + " one with the program `sealmark`, type: sealmark keygen -p -o key.txt"),
            Option.elsewhere("--passphrase-file", 0, KeyFiles.unlocked("keygen", "--passphrase-file FILE key.txt")),
            Option.elsewhere("--passphrase-fd", 0, KeyFiles.unlocked("keygen", "--passphrase-file FILE key.txt")),
            Option.value("--output", 'o', "FILE", "Write to this file (\"-\": standard output)"));
    private static final String NEVER = " already exists; keygen never overwrites";

    private Keygen() {}

    static Exit run(Arguments arguments) throws IOException {
        arguments.refuse("--mode", "--kem");
        arguments.refuse("--public-of", "--mode");
        arguments.refuse("--public-of", "--kem");
        if (!arguments.rest().isEmpty()) {
            throw arguments.usage("unexpected argument '" + arguments.rest().get(0) + "' found");
        }
        String name = arguments.one("--output").filter(output -> !output.equals("-")).orElse(null);
        Path output = name == null ? null : Arguments.path(name);
        if (arguments.has("--public-of")) {
            String lines = KeyFiles.identities(arguments.verb(), arguments.one("--public-of").orElseThrow()).stream()
                    .map(identity -> identity.recipient() + "\n").collect(Collectors.joining());
            write(output, lines.getBytes(US_ASCII));
            return Exit.DONE;
        }
        if (output != null && Files.exists(output, LinkOption.NOFOLLOW_LINKS)) {
            throw exists(output);
        }
        Kem kem = kem(arguments);
        if (kem == null) {
            try (PreSharedKey key = PreSharedKey.generate()) {
                writeSecret(output, "# key: pre-shared, for logs\n", key.secretChars());
            }
        } else {
            try (Identity identity = generate(kem)) {
                Recipient recipient = identity.recipient();
                writeSecret(output, "# key: " + shown(kem) + " (" + mode(kem) + ")\n# public key: " + recipient + "\n",
                        identity.secretChars());
                Say.line("Public key: " + recipient);
            }
        }
        return Exit.DONE;
    }

    private static Identity generate(Kem kem) throws Fault {
        try {
            return Identity.generate(kem.word());
        } catch (IllegalStateException missing) {
            throw Fault.refused(missing);
        }
    }

    /** Null for a pre-shared key. */
    private static Kem kem(Arguments arguments) throws Fault {
        if (arguments.has("--kem")) {
            String name = arguments.one("--kem").orElseThrow();
            return Kem.find(one -> one.word().equals(plain(name))).orElseThrow(() ->
                    arguments.invalid("--kem", name, "use one of " + names()));
        }
        String mode = arguments.one("--mode").orElse("hybrid");
        return switch (mode) {
            case "psk" -> null;
            case "ecc", "pqc", "hybrid" -> Kem.find(one -> mode(one).equals(mode)).orElseThrow();
            default -> throw arguments.invalid("--mode", mode, "use ecc, pqc, hybrid or psk");
        };
    }

    /** The word of a name, however it is written. */
    private static String plain(String name) {
        return name.toLowerCase(Locale.ROOT).replace("-", "");
    }

    private static String names() {
        return Arrays.stream(Kem.values()).map(Keygen::shown).collect(Collectors.joining(", "));
    }

    private static String shown(Kem kem) {
        return switch (kem) {
            case X25519 -> "X25519";
            case P256 -> "P-256";
            case MLKEM768 -> "ML-KEM-768";
            case MLKEM1024 -> "ML-KEM-1024";
            case MLKEM768X25519 -> "MLKEM768-X25519";
            case MLKEM768P256 -> "MLKEM768-P256";
            case MLKEM1024P384 -> "MLKEM1024-P384";
        };
    }

    private static String mode(Kem kem) {
        return switch (kem) {
            case X25519, P256 -> "ecc";
            case MLKEM768, MLKEM1024 -> "pqc";
            default -> "hybrid";
        };
    }

    private static void writeSecret(Path output, String about, char[] secret) throws IOException {
        byte[] head = ("# created: " + Instant.now().truncatedTo(ChronoUnit.SECONDS) + "\n" + about).getBytes(UTF_8);
        byte[] key = new byte[secret.length + 1];
        US_ASCII.newEncoder().encode(CharBuffer.wrap(secret), ByteBuffer.wrap(key), true);
        key[secret.length] = '\n';
        byte[] text = Bytes.concat(head, key);
        try {
            if (output == null && KeyFiles.othersRead(Output.STANDARD)) {
                Say.warning("other users can read the file that this secret key is written to",
                        "write it with -o FILE instead of >");
            }
            write(output, text);
        } finally {
            Arrays.fill(secret, '\0');
            Bytes.wipe(key, text);
        }
    }

    private static void write(Path output, byte[] text) throws IOException {
        if (output != null) {
            Output.writePrivate(output, text, exists(output));
            return;
        }
        OutputStream out = Output.standard();
        try {
            out.write(text);
        } catch (IOException error) {
            throw Fault.of(error).about("standard output");
        }
    }

    private static Fault exists(Path output) {
        return Fault.usage(Say.quoted(output) + NEVER, "choose another name with -o, or move the old file away");
    }
}
