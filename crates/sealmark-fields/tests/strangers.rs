//! Attacks by people who choose text in a log: none of them keeps a named value in the clear, hides a line, or makes a
//! line take long.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod pipe;

use memchr::memmem;
use pipe::{none, opened, owned, sealed};
use sealmark_fields::{Fields, Kept, Kind, List, Selection, SelectionError, Unknown, Unparsed, Wrapper};

fn json(names: &[&str]) -> Selection {
    Selection { kind: Some(Kind::Json), json: owned(names), ..none() }
}

/// Patterns leave text in the clear if none matches, as in `[[within]]`.
fn text(patterns: &[&str]) -> Selection {
    let patterns = owned(patterns);
    Selection { kind: Some(Kind::Text), patterns, unparsed: Unparsed::Pass, ..none() }
}

fn url() -> Selection {
    Selection { kind: Some(Kind::Url), query: owned(&["t"]), ..none() }
}

fn within(outer: Selection, rules: &[(&str, Selection)]) -> Selection {
    let within = rules.iter().map(|(field, rules)| ((*field).to_owned(), rules.clone())).collect();
    Selection { within, ..outer }
}

const COMBINED: &str = r#"$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent""#;

/// Seals the line, and checks that it opens to itself.
fn seal(fields: &Fields, line: &str) -> String {
    let sealed = sealed(fields, line.as_bytes());
    assert_eq!(String::from_utf8_lossy(&opened(&sealed)), line);
    String::from_utf8(sealed).unwrap()
}

/// The label and the text of each value.
fn found(fields: &Fields, line: &str) -> Vec<(String, String)> {
    let mut spans = Vec::new();
    assert!(fields.find(line.as_bytes(), &mut spans), "{line}");
    let shown = |span: &sealmark_fields::Span| {
        (fields.label(span).to_string(), String::from_utf8(span.value(line.as_bytes()).into_owned()).unwrap())
    };
    spans.iter().map(shown).collect()
}

/// Checks that nothing of `SECRET` is left, and all of `KEPT`.
fn check(selection: &Selection, line: &str) {
    let sealed = seal(&Fields::new(selection).unwrap(), line);
    let count = |text: &str| memmem::find_iter(sealed.as_bytes(), text).count();
    assert_eq!(count("SECRET"), 0, "{selection:?}\n{line}\n{sealed}");
    assert_eq!(count("KEPT"), line.matches("KEPT").count(), "{selection:?}\n{line}\n{sealed}");
}

