package sealmark.log.reader;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import sealmark.log.reader.Arguments.Option;

/**
 * A log that the user named.
 *
 * @param name as it was typed; {@code -} is standard input
 */
record LogFile(String name) {
    static final int LONGEST_START = 40;
    private static final String SEALED = "sealed";
    /** Beginnings of files that are not plain text. */
    private static final Map<byte[], String> STARTS = Map.of(new byte[] {0x1f, (byte) 0x8b}, "gzip",
            new byte[] {0x28, (byte) 0xb5, 0x2f, (byte) 0xfd}, "zstd",
            "sealmark/1\n".getBytes(US_ASCII), SEALED,
            "age-encryption.org/v1\n".getBytes(US_ASCII), SEALED,
            "-----BEGIN SEALMARK ENCRYPTED FILE-----".getBytes(US_ASCII), SEALED,
            "-----BEGIN AGE ENCRYPTED FILE-----".getBytes(US_ASCII), SEALED);

    /** Options of the program {@code sealmark} that choose lines of a log. */
    static List<Option> elsewhere(String command) {
        String period = "name only the log files of that time, or type: sealmark log " + command;
        return List.of(Option.elsewhere("--since", 0, period + " --since 2h app.log"),
                Option.elsewhere("--until", 0, period + " --until 2h app.log"),
                Option.elsewhere("--follow", 0, "tail -F app.log | java -jar sealmark-log-reader.jar " + command
                        + " --side-file app.log"));
    }

    /** The logs of these names, each seen to be there; standard input if there are none. */
    static List<LogFile> all(List<String> names) throws Fault {
        List<LogFile> files = new ArrayList<>();
        for (String name : names.isEmpty() ? List.of("-") : names) {
            files.add(named(name));
        }
        return files;
    }

    static LogFile named(String name) throws Fault {
        LogFile file = new LogFile(name);
        if (!file.isStandardInput()) {
            try {
                if (Files.readAttributes(Arguments.path(name), BasicFileAttributes.class).isDirectory()) {
                    throw Fault.usage(Say.quoted(name) + " is a directory", "name a file in it");
                }
            } catch (Fault isFolder) {
                throw isFolder;
            } catch (IOException error) {
                throw Fault.of(error).about(Say.quoted(name));
            }
        }
        return file;
    }

    boolean isStandardInput() {
        return name.equals("-");
    }

    /** True if it can be read once more. */
    boolean isFile() {
        return !isStandardInput() && Files.isRegularFile(Path.of(name));
    }

    boolean isSameFile(Path other) throws IOException {
        return !isStandardInput() && Files.isRegularFile(other) && Files.isSameFile(Path.of(name), other);
    }

    /** The log as messages name it. */
    String shown() {
        return isStandardInput() ? "standard input" : Say.quoted(name);
    }

    /** Puts the name of the log in front of what is wrong with it, unless that is standard input. */
    Fault fault(IOException error) {
        Fault fault = Fault.of(error);
        return isStandardInput() ? fault : fault.about(Say.quoted(name));
    }

    /** The text of the log, decompressed. */
    InputStream open() throws IOException {
        InputStream in = isStandardInput() ? new FileInputStream(FileDescriptor.in) : new FileInputStream(name);
        byte[] start = start(in);
        InputStream all = start.length == 0 ? in : new Started(start, in);
        String kind = kind(start);
        if (kind.isEmpty()) {
            return all;
        }
        if (kind.equals("gzip")) {
            return new GzipText(all);
        }
        in.close();
        throw kind.equals(SEALED)
                ? Fault.usage("this is a sealed file, not a log",
                        "use the program `sealmark`, which opens sealed files: sealmark open FILE")
                : Fault.usage("this log is compressed with zstd, which this program does not read",
                        "zstd -dc FILE | java -jar sealmark-log-reader.jar open -i key.txt");
    }

    static boolean isSealed(byte[] start) {
        return kind(start).equals(SEALED);
    }

    private static String kind(byte[] start) {
        return STARTS.entrySet().stream().filter(known -> startsWith(start, known.getKey())).map(Map.Entry::getValue)
                .findFirst().orElse("");
    }

    /** No more than it takes to tell, because a log may grow slowly. */
    private static byte[] start(InputStream in) throws IOException {
        byte[] start = new byte[LONGEST_START];
        int length = 0;
        while (isUndecided(Arrays.copyOf(start, length))) {
            int read = in.read(start, length, start.length - length);
            if (read < 0) {
                break;
            }
            length += read;
        }
        return Arrays.copyOf(start, length);
    }

    private static boolean isUndecided(byte[] start) {
        return STARTS.keySet().stream().anyMatch(known -> known.length > start.length && startsWith(known, start));
    }

    private static boolean startsWith(byte[] text, byte[] start) {
        return text.length >= start.length && Arrays.equals(text, 0, start.length, start, 0, start.length);
    }

    /** A stream whose first bytes were read already; unlike others it knows what is available behind them. */
    private static final class Started extends InputStream {
        private final byte[] start;
        private final InputStream in;
        private int at;

        Started(byte[] start, InputStream in) {
            this.start = start;
            this.in = in;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] out, int from, int length) throws IOException {
            if (at == start.length) {
                return in.read(out, from, length);
            }
            int read = Math.min(length, start.length - at);
            System.arraycopy(start, at, out, from, read);
            at += read;
            return read;
        }

        @Override
        public int available() throws IOException {
            return start.length - at + in.available();
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }
}
