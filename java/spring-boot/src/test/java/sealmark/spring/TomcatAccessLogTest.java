package sealmark.spring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.catalina.valves.AccessLogValve;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.TomcatFactory;
import org.springframework.core.env.StandardEnvironment;
import sealmark.testing.SealmarkProgram;
import sealmark.tomcat.SealedAccessLogValve;

/** Servers other than the one that an application has from Spring Boot without doing anything. */
class TomcatAccessLogTest {
    private static final String MAIL = "hanako@example.com";

    @TempDir
    Path folder;

    @Test
    void aFactoryOfTheApplicationIsSealedToo() {
        TomcatAccessLog replacing = new TomcatAccessLog();
        replacing.setEnvironment(new StandardEnvironment());
        TomcatFactory own = new TomcatFactory() {};
        own.getEngineValves().add(new AccessLogValve());
        replacing.postProcessAfterInitialization(own, "own");
        assertInstanceOf(SealedAccessLogValve.class, own.getEngineValves().iterator().next());
    }

    @Test
    void theServerOfActuatorIsSealedToo() throws Exception {
        Running.makeKeys(folder);
        Running shop = new Running(folder, "sealmark.recipients-file=recipients.txt", "sealmark.seal=email",
                "management.server.port=0", "management.server.address=127.0.0.1", "server.tomcat.basedir=.",
                "server.tomcat.accesslog.enabled=true", "server.tomcat.accesslog.directory=access",
                "server.tomcat.accesslog.rotate=false").awaitStart();
        try {
            shop.awaitSecondServer();
            assertTrue(shop.get("/actuator/health?email=" + MAIL).contains("UP"));
        } finally {
            shop.end();
        }
        String log = "access/management_access_log.log";
        String sealed = Files.readString(folder.resolve(log));
        assertTrue(sealed.contains("email=~s1a~email~"), sealed);
        assertFalse(sealed.contains(MAIL), sealed);
        String opened = new String(SealmarkProgram.run(folder, "log", "open", "-i", "key.txt", log), UTF_8);
        assertTrue(opened.contains("/actuator/health?email=" + MAIL), opened);
    }
}
