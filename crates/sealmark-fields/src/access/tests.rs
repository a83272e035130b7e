use crate::shown::access as found;
use crate::{Fields, Selection};

const HEAD: &str = r#"1.2.3.4 - bob [10/Oct/2000:13:55:36 -0700]"#;

/// The line with `request` in it, in the combined format.
fn of(request: &str) -> String {
    format!(r#"{HEAD} "{request}" 200 2326 "-" "curl/8""#)
}

#[test]
fn both_formats_and_what_is_added_to_them_are_known() {
    let common = format!(r#"{HEAD} "GET /a?b=1 HTTP/1.0" 200 2326"#);
    assert_eq!(found("b", "client user", &common).unwrap(), ["client 1.2.3.4", "user bob", "b 1"]);
    let combined = format!(r#"{common} "http://x/?b=2&c=3" "curl/8 (?b=4)""#);
    assert_eq!(found("b", "", &combined).unwrap(), ["b 1", "b 2", "b 4)"]);
    assert_eq!(
        found("", "Referer User-Agent X-Forwarded-For", &combined).unwrap(),
        ["Referer http://x/?b=2&c=3", "User-Agent curl/8 (?b=4)"]
    );
    let more = format!(r#"{combined} "1.1.1.1" rt=0.1 /?b=5 up="/?b=6&d=7" - "k=v""#);
    assert_eq!(
        found("b", "Referer", &more).unwrap(),
        ["b 1", "Referer http://x/?b=2&c=3", "b 4)", "b 5", "b 6"]
    );
    assert_eq!(
        found("", "X-Forwarded-For Cookie=4", &more).unwrap(),
        ["X-Forwarded-For 1.1.1.1", "Cookie k=v"]
    );
    let forms = format!(r#"{common} "user=1&b=2" args="b=3&c=4" "-""#);
    assert_eq!(found("b", "", &forms).unwrap(), ["b 1", "b 2", "b 3"]);
    let with_host = format!("a.example:443 {combined}\r");
    assert_eq!(found("c", "client", &with_host).unwrap(), ["client 1.2.3.4", "c 3"]);
}

#[test]
fn clients_and_users_are_whatever_servers_write() {
    let who = |who: &str| found("", "client user", &format!(r#"{who} [t] "-" 400 -"#)).unwrap();
    assert_eq!(who("::1 - -"), ["client ::1"]);
    assert_eq!(who("::1 - a b"), ["client ::1", "user a b"]);
    assert_eq!(who(r#"h - """#), ["client h"]);
    assert_eq!(who(r#"h - a\"b"#), ["client h", r#"user a\"b"#]);
    assert_eq!(who("h - a [b] c"), ["client h", "user a [b] c"]);
    assert_eq!(who("unix: - -"), ["client unix:"]);
    assert_eq!(who("1.1.1.1, 2.2.2.2, ::3 - a"), ["client 1.1.1.1, 2.2.2.2, ::3", "user a"]);
    assert_eq!(who("x.example:80 1.1.1.1, 2.2.2.2 - a b"), ["client 1.1.1.1, 2.2.2.2", "user a b"]);
    assert_eq!(who("1.1.1.1:5555 - -"), ["client 1.1.1.1:5555"]);
    assert_eq!(who("1.1.1.1:5555 - a b"), ["client 1.1.1.1:5555", "user a b"]);
}

#[test]
fn where_a_name_may_be_in_front_all_words_are_one() {
    for who in [
        "::1 ident a",
        "[::1]:80 1.1.1.1, 2.2.2.2 - a b",
        "shop.example 203.0.113.9 -",
        "shop.example 203.0.113.9 bob",
        "203.0.113.9:5555 shop.example - -",
        "evil - x, 203.0.113.9 - -",
        "evil - x 203.0.113.9 - -",
        "evil x, y - -",
        "evil - (203.0.113.9:80)",
        "evil - e,203.0.113.9",
        "evil - for=203.0.113.9",
        "evil - a;203.0.113.9",
        "a  b, 203.0.113.9 - -",
        "evil, - -",
        " - -",
        "h  -",
        "evil - [2001:db8::1]:80",
        "shop.example 1.2.3.4 - bob",
        "::1 ident a b",
        "h 1.1.1.1, 2.2.2.2 - -",
        "h ::1 - -",
        "1.1.1.1:55 ident a b",
    ] {
        let line = format!(r#"{who} [t] "-" 400 -"#);
        for headers in ["client", "client user", "user client"] {
            assert_eq!(found("", headers, &line).unwrap(), [format!("client {who}")]);
        }
        assert_eq!(found("", "user", &line).unwrap(), [format!("user {who}")]);
        assert!(found("b", "Referer", &line).unwrap().is_empty());
    }
}

#[test]
fn a_request_is_taken_apart_if_that_can_be_done() {
    for target in ["/?b=1", "http://x?b=1", "x.example:443?b=1", "/?a&b=1", "/a;b=1", "/a&b=1"] {
        assert_eq!(found("b", "", &of(&format!("GET {target} HTTP/1.1"))).unwrap(), ["b 1"]);
    }
    assert_eq!(found("b", "", &of("GET /?b=1")).unwrap(), ["b 1"]);
    assert_eq!(found("b", "", &of("GET /a b?b=1 c HTTP/1.1")).unwrap(), ["b 1 c"]);
    assert_eq!(found("b", "", &of("GET /?b=1 HTTP/1.1 x")).unwrap(), ["b 1 HTTP/1.1 x"]);
    assert_eq!(found("b", "", &of(r#"GET /?b=\"\\&c HTTP/1.1"#)).unwrap(), [r#"b \"\\"#]);
    for nothing in ["-", "", "OPTIONS * HTTP/1.1", "GET / HTTP/1.1", "GET /b=1 HTTP/1.1", "GET /b HTTP/1.1"] {
        assert!(found("b all", "", &of(nothing)).unwrap().is_empty(), "{nothing}");
    }
}

#[test]
fn where_there_are_many_parameters_those_of_a_field_are_one() {
    let url = |values: usize| format!("/?{}", vec!["a"; values].join("&"));
    let line = |values: usize| of(&format!("GET {} HTTP/1.1", url(values))).replace("\"-\"", "\"/?b=1\"");
    assert_eq!(found("all", "", &line(63)).unwrap().len(), 64);
    let all = format!("query {}", &url(64)[2..]);
    assert_eq!(found("all", "client", &line(64)).unwrap(), ["client 1.2.3.4", &all, "query 1"]);
}

#[test]
fn an_odd_request_is_sealed_as_a_whole() {
    for odd in [
        r"\x16\x03\x01",
        "b=1",
        "GET b?b=1 HTTP/1.1",
        "POST /?b=1",
        "GET HTTP/1.1",
        r"\x16 /?b=1 HTTP/1.1",
        " /?b=1",
    ] {
        assert_eq!(found("b", "", &of(odd)).unwrap(), [format!("request {odd}")]);
        assert!(found("", "Referer", &of(odd)).unwrap().is_empty());
    }
    // A request that cannot be read hides no rule that finds nothing, and is counted apart.
    let fields = |query: &str| Selection { query: vec![query.to_owned()], ..Selection::default() };
    let fields = ["b", "all"].map(|query| Fields::new(&fields(query)).unwrap());
    for fields in fields {
        assert!(fields.find(of("b=1").as_bytes(), &mut Vec::new()));
        assert_eq!((fields.rules().map(|(_, values)| values).sum::<u64>(), fields.rests()), (0, 1));
    }
    assert_eq!(found("b", "request", &of("GET / HTTP/1.1")).unwrap(), ["request GET / HTTP/1.1"]);
}

#[test]
fn other_lines_are_not_looked_into() {
    for line in [
        "",
        "a b c",
        r#"h - [t] "GET / HTTP/1.1" 200 1"#,
        r#"h - - t "GET / HTTP/1.1" 200 1"#,
        r#"h - - [t]"GET / HTTP/1.1" 200 1"#,
        r#"h - - [t] GET / HTTP/1.1 200 1"#,
    ] {
        assert_eq!(found("b", "client", line), None, "{line}");
    }
    let good = of("GET / HTTP/1.1");
    let request = good.find('"').unwrap();
    assert!((0..=request).all(|end| found("b", "", &good[..end]).is_none()));
}

#[test]
fn where_nobody_can_tell_the_fields_apart_the_rest_is_one() {
    let head = "h - - [t] ";
    for rest in [
        r#""GET / HTTP/1.1" 2x0 1"#,
        r#""GET / HTTP/1.1" 200 "#,
        r#""GET / HTTP/1.1" 200"#,
        r#""GET / HTTP/1.1\" 200 1"#,
        r#""GET /" x HTTP/1.1" 200 1"#,
    ] {
        let line = format!("{head}{rest}");
        assert_eq!(found("b", "client", &line).unwrap(), ["client h".to_owned(), format!("line {rest}")]);
    }
    let head = r#"h - - [t] "GET /?b=1 HTTP/1.1" 200 1 "#;
    for rest in [r#""a"b""#, r#"a="b"#, r#""a"b c "d""#] {
        assert_eq!(
            found("b", "", &format!("{head}{rest}")).unwrap(),
            ["b 1".to_owned(), format!("line {rest}")]
        );
    }
    // Lines that are cut off in the middle of a field.
    let good = of("GET /?b=1 HTTP/1.1");
    let size = good.rfind(" \"-\"").unwrap();
    for end in size + 2..good.len() {
        let found = found("b", "", &good[..end]).unwrap();
        assert!(found.len() == 1 || found[1].starts_with("line \""), "{found:?}");
    }
}

#[test]
fn headers_in_another_place_are_sealed_with_all_behind() {
    let rest =
        |headers: &str, rest: &str| found("", headers, &format!(r#"h - - [t] "-" 200 5 {rest}"#)).unwrap();
    let ordinary = r#""http://x/" "curl""#;
    for odd in [
        r#""Mozilla SECRETUA" "203.0.113.1""#,
        r#""Mozilla SECRETUA""#,
        r#""-" "203.0.113.1, 10.0.0.1""#,
        r#"xff="198.51.100.7" "-" "curl""#,
        r#""203.0.113.1" "-" "curl""#,
        r#""2001:db8::1" "curl""#,
    ] {
        for header in ["User-Agent", "X-Forwarded-For", "Referer User-Agent"] {
            let found = rest(header, odd);
            let covered =
                found.last().is_some_and(|last| last.starts_with("line ") && odd.ends_with(&last[5..]));
            let before = odd.strip_suffix(found.last().map_or("", |last| &last[5..]));
            assert!(covered && !before.unwrap().contains(['S', '1']), "{header} {odd} {found:?}");
        }
    }
    assert_eq!(rest("X-Forwarded-For", r#""-" "curl" xff="198.51.100.7""#), [r#"line xff="198.51.100.7""#]);
    assert_eq!(rest("X-Forwarded-For", r#""-" "curl" "a b" "::1""#), [r#"line "a b" "::1""#]);
    assert_eq!(
        rest("X-Forwarded-For", &format!("{ordinary} \"1.1.1.1:80, ::2\"")),
        ["X-Forwarded-For 1.1.1.1:80, ::2"]
    );
    assert_eq!(rest("X-Forwarded-For", &format!("{ordinary} \"-\" rt=1")), [""; 0]);
    assert_eq!(rest("X-Forwarded-For", ordinary), [""; 0]);
    assert_eq!(rest("Referer", r#""-""#), [""; 0]);
    // A number is taken at its word.
    assert_eq!(rest("Agent=1", r#""Mozilla" "203.0.113.1""#), ["Agent Mozilla"]);
}

#[test]
fn quotes_that_a_server_did_not_escape_shift_no_field() {
    let rest = |rest: &str| {
        found("", "User-Agent X-Forwarded-For", &format!(r#"h - - [t] "-" 200 5 {rest}"#)).unwrap()
    };
    assert_eq!(rest(r#""-" "Moz "x" SECRET" "::1""#), [r#"line "Moz "x" SECRET" "::1""#]);
    assert_eq!(rest(r#""-" "x" "1.1.1.1" "::1""#), ["User-Agent x", r#"line "1.1.1.1" "::1""#]);
    assert_eq!(rest(r#""-" "x" "1.1.1.1" rt=1 "::1""#).len(), 2);
    assert_eq!(rest(r#""-" "Moz"x" "::1""#), [r#"line "Moz"x" "::1""#]);
    assert_eq!(rest(r#""-" "Moz" " SECRET" "::1""#), ["User-Agent Moz", r#"line " SECRET" "::1""#]);
}
