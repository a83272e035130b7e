package sealmark.lab.engine.tls;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import sealmark.lab.engine.Trouble;

/** The server's messages before it encrypts. For most libraries they alone tell the group that was agreed on. */
final class ServerMessages {
    private static final int LONGEST = 16_384;
    private static final int RECORD_HEADER = 5;
    private static final int HANDSHAKE = 22;
    private static final int SERVER_HELLO = 2;
    private static final int CERTIFICATE = 11;
    private static final int SERVER_KEY_EXCHANGE = 12;
    private static final int VERSION_AND_RANDOM = 2 + 32;
    private static final int SUITE_AND_COMPRESSION = 2 + 1;
    private static final int KEY_SHARE = 51;
    private static final int NAMED_CURVE = 3;
    private static final int EXPORT_BITS = 512;

    private final byte[] wire = new byte[LONGEST];
    private int length;

    void forget() {
        length = 0;
    }

    /** Keeps what the server has just sent, the first bytes of a connection. */
    void keep(byte[] sent, int from, int size) {
        int count = Math.min(size, wire.length - length);
        System.arraycopy(sent, from, wire, length, count);
        length += count;
    }

    /** Returns whether a certificate is among the messages; TLS 1.3 has encrypted it. */
    boolean showCertificate() {
        return message(CERTIFICATE) != null;
    }

    /** The group they agree on, null where they say nothing of any. */
    String group(Terms terms) throws Trouble {
        if (terms.isTls13()) {
            return groupOfKeyShare(message(SERVER_HELLO));
        }
        ByteBuffer exchange = message(SERVER_KEY_EXCHANGE);
        return exchange == null ? null : groupOfExchange(exchange, terms.suite);
    }

    private static String groupOfKeyShare(ByteBuffer hello) throws Trouble {
        if (hello == null) {
            throw Trouble.failed("the server said no hello in plain text");
        }
        skip(hello, VERSION_AND_RANDOM);
        skip(hello, hello.get());
        skip(hello, SUITE_AND_COMPRESSION + 2);
        while (hello.remaining() >= 4) {
            int type = hello.getShort();
            int size = hello.getShort();
            if (type == KEY_SHARE) {
                return Group.label(hello.getShort() & 0xFFFF);
            }
            skip(hello, size);
        }
        return null;
    }

    private static String groupOfExchange(ByteBuffer exchange, String suite) {
        if (suite.contains("_ECDH")) {
            return exchange.get() == NAMED_CURVE ? Group.label(exchange.getShort() & 0xFFFF) : "a curve without a name";
        }
        // A prime of DH, or the modulus of the short RSA key that an export suite is content with.
        byte[] prime = new byte[exchange.getShort() & 0xFFFF];
        exchange.get(prime);
        int bits = new BigInteger(1, prime).bitLength();
        return suite.contains("_EXPORT_") && bits == EXPORT_BITS ? "export" : "DH-" + bits;
    }

    /** The body of the last message of a type, null without one. */
    private ByteBuffer message(int type) {
        ByteBuffer messages = handshake();
        ByteBuffer found = null;
        while (messages.remaining() >= 4) {
            int header = messages.getInt();
            int size = Math.min(header & 0xFFFFFF, messages.remaining());
            if (header >>> 24 == type) {
                found = messages.slice();
                found.limit(size);
            }
            skip(messages, size);
        }
        return found;
    }

    /** The handshake messages of all records before the first of another type: what follows is encrypted. */
    private ByteBuffer handshake() {
        ByteArrayOutputStream messages = new ByteArrayOutputStream(length);
        int at = 0;
        while (at + RECORD_HEADER <= length && wire[at] == HANDSHAKE) {
            int size = (wire[at + 3] & 0xFF) << 8 | wire[at + 4] & 0xFF;
            int end = Math.min(at + RECORD_HEADER + size, length);
            messages.write(wire, at + RECORD_HEADER, end - at - RECORD_HEADER);
            at = end;
        }
        return ByteBuffer.wrap(messages.toByteArray());
    }

    private static void skip(ByteBuffer buffer, int count) {
        buffer.position(buffer.position() + count);
    }
}
