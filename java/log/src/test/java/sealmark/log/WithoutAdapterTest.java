package sealmark.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import org.junit.jupiter.api.Test;
import sealmark.log.keys.PreSharedKey;

/** The program of docs/java.md, "Without an adapter". */
class WithoutAdapterTest {
    @Test
    void aLogIsWrittenByHand() {
        PreSharedKey key = PreSharedKey.generate();
        StringBuilder log = new StringBuilder();
        String name = "by hand";

        LogSealer sealer = LogSealer.builder().preSharedKey(key).build();
        Sealers.install(name, sealer);
        OwnLines own = new OwnLines(Shape.PLAIN);

        String line = own.withoutLookalikes(sealer, "login of " + Sealed.of(name, "email", "hanako@example.com") + "\n");
        log.append(own.before(line)).append(line);

        log.append(own.closing());
        Sealers.remove(name);

        assertFalse(log.toString().contains("hanako"), log::toString);
        try (LogOpener opener = LogOpener.builder().preSharedKey(key).build()) {
            String opened = new String(opener.open(log.toString().getBytes(UTF_8)), UTF_8);
            assertEquals("login of hanako@example.com\n", opened);
        }
    }
}
