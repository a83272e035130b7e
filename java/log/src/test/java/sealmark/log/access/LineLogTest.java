package sealmark.log.access;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import sealmark.log.Label;
import sealmark.log.LogSealer;
import sealmark.log.access.Dialect.Element;
import sealmark.log.keys.PreSharedKey;
import sealmark.testing.RepeatedHeaders;

/** A line comes after the headers that it needs, whatever the server's writer does with them. */
class LineLogTest {
    private final LogSealer sealer = LogSealer.builder().preSharedKey(PreSharedKey.generate()).build();
    private final List<String> written = new ArrayList<>();
    private boolean isFull;
    private String file = "first";
    private final LineLog log = new LineLog(() -> sealer, this::write, () -> file);

    @AfterEach
    void close() {
        sealer.close();
    }

    @Test
    void aHeaderComesOnceAndAClosingTokenAtTheEnd() throws IOException {
        line("a");
        line("b");
        log.close();
        line("c");
        assertEquals(List.of("header", "a", "b", "closing"), kinds());
    }

    @Test
    void aHeaderThatWasNotWrittenIsWrittenAgain() throws IOException {
        isFull = true;
        assertThrows(IOException.class, () -> line("a"));
        isFull = false;
        line("b");
        isFull = true;
        assertThrows(IOException.class, () -> line("c"));
        isFull = false;
        line("d");
        assertEquals(List.of("header", "b", "header", "d"), kinds());
    }

    @Test
    void aHeaderIsRepeatedAndItsSessionIsClosed() throws Exception {
        LineLog repeating = RepeatedHeaders.of(() -> new LineLog(() -> sealer, this::write, () -> file));
        repeating.write(() -> sealer.seal(Label.of("a"), "1"));
        repeating.write(() -> sealer.seal(Label.of("b"), "1"));
        repeating.write(() -> "~c~");
        repeating.close();
        assertEquals(List.of("header", "a", "header", "b", "", "closing"), kinds());
    }

    @Test
    void theNextFileHasANewSession() throws IOException {
        line("a");
        file = "second";
        line("b");
        line("c");
        assertEquals(List.of("header", "a", "closing", "header", "b", "c"), kinds());
        assertTrue(!session(written.get(1)).equals(session(written.get(4))));
    }

    @Test
    void textThatLooksLikeATokenIsSealed() throws IOException {
        log.write(() -> "GET /~s1a~x~" + "B".repeat(16) + "~" + "A".repeat(27) + "~");
        assertTrue(written.get(written.size() - 1).startsWith("GET /~s1a~lookalike~"), written::toString);
    }

    /** The rules of a dialect in which {@code %x} is a cookie if it has a name, and all of them if not. */
    @Test
    void anElementIsSelectedByItsCodeOrItsName() {
        Dialect dialect = new Cookies();
        for (String seal : List.of("%x", "%{SID}x", "%y")) {
            RequestRules rules = rules(dialect, seal);
            assertTrue(rules.of(new Element("x", "sid")).sealed("secret").startsWith("~s1a~sid~"), seal);
            assertEquals("-", rules.of(new Element("x", "sid")).sealed("-"));
        }
        assertTrue(rules(dialect, "query,%{sid}x, %x").of(new Element("x", "sid")).sealed("a").startsWith("~s1a~sid~"));
        assertTrue(rules(dialect, "%{a,b}x").of(new Element("x", "a,b")).sealed("a").startsWith("~s1a~a_b~"));
        assertEquals("secret", rules(dialect, "%{other}x").of(new Element("x", "sid")).sealed("secret"));
        assertEquals(null, rules(dialect, "%y").of(new Element("t", null)));
        for (String seal : List.of("query", "%{other}x", "%{other}x query", "")) {
            assertTrue(rules(dialect, seal).of(new Element("x", "sid")).sealed("a=secret").startsWith("a=~s1a~a~"), seal);
        }
        List<String> told = new ArrayList<>();
        RequestRules rules = rules(dialect, "%y %{other}x");
        rules.of(new Element("x", "sid"));
        rules.report("seal=\"%x\"", told::add, told::add);
        assertEquals(List.of("\"%y\" in seal cannot be sealed, so everything that clients send is sealed\nhint: seal=\"%x\"",
                "\"%{other}x\" in seal is not in the pattern\nhint: write elements in seal exactly as in the pattern"), told);
    }

    /** An element that shows one parameter is sealed as that parameter is in a query. */
    @Test
    void aParameterIsSealedIfItsNameIs() {
        Dialect dialect = new Parameters();
        Element email = new Element("p", "email");
        for (List<String> sealing : List.of(List.of("", "", ""), List.of("%p", "", ""), List.of("", "Email", "email"),
                List.of("", "page", ""), List.of("", "", "page"), List.of("", "Email", "*"))) {
            Rule rule = rules(dialect, sealing.get(0), sealing.get(1), sealing.get(2)).of(email);
            assertTrue(rule.sealed("secret").startsWith("~s1a~email~"), sealing.toString());
        }
        assertEquals(null, rules(dialect, null, "page", "*").of(email));
        assertEquals(null, rules(dialect, null, null, "*").of(email));
        assertEquals(null, rules(dialect, null, null, "email").of(email));
    }

