package sealmark.tomcat;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.catalina.util.ServerInfo;
import org.apache.catalina.valves.AccessLogValve;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sealmark.log.Sealed;
import sealmark.log.access.Dialect;
import sealmark.testing.LogProgram;

/** A log opened with the program is the log that Tomcat itself writes in the same pipeline. */
class SealedAccessLogTest {
    private static final String PATTERN = "%h %l %u %t \"%r\" %s %b \"%{Referer}i\" \"%{User-Agent}i\" %q %U"
            + " \"%{Cookie}i\" \"%{sid}c\" \"%{note}r\" \"%{Location}o\" %D %F %{ms}T %m %H %p %v %I %X %S end";

    /** Elements that show nothing of what a client sent but the protocol. */
    private static final List<String> SERVERS = List.of("%A", "%B", "%D", "%F", "%H", "%I", "%{name}L", "%T", "%{name}T", "%X",
            "%b", "%p", "%{name}p", "%s", "%t", "%{name}t");

    @TempDir
    Path folder;

    private LogProgram program;
    private final SealedAccessLogValve valve = new SealedAccessLogValve();

    @BeforeEach
    void makeKeys() throws Exception {
        program = new LogProgram(folder);
        valve.set("recipient", program.recipient());
    }

    @Test
    void theTomcatIsTheOneThatIsMeant() {
        assertEquals(System.getProperty("sealmark.tomcat") + ".0", ServerInfo.getServerNumber());
    }

    /** Another Tomcat may have an element that no table of ours knows. */
    @Test
    void eachElementOfTomcatsIsOfTheClientOrOfTheServer() {
        List<String> servers = new ArrayList<>();
        Elements tomcats = new Elements();
        for (char letter = '!'; letter <= '~'; letter++) {
            for (String name : new String[] {null, "name"}) {
                Dialect.Element element = new Dialect.Element(String.valueOf(letter), name);
                if (tomcats.has(name, letter) && new Pattern().shows(element) == null) {
                    servers.add(new Pattern().text(element));
                }
            }
        }
        assertTrue(servers.size() > 10, servers::toString);
        servers.removeAll(SERVERS);
        assertEquals(List.of(), servers);
    }

    /** The elements that Tomcat itself knows; it writes question marks for others. */
    private static final class Elements extends AccessLogValve {
        boolean has(String name, char letter) {
            AccessLogElement element = name == null ? createAccessLogElement(letter) : createAccessLogElement(name, letter);
            return element != null && !element.getClass().getSimpleName().equals("StringElement");
        }
    }

    @Test
    void hostileRequestsLeaveNothingInClear() throws Exception {
        try (Server server = start(PATTERN)) {
            for (String target : targets()) {
                server.get(target);
                server.get("/", "Referer: http://site.example" + target, "User-Agent: x (" + target + ")");
                server.get("/", "Referer: a:b=SECRET");
                server.get("/", "Cookie: sid=1; b=SECRET", "X-Note: a=SECRET&b=SECRET", "X-Code: SECRET");
            }
            for (String request : requests()) {
                server.send(request);
            }
        }
        String sealed = Files.readString(folder.resolve("sealed.log"));
        assertFalse(sealed.contains("SECRET"), sealed);
        assertFalse(sealed.contains("~s1x~"), sealed);
        assertTrue(Files.readString(folder.resolve("plain.log")).contains("SECRET"));
        assertOpensToPlain();
    }

    @Test
    void elementsThatAreNamedAreSealedAsAWholeBesidesParameters() throws Exception {
        valve.set("seal", "%a, %u %{Authorization}i,%{sid}c %{note}r %{note{}r");
        valve.set("clear", "a");
        String pattern = "%a %{peer}a \"%u\" \"%{authorization}i\" \"%{sid}c\" \"%{note}r\" \"%{note{}r\" %q %s";
        try (Server server = start(pattern)) {
            server.get("/?a=CLEAR&b=SECRET", "X-User: SECRET\"\\\tuser", "Authorization: Basic SECRET", "Cookie: sid=SECRET",
                    "X-Note: SECRET\u00e9");
            server.get("/?a=CLEAR");
        }
        String sealed = Files.readString(folder.resolve("sealed.log"));
        assertFalse(sealed.contains("SECRET") || sealed.contains("127.0.0.1"), sealed);
        for (String label : List.of("client", "user", "authorization", "sid", "note", "note_")) {
            assertTrue(sealed.contains("~s1a~" + label + "~"), label + " in " + sealed);
        }
        assertTrue(sealed.contains("?a=CLEAR&b=~s1a~b~"), sealed);
        assertTrue(sealed.contains("\"-\" \"-\" \"-\" \"-\" ?a=CLEAR"), sealed);
        assertOpensToPlain();
    }

