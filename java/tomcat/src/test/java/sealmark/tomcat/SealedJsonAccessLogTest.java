package sealmark.tomcat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.catalina.valves.JsonAccessLogValve;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sealmark.testing.LogProgram;

/** The same for lines of JSON. */
class SealedJsonAccessLogTest {
    private static final String PATTERN = "%h %u %t %r %s %b %{Referer}i %{User-Agent}i %q %U %{sid}c %{note}r %{Location}o"
            + " %{a\"b}i %{remote}a";

    @TempDir
    Path folder;

    private LogProgram program;
    private final SealedJsonAccessLogValve valve = new SealedJsonAccessLogValve();

    @BeforeEach
    void makeKeys() throws Exception {
        program = new LogProgram(folder);
        valve.set("recipient", program.recipient());
    }

    @Test
    void linesAreJsonAndOpenToThoseOfTomcat() throws Exception {
        valve.set("seal", "%u %{sid}c");
        try (Server server = start()) {
            for (String target : List.of("/", "/?a=SECRET", "/?SECRET&x=SECRET#SECRET", "/;s=SECRET?b='SECRET'", "/?a=%22SECRET")) {
                server.get(target, "Referer: http://x/?a=SECRET", "User-Agent: a=SECRET\\\"\tb&c=SECRET", "X-Code: SECRET",
                        "X-User: SECRET\"\\\t", "Cookie: sid=SECRET", "X-Note: plain \"\\ note");
            }
        }
        String sealed = Files.readString(folder.resolve("sealed.log"));
        assertFalse(sealed.contains("SECRET"), sealed);
        assertTrue(sealed.startsWith("{\"sealmark\":\"~s1h~") && sealed.contains("\n{\"sealmark\":\"~s1z~"), sealed);
        assertTrue(sealed.contains("\"user\":\"~s1a~user~") && sealed.contains("\"query\":\"?a=~s1a~a~"), sealed);
        assertEquals(Files.readString(folder.resolve("plain.log")), program.openText(folder.resolve("sealed.log")));
        program.verify(folder.resolve("sealed.log"));
    }

    /** Tomcat escapes all that is no ASCII. */
    @Test
    void whatNeedsNoEscapeComesOutAsItself() throws Exception {
        try (Server server = start()) {
            server.get("/", "X-Note: a=\u00e9&b=1");
        }
        assertFalse(Files.readString(folder.resolve("sealed.log")).contains("00e9"));
        assertTrue(Files.readString(folder.resolve("plain.log")).contains("\"a=\\u00e9&b=1\""));
        assertTrue(program.openText(folder.resolve("sealed.log")).contains("\"a=\u00e9&b=1\""));
    }

    private Server start() throws Exception {
        return new Server(folder, Server.log(valve, folder, "sealed", PATTERN),
                Server.log(new JsonAccessLogValve(), folder, "plain", PATTERN));
    }
}
