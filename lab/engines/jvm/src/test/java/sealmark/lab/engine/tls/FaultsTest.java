package sealmark.lab.engine.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers that do not do what they should: a failure within ten seconds, and then business as usual. */
class FaultsTest {
    private static final String TERMS = "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 RSA-2048";
    private static final long TEN_SECONDS = 10_000_000_000L;

    @TempDir
    private Path scratch;

    @Test
    void aFaultIsAFailureAndTheEngineGoesOn() throws Exception {
        try (Lines lines = new Lines("SunJSSE", scratch)) {
            for (String shape : List.of("memory", "nodelay")) {
                String waits = why(lines, "tls-transfer", shape, "stalls", "download");
                assertTrue(waits.contains(shape.equals("memory") ? "both ends wait" : "the client waited for 5 s"), waits);
                assertTrue(why(lines, "tls-connect", shape, "resets", "resumed").contains("reset"));
                assertTrue(why(lines, "tls-transfer", shape, "plain", "upload").matches("the client: .*nrecognized SSL message.*"));
                lines.connect(TERMS, shape, true);
                lines.transfer(TERMS, shape);
            }
        }
    }

    private static String why(Lines lines, String job, String shape, String peer, String operation) throws Exception {
        lines.ready(job, TERMS, shape, 1, ",'peer':'" + peer + "'");
        long began = System.nanoTime();
        Map<String, String> answer = lines.talk().ask(Talk.time(operation, 0, 2));
        assertEquals("failed", answer.get("answer"), shape + " " + peer);
        assertTrue(System.nanoTime() - began < TEN_SECONDS, peer);
        return answer.get("why");
    }

    @Test
    void aCertificateOfAnotherCaIsAFailure() throws Exception {
        Path directory = Certificates.write(scratch.resolve("RSA-2048"), "RSA-2048");
        Path other = Certificates.write(scratch.resolve("other"), "RSA-2048");
        Files.copy(other.resolve("ca.pem"), directory.resolve("ca.pem"), StandardCopyOption.REPLACE_EXISTING);
        isTrustedByNone();
    }

    @Test
    void aCertificateForAnotherHostIsAFailure() throws Exception {
        Certificates.write(scratch.resolve("RSA-2048"), "RSA-2048", "elsewhere");
        isTrustedByNone();
    }

    /** Over sockets the server's word for it may come first, which is the alert that the client has sent. */
    private void isTrustedByNone() throws Exception {
        for (String library : List.of("SunJSSE", "BCJSSE", "Conscrypt")) {
            try (Lines lines = new Lines(library, scratch)) {
                for (String shape : List.of("memory", "nodelay")) {
                    String why = why(lines, "tls-connect", shape, "works", "full");
                    assertTrue(why.matches("(?s).*(certificate|CERTIFICATE_UNKNOWN|PKIX|CertPath|alternative DNS name|[Hh]ostname|reset).*"), library + why);
                }
            }
        }
    }
}
