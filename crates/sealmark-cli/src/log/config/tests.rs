#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
use super::*;
use sealmark_fields::{Fields, Form};

fn config(text: &str) -> Config {
    Config::parse(Path::new("log.toml"), text.to_owned()).unwrap()
}

fn fields(text: &str) -> Fields {
    Fields::new(&config(text).selection().unwrap()).unwrap()
}

/// The place, label and form of each value; nothing where the line is of another kind.
fn found(fields: &Fields, line: &str) -> Option<Vec<(Range<usize>, String, Form)>> {
    let (mut spans, mut kept) = (Vec::new(), Vec::new());
    let left = fields.without_dropped(line.as_bytes(), &mut spans, &mut kept)?;
    let shown =
        |span: &sealmark_fields::Span| (span.range.clone(), fields.label(span).to_string(), span.form);
    fields.find_in(left, &mut spans).ok().map(|()| spans.iter().map(shown).collect())
}

#[test]
fn a_file_and_flags_that_say_the_same_seal_the_same() {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let none = Selection::default;
    for (flags, file) in [
        (
            Selection { json: names(&["user.email", "ip"]), dropped: names(&["n"]), ..none() },
            "format = \"json\"\nseal = [\"user.email\", \"ip\"]\ndrop = [\"n\"]",
        ),
        (
            Selection { json: names(&["*.email", "**.ip"]), ..none() },
            "format = \"json\"\nseal = [\"*.email\", \"**.ip\"]",
        ),
        (
            Selection { logfmt: names(&["ip", "user"]), patterns: names(&["m=(.)"]), ..none() },
            "format = \"logfmt\"\nseal = [\"ip\", \"user\"]\npatterns = ['m=(.)']",
        ),
        (Selection { ltsv: names(&["ip"]), ..none() }, "format = \"ltsv\"\nseal = [\"ip\"]"),
        (
            Selection { headers: names(&["client", "User-Agent"]), query: names(&["t"]), ..none() },
            "format = \"access\"\nseal = [\"client\", \"User-Agent\"]\nquery = [\"t\"]",
        ),
        (
            Selection { patterns: names(&["ip=(\\S+)"]), ..none() },
            "format = \"text\"\npatterns = ['ip=(\\S+)']",
        ),
    ] {
        let (flags, file) = (Fields::new(&flags).unwrap(), fields(file));
        for line in [
            r#"{"user":{"email":"a\"b","ip":"::2"},"ip":"::1","n":1}"#,
            "ip=::1 user=\"a b\" m=7",
            "ip:::1\tn:2",
            r#"::1 - bob [t] "GET /?t=1 HTTP/1.1" 200 5 "/?t=2" "curl""#,
            "prose with ip=::1 in it",
            "~s1a~x",
            "",
        ] {
            assert_eq!(found(&flags, line), found(&file, line), "{line}");
        }
        assert_eq!(flags.shape(), file.shape());
    }
}

