package sealmark.log.reader;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import sealmark.log.keys.PreSharedKey;
import sealmark.log.keys.Recipient;
import sealmark.log.reader.Arguments.Option;
import sealmark.log.wrap.KeyFile;

/** The keys that logs are opened with, as they were typed. */
final class KeyFiles {
    private static final Path STANDARD_INPUT = Path.of("/dev/stdin");
    private static final Set<PosixFilePermission> OTHERS =
            EnumSet.of(PosixFilePermission.GROUP_READ, PosixFilePermission.OTHERS_READ);

    private KeyFiles() {}

    /** The options of a verb that opens logs. */
    static List<Option> options(String verb) {
        String hint = unlocked(verb, "key.txt");
        return List.of(
                Option.values("--identity", 'i', "FILE",
                        "Open with the secret keys in this file (\"-\": standard input; repeatable)"),
                Option.values("--psk", 0, "FILE", "Open with the pre-shared keys in this file (repeatable)"),
                Option.values("--side-file", 0, "FILE", "Read session headers from this file, too (repeatable)"),
                Option.elsewhere("--passphrase-file", 0, hint),
                Option.elsewhere("--passphrase-fd", 0, hint));
    }

    /** Refuses a command line without a key, and one that reads standard input twice. */
    static void require(Arguments arguments, List<String> logs) throws Fault {
        if (!arguments.has("--identity") && !arguments.has("--psk")) {
            throw Fault.usage("no key given to open the log",
                    "pass the file that contains your secret key with -i, or a pre-shared key with --psk");
        }
        List<String> read = new ArrayList<>(logs.isEmpty() ? List.of("-") : logs);
        read.addAll(arguments.all("--identity"));
        read.addAll(arguments.all("--psk"));
        read.addAll(arguments.all("--side-file"));
        if (Collections.frequency(read, "-") > 1) {
            throw Fault.usage("standard input is used twice, but can be read only once",
                    "give one of them as a file; without IN, the input is standard input");
        }
    }

    /**
     * Sessions that open with these keys, and know the side files.
     *
     * @param mayBeNative true if native code is to learn them, too
     */
    static Sessions sessions(Arguments arguments, boolean mayBeNative) throws IOException {
        List<Identity> identities = new ArrayList<>();
        for (String file : arguments.all("--identity")) {
            identities.addAll(identities(arguments.verb(), file));
        }
        List<PreSharedKey> shared = new ArrayList<>();
        for (String file : arguments.all("--psk")) {
            shared.addAll(preShared(arguments.verb(), file));
        }
        Sessions sessions;
        try {
            sessions = new Sessions(new LogKeys(identities, shared));
        } catch (IllegalStateException missing) {
            throw Fault.refused(missing);
        }
        if (mayBeNative) {
            sessions.useNative();
        }
        for (String file : arguments.all("--side-file")) {
            learn(sessions, file);
        }
        return sessions;
    }

    private static void learn(Sessions sessions, String file) throws Fault {
        String side = "side file " + Say.quoted(file);
        try (InputStream in = LogFile.named(file).open()) {
            if (sessions.learn(in) == 0) {
                Say.warning(side + " contains no session header",
                        "pass the file that `sealmark log seal --side-file` wrote, or another file of the same log");
            }
        } catch (IOException error) {
            throw Fault.of(error).about(side);
        }
    }

    /** The secret keys in a file, for a verb. */
    static List<Identity> identities(String verb, String name) throws Fault {
        return keys(verb, "secret ", name, path -> KeyFile.read(path, KeyFiles::identity,
                "no secret key\nhint: make one with `sealmark keygen -o key.txt`"));
    }

    private static Identity identity(CharSequence line) {
        if (isKey(() -> Recipient.parse(line))) {
            throw new IllegalArgumentException("this is a public key, and opening needs the secret key"
                    + "\nhint: pass the file that `sealmark keygen -o FILE` wrote");
        }
        if (isKey(() -> PreSharedKey.parse(line).close())) {
            throw new IllegalArgumentException("this is a pre-shared key: it opens only logs, and has no public key"
                    + "\nhint: `sealmark log` takes it with --psk FILE");
        }
        if (startsWith(line, "-----BEGIN OPENSSH ") || startsWith(line, "AGE-PLUGIN-")) {
            throw new IllegalArgumentException("SSH keys and plugin keys cannot be used for logs"
                    + "\nhint: pass the key file that `sealmark keygen` wrote for this log");
        }
        return Identity.parse(line);
    }

    private static boolean startsWith(CharSequence line, String start) {
        return line.length() >= start.length() && start.contentEquals(line.subSequence(0, start.length()));
    }

    private static boolean isKey(Runnable parse) {
        try {
            parse.run();
            return true;
        } catch (IllegalArgumentException not) {
            return false;
        }
    }

    private static List<PreSharedKey> preShared(String verb, String name) throws Fault {
        return keys(verb, "pre-shared ", name, PreSharedKey::readAll);
    }

    /** Reads a file of keys. */
    private interface Reads<T> {
        List<T> read(Path path) throws IOException;
    }

    private static <T> List<T> keys(String verb, String kind, String name, Reads<T> reads) throws Fault {
        String shown = kind + "key file " + Say.quoted(name);
        Path path = name.equals("-") ? STANDARD_INPUT : Arguments.path(name);
        refuseLocked(verb, path, shown);
        try {
            List<T> keys = reads.read(path);
            if (othersRead(path)) {
                Say.warning("other users can read the " + shown, "chmod 600 " + Say.quoted(name));
            }
            return keys;
        } catch (IllegalArgumentException refused) {
            throw Fault.refused(new IllegalArgumentException(kind + refused.getMessage(), refused));
        } catch (IOException error) {
            throw Fault.of(error).about(shown);
        }
    }

    /** To open one, this program would need all of the file format. */
    private static void refuseLocked(String verb, Path path, String shown) throws Fault {
        if (!Files.isRegularFile(path)) {
            return;
        }
        boolean isLocked;
        try (InputStream in = Files.newInputStream(path)) {
            isLocked = LogFile.isSealed(in.readNBytes(LogFile.LONGEST_START));
        } catch (IOException error) {
            throw Fault.of(error).about(shown);
        }
        if (isLocked) {
            throw Fault.of(Exit.NO_KEY, shown + " is encrypted with a passphrase, which this program cannot open",
                    unlocked(verb, Say.quoted(path)));
        }
    }

    /** How to use a locked key of that name with a verb, for a hint. */
    static String unlocked(String verb, String name) {
        if (verb.equals("keygen")) {
            return "to print the public key of a key with a passphrase, type: sealmark keygen -y " + name;
        }
        return "decrypt it with the program `sealmark`, and pass it as standard input: sealmark open -o - " + name
                + " | java -jar sealmark-log-reader.jar " + verb.replace("log ", "") + " -i - "
                + (verb.equals("log grep") ? "PATTERN " : "") + "app.log";
    }

    /** True if a file is regular and readable for more than its owner. */
    static boolean othersRead(Path path) {
        try {
            return Files.isRegularFile(path) && Files.getPosixFilePermissions(path).stream().anyMatch(OTHERS::contains);
        } catch (IOException | UnsupportedOperationException unknown) {
            return false;
        }
    }
}
