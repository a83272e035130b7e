package sealmark.spring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sealmark.testing.SealmarkProgram;

/** The access logs of real applications on servers other than Tomcat. */
class OtherServersTest {
    private static final int REQUESTS = 200;
    private static final String MAIL = "hanako@example.com";

    @TempDir
    Path folder;

    @Test
    void theAccessLogOfJettyIsSealed() throws Exception {
        run("jetty", "server.jetty.accesslog.enabled=true", "server.jetty.accesslog.filename=access.log",
                "server.jetty.accesslog.custom-format=%{client}a %u %r %s %{X-User}i",
                "sealmark.access-log.seal=%{client}a,%u,%{X-User}i");
        String sealed = Files.readString(folder.resolve("access.log"));
        assertEquals(REQUESTS, sealed.lines().filter(line -> line.contains("/pay?email=~s1a~email~")).count(), sealed);
        assertFalse(sealed.contains(MAIL) || sealed.contains("hanako") || sealed.contains("127.0.0.1"), sealed);
        String opened = opened("access.log");
        String request = "127.0.0.1 - GET /pay?email=" + MAIL + "&user=ann HTTP/1.1 200 hanako";
        assertEquals(REQUESTS, opened.lines().filter(request::equals).count(), opened);
        SealmarkProgram.run(folder, "log", "verify", "-i", "key.txt", "--closed", "access.log");
    }

    @Test
    void theAccessLogOfReactorNettyIsSealed() throws Exception {
        run("netty", "-Dreactor.netty.http.server.accessLogEnabled=true", "spring.main.web-application-type=reactive",
                "sealmark.access-log.seal=%h,%u");
        String sealed = Files.readString(folder.resolve("console.log"));
        assertEquals(REQUESTS, sealed.lines().filter(line -> line.contains("/pay?email=~s1a~email~")).count(), sealed);
        assertFalse(sealed.contains(MAIL) || sealed.contains("127.0.0.1"), sealed);
        String request = "\"GET /pay?email=" + MAIL + "&user=ann HTTP/1.1\" 200";
        String opened = opened("console.log");
        assertEquals(REQUESTS, opened.lines().filter(line -> line.contains(request) && line.contains("127.0.0.1 - - ["))
                .count(), opened);
        SealmarkProgram.run(folder, "log", "verify", "-i", "key.txt", "--closed", "--any-label", "console.log");
    }

    private void run(String server, String... properties) throws Exception {
        Running.makeKeys(folder);
        String[] all = new String[properties.length + 2];
        System.arraycopy(properties, 0, all, 2, properties.length);
        all[0] = "sealmark.recipients-file=recipients.txt";
        all[1] = "sealmark.seal=email,contact.email,*.email,user.*";
        Running shop = new Running(server, folder, all).awaitStart();
        try {
            for (int at = 0; at < REQUESTS; at++) {
                assertEquals("paid", shop.get("/pay?email=" + MAIL + "&user=ann"));
            }
        } finally {
            shop.end();
        }
        assertTrue(shop.console().contains("started on port"), shop.console());
    }

    private String opened(String log) throws Exception {
        return new String(SealmarkProgram.run(folder, "log", "open", "-i", "key.txt", log), UTF_8);
    }
}
