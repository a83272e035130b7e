package sealmark.log.access;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.CharArrayWriter;
import java.util.List;
import org.junit.jupiter.api.Test;
import sealmark.log.Sealers;
import sealmark.log.ValueNames;

/** Where values are found. Markers stand for tokens. */
class QueryTest {
    private static final String NOBODY = "nobody";

    @Test
    void allValuesAreFoundAndNamesStay() {
        assertEquals("?a=<a>&b=&<query>&c=<c>", all(Query.Kind.QUERY, "?a=1&b=&x&c=3"));
        assertEquals("?<query>&<query>&&<query>&=<query>", all(Query.Kind.QUERY, "?p;q=2&;d=4&&amp;e=5&=6"));
        assertEquals("/a;s=<s>", all(Query.Kind.TARGET, "/a;s=1?x=1"));
        assertEquals("/a&s=<s>", all(Query.Kind.TARGET, "/a&s=1"));
        assertEquals("/a#x=<x>&t=<t>", all(Query.Kind.TARGET, "/a#x=1&t=2"));
        assertEquals("/all/of/it?", all(Query.Kind.TARGET, "/all/of/it?"));
        assertEquals("?<query>", all(Query.Kind.QUERY, "?secret+words"));
        assertEquals("?<query>", all(Query.Kind.QUERY, "??a=1"));
        assertEquals("-", all(Query.Kind.QUERY, "-"));
        assertEquals("", all(Query.Kind.QUERY, ""));
    }

    @Test
    void aQueryWithoutItsMarkBeginsAtItsStart() {
        assertEquals("a=<a>&<query>", all(Query.Kind.FORM, "a=1&x"));
        assertEquals("<query>", all(Query.Kind.FORM, "secret"));
        assertEquals("-", all(Query.Kind.FORM, "-"));
        assertEquals("a=1&p=<p>", write(List.of("p"), List.of(), true, Query.Kind.FORM, "a=1&p=2"));
    }

    @Test
    void aRequestIsTakenApartIfThatCanBeDone() {
        assertEquals("GET /?b=<b> HTTP/1.1", all(Query.Kind.REQUEST, "GET /?b=1 HTTP/1.1"));
        assertEquals("GET http://x?b=<b> HTTP/2.0", all(Query.Kind.REQUEST, "GET http://x?b=1 HTTP/2.0"));
        assertEquals("GET /a b?b=<b> HTTP/1.0", all(Query.Kind.REQUEST, "GET /a b?b=1 c HTTP/1.0"));
        assertEquals("OPTIONS * HTTP/1.1", all(Query.Kind.REQUEST, "OPTIONS * HTTP/1.1"));
        for (String odd : List.of("x", "b=1", "GET b?b=1 HTTP/1.1", "GET  HTTP/1.1", " /?b=1 HTTP/1.1", "G=T / HTTP/1.1",
                "GET HTTP/1.1", "GET - HTTP/1.1")) {
            assertEquals("<request>", all(Query.Kind.REQUEST, odd), odd);
        }
        assertEquals("<path>", all(Query.Kind.TARGET, "SECRET"));
    }

    @Test
    void aFormBeginsAtItsStart() {
        assertEquals("user=<user>&p=<p>", all(Query.Kind.FIELD, "user=1&p=2"));
        assertEquals("<query>", all(Query.Kind.FIELD, "a; b=1"));
        assertEquals("http://x/a=b?c=<c>", all(Query.Kind.FIELD, "http://x/a=b?c=d"));
        for (String plain : List.of("curl/8", "Mozilla/5.0 (X11; Linux x86_64)", "1.1.1.1:80, 2.2.2.2", "a&b")) {
            assertEquals(plain, all(Query.Kind.FIELD, plain));
        }
        assertEquals("x?<query>", all(Query.Kind.FIELD, "x?y"));
        assertEquals("/a=b?c=<c>", all(Query.Kind.FIELD, "/a=b?c=d"));
    }

