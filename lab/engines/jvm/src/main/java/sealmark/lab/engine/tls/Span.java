package sealmark.lab.engine.tls;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.LinkedHashMap;
import java.util.Map;
import sealmark.lab.engine.Meter;

/** A span's figures for the answer {@code connected} (spec/engine.md). */
final class Span {
    /** Bytes that a receiver's buffer has to spare: some libraries want room for a whole record always. */
    static final int SLACK = 1 << 16;

    /** Fills a receiver's buffer before a span, so that the digest does not cover bytes that an earlier span left. */
    static final byte NOT_RECEIVED = (byte) 0xA5;

    final Meter meter = new Meter();
    final Tally tally = new Tally();
    private final Map<String, Object> more = new LinkedHashMap<>();
    private long allocatedElsewhere;
    private String digest;

    /** Takes the digest of the received bytes, or of the last byte that the client read. */
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