    @Test
    void someParametersAreSealedOrSomeStayInClear() throws Exception {
        valve.set("clear", "page");
        try (Server server = start("%r")) {
            server.get("/?page=CLEAR&Page=SECRET&other=SECRET&page=1;x=SECRET");
            assertTrue(server.get("/?page=2").startsWith("HTTP/1.1 200"));
        }
        String sealed = Files.readString(folder.resolve("sealed.log"));
        assertFalse(sealed.contains("SECRET"), sealed);
        assertTrue(sealed.contains("GET /?page=CLEAR&Page=~s1a~Page~"), sealed);
        assertTrue(sealed.contains("GET /?page=2 HTTP"), sealed);
        assertOpensToPlain();
    }

    @Test
    void whatIsPostedIsUntouchedAndNotLogged() throws Exception {
        String body = "password=SECRET&a=b";
        try (Server server = start("%r %{Content-Type}i")) {
            String answer = server.send("POST /login?user=SECRET HTTP/1.1\r\nHost: x\r\nContent-Length: " + body.length()
                    + "\r\nContent-Type: application/x-www-form-urlencoded\r\nConnection: close\r\n\r\n" + body);
            assertTrue(answer.endsWith("\r\n\r\n" + body), answer);
        }
        assertFalse(Files.readString(folder.resolve("sealed.log")).contains("SECRET"));
        assertOpensToPlain();
    }

    @Test
    void valuesOpenToTheBytesOfTheFilesEncoding() throws Exception {
        valve.setEncoding("ISO-8859-1");
        valve.setRequestAttributesEnabled(true);
        valve.set("seal", "%h");
        AccessLogValve plain = plain("%h");
        plain.setEncoding("ISO-8859-1");
        plain.setRequestAttributesEnabled(true);
        try (Server server = new Server(folder, sealed("%h"), plain, new HostSetter())) {
            server.get("/");
        }
        assertFalse(Files.readString(folder.resolve("sealed.log")).contains("nchen"));
        assertOpensToPlain();
    }

    @Test
    void aValueOfMegabytesBecomesSeveralTokens() throws Exception {
        valve.set("seal", "%{note}r");
        try (Server server = new Server(folder, sealed("%{note}r"), plain("%{note}r"),
                new NoteSetter(() -> "n".repeat((1 << 20) + 10)))) {
            server.get("/");
        }
        assertEquals(4, Files.readString(folder.resolve("sealed.log")).split("~s1a~note~", -1).length - 1);
        assertOpensToPlain();
    }

    @Test
    void aLineThatAReaderWouldTakeAwayIsSealed() throws Exception {
        String part = "~s1h~AAAAAAAAAAAAAAAA~AAAAAAAAAAAA~1.1~AAAA~";
        try (Server server = start("%{X-Line}i")) {
            server.get("/", "X-Line: " + part);
            server.get("/", "X-Line: ~s1z~AAAAAAAAAAAAAAAA~" + "A".repeat(32) + "~");
        }
        assertEquals(2, Files.readString(folder.resolve("sealed.log")).split("~s1a~lookalike~", -1).length - 1);
        assertOpensToPlain();
    }

    /** An application may seal for its own log what it also hands to the valve. */
    @Test
    void tokensAreNotSealedAgain() throws Exception {
        valve.set("seal", "%{note}r");
        valve.setEncoding("ISO-8859-1");
        try (Server server = new Server(folder, sealed("%{note}r"),
                new NoteSetter(() -> "no user " + Sealed.of("user", "SECRET")))) {
            server.get("/");
        }
        assertFalse(Files.readString(folder.resolve("sealed.log")).contains("SECRET"));
        assertEquals("no user SECRET\n", program.openText(folder.resolve("sealed.log")));
        program.verify(folder.resolve("sealed.log"));
    }