    @Test
    void aFieldThatOnlyLooksLikeAUrlIsAForm() {
        assertEquals("a:b=<a_b>", all(Query.Kind.FIELD, "a:b=1"));
        assertEquals("a:b=<a_b>&c=<c>", all(Query.Kind.FIELD, "a:b=1&c=2"));
        assertEquals("a:b=<a_b>", all(Query.Kind.FIELD, "a:b=1;c=2"));
        assertEquals("a:=<a_>", all(Query.Kind.FIELD, "a:=1"));
        assertEquals("/p%3Femail=<_p_3Femail>", all(Query.Kind.FIELD, "/p%3Femail=1"));
        assertEquals("x://y/z=<x___y_z>", all(Query.Kind.FIELD, "x://y/z=1"));
    }

    @Test
    void namesAreTheSameHoweverTheyAreWritten() {
        for (String same : List.of("password", "%70assword", "Pass%77ord", "PASSWORD", "pass\\u0077ord", "password[]",
                "password%5b0%5d", "+password", "%20password", "password ", "password%00", "password%00[x",
                "password+[]")) {
            assertEquals("/?" + same + "=<password>", some("password", "/?" + same + "=x"), same);
        }
        for (String other : List.of("passwords[]", "[password]", "%00password", "pass+word", "pass%7", "p")) {
            assertEquals("/?" + other + "=x", some("password", "/?" + other + "=x"), other);
        }
        assertEquals("/?%C3%A9=<_>", some("\u00e9", "/?%C3%A9=1"));
        assertEquals("/?\\u00c3\\u00a9=<_>", some("\u00e9", "/?\\u00c3\\u00a9=1"));
    }

    @Test
    void aNamedValueIsFoundWhereverAServerMayTakeItToBegin() {
        assertEquals("/a?user=1&p=<p>&user=&x", some("p", "/a?user=1&p=p=w&user=&x"));
        assertEquals("/?a=1;p=<p>&b=2&amp;p=<p>&c", some("p", "/?a=1;p=1;x&b=2&amp;p=q?r#s&c"));
        assertEquals("/?x?p=<p>", some("p", "/?x?p=1"));
        assertEquals("/?a=p=1&p", some("p", "/?a=p=1&p"));
        assertEquals("/?p=", some("p", "/?p="));
    }

    @Test
    void aClientCannotMakeALineManyTimesItsRequest() {
        String sealed = all(Query.Kind.QUERY, "?" + "a=1&".repeat(50_000));
        assertEquals("?" + "a=<a>&".repeat(63) + "<query>", sealed);
        assertEquals("/?" + "p=<p>&".repeat(63) + "p=<p>", some("p", "/?" + "p=1&".repeat(1000)));
    }

    @Test
    void whatIsInClearIsWrittenJustSo() {
        assertEquals("?page=1&PAGE=<PAGE>&page=<page>&%70age=<_70age>",
                write(List.of(), List.of("page"), false, Query.Kind.QUERY, "?page=1&PAGE=2&page=3;x=y&%70age=4"));
    }

    @Test
    void aNameAddsToAllOthersAndIsStrongerThanOneInClear() {
        assertEquals("?page=1&PASSWORD=<password>&%70assword=<password>&user=<user>", write(List.of("password"),
                List.of("page", "PASSWORD"), false, Query.Kind.QUERY, "?page=1&PASSWORD=2&%70assword=3&user=4"));
    }

    @Test
    void labelsAreTheNamesAsFarAsLabelsGo() {
        String name = "n".repeat(70);
        assertEquals("?" + name + "=<" + "n".repeat(64) + ">", all(Query.Kind.QUERY, "?" + name + "=1"));
        assertEquals("?a%5B=<a_5B>", all(Query.Kind.QUERY, "?a%5B=1"));
    }

    private static String all(Query.Kind kind, String text) {
        return write(List.of(), List.of(), false, kind, text);
    }

    private static String some(String name, String text) {
        return write(List.of(name), List.of(), true, Query.Kind.TARGET, text);
    }

    private static String write(List<String> names, List<String> clear, boolean onlyNames, Query.Kind kind, String text) {
        Query query = new Query(new Selection(null, List.of(), List.of(), names, List.of(), clear, onlyNames), onlyNames,
                new ValueNames(names, told -> {}), new Values(() -> Sealers.find(NOBODY), UTF_8, false));
        CharArrayWriter out = new CharArrayWriter();
        char[] chars = ("!" + text + "!").toCharArray();
        query.write(kind, chars, 1, chars.length - 1, out);
        assertFalse(out.toString().contains("!"), "beyond its bounds");
        return out.toString().replaceAll("~s1x~([^~]*)~", "<$1>");
    }
}
