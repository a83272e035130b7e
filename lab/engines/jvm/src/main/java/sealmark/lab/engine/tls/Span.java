package sealmark.lab.engine.tls;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.LinkedHashMap;
import java.util.Map;
import sealmark.lab.engine.Meter;

/** What a span has to say for itself: spec/engine.md, {@code connected}. */
final class Span {
    /** What a receiver's buffer has beyond its bytes: some libraries want room for a whole record always. */
    static final int SLACK = 1 << 16;

    /** What a receiver's buffer is full of before a span: the digest must not be of what an earlier one has left. */
    static final byte NOT_RECEIVED = (byte) 0xA5;

    final Meter meter = new Meter();
    final Tally tally = new Tally();
    private final Map<String, Object> more = new LinkedHashMap<>();
    private long allocatedElsewhere;
    private String digest;

    /** What the receiver holds, or the last byte the client read. */
    void received(byte[] bytes, int length) throws NoSuchAlgorithmException {
        MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
        sha256.update(bytes, 0, length);
        StringBuilder text = new StringBuilder();
        for (byte octet : sha256.digest()) {
            text.append(String.format("%02x", octet));
        }
        digest = text.toString();
        more.put("bytes", (long) length);
    }

    void wire(long bytes) {
        more.put("wire_bytes", bytes);
    }

    void cpu(long client, long server) {
        more.put("client_cpu_ns", client);
        more.put("server_cpu_ns", server);
    }

    /** By other threads than the one that measures. */
    void allocatedElsewhere(long bytes) {
        allocatedElsewhere += bytes;
    }

    void each(String nanoseconds) {
        more.put("each_ns", nanoseconds);
    }

    Map<String, Object> connected(long count) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("answer", "connected");
        answer.put("count", count);
        meter.report(answer);
        answer.computeIfPresent("allocated_bytes", (key, own) -> (Long) own + allocatedElsewhere);
        answer.put("sha256", digest);
        answer.putAll(more);
        tally.report(answer);
        return answer;
    }
}
