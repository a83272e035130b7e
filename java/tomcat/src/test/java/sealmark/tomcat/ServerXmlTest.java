package sealmark.tomcat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.catalina.Valve;
import org.apache.tomcat.util.digester.Digester;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.xml.sax.InputSource;
import sealmark.testing.LogProgram;

/** The valve as {@code server.xml} has it: attributes come in the order that stands there. */
class ServerXmlTest {
    private static final String XML = """
            <Valve className="sealmark.tomcat.SealedAccessLogValve" pattern="%a &quot;%r&quot; %{X}i %s"
                   directory="logs" prefix="access" suffix=".log" rotatable="false"
                   seal="%a, %{X}i" clear="page" recipientsFile="ops.pub" padding="32"
                   sideFile="side.log" rotateAfter="PT10M" engine="pure-java" sealer="xml"/>
            """;

    @TempDir
    Path folder;

    @Test
    void attributesAreThoseOfTheValve() throws Exception {
        LogProgram program = new LogProgram(folder);
        SealedAccessLogValve valve = assertInstanceOf(SealedAccessLogValve.class, parsed());
        try (Server server = new Server(folder, valve)) {
            server.get("/?page=1&a=SECRET", "X: SECRET");
        }
        Path log = folder.resolve("logs/access.log");
        String sealed = Files.readString(log);
        assertTrue(sealed.contains(" \"GET /?page=1&a=~s1p~a~") && sealed.contains("~s1p~X~"), sealed);
        assertEquals("127.0.0.1 \"GET /?page=1&a=SECRET HTTP/1.1\" SECRET 200\n", program.openText(log));
        assertTrue(Files.readString(folder.resolve("side.log")).startsWith("~s1h~"));
        assertEquals("xml", valve.getSealer());
    }

    /** Makes valves by Tomcat's own rules for that file. */
    private static Object parsed() throws Exception {
        Digester digester = new Digester();
        digester.addObjectCreate("Valve", Valve.class.getName(), "className");
        digester.addSetProperties("Valve");
        return digester.parse(new InputSource(new StringReader(XML)));
    }
}
