package sealmark.lab.engine.tls;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import sealmark.lab.engine.Trouble;

/** The server's part in a connection: TLS, or one of three faults for tests of the engine itself. */
enum Peer {
    WORKS, STALLS, RESETS, PLAIN;

    /** The answer of a server that expected no TLS. */
    static final byte[] ANSWER = "HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    static Peer named(String name) throws Trouble {
        for (Peer peer : values()) {
            if (peer.name().toLowerCase(Locale.ROOT).equals(name)) {
                return peer;
            }
        }
        throw Trouble.unsupported("this engine knows no peer \"" + name + "\"");
    }
}
