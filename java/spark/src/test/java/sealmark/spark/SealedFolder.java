package sealmark.spark;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.github.luben.zstd.ZstdOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.apache.hadoop.conf.Configuration;
import sealmark.log.Label;
import sealmark.log.LogSealer;
import sealmark.log.SessionLines;
import sealmark.log.Shape;
import sealmark.testing.SealmarkProgram;

/** Folders of logs of every kind, sealed by {@code sealmark log seal} with a key of their own. */
final class SealedFolder {
    private static final Label USER = Label.of("user");

    final Path folder;
    final Path key;
    final Path recipients;

    /** Makes a folder with a new key, for which {@code sealmark keygen} gets these options. */
    SealedFolder(Path work, String... mode) throws Exception {
        folder = work.resolve("sealed");
        key = work.resolve("ops.key");
        recipients = work.resolve("ops.pub");
        Files.createDirectories(folder);
        List<String> keygen = new ArrayList<>(List.of("keygen", "-o", key.toString()));
        keygen.addAll(List.of(mode));
        SealmarkProgram.run(work, keygen.toArray(String[]::new));
        Files.write(recipients, SealmarkProgram.run(work, "keygen", "-y", key.toString()));
    }

    /** Seals lines of JSON. */
    Path json(String name, int lines) throws Exception {
        StringBuilder text = new StringBuilder();
        for (int at = 0; at < lines; at++) {
            text.append("{\"level\":\"info\",\"user\":\"user-").append(at % 97)
                    .append("\",\"ip\":\"203.0.113.").append(at % 251)
                    .append("\",\"text\":\"l\u00f6gin \\\"").append(at).append("\\\"\"}\n");
        }
        return seal(name, text.toString().getBytes(UTF_8), "--json", "user", "--json", "ip");
    }

    /** Seals lines of JSON with one value each. */
    Path users(String name, int lines) throws Exception {
        StringBuilder text = new StringBuilder();
        for (int at = 0; at < lines; at++) {
            text.append("{\"n\":").append(at).append(",\"user\":\"user-").append(at).append("\"}\n");
        }
        return seal(name, text.toString().getBytes(UTF_8), "--json", "user");
    }

    /** Seals an access log. */
    Path access(String name, int lines, String end) throws Exception {
        StringBuilder text = new StringBuilder();
        for (int at = 0; at < lines; at++) {
            text.append("203.0.113.").append(at % 251).append(" - ann [01/Mar/2026:12:00:00 +0000] \"GET /a?q=").append(at)
                    .append(" HTTP/1.1\" 200 ").append(at).append(" \"-\" \"curl/8\"").append(end);
        }
        return seal(name, text.toString().getBytes(UTF_8), "--header", "client", "--query", "all");
    }

    /** Seals values as an application does. */
    Path application(String name, int lines) throws IOException {
        StringBuilder text = new StringBuilder();
        SessionLines own = new SessionLines(Shape.PLAIN);
        try (LogSealer sealer = LogSealer.builder().recipientsFile(recipients).build()) {
            for (int at = 0; at < lines; at++) {
                if (at == lines / 2) {
                    sealer.endSession();
                }
                String line = "INFO n=" + at + " user=" + sealer.seal(USER, "user-" + at) + " said \"h\u00e9\"\n";
                text.append(own.before(line)).append(line);
            }
        }
        text.append(own.closing());
        return Files.writeString(folder.resolve(name), text);
    }

    /** Seals what a pattern finds in text that is not UTF-8, and whose last line has no end. */
    Path odd(String name, int lines) throws Exception {
        StringBuilder text = new StringBuilder();
        for (int at = 0; at < lines; at++) {
            text.append("\u00ff\u0080 mail=m").append(at).append("@example.org \u00e9\u00c3(\r\n");
        }
        return seal(name, (text + "mail=last@example.org \u00fe").getBytes(ISO_8859_1), "--regex",
                "mail=(?P<mail>\\S+)");
    }

    Path seal(String name, byte[] text, String... rules) throws Exception {
        Path plain = Files.createTempFile(folder.getParent(), "plain", ".log");
        Files.write(plain, text);
        Path sealed = folder.resolve(name);
        Files.createDirectories(sealed.getParent());
        List<String> arguments = new ArrayList<>(List.of("log", "seal", "-R", recipients.toString()));
        arguments.addAll(List.of(rules));
        arguments.addAll(List.of("-o", sealed.toString(), plain.toString()));
        SealmarkProgram.run(folder, arguments.toArray(String[]::new));
        Files.delete(plain);
        return sealed;
    }

    /** Replaces a file with its gzip form, in two members. */
    static Path gzip(Path file) throws IOException {
        return packed(file, ".gz", GZIPOutputStream::new);
    }

    /** Replaces a file with its zstd form, in two frames. */
    static Path zstd(Path file) throws IOException {
        return packed(file, ".zst", ZstdOutputStream::new);
    }

    private interface Packer {
        OutputStream to(OutputStream out) throws IOException;
    }

    private static Path packed(Path file, String ending, Packer packer) throws IOException {
        byte[] text = Files.readAllBytes(file);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int half = text.length / 2;
        try (OutputStream first = packer.to(out)) {
            first.write(text, 0, half);
        }
        try (OutputStream second = packer.to(out)) {
            second.write(text, half, text.length - half);
        }
        Path packed = Files.write(file.resolveSibling(file.getFileName() + ending), out.toByteArray());
        Files.delete(file);
        return packed;
    }

    /** The text that {@code sealmark log open} makes of a file. */
    byte[] opened(Path file) throws Exception {
        return SealmarkProgram.run(folder, "log", "open", "-i", key.toString(), file.toString());
    }

    /** The text of a file, whatever its compression. */
    static byte[] text(Path file) throws IOException {
        try (InputStream in = Compression.text(Files.newInputStream(file), new Configuration()).in()) {
            return in.readAllBytes();
        }
    }

    /** The names of all files that are not hidden, sorted. */
    static List<String> names(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile).map(file -> folder.relativize(file).toString())
                    .filter(name -> !Path.of(name).getFileName().toString().startsWith(".")).sorted().toList();
        }
    }
}