#[test]
fn presets_say_what_lines_are_and_what_is_sealed() {
    let sealed = |text: &str, line: &str| {
        let found = found(&fields(text), line).unwrap_or_else(|| panic!("not of its kind: {line}"));
        found.into_iter().map(|(range, ..)| line[range].to_owned()).collect::<Vec<_>>()
    };
    let combined = r#"::1 - bob [t] "GET /?t=1 HTTP/1.1" 200 5 "-" "curl""#;
    for preset in ["nginx", "apache"] {
        assert_eq!(sealed(&format!("preset = \"{preset}\""), combined), ["::1", "bob", "1", "curl"]);
    }
    assert_eq!(
        sealed("preset = \"apache-vhost\"", &format!("x.example:443 {combined}")),
        ["::1", "bob", "1", "curl"]
    );
    for (preset, line) in [
        (
            "ecs",
            r#"{"@timestamp":"t","log.level":"INFO","ecs.version":"1","service":{"name":"s"},"user.email":"S","message":"S"}"#,
        ),
        (
            "logstash",
            r#"{"@timestamp":"t","level":"INFO","logger_name":"l","thread_name":"m","user":"S","message":"S"}"#,
        ),
        (
            "gelf",
            r#"{"version":"1.1","host":"h","timestamp":1.5,"level":6,"_logger_name":"l","_user":"S","short_message":"S"}"#,
        ),
    ] {
        assert_eq!(sealed(&format!("preset = \"{preset}\""), line), ["S", "S"], "{preset}");
    }
    assert_eq!(
        sealed(
            "preset = \"ecs\"",
            r#"{"event":{"original":"S","kind":"k"},"process":{"pid":7,"command_line":"S"},"log":{"level":"i","original":"S"}}"#
        ),
        ["S", "S", "S"]
    );
    assert_eq!(
        sealed("preset = \"gelf\"", r#"{"_thread_owner":"S","_thread_name":"t","full_message":"S"}"#),
        ["S", "S"]
    );
    assert_eq!(
        sealed(
            "preset = \"logstash\"\ndrop = [\"password\"]\n[[within]]\nfield = \"uri\"\nquery = [\"t\"]",
            r#"{"message":"S","uri":"/?t=S&x=1","level":"i"}"#
        ),
        ["S", "S"]
    );
    // Names in the file add to those of the preset; only a name in keep opens one of them.
    let with = |key: &str| sealed(&format!("preset = \"nginx\"\n{key}"), combined);
    assert_eq!(with("keep = [\"user\"]"), ["::1", "1", "curl"]);
    assert_eq!(with("keep = \"user\""), ["::1", "1", "curl"]);
    assert_eq!(with("seal = [\"user\"]"), ["::1", "bob", "1", "curl"]);
    assert_eq!(with("seal = [\"status\"]"), ["::1", "bob", "1", "200", "curl"]);
    assert_eq!(with("query = [\"x\"]"), ["::1", "bob", "1", "curl"]);
    let record = r#"{"log.level":"i","message":"S","user":{"email":"S","id":7}}"#;
    assert_eq!(sealed("preset = \"ecs\"\nseal = [\"user.email\"]", record), ["S", "S", "7"]);
    assert_eq!(sealed("preset = \"ecs\"\nseal = [\"log.level\"]", record)[0], "i");
    assert_eq!(
        sealed("preset = \"cri\"\nformat = \"json\"\nseal = [\"a\"]", "2026T stdout F {\"a\":\"S\"}"),
        ["S"]
    );
}

#[test]
fn lines_of_applications_are_known_by_their_presets() {
    // Nothing where a line is of another kind, which is sealed as a whole.
    for (preset, line, values) in [
        ("rails", r#"Started GET "/a?q=S" for S at 2026-11-25 12:00:00 +0000"#, Some(&["q=S", "S"][..])),
        (
            "rails",
            r#"[id] [::1] Started GET "/a" for S at 2026-11-25 12:00:00 +0000"#,
            Some(&["[id] [::1]", "S"]),
        ),
        (
            "rails",
            r#"Started GET "/a?" for x at 7" for S at 2026-11-25 12:00:00 +0000"#,
            Some(&["\" for x at 7", "S"]),
        ),
        ("rails", r#"Started GET "/a" for S T at 2026-11-25 12:00:00 +0000"#, None),
        ("rails", "[id] Processing by UsersController#show as HTML", Some(&["[id]"])),
        ("rails", "Processing by Admin::UsersController#show as S", Some(&["S"])),
        ("rails", r#"  Parameters: {"q"=>"S}\"", "b"=>{}}"#, Some(&[r#"{"q"=>"S}\"", "b"=>{}}"#])),
        ("rails", "Redirected to https://shop.example/?S", Some(&["https://shop.example/?S"])),
        (
            "rails",
            "  Rendered users/show.html.erb within layouts/application (Duration: 0.4ms | Allocations: 8)",
            Some(&[]),
        ),
        (
            "rails",
            "Completed 200 OK in 2ms (Views: 1.5ms | ActiveRecord: 0.0ms | Allocations: 1509)",
            Some(&[]),
        ),
        ("rails", "Completed 500 Internal Server Error in 1ms", Some(&[])),
        (
            "rails",
            "Completed 200 OK in 9ms (Views: 1.5ms | ActiveRecord: 0.2ms (2 queries, 1 cached) | GC: 0.0ms)",
            Some(&[]),
        ),
        (
            "rails",
            "I, [2026-11-25T12:00:00.123456 #7]  INFO -- : [S] Completed 204 No Content in 1ms",
            Some(&["[S]"]),
        ),
        ("rails", "F, [2026-11-25T12:00:00.123456 #7] FATAL -- : ArgumentError (S):", None),
        ("rails", "paid by S", None),
        ("rails\"\npatterns = ['^paid by (.*)$']\n#\"", "paid by S", Some(&["S"])),
        ("rails\"\npatterns = ['^paid by (.*)$']\n#\"", "[S] Processing by A#b as HTML", Some(&["[S]"])),
        ("rails", "ArgumentError (S):", None),
        (
            "spring",
            "2026-11-25T12:00:00.123Z  INFO 7 --- [shop] [main] o.a.c.c.C.[Tomcat].[localhost].[/]       : S : S",
            Some(&["S : S"]),
        ),
        ("spring", "2026-11-25 12:00:00.123  WARN 7 --- [http-nio-8080-exec-1] a.b.C$D : S", Some(&["S"])),
        ("spring", "2026-11-25T12:00:00.123+01:00 ERROR --- [           main] a.B    : ", Some(&[])),
        ("spring", "2026-11-25T12:00:00.123Z  INFO 7 --- [main] a S : S", None),
        ("spring", "\tat a.B.c(B.java:7)", None),
        ("spring", "Caused by: java.lang.IllegalStateException: S", None),
    ] {
        let found = found(&fields(&format!("preset = \"{preset}\"")), line);
        let found = found.map(|all| all.into_iter().map(|(range, ..)| &line[range]).collect::<Vec<_>>());
        assert_eq!(found.as_deref(), values, "{line}");
    }
}

/// The words that a refusal of `text` lists.
fn expected(text: &str) -> Vec<String> {
    let refused = Config::parse(Path::new("log.toml"), text.to_owned()).err().unwrap();
    let list = refused.hints[0].split(';').next().unwrap();
    let list = list.strip_prefix("the keys are ").or(list.strip_prefix("use one of ")).unwrap();
    list.split(", ").map(str::to_owned).collect()
}

/// Some values of a key.
fn values(key: &str) -> &'static [&'static str] {
    match key {
        "format" => &["'json'", "'logfmt'", "'ltsv'", "'access'", "'text'", "'query'"],
        "log_format" => &["'$remote_addr $status'"],
        "wrapper" => &["'docker'", "'cri'", "'cee'"],
        "seal" | "keep" | "drop" => &["['user']"],
        "query" => &["['user']", "['all']"],
        "patterns" => &["['^x=(.*)$']"],
        "any_case" | "allow_mixed" | "line_buffered" => &["true"],
        "unparsed" => &["'seal'", "'pass'", "'drop'"],
        "within" => &["[{ field = 'm', patterns = ['x=(.*)'] }]"],
        "recipients" | "recipients_files" => &["['x']"],
        "field" | "psk" | "side_file" | "append" | "user" | "metrics" => &["'x'"],
        "pad" => &["16"],
        "rotate_after" => &["'1h'"],
        "on_full" => &["'wait'"],
        "syslog" => &["'systemd'"],
        _ => panic!("a key that nobody put beside a preset: {key}"),
    }
}

/// Keys beside a preset, each alone and with another about the lines, either leave what the preset says in force or are
/// refused.
#[test]
fn no_key_takes_away_what_a_preset_says() {
    const ABOUT_LINES: [&str; 8] =
        ["format", "log_format", "wrapper", "seal", "keep", "drop", "query", "patterns"];
    let (presets, keys) = (expected("preset = 'none'"), expected("none = 1"));
    assert!(presets.len() > 9 && keys.len() > 20);
    let lines = |key| values(key).iter().map(move |value| (key, format!("{key} = {value}\n")));
    let alone = || [("", String::new())].into_iter();
    let (mut faults, mut accepted) = (Vec::new(), 0);
    for (preset, key) in presets.iter().flat_map(|preset| keys.iter().map(move |key| (preset, &key[..]))) {
        if key == "preset" {
            continue;
        }
        for (_, line) in lines(key) {
            for (_, more) in alone().chain(ABOUT_LINES.into_iter().flat_map(lines)) {
                let text = format!("preset = '{preset}'\n{more}{line}");
                let within = format!("format = 'json'\n[[within]]\nfield = 'outer'\n{text}");
                for text in [text, within] {
                    let Some(selection) = accepted_selection(&text) else { continue };
                    let found = selection.within.iter().find(|(field, _)| field == "outer");
                    let found = found.map_or(&selection, |(_, inner)| inner);
                    if let Some(what) = taken_away(preset, found) {
                        faults.push(format!("{what}: {text:?}"));
                    }
                    accepted += 1;
                }
            }
        }
    }
    assert!(accepted > 1000, "{accepted}");
    assert!(faults.is_empty(), "{} of {accepted}\n{}", faults.len(), faults.join("\n"));
}

fn accepted_selection(text: &str) -> Option<Selection> {
    let config = Config::parse(Path::new("log.toml"), text.to_owned()).ok()?;
    config.selection().ok().filter(|selection| Fields::new(selection).is_ok())
}

/// Names the part of a preset that the selection lacks.
fn taken_away(preset: &str, found: &Selection) -> Option<&'static str> {
    let preset = config(&format!("preset = '{preset}'")).keys.preset?.into_inner().default();
    let kind = format!("{:?}", found.kind);
    let sealed = [&found.json[..], &found.logfmt, &found.ltsv, &found.headers, &found.query].concat();
    let has = |all: &[String], names: &[&str]| names.iter().all(|name| all.iter().any(|one| one == name));
    let mut named = preset.seal.iter().chain(preset.query);
    // A name in keep or drop is not sealed.
    let is_sealed = |name: &&str| [&sealed, &found.kept, &found.dropped].iter().any(|all| has(all, &[*name]));
    [
        ("log_format", preset.log_format.is_some() && found.log_format.as_deref() != preset.log_format),
        ("format", preset.format.is_some_and(|format| kind != format!("Some({format:?})"))),
        ("wrapper", preset.wrapper.is_some() && found.wrapper != preset.wrapper),
        ("pattern", preset.pattern.is_some_and(|(_, text)| !has(&found.patterns, &[text]))),
        ("seal and query", !named.all(is_sealed)),
        ("keep", !has(&found.kept, preset.keep)),
    ]
    .into_iter()
    .find_map(|(key, is_missing)| is_missing.then_some(key))
}

#[test]
fn the_file_completes_what_was_typed() {
    use crate::cli::{Cli, Verb};
    use crate::log::args::LogVerb;
    use clap::Parser;
    let typed = |more: &[&str]| {
        let cli = Cli::parse_from([&["sealmark", "log", "seal", "--config", "x"], more].concat());
        match cli.verb {
            Verb::Log(log) => match log.verb {
                LogVerb::Seal(args) => *args,
                _ => unreachable!(),
            },
            _ => unreachable!(),
        }
    };
    let text = "recipients_files = [\"ops.txt\"]\nappend = \"out.log\"\npad = 16\nrotate_after = \"5m\"\nsyslog = \"udp:127.0.0.1:5140\"\nunparsed = \"pass\"\nmetrics = \"127.0.0.1:9000\"\nformat = \"json\"\nseal = [\"a\"]";
    let config = Config::parse(Path::new("etc/log.toml"), text.to_owned()).unwrap();
    let args = config.complete(typed(&[])).unwrap();
    assert_eq!(args.to.recipients_files, [Path::new("etc/ops.txt")]);
    assert_eq!(
        (args.append.as_deref(), args.pad.clone()),
        (Some(Path::new("etc/out.log")), vec![Pad::new(None, 16).unwrap()])
    );
    assert_eq!(args.rotate_after.unwrap().as_secs(), 300);
    assert!(args.syslog.is_some() && args.metrics.is_some());
    assert!(args.unparsed(true) == Unparsed::Pass);
    let args = config.complete(typed(&["--psk", "key", "--pad", "8", "-o", "-", "in.log"])).unwrap();
    assert_eq!((args.to.recipients_files.len(), args.pad.clone()), (0, vec![Pad::new(None, 8).unwrap()]));
    assert!(args.append.is_none() && args.syslog.is_none());
    let text = "syslog = \"unix:log.sock\"\nmetrics = \"log.prom\"";
    let args =
        Config::parse(Path::new("etc/log.toml"), text.to_owned()).unwrap().complete(typed(&[])).unwrap();
    assert_eq!(args.syslog, Some(Address::Unix("etc/log.sock".into())));
    assert_eq!(args.metrics, Some(CountsTo::File("etc/log.prom".into())));
}