    /** A URL is written by whoever likes. */
    @Test
    void lookalikesInPathsAndHeadersMakeNoLogFail() throws Exception {
        String other = "B".repeat(16);
        try (Server server = start("%r \"%{X-Line}i\"")) {
            for (String text : List.of("~s1a~x~" + other + "~" + "A".repeat(27) + "~", "~s1z~" + other + "~" + "A".repeat(32) + "~",
                    "~s1h~" + other + "~AAAAAAAAAAAA~1.1~AAAA~")) {
                server.get("/" + text + "/x?a=SECRET" + text, "X-Line: " + text);
            }
        }
        String sealed = Files.readString(folder.resolve("sealed.log"));
        assertFalse(sealed.contains("SECRET") || sealed.contains(other), sealed);
        assertOpensToPlain();
        program.run("log", "grep", "-i", program.identity.toString(), "SECRET", folder.resolve("sealed.log").toString());
    }

    @Test
    void aFileThatACrashCutIsGoneOnWithInALineOfItsOwn() throws Exception {
        Files.writeString(folder.resolve("sealed.log"), "GET ~s1a~a~AAAAAAAAAAAAAAAA~AAAA");
        Files.writeString(folder.resolve("plain.log"), "GET ~s1a~a~AAAAAAAAAAAAAAAA~AAAA\n");
        try (Server server = start("%q")) {
            server.get("/?a=SECRET");
        }
        assertOpensToPlain();
    }

    private Server start(String pattern) throws Exception {
        return new Server(folder, sealed(pattern), plain(pattern));
    }

    private AccessLogValve sealed(String pattern) {
        return Server.log(valve, folder, "sealed", pattern);
    }

    private AccessLogValve plain(String pattern) {
        return Server.log(new AccessLogValve(), folder, "plain", pattern);
    }

    private void assertOpensToPlain() throws Exception {
        byte[] plain = Files.readAllBytes(folder.resolve("plain.log"));
        assertTrue(plain.length > 0);
        byte[] opened = program.open(folder.resolve("sealed.log"));
        assertEquals(new String(plain, UTF_8), new String(opened, UTF_8));
        assertArrayEquals(plain, opened);
        program.verify(folder.resolve("sealed.log"));
    }

    /** All with SECRET, and nowhere but where a value is. */
    private static List<String> targets() {
        return List.of("/?a=SECRET", "/a;jsessionid=SECRET", "/a;v=SECRET?b=SECRET", "/?SECRET", "/?a&SECRET&=SECRET",
                "/?a=SECRET;b=SECRET", "/?a=SECRET?b=SECRET", "/??a=SECRET", "/?a=%0d%0aSECRET", "/?a=%zzSECRET%",
                "/?a=%C3%A9SECRET", "/?a=\u00e9SECRET", "/?a=\"SECRET\"", "/?a={SECRET}", "/?a=\\SECRET", "/?%61[0]=SECRET",
                "/?a=~s1a~x~AAAAAAAAAAAAAAAA~AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAASECRET~", "/?a=b=SECRET", "/?a='SECRET'|`",
                "/?a=&b=&c=SECRET", "/?" + "a=SECRET&".repeat(2000), "/?a=" + "SECRET".repeat(5000), "/?a=1&amp;b=SECRET",
                "/~s1a~x~AAAAAAAAAAAAAAAA~AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA?a=SECRET", "/?a=SECRET#SECRET", "/#SECRET");
    }

    private static List<String> requests() {
        String end = "\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        return List.of("GET /?a=SECRET\r\n\r\n", "GET /?a=SECRET HTTP/9.9" + end, "get /?a=SECRET HTTP/1.1" + end,
                "GET /?a=SECRET\nX HTTP/1.1" + end, "GET http://user:word@host/?a=SECRET HTTP/1.1" + end,
                "G=SECRET /?a=SECRET HTTP/1.1" + end, "GET  /?a=SECRET HTTP/1.1" + end, "GET SECRET HTTP/1.1" + end,
                "OPTIONS * HTTP/1.1" + end, "CONNECT host:443 HTTP/1.1" + end, "GET /?a=SECRET SECRET HTTP/1.1" + end,
                "\u0016\u0003\u0001SECRET\r\n\r\n", "GET /?a=SECRET\u0000b HTTP/1.1" + end, "PUT\t/?a=SECRET HTTP/1.1" + end,
                "GET /?a=SECRET HTTP/1.0\r\n\r\n", "GET /?a=SECRET HTTP/1.1\r\nBad Header SECRET\r\n\r\n", "\r\n\r\n");
    }
}