    /** It has parameters, and headers besides, so that it is sealed whatever parameters stay in the clear. */
    @Test
    void aWholeRequestIsSealedUnlessItIsNamed() {
        Element request = new Element("x", null);
        for (List<String> others : List.of(List.of("", ""), List.of("%{other}x", ""), List.of("", "*"), List.of("%x", "*"))) {
            Rule rule = rules(new Requests(), others.get(0), null, others.get(1)).of(request);
            assertTrue(rule.sealed("GET / secret").matches("~s1a~message~[^~]+~[^~]+~"), others.toString());
        }
        assertEquals(null, rules(new Requests(), "", null, "%x").of(request));
    }

    /** Each list names an element as narrowly as it likes; the narrower one has it, and a list to seal if both are the same. */
    @Test
    void anElementStaysInTheClearIfItIsNamedMoreNarrowlyThere() {
        Dialect dialect = new Cookies();
        Element sid = new Element("x", "sid");
        for (List<String> clear : List.of(List.of("%x", "%{sid}x"), List.of("", "%{SID}x"), List.of("", "%x"))) {
            assertEquals(null, rules(dialect, clear.get(0), null, clear.get(1)).of(sid), clear.toString());
        }
        for (List<String> sealed : List.of(List.of("%{sid}x", "%x"), List.of("%x", "%x"), List.of("%{sid}x", "%{sid}x"),
                List.of("%x", "%{other}x"), List.of("%x", "*"), List.of("%y", "%x"), List.of("%y", "%{sid}x"))) {
            assertTrue(rules(dialect, sealed.get(0), null, sealed.get(1)).of(sid).sealed("a").startsWith("~s1a~sid~"),
                    sealed.toString());
        }
        List<String> told = new ArrayList<>();
        RequestRules rules = rules(dialect, "%{sid}x", "page", "%{SID}x %{other}x Page page *");
        rules.of(sid);
        rules.report("seal=\"%x\"", told::add, told::add);
        String sealed = " is to be sealed and to stay in the clear, so it is sealed\nhint: remove it from clear, or from seal"
                + " and names";
        assertEquals(List.of("\"%{other}x\" in clear is not in the pattern\nhint: write elements in clear exactly as in the"
                + " pattern", "\"%{sid}x\"" + sealed, "\"page\"" + sealed), told);
    }

    @Test
    void aNameIsSealedInAnElementThatStaysInTheClear() {
        for (Rule rule : List.of(rules(new Cookies(), null, "Email", "%x").of(new Element("x", "sid")),
                rules(new Cookies(), null, "email", "%{sid}x *").of(new Element("x", "sid")))) {
            String sealed = rule.sealed("page=3&email=secret");
            assertTrue(sealed.matches("page=3&email=~s1a~[Ee]mail~[^~]+~[^~]+~"), sealed);
            assertEquals("plain", rule.sealed("plain"));
        }
        List<String> told = new ArrayList<>();
        RequestRules rules = rules(new Parameters(), null, "Email", "%{email}x %{page}x");
        assertTrue(rules.of(new Element("x", "email")).sealed("secret").startsWith("~s1a~email~"));
        assertEquals(null, rules.of(new Element("x", "page")));
        rules.report("seal=\"%x\"", told::add, told::add);
        assertEquals(List.of("\"%{email}x\" is to be sealed and to stay in the clear, so it is sealed"
                + "\nhint: remove it from clear, or from seal and names"), told);
    }

    @Test
    void aStarIsNoName() {
        List<String> told = new ArrayList<>();
        RequestRules rules = rules(new Cookies(), null, "*", "* page %x");
        assertTrue(rules.of(new Element("x", "sid")).sealed("page=secret").startsWith("page=~s1a~page~"));
        rules.report("seal=\"%x\"", told::add, text -> { });
        assertEquals(List.of("\"*\" in names is not the name of a parameter, so clear is ignored"
                + "\nhint: name each parameter in names"), told);
    }

    private Values values() {
        return new Values(() -> sealer, UTF_8, false);
    }

    private RequestRules rules(Dialect dialect, String seal) {
        return rules(dialect, seal, null, null);
    }

    private RequestRules rules(Dialect dialect, String seal, String names, String clear) {
        return new RequestRules(dialect, seal, names, clear, values(), text -> { });
    }

    private void line(String label) throws IOException {
        log.write(() -> sealer.seal(Label.of(label), "1"));
    }

    private void write(String line) throws IOException {
        if (isFull) {
            throw new IOException("full");
        }
        written.add(line);
    }

    private List<String> kinds() {
        return written.stream().map(line -> line.startsWith("~s1h~") ? "header" : line.startsWith("~s1z~") ? "closing"
                : line.split("~", -1)[2]).toList();
    }

    private static String session(String token) {
        return List.of(token.split("~", -1)).get(3);
    }

    private static final class Parameters extends Cookies {
        @Override
        public Shows shows(Element element) {
            return Shows.PARAMETER;
        }
    }

    private static final class Requests extends Cookies {
        @Override
        public Shows shows(Element element) {
            return Shows.MESSAGE;
        }
    }

    private static class Cookies implements Dialect {
        @Override
        public Element element(String word) {
            return word.equals("%x") ? new Element("x", null)
                    : word.matches("%\\{.+}x") ? new Element("x", word.substring(2, word.length() - 2)) : null;
        }

        @Override
        public Shows shows(Element element) {
            return element.code().equals("x") ? Shows.COOKIE : null;
        }

        @Override
        public String text(Element element) {
            return element.name() == null ? "%x" : "%{" + element.name() + "}x";
        }
    }
}