#[test]
fn a_list_in_place_of_a_string_is_searched_as_the_strings_in_it() {
    let rules = within(json(&[]), &[("uri", url()), ("msg", text(&["^mail=(\\S+)"])), ("in", json(&["a"]))]);
    check(&rules, r#"{"uri":["/?x=1\u0026t=SECRET","/KEPT"],"s":"KEPT"}"#);
    check(&rules, r#"{"msg":["KEPT",["mail=SECRET"]],"s":"KEPT"}"#);
    check(&rules, r#"{"in":["{\"a\":\"SECRET\",\"b\":\"KEPT\"}",{"a":"SECRET","b":"KEPT"}],"s":"KEPT"}"#);
    // Text in an object cannot be searched like a string, so the object is sealed.
    check(&rules, r#"{"msg":{"text":"mail=SECRET"},"uri":{"x":"/?x=1\u0026t=SECRET"},"s":"KEPT"}"#);
    let deep = format!(r#"{{"msg":{}"mail=SECRET"{},"s":"KEPT"}}"#, "[".repeat(200), "]".repeat(200));
    check(&rules, &deep);
}

#[test]
fn text_with_escapes_that_nobody_knows_is_sealed() {
    let rules = text(&["mail=\"([^\"]*)\""]);
    let logfmt = within(Selection { kind: Some(Kind::Logfmt), ..none() }, &[("msg", rules.clone())]);
    check(&logfmt, r#"msg="mail=\"SECRET\" x" s=KEPT"#);
    check(&logfmt, r#"msg="mail=\"SECRET\" \x7f" s=KEPT"#);
    check(&within(json(&[]), &[("msg", rules)]), r#"{"msg":"mail=\"SECRET\" \x7f","s":"KEPT"}"#);
}

#[test]
fn a_line_feed_in_a_value_ends_no_match() {
    for pattern in ["ip=(.*)", "ip=(.*)$", "ip=(.+?) now"] {
        let rules = within(json(&[]), &[("msg", text(&[pattern]))]);
        check(&rules, r#"{"msg":"from ip=SECRET\nSECRET now","s":"KEPT"}"#);
    }
}

#[test]
fn what_a_runtime_did_not_write_is_of_another_kind() {
    let docker = Fields::new(&Selection { wrapper: Some(Wrapper::Docker), ..json(&["a"]) }).unwrap();
    let cri = Fields::new(&Selection { wrapper: Some(Wrapper::Cri), ..json(&["a"]) }).unwrap();
    let mut spans = Vec::new();
    assert!(!docker.find(br#"{"message":"{\"a\":\"SECRET\"}","stream":"stdout"}"#, &mut spans));
    assert!(docker.find(br#"{"log":"{\"a\":\"SECRET\"}\n","stream":"stdout"}"#, &mut spans));
    // A runtime that writes no tags would have its text in place of the tag.
    for line in ["2026T stdout F=SECRET {}", "2026T stdout PSECRET", "2026T stdout PF:SECRET {}"] {
        assert!(!cri.find(line.as_bytes(), &mut spans), "{line}");
    }
    assert!(cri.find(b"2026T stdout F {}", &mut spans));
}

/// Docker writes lines as strings, so a value that is not a string is not a piece of a line that goes on.
#[test]
fn a_dropped_piece_leaves_the_next_line_as_it_is() {
    let docker = Selection { wrapper: Some(Wrapper::Docker), dropped: owned(&["pw"]), ..json(&["a"]) };
    let fields = Fields::new(&docker).unwrap();
    let (mut spans, mut kept) = (Vec::new(), Vec::new());
    let mut left = |log: &str| {
        let line = format!(r#"{{"log":"{log}","stream":"stdout"}}"#);
        let left = fields.without_dropped(line.as_bytes(), &mut spans, &mut kept).unwrap();
        String::from_utf8(pipe::sealed_of(&fields, left)).unwrap()
    };
    for piece in [r#"{\"pw\":\"SECRET"#, r#" SECRET\",\"s\":1}\n"#] {
        let left = left(piece);
        assert!(left.contains(r#""stream":"stdout""#) && !left.contains("SECRET"), "{left}");
    }
    let next = left(r#"{\"a\":\"x\",\"pw\":\"SECRET\",\"s\":\"KEPT\"}\n"#);
    assert!(next.contains("KEPT") && !next.contains("SECRET"), "{next}");
}

/// A stray byte in a dropped value leaves the line valid JSON.
#[test]
fn a_field_that_is_dropped_as_a_whole_leaves_json() {
    let rules = Selection { dropped: owned(&["t"]), ..url() };
    let fields = Fields::new(&within(json(&["ip"]), &[("uri", rules)])).unwrap();
    let (mut spans, mut kept) = (Vec::new(), Vec::new());
    let line = b"{\"uri\":\"/?a=1\\u0026t=\xbaSECRET\",\"s\":\"KEPT\",\"ip\":\"::1\"}";
    let left = fields.without_dropped(line, &mut spans, &mut kept).unwrap();
    assert_eq!(str::from_utf8(left.line).unwrap(), r#"{"uri":null,"s":"KEPT","ip":"::1"}"#);
    let rules = Selection { dropped: owned(&["t"]), ..url() };
    let logfmt = Selection { logfmt: owned(&["ip"]), ..none() };
    let fields = Fields::new(&within(logfmt, &[("uri", rules)])).unwrap();
    let left = fields.without_dropped(b"uri=[/?a=1&t=SECRET] s=KEPT", &mut spans, &mut kept).unwrap();
    assert_eq!(str::from_utf8(left.line).unwrap(), "uri= s=KEPT");
}

#[test]
fn many_values_in_one_field_hide_no_other() {
    let rules = within(
        json(&["ip"]),
        &[("uri", url()), ("msg", text(&["(?<mail>\\S+@\\S+)"])), ("in", json(&["a"]))],
    );
    for member in [
        format!(r#""uri":"/?{}""#, "t=SECRET&".repeat(70)),
        format!(r#""msg":"{}""#, "SECRET@b ".repeat(70)),
        format!(r#""in":"{{{}}}""#, vec![r#"\"a\":\"SECRET\""#; 70].join(",")),
        format!(r#""uri":"/?{0}","msg":"{1}","uri":"/?{0}""#, "t=SECRET&".repeat(40), "SECRET@b ".repeat(40)),
    ] {
        check(&rules, &format!(r#"{{{member},"s":"KEPT","ip":"SECRET"}}"#));
    }
    let log_format = Some(COMBINED.to_owned());
    for inner in [
        Selection { query: owned(&["t"]), headers: owned(&["client"]), ..none() },
        Selection {
            kind: Some(Kind::Template),
            log_format,
            query: owned(&["t"]),
            headers: owned(&["client"]),
            ..none()
        },
    ] {
        let request = format!("GET /?{} HTTP/1.1", "t=SECRET&".repeat(70));
        let line = format!(r#"SECRET - - [t] "{request}" 200 5 "-" "KEPT""#);
        check(&inner, &line);
        let docker = Selection { wrapper: Some(Wrapper::Docker), ..inner.clone() };
        check(&docker, &serde_json::json!({"log": format!("{line}\n"), "stream": "KEPT"}).to_string());
        check(&Selection { wrapper: Some(Wrapper::Cri), ..inner }, &format!("2026T stdout F {line}"));
    }
}

/// Each match of this pattern scans to the end of its text: several fields together may not take longer than one.
#[test]
fn fields_share_the_work_of_a_line() {
    let pattern = r"user=\S+(?: .*pw=(?<p>\S+))?";
    let fields = Fields::new(&within(json(&[]), &[("msg", text(&[pattern]))])).unwrap();
    let line = format!("{{{}\"s\":1}}", format!(r#""msg":"{}","#, "user=a ".repeat(2400)).repeat(8));
    let mut spans = Vec::new();
    assert!(fields.find(line.as_bytes(), &mut spans));
    // The first fields are searched without a match; then the work for a line is used up, and the others are sealed
    // whole.
    assert!((1..8).contains(&spans.len()) && spans.iter().all(|span| span.range.len() == 16_800));
}

#[test]
fn rules_that_would_be_left_aside_are_refused() {
    let twice = [("uri", url()), ("uri", text(&["x(.)"]))];
    for outer in [json(&[]), Selection { kind: Some(Kind::Logfmt), ..none() }] {
        assert!(Fields::new(&within(outer, &twice)).is_err());
    }
    let logfmt = |names: &[&str]| Selection { logfmt: owned(names), ..none() };
    for outer in [json(&["uri"]), json(&["$.uri"]), json(&["uri", "*.x"]), logfmt(&["uri"])] {
        let kept = Selection { kept: owned(&["uri"]), ..outer.clone() };
        assert!(Fields::new(&kept).is_err() && Fields::new(&within(outer, &twice[..1])).is_err());
    }
    let log_format = Some(COMBINED.to_owned());
    let kept = Selection { kind: Some(Kind::Template), log_format, kept: owned(&["client"]), ..none() };
    assert!(Fields::new(&Selection { headers: owned(&["$remote_addr"]), ..kept.clone() }).is_err());
    assert!(Fields::new(&Selection { headers: owned(&["*"]), ..kept }).is_ok());
}

/// True if the typed name means the field at this path, or one that contains it: a reference that compares name by
/// name.
fn means(typed: &[&str], way: &[&str], any_case: bool) -> bool {
    let glob = |typed: &str, name: &str| {
        let [typed, name] =
            [typed, name].map(|text| if any_case { text.to_lowercase() } else { text.to_owned() });
        match typed.split_once('*') {
            Some((first, last)) => {
                name.len() >= first.len() + last.len() && name.starts_with(first) && name.ends_with(last)
            }
            None => typed == name,
        }
    };
    match (typed, way) {
        ([], _) => true,
        (["**"], _) => !way.is_empty(),
        (["**", rest @ ..], _) => (0..way.len()).any(|skipped| means(rest, &way[skipped..], any_case)),
        ([first, typed @ ..], [name, way @ ..]) => glob(first, name) && means(typed, way, any_case),
        (_, []) => false,
    }
}

/// Two names that mean the same field are refused, unless one of them is wider: then the narrower one decides.
#[test]
fn of_two_names_for_a_field_none_is_left_aside() {
    let names =
        ["a", "A", "b", "a*", "*a", "*", "**", "a.b", "A.b", "a.*", "*.b", "*.B", "**.b", "**.a", "a.**"];
    let ways = [
        &["a", "a"][..],
        &["a", "b"],
        &["a", "ab"],
        &["A", "b"],
        &["b", "a"],
        &["b", "b"],
        &["ab"],
        &["ba"],
        &["c"],
    ];
    let line = |value: fn(usize) -> String| {
        let [v0, v1, v2, v3, v4, v5, v6, v7, v8] = std::array::from_fn(value);
        format!(
            r#"{{"a":{{"a":"{v0}","b":"{v1}","ab":"{v2}"}},"A":{{"b":"{v3}"}},"b":{{"a":"{v4}","b":"{v5}"}},"ab":"{v6}","ba":"{v7}","c":"{v8}"}}"#
        )
    };
    let text = line(|number| format!("VALUE{number}VALUE"));
    let (mut refused, mut taken) = (0, 0);
    for (sealed_name, kept_name, any_case) in names
        .iter()
        .flat_map(|one| names.map(|other| (*one, other)))
        .flat_map(|(one, other)| [(one, other, false), (one, other, true)])
    {
        let parts = |typed: &'static str| typed.split('.').collect::<Vec<_>>();
        let meant = |typed| ways.map(|way| means(&parts(typed), way, any_case));
        let (sealed_ways, kept_ways) = (meant(sealed_name), meant(kept_name));
        let both = sealed_ways.iter().zip(kept_ways).any(|(sealed, kept)| *sealed && kept);
        let is_wider = sealed_ways.iter().zip(kept_ways).all(|(sealed, kept)| *sealed || !kept);
        let told = format!("seal {sealed_name}, keep {kept_name}, any case: {any_case}");
        let selection = Selection { kept: owned(&[kept_name]), any_case, ..json(&[sealed_name]) };
        let Ok(fields) = Fields::new(&selection) else {
            refused += 1;
            let mean = |way: &[&str]| {
                means(&parts(sealed_name), way, any_case) && means(&parts(kept_name), way, any_case)
            };
            let some = ["a", "A", "b", "B", "ba", "aa"];
            let is_met = some.iter().any(|one| {
                mean(&[one]) || some.iter().any(|two| some.iter().any(|three| mean(&[one, two, three])))
            });
            assert!(is_met, "{told} is refused for nothing");
            continue;
        };
        taken += 1;
        assert!(!both || is_wider, "{told} leaves one aside");
        let sealed = seal(&fields, &text);
        for (number, (is_sealed, is_kept)) in sealed_ways.into_iter().zip(kept_ways).enumerate() {
            let is_clear = sealed.contains(&format!("VALUE{number}VALUE"));
            assert_eq!(is_clear, !is_sealed || is_kept, "{told}: {:?} in {sealed}", ways[number]);
        }
    }
    assert!(refused > 150 && taken > 150, "{refused} refused, {taken} not");
}

/// The same holds for the names of pairs, and for fields with rules of their own.
#[test]
fn one_of_two_rules_for_a_field_is_refused() {
    let pairs = |kind, names: &[&str]| match kind {
        Kind::Ltsv => Selection { kind: Some(kind), ltsv: owned(names), ..none() },
        Kind::Logfmt => Selection { kind: Some(kind), logfmt: owned(names), ..none() },
        _ => json(names),
    };
    for kind in [Kind::Json, Kind::Logfmt, Kind::Ltsv] {
        for (seal, other, any_case, is_refused) in [
            ("email", "email", false, true),
            ("Email", "email", false, false),
            ("Email", "email", true, true),
            ("email", "e*", false, true),
            ("e*", "email", false, false),
            ("e*", "*l", false, true),
            ("e*", "e*", false, true),
            ("*", "e*", false, false),
            ("E*", "email", true, false),
        ] {
            let told = format!("{kind:?}: seal {seal}, also {other}, any case: {any_case}");
            let outer = Selection { any_case, ..pairs(kind, &[seal]) };
            let kept = Selection { kept: owned(&[other]), ..outer.clone() };
            assert_eq!(Fields::new(&kept).is_err(), is_refused, "{told}");
            assert_eq!(Fields::new(&within(outer.clone(), &[(other, url())])).is_err(), is_refused, "{told}");
            // A dropped field is gone with its content, so nothing in it can have rules.
            let inner = Selection { dropped: owned(&["t"]), ..url() };
            let drops =
                Selection { dropped: owned(&[seal]), ..within(pairs(kind, &["x"]), &[(other, inner)]) };
            let meets = (seal, other, any_case) != ("Email", "email", false);
            assert_eq!(Fields::new(&Selection { any_case, ..drops }).is_err(), meets, "{told}, dropped");
        }
    }
    for (seal, field, is_refused) in
        [("user", "user.msg", false), ("user.msg", "user", true), ("**.msg", "user", false)]
    {
        assert_eq!(
            Fields::new(&within(json(&[seal]), &[(field, url())])).is_err(),
            is_refused,
            "{seal} {field}"
        );
    }
}

#[test]
fn one_of_two_names_to_seal_is_refused_where_they_mean_the_same() {
    let logfmt = |names: &[&str]| Selection { logfmt: owned(names), ..none() };
    let ltsv = |names: &[&str]| Selection { ltsv: owned(names), ..none() };
    let query = |names: &[&str]| Selection { query: owned(names), ..none() };
    let headers = |names: &[&str]| Selection { headers: owned(names), ..none() };
    let log_format = || Some(COMBINED.to_owned());
    let format =
        |names: &[&str]| Selection { kind: Some(Kind::Template), log_format: log_format(), ..headers(names) };
    for twice in [
        json(&["a", "b", "a"]),
        json(&["a.b", "$.a.b"]),
        json(&["**", "**"]),
        Selection { any_case: true, ..json(&["a", "A"]) },
        logfmt(&["a", "a"]),
        ltsv(&["a*", "a*"]),
        query(&["a", "a"]),
        headers(&["Referer", "referer"]),
        headers(&["Referer", "R=1"]),
        format(&["client", "client"]),
        Selection { dropped: owned(&["a", "a"]), ..json(&["b"]) },
    ] {
        assert!(matches!(Fields::new(&twice), Err(SelectionError::Twice { .. })), "{twice:?}");
    }
    for once in [
        json(&["a", "A"]),
        json(&["a", "a.b"]),
        json(&["a*", "*a"]),
        query(&["a", "all"]),
        format(&["client", "*"]),
        Selection { dropped: owned(&["a", "a.b"]), ..json(&["b"]) },
    ] {
        assert!(Fields::new(&once).is_ok(), "{once:?}");
    }
}

/// A value has the label of the narrowest name that means it, in whatever order the names were typed.
#[test]
fn the_narrower_of_two_names_to_seal_has_the_field() {
    let line = r#"{"user":{"email":"A","id":7},"email":"B","at":"C"}"#;
    let names = ["**", "user", "user.email", "email"];
    let orders = [[0, 1, 2, 3], [3, 2, 1, 0], [1, 0, 3, 2], [2, 3, 0, 1]];
    for order in orders {
        let names: Vec<_> = order.iter().map(|at| names[*at]).collect();
        let shown = found(&Fields::new(&json(&names)).unwrap(), line);
        let expected = [("user.email", "A"), ("user", "7"), ("email", "B"), ("match", "C")];
        assert_eq!(shown, expected.map(|(label, value)| (label.to_owned(), value.to_owned())), "{names:?}");
    }
    // An object without a narrower name in it is one value, with its names.
    let shown = found(&Fields::new(&json(&["user", "*.x"])).unwrap(), line);
    assert_eq!(shown, [("user".to_owned(), r#"{"email":"A","id":7}"#.to_owned())]);
    for names in [["e*", "email"], ["email", "e*"], ["*", "email"]] {
        let fields = Fields::new(&Selection { logfmt: owned(&names), ..none() }).unwrap();
        assert_eq!(found(&fields, "email=A")[0], ("email".to_owned(), "A".to_owned()), "{names:?}");
    }
    for names in [["*", "client"], ["client", "*"]] {
        let log_format = Some(COMBINED.to_owned());
        let kind = Some(Kind::Template);
        let selection = Selection { kind, log_format, headers: owned(&names), ..none() };
        assert!(Fields::new(&selection).is_ok(), "{names:?}");
    }
}

#[test]
fn a_field_with_rules_is_found_in_what_is_sealed() {
    for names in [&["user"][..], &["user", "*.x"]] {
        let rules = within(json(names), &[("user.uri", url())]);
        check(&rules, r#"{"user":{"uri":"/KEPT?t=SECRET","name":"SECRET"}}"#);
    }
    let any_case = Selection { kind: Some(Kind::Logfmt), logfmt: owned(&["*"]), any_case: true, ..none() };
    check(&within(any_case, &[("uri", url())]), r#"Uri="/KEPT?t=SECRET" name=SECRET"#);
}

#[test]
fn a_line_that_a_runtime_cut_stays_sealed_when_rules_are_read_again() {
    let fields =
        || Fields::new(&Selection { wrapper: Some(Wrapper::Cri), ..text(&["(\\S+@\\S+)"]) }).unwrap();
    let (before, after) = (fields(), fields());
    let sealed = seal(&before, "2026T stdout P to SECRET@SEC");
    assert!(!sealed.contains("SEC"));
    after.go_on_from(&before);
    assert!(!seal(&after, "2026T stdout F SECRET now").contains("SECRET"));
    // The same holds for dropped values, for lines within others, and for any rules that come before them now.
    let cut = |rules: Selection| Selection { wrapper: Some(Wrapper::Cri), ..rules };
    let dropping = |seal: &[&str]| cut(Selection { dropped: owned(&["a"]), ..json(seal) });
    let nested = |seal: &[&str]| within(json(seal), &[("log", cut(text(&["(\\S+@\\S+)"])))]);
    let piece = |tag: &str, text: &str| format!("2026T stdout {tag} {text}");
    let inner = |text: String| format!("{{\"log\":{text:?}}}");
    for (before, after, first, next) in [
        (
            dropping(&["b"]),
            dropping(&["b", "c.*"]),
            piece("P", "{\"a\":\"SEC"),
            piece("F", "SECRET\",\"b\":1}"),
        ),
        (
            nested(&[]),
            nested(&["x", "y"]),
            inner(piece("P", "to SECRET@SEC")),
            inner(piece("F", "SECRET now")),
        ),
    ] {
        let (before, after) = (Fields::new(&before).unwrap(), Fields::new(&after).unwrap());
        let written = |fields: &Fields, line: &str| {
            let (mut spans, mut kept) = (Vec::new(), Vec::new());
            let kept = fields.without_dropped(line.as_bytes(), &mut spans, &mut kept).unwrap();
            String::from_utf8_lossy(&pipe::sealed_of(fields, kept)).contains("SEC")
        };
        assert!(!written(&before, &first), "{first}");
        after.go_on_from(&before);
        assert!(!written(&after, &next), "{next}");
    }
}

/// A line that cannot be searched to its end is not the same as a line of another kind, which may pass.
#[test]
fn a_stray_byte_is_no_way_to_be_of_another_kind() {
    let regex = Selection { patterns: owned(&["ip=(\\S+)"]), ..none() };
    let wrapped = Selection { wrapper: Some(Wrapper::Cri), unparsed: Unparsed::Pass, ..regex.clone() };
    let with_fields = Selection { logfmt: owned(&["a"]), ..regex.clone() };
    for (selection, start) in [(&regex, ""), (&with_fields, ""), (&wrapped, "2026T stdout F ")] {
        let (fields, mut spans) = (Fields::new(selection).unwrap(), Vec::new());
        let mut find = |line: &[u8]| {
            let line = [start.as_bytes(), line].concat();
            fields.find_in(Kept { line: &line, rest: None }, &mut spans)
        };
        let searched = find(b"a=1 ip=SECRET b=x\xff");
        assert!(searched == Err(Unknown::NotSearched) || selection.wrapper.is_some() && searched == Ok(()));
        assert_eq!(find(b"of another kind"), Err(Unknown::Kind));
    }
}

/// If lines of another kind are dropped, a line whose inner text is of another kind is one of them.
#[test]
fn under_a_wrapper_lines_of_another_kind_are_told() {
    for wrapper in [Wrapper::Docker, Wrapper::Cri] {
        let line = |inner: &str| match wrapper {
            Wrapper::Docker => serde_json::json!({"log": format!("{inner}\n")}).to_string(),
            _ => format!("2026T stdout F {inner}"),
        };
        let rules = Selection { wrapper: Some(wrapper), unparsed: Unparsed::Line, ..json(&["a"]) };
        let (fields, mut spans) = (Fields::new(&rules).unwrap(), Vec::new());
        assert!(fields.find(line("{\"a\":1}").as_bytes(), &mut spans));
        assert!(!fields.find(line("panic: SECRET").as_bytes(), &mut spans));
        // Values cannot be dropped from a line of another kind, so nothing of it is kept.
        let fields = Fields::new(&Selection { dropped: owned(&["pw"]), ..rules }).unwrap();
        let mut kept = Vec::new();
        assert!(fields.without_dropped(line("{\"a\":1}").as_bytes(), &mut spans, &mut kept).is_some());
        assert!(fields.without_dropped(line("panic: SECRET").as_bytes(), &mut spans, &mut kept).is_none());
    }
}

/// A line in each wrapper.
fn wrapped(wrapper: Wrapper, inner: &str) -> String {
    match wrapper {
        Wrapper::Docker => serde_json::json!({"log": format!("{inner}\n"), "stream": "stdout"}).to_string(),
        Wrapper::Cri => format!("2026T stdout F {inner}"),
        Wrapper::Cee => format!("@cee: {inner}"),
        _ => unreachable!("a wrapper without a case here"),
    }
}

const WRAPPERS: [Wrapper; 3] = [Wrapper::Docker, Wrapper::Cri, Wrapper::Cee];

/// Two lines of one list, each of which a stranger made odd, lose no value that nobody named.
#[test]
fn an_odd_request_takes_away_no_more_than_is_dropped() {
    let odd = |secret: &str| format!(r#"::1 - - [t] "GET /" x?cvv={secret}&k=HID HTTP/1.1" 200 1 "-" "HID""#);
    let rules = Selection { query: owned(&["zz"]), dropped: owned(&["cvv"]), ..none() };
    let json = Fields::new(&within(json(&["n"]), &[("m", rules)])).unwrap();
    let (mut spans, mut kept) = (Vec::new(), Vec::new());
    let fine = r#"::1 - - [t] "GET /?cvv=SECRET&k=KEPT HTTP/1.1" 200 1 "-" "KEPT""#;
    let line = serde_json::json!({"n": "HID", "m": [fine, odd("SECRET"), odd("SECRET")]}).to_string();
    let left = json.without_dropped(line.as_bytes(), &mut spans, &mut kept).unwrap();
    let sealed = String::from_utf8(pipe::sealed_of(&json, left)).unwrap();
    assert!(!sealed.contains("HID") && !sealed.contains("SECRET"), "{sealed}");
    assert_eq!(sealed.matches("KEPT").count(), 2, "{sealed}");
    let opened = String::from_utf8(opened(sealed.as_bytes())).unwrap();
    assert_eq!(opened, line.replace("SECRET", ""));
}

/// Lines that pass in the clear are reported, and text that looks like a token is sealed in them all the same.
#[test]
fn under_a_wrapper_lines_that_pass_are_of_another_kind() {
    let mail = text(&["(?<mail>\\S+@\\S+)"]);
    for wrapper in WRAPPERS {
        for rules in [mail.clone(), json(&["a"]), Selection { query: owned(&["t"]), ..none() }] {
            let passed = Selection { wrapper: Some(wrapper), unparsed: Unparsed::Pass, ..rules.clone() };
            let fields = Fields::new(&passed).unwrap();
            let mut spans = Vec::new();
            assert!(!fields.find(wrapped(wrapper, "panic: no").as_bytes(), &mut spans), "{passed:?}");
            for alike in ["panic: ~s1a~x~", r#"panic: "~s1h~"#, r"panic: \~s1x~email~", "~s1a~"] {
                let line = wrapped(wrapper, alike);
                assert!(!fields.find(line.as_bytes(), &mut spans), "{passed:?} {line}");
                fields.find_look_alikes(line.as_bytes(), &mut spans);
                let is_sealed = spans.iter().any(|span| line[span.range.clone()].contains("~s1"));
                assert!(is_sealed, "{passed:?} {line}");
            }
            // An empty line is never of another kind.
            assert!(fields.find(wrapped(wrapper, "").as_bytes(), &mut spans), "{passed:?}");
            let sealed = Fields::new(&Selection { unparsed: Unparsed::Seal, ..passed }).unwrap();
            assert!(!seal(&sealed, &wrapped(wrapper, "panic: SECRET")).contains("SECRET"));
        }
        let rules = Selection { wrapper: Some(wrapper), unparsed: Unparsed::Pass, ..json(&["a"]) };
        let fields = Fields::new(&rules).unwrap();
        assert!(fields.why_not(wrapped(wrapper, "panic").as_bytes()).starts_with("it is not JSON: "));
    }
}

/// Each rule is counted in one place: two counts would be two series of the same name.
#[test]
fn a_rule_is_told_once() {
    let url = Selection { dropped: owned(&["pw"]), ..url() };
    let deep = within(json(&["a"]), &[("url", url.clone())]);
    let dropped = Selection { dropped: owned(&["x"]), ..json(&["n"]) };
    let logfmt = Selection { logfmt: owned(&["n"]), dropped: owned(&["x"]), ..none() };
    let ltsv = Selection { ltsv: owned(&["n"]), dropped: owned(&["x"]), ..none() };
    for outer in [dropped, logfmt, ltsv] {
        for wrapper in [None, Some(Wrapper::Docker), Some(Wrapper::Cri)] {
            let rules = within(outer.clone(), &[("uri", url.clone()), ("in", deep.clone())]);
            let fields = Fields::new(&Selection { wrapper, ..rules }).unwrap();
            let told: Vec<_> = fields.rules().map(|(rule, _)| format!("{rule:?}")).collect();
            let mut once = told.clone();
            once.sort();
            once.dedup();
            assert_eq!(once.len(), told.len(), "{told:#?}");
            let count = |list| fields.rules().filter(|(rule, _)| rule.list == list).count();
            assert_eq!((count(List::Within), count(List::Dropped)), (3, 3), "{told:#?}");
        }
    }
}

/// Each line whose rest was sealed is counted once, alone and inside other lines.
#[test]
fn lines_whose_rest_is_sealed_are_counted_within_others() {
    let rules = Selection { headers: owned(&["client", "User-Agent"]), ..none() };
    let odd = r#"::1 - - [t] "GET / HTTP/1.1" 200 1 "-" "a "b" c""#;
    let fine = r#"::1 - - [t] "GET / HTTP/1.1" 200 1 "-" "a""#;
    let mut spans = Vec::new();
    let mut check = |fields: Fields, line: &dyn Fn(&str) -> String| {
        for (inner, rests) in [(fine, 0), (odd, 1), (fine, 1), (odd, 2)] {
            assert!(fields.find(line(inner).as_bytes(), &mut spans));
            assert_eq!(fields.rests(), rests, "{}", line(inner));
        }
        fields
    };
    check(Fields::new(&rules).unwrap(), &str::to_owned);
    for wrapper in WRAPPERS {
        let fields = Fields::new(&Selection { wrapper: Some(wrapper), ..rules.clone() }).unwrap();
        let fields = check(fields, &|inner| wrapped(wrapper, inner));
        // Docker escapes `&` without need, so all of this line is sealed, and its rest with it.
        let line = wrapped(wrapper, odd).replace("a \\\"b", "a\\u0026 \\\"b");
        assert!(fields.find(line.as_bytes(), &mut Vec::new()));
        assert_eq!(fields.rests(), 3, "{line}");
    }
    let json = within(json(&[]), &[("m", rules)]);
    check(Fields::new(&json).unwrap(), &|inner| serde_json::json!({"m": inner}).to_string());
}
