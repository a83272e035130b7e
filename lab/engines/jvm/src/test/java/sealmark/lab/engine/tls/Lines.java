package sealmark.lab.engine.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import sealmark.lab.engine.Recipe;

/** Lines of the lab on one engine: what each of them must answer in every shape and operation. */
final class Lines implements AutoCloseable {
    static final List<String> SHAPES = List.of("memory", "nodelay", "default-sockets");
    private static final int BYTES = 100_001;

    private final Talk talk;
    private final Path scratch;

    Lines(String library, Path scratch, String... flags) throws Exception {
        this.talk = new Talk(library, flags);
        this.scratch = scratch;
    }

    Talk talk() {
        return talk;
    }

    /** In the shapes that wait for nothing. */
    void work(String algorithm) throws Exception {
        for (String shape : SHAPES.subList(0, 2)) {
            connect(algorithm, shape, true);
            transfer(algorithm, shape);
        }
    }

    void connect(String algorithm, String shape, boolean resumes) throws Exception {
        ready("tls-connect", algorithm, shape, 1, "");
        connected(algorithm, shape, "full", 3, 0, bytes((byte) 1));
        if (resumes) {
            ready("tls-connect", algorithm, shape, 1, "");
            connected(algorithm, shape, "resumed", 0, 3, bytes((byte) 1));
        }
    }

    void transfer(String algorithm, String shape) throws Exception {
        ready("tls-transfer", algorithm, shape, BYTES, "");
        byte[] input = new Recipe(7).input(BYTES);
        connected(algorithm, shape, "upload", 1, 0, input);
        connected(algorithm, shape, "download", 1, 0, input);
    }

    Map<String, String> connected(String algorithm, String shape, String operation, int full, int resumed, byte[] received)
            throws Exception {
        // The last of three numbers is 257, which is the byte 1.
        Map<String, String> answer = talk.ask(Talk.time(operation, 255, 3));
        String what = algorithm + " " + shape + " " + operation + " " + answer;
        String[] words = algorithm.split(" ");
        assertEquals("connected", answer.get("answer"), what);
        assertEquals(List.of("3", words[0], words[1], words[2], "" + full, "" + resumed, "" + received.length, hex(received)),
                values(answer, "count", "protocol", "suite", "group", "full", "resumed", "bytes", "sha256"), what);
        assertEquals(shape.equals("memory"), answer.containsKey("wire_bytes"), what);
        assertEquals(!shape.equals("memory") && received.length == 1, answer.containsKey("each_ns"), what);
        for (String key : List.of("wall_ns", "cpu_ns", "client_cpu_ns", "server_cpu_ns", "allocated_bytes", "peak_bytes")) {
            assertTrue(Long.parseLong(answer.get(key)) > 1000, what);
        }
        return answer;
    }

    void areUnsupported(String algorithm, String why) throws Exception {
        for (String shape : SHAPES) {
            for (String job : List.of("tls-connect", "tls-transfer")) {
                Map<String, String> answer = prepare(job, algorithm, shape, 1, "");
                assertEquals("unsupported", answer.get("answer"), algorithm + answer);
                assertTrue(answer.get("why").contains(why), answer::toString);
            }
        }
    }

    void ready(String job, String algorithm, String shape, int bytes, String more) throws Exception {
        Map<String, String> answer = prepare(job, algorithm, shape, bytes, more);
        assertEquals("ready", answer.get("answer"), algorithm + " " + shape + answer);
    }

    Map<String, String> prepare(String job, String algorithm, String shape, int bytes, String more) throws Exception {
        String certificate = algorithm.substring(algorithm.lastIndexOf(' ') + 1);
        Path directory = scratch.resolve(certificate);
        if (!Files.exists(directory)) {
            Certificates.write(directory, certificate);
        }
        return talk.ask(Talk.prepare(job, algorithm, shape, bytes, directory, more));
    }

    private static List<String> values(Map<String, String> answer, String... keys) {
        return List.of(keys).stream().map(key -> answer.getOrDefault(key, "")).collect(Collectors.toList());
    }

    static byte[] bytes(byte one) {
        return new byte[] {one};
    }

    private static String hex(byte[] bytes) throws Exception {
        StringBuilder text = new StringBuilder();
        for (byte octet : MessageDigest.getInstance("SHA-256").digest(bytes)) {
            text.append(String.format("%02x", octet));
        }
        return text.toString();
    }

    @Override
    public void close() throws IOException {
        talk.close();
    }
}
