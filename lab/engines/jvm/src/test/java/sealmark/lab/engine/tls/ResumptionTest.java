package sealmark.lab.engine.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sealmark.lab.engine.Ask;

/** A connection that had no session to offer is seen to be a full one, whatever the span was to be. */
class ResumptionTest {
    @TempDir
    private Path scratch;

    @Test
    void whatIsForgottenIsNotResumed() throws Exception {
        show(SunJsse.asConfigured(), "TLSv1.3 TLS_AES_128_GCM_SHA256");
        show(SunJsse.asConfigured(), "TLSv1.2 TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256");
        show(BouncyCastleJsse.make(), "TLSv1.2 TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256");
        show(ConscryptJsse.make("of this test"), "TLSv1.3 TLS_AES_128_GCM_SHA256");
        show(ConscryptJsse.make("of this test"), "TLSv1.2 TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256");
    }

    private void show(Jsse library, String suite) throws Exception {
        Ends ends = new Ends(library, job(suite + " X25519 RSA-2048"));
        Client client = ends.client();
        MemoryPair pair = new MemoryPair(ends, client);
        List<String> seen = new ArrayList<>(List.of(once(pair), once(pair)));
        client.forget();
        seen.add(once(pair));
        assertEquals(List.of("1 full, 0 resumed", "0 full, 1 resumed", "1 full, 0 resumed"), seen, library.code + suite);
    }

    private TlsJob job(String terms) throws Exception {
        Path directory = Certificates.write(scratch.resolve("RSA-2048"), "RSA-2048");
        String[] words = terms.split(" ");
        return new TlsJob(new Ask(Map.of("job", "tls-connect", "protocol", words[0], "suite", words[1], "group", words[2],
                "certificate", words[3], "transport", "memory", "seed", 7L, "directory", directory.toString())));
    }

    private static String once(MemoryPair pair) throws Exception {
        Tally tally = new Tally();
        pair.connect(tally);
        pair.echo((byte) 1, ByteBuffer.allocate(1));
        pair.close();
        Map<String, Object> seen = new LinkedHashMap<>();
        tally.report(seen);
        return seen.get("full") + " full, " + seen.get("resumed") + " resumed";
    }
}
