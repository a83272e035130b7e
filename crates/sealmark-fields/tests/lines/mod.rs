//! The generator of the canary: lines that are as hostile as each grammar allows, with a mark in every value that a rule
//! names.

/// A mark in every value that is to be sealed. Without the dot, one token in millions would contain it by chance.
pub const MARK: &str = "CANARY.CANARY";
/// A mark in values that nobody named, which must stay readable: a stranger's text hides no line.
pub const KEPT: &str = "WREN.WREN";

pub struct Chance(pub u64);

impl Chance {
    /// splitmix64
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    fn pick<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }
}

/// Texts that strangers send, as bytes before any escaping.
pub const HOSTILE: [&[u8]; 30] = [
    b"\"",
    b"\\",
    b"\\\"",
    b"'",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b" ",
    b"=",
    b"&",
    b"?",
    b"#",
    b"%",
    b";",
    b"\t",
    b"\xc3\xa9",
    b"\xef\xbb\xbf",
    b"~s1a~",
    b"~s1x~email~",
    b"~s1h~AAAAAAAAAAAAAAAA~AAAAAAAAAAAA~1.1~A~",
    b"~s1a~x~AAAAAAAAAAAAAAAA~AAAAAAAAAAAAAAAAAAAAAAAAAAA~",
    b"~",
    b"s1a~x~",
    b"\",\"admin\":true,\"x\":\"",
    b"{\"log\":\"~s1a~",
    b"{\\\"a\\\":\\\"{\\\\\\\"b\\\\\\\":\\\\\\\"~s1a~",
    b"\x7f",
];

/// The given mark between hostile pieces.
pub fn text(chance: &mut Chance, mark: &str) -> Vec<u8> {
    let mut text = Vec::new();
    let pieces = |chance: &mut Chance, text: &mut Vec<u8>| {
        for _ in 0..chance.below(4) {
            text.extend_from_slice(chance.pick(&HOSTILE));
        }
    };
    pieces(chance, &mut text);
    text.extend_from_slice(mark.as_bytes());
    pieces(chance, &mut text);
    if chance.one_in(3) {
        text.extend_from_slice(mark.as_bytes());
    }
    text
}

/// Writes a line of one grammar.
pub type Grammar = fn(&mut Chance) -> Line;

pub struct Line {
    pub text: Vec<u8>,
    /// True if every line of this grammar parses, so that only values are sealed.
    pub is_parsed: bool,
}

// JSON

/// Writes strings as programs do: correctly, with more escapes than needed, or wrongly.
pub fn json_string(chance: &mut Chance, text: &[u8], out: &mut Vec<u8>) {
    let (all, hex, raw) = (chance.one_in(6), chance.one_in(8), chance.one_in(10));
    out.push(b'"');
    for character in String::from_utf8_lossy(text).chars() {
        let mut units = [0; 2];
        match character {
            '"' | '\\' if hex => out.extend_from_slice(format!("\\x{:02x}", character as u32).as_bytes()),
            '"' | '\\' => out.extend_from_slice(&[b'\\', character as u8]),
            '\n' => out.extend_from_slice(b"\\n"),
            '\t' if !raw => out.extend_from_slice(b"\\t"),
            _ if all && chance.one_in(2) => {
                for unit in character.encode_utf16(&mut units) {
                    out.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
                }
            }
            _ => out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    let ends: [&[u8]; 5] = [b"\\ud800", b"\\/", b"\\x22", b"\xff", b"\\u0000"];
    if chance.one_in(8) {
        out.extend_from_slice(chance.pick(&ends));
    }
    out.push(b'"');
}

/// True if the value at a path is to be sealed.
pub type Named = fn(&str) -> bool;

/// Writes the value at a path. It carries the mark if `rule` names the path.
pub fn json_value(chance: &mut Chance, path: &str, rule: Named, depth: usize, out: &mut Vec<u8>) {
    let named = rule(path);
    match chance.below(if depth > 3 { 3 } else { 7 }) {
        0 | 1 => {
            let text = text(chance, if named { MARK } else { KEPT });
            json_string(chance, &text, out);
        }
        2 if named => out.extend_from_slice(b"1234567.890123"),
        2 => out
            .extend_from_slice(chance.pick(&["1", "-0.5e+3", "true", "null", "\"\"", "[]", "{}"]).as_bytes()),
        3 if !named => {
            let deep = chance.below(300);
            out.extend(std::iter::repeat_n(b'[', deep));
            out.push(b'1');
            out.extend(std::iter::repeat_n(b']', deep));
        }
        3 | 4 => {
            out.push(b'[');
            for item in 0..chance.below(3) {
                out.extend_from_slice(if item > 0 { b", " } else { b"" });
                json_value(chance, path, rule, depth + 1, out);
            }
            out.push(b']');
        }
        _ => json_object(chance, path, rule, depth + 1, out),
    }
}

pub fn is_at_or_below(path: &str, names: &[&str]) -> bool {
    names
        .iter()
        .any(|name| path.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
}

pub const JSON_NAMES: [&str; 4] = ["email", "user.name", "list.ip", "é key"];

pub fn json_object(chance: &mut Chance, path: &str, rule: Named, depth: usize, out: &mut Vec<u8>) {
    let names = [
        "email",
        "user",
        "name",
        "list",
        "ip",
        "é key",
        "Email",
        "user.name",
        "other",
        "user.name.first",
        "email.x",
        "~s1h~x",
        "~s1h~x",
    ];
    out.push(b'{');
    for member in 0..chance.below(5) {
        let name = chance.pick(&names);
        let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        out.extend_from_slice(if member > 0 { b"," } else { b"" });
        let escaped = chance
            .one_in(6)
            .then(|| name.encode_utf16().map(|unit| format!("\\u{unit:04X}")).collect::<String>());
        out.extend_from_slice(format!("\"{}\"", escaped.as_deref().unwrap_or(name)).as_bytes());
        out.extend_from_slice(chance.pick(&[":", " : ", ":\t"]).as_bytes());
        json_value(chance, &path, rule, depth, out);
    }
    out.push(b'}');
}

pub fn json_of(chance: &mut Chance, rule: Named) -> Vec<u8> {
    let mut text = Vec::new();
    json_object(chance, "", rule, 0, &mut text);
    text
}

pub fn json(chance: &mut Chance) -> Line {
    Line { text: json_of(chance, |path| is_at_or_below(path, &JSON_NAMES)), is_parsed: true }
}

/// Rules `**.ip` and `user.*`, in any case.
pub fn wild_json(chance: &mut Chance) -> Line {
    let rule = |path: &str| path.split('.').any(|name| name == "ip") || path.starts_with("user.");
    Line { text: json_of(chance, rule), is_parsed: false }
}

/// A rule for all fields but `list`, `other` and `**.ip`.
pub fn json_but(chance: &mut Chance) -> Line {
    let rule =
        |path: &str| !is_at_or_below(path, &["list", "other"]) && !path.split('.').any(|name| name == "ip");
    Line { text: json_of(chance, rule), is_parsed: false }
}

// Text within fields

/// Writes a member whose value is a string.
pub fn member(chance: &mut Chance, name: &str, text: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(format!(",\"{name}\":").as_bytes());
    // Half of all programs write only the escapes that they must.
    match (chance.one_in(2), std::str::from_utf8(text)) {
        (true, Ok(text)) => out.extend_from_slice(serde_json::to_string(text).unwrap().as_bytes()),
        _ => json_string(chance, text, out),
    }
}

pub fn within(chance: &mut Chance) -> Line {
    let mut line = b"{\"n\":1".to_vec();
    let uri = url(chance);
    member(chance, "request_uri", &uri, &mut line);
    let message = plain(chance).text;
    member(chance, "message", &message, &mut line);
    let payload = json(chance).text;
    member(chance, "payload", &payload, &mut line);
    let other = text(chance, KEPT);
    member(chance, "other", &other, &mut line);
    line.push(b'}');
    Line { text: line, is_parsed: false }
}

/// Writes pairs with the same texts; `member` gives the part between quotes.
pub fn within_logfmt(chance: &mut Chance) -> Line {
    let mut line = b"n=1".to_vec();
    let texts =
        [("request_uri", url(chance)), ("message", plain(chance).text), ("payload", json(chance).text)];
    for (name, text) in texts {
        let mut member_of_json = Vec::new();
        member(chance, name, &text, &mut member_of_json);
        line.extend_from_slice(format!(" {name}=").as_bytes());
        line.extend_from_slice(&member_of_json[name.len() + 4..]);
    }
    Line { text: line, is_parsed: false }
}

pub fn within_ltsv(chance: &mut Chance) -> Line {
    let mut line = b"n:1".to_vec();
    let texts =
        [("request_uri", url(chance)), ("message", plain(chance).text), ("payload", json(chance).text)];
    for (name, text) in texts {
        line.extend_from_slice(format!("\t{name}:").as_bytes());
        line.extend(text.into_iter().filter(|byte| *byte >= b' '));
    }
    Line { text: line, is_parsed: false }
}

pub fn docker_within(chance: &mut Chance) -> Line {
    let inner = within(chance).text;
    docker(chance, &inner)
}

pub fn cee_json(chance: &mut Chance) -> Line {
    Line { text: [b"@cee: ", &json(chance).text[..]].concat(), is_parsed: false }
}

pub fn docker(chance: &mut Chance, inner: &[u8]) -> Line {
    let (mut line, ended) = (b"{\"n\":1".to_vec(), [inner, b"\n"].concat());
    member(chance, "log", &ended, &mut line);
    line.extend_from_slice(b",\"stream\":\"stdout\",\"time\":\"2026-11-23T12:00:00.5Z\"}");
    Line { text: line, is_parsed: false }
}

pub fn docker_json(chance: &mut Chance) -> Line {
    let inner = json(chance).text;
    docker(chance, &inner)
}

pub fn docker_access(chance: &mut Chance) -> Line {
    let inner = access(chance).text;
    docker(chance, &inner)
}

pub fn cri_json(chance: &mut Chance) -> Line {
    let text = [b"2026-11-23T12:00:00.5Z stderr F ", &json(chance).text[..]].concat();
    Line { text, is_parsed: false }
}

// Access logs

/// Writes text that was sent as nginx or Apache httpd logs it.
pub fn server_text(text: &[u8], nginx: bool) -> Vec<u8> {
    let written = |byte: &u8| match byte {
        b'"' | b'\\' if !nginx => vec![b'\\', *byte],
        b'\t' if !nginx => b"\\t".to_vec(),
        b'"' | b'\\' | 0..0x20 | 0x7f.. if nginx => format!("\\x{byte:02X}").into_bytes(),
        0..0x20 | 0x7f.. => format!("\\x{byte:02x}").into_bytes(),
        _ => vec![*byte],
    };
    text.iter().flat_map(written).collect()
}

pub fn url(chance: &mut Chance) -> Vec<u8> {
    let names = [
        "token",
        "TOKEN",
        "%74oken",
        "token[]",
        "token%5B0%5D",
        "+token",
        "to%6ben",
        "user_email",
        "user.email",
        "user%20email",
        "user[email",
        "page",
        "x",
    ];
    let mut url = chance.pick(&["/", "/app", "http://x/", "/WREN"]).as_bytes().to_vec();
    for parameter in 0..chance.below(4) {
        url.extend_from_slice(if parameter == 0 { chance.pick(&["?", ";", "#"]) } else { "&" }.as_bytes());
        let name = chance.pick(&names);
        let named = !["page", "x"].contains(&name);
        url.extend_from_slice(name.as_bytes());
        url.push(b'=');
        let value = text(chance, if named { MARK } else { "1" });
        // Servers do not agree if these separators begin another parameter, which nobody would have named.
        let separators: &[u8] = if named { b" &" } else { b" &;?#=" };
        url.extend(value.into_iter().filter(|byte| !separators.contains(byte)));
    }
    url
}

/// Writes a field in quotes; servers strip the blanks around it.
pub fn field(chance: &mut Chance, mark: &str, nginx: bool) -> Vec<u8> {
    let sent = text(chance, mark);
    if chance.one_in(6) { b"-".to_vec() } else { server_text(sent.trim_ascii(), nginx) }
}

pub fn access(chance: &mut Chance) -> Line {
    let nginx = chance.one_in(2);
    let who = [
        "CANARY - -",
        "CANARY - CANARY",
        "10.0.0.1, CANARY - -",
        "x.example:443 CANARY - CANARY",
        "CANARY CANARY - -",
        "CANARY - x, CANARY - -",
        "CANARY - CANARY, 10.0.0.1 - -",
        "10.0.0.1:55 CANARY - -",
        "CANARY ident CANARY",
    ];
    let mut line = chance.pick(&who).replace("CANARY", MARK).into_bytes();
    line.extend_from_slice(b" [10/Oct/2000:13:55:36 -0700] \"");
    line.extend_from_slice(&server_text(&[b"GET ", &url(chance)[..], b" HTTP/1.1"].concat(), nginx));
    line.extend_from_slice(b"\" 200 17 \"");
    let referer = if chance.one_in(3) { server_text(&url(chance), nginx) } else { b"-".to_vec() };
    line.extend_from_slice(&referer);
    line.extend_from_slice(b"\" \"");
    line.extend_from_slice(&field(chance, MARK, nginx));
    line.push(b'"');
    if chance.one_in(3) {
        line.extend_from_slice(b" rt=0.1 up=\"127.0.0.1:80\"");
    }
    Line { text: line, is_parsed: false }
}

/// Writes fields in other places than the combined format has, and quotes without escapes.
pub fn odd_access(chance: &mut Chance) -> Line {
    let tails = [
        r#""Mozilla CANARY" "203.0.113.1""#,
        r#""Mozilla CANARY""#,
        r#""-" "Moz "x" CANARY" "1.1.1.1""#,
        r#""-" "Moz" " CANARY" "1.1.1.1""#,
        r#"agent="CANARY" "-""#,
        r#""203.0.113.1" "-" "CANARY""#,
        r#""-" "CANARY"#,
    ];
    let request = chance.pick(&[
        "GET / HTTP/1.1\" 200 5 ",
        "GET /\"?token=CANARY HTTP/1.1\" 200 5 ",
        "\\x16\\x03\" 400 ",
    ]);
    let line = format!("CANARY - - [t] \"{request}{}", chance.pick(&tails));
    Line { text: line.replace("CANARY", MARK).into_bytes(), is_parsed: false }
}

/// Writes an odd line for a `log_format`, which names the content of each place: only the client, which comes first,
/// has the mark.
pub fn odd_template(chance: &mut Chance) -> Line {
    let line = String::from_utf8(odd_access(chance).text).unwrap();
    let (client, rest) = line.split_at(MARK.len());
    Line { text: [client, &rest.replace(MARK, "CANARY")].concat().into_bytes(), is_parsed: false }
}

// Pairs

pub fn logfmt(chance: &mut Chance) -> Line {
    let mut line = chance.pick(&["", "\u{feff}", "{", " "]).as_bytes().to_vec();
    for pair in 0..=chance.below(4) {
        line.extend_from_slice(if pair > 0 { b" " } else { b"" });
        let (key, mark) = if chance.one_in(2) { ("email=", MARK) } else { ("msg=", KEPT) };
        line.extend_from_slice(key.as_bytes());
        let value = text(chance, mark);
        if chance.one_in(2) {
            line.extend_from_slice(&[b"\"", &server_text(&value, false)[..], b"\""].concat())
        } else {
            line.extend(value.into_iter().filter(|byte| !b" \t\"='".contains(byte)))
        }
    }
    Line { text: line, is_parsed: false }
}

pub fn ltsv(chance: &mut Chance) -> Line {
    let field = |chance: &mut Chance| {
        let (label, mark) = if chance.one_in(2) { ("email", MARK) } else { ("msg", KEPT) };
        let value = text(chance, mark).into_iter().filter(|byte| *byte != b'\t');
        [label.as_bytes(), b":", &value.collect::<Vec<_>>()].concat()
    };
    let fields: Vec<_> = (0..=chance.below(4)).map(|_| field(chance)).collect();
    Line { text: [b"t:1".to_vec(), fields.join(&b'\t')].join(&b'\t'), is_parsed: true }
}

pub fn plain(chance: &mut Chance) -> Line {
    let value: Vec<u8> = text(chance, MARK).into_iter().filter(|byte| !b" \t".contains(byte)).collect();
    let around = [text(chance, KEPT), text(chance, KEPT)];
    Line { text: [&around[0][..], b" ip=", &value, b" ", &around[1]].concat(), is_parsed: true }
}
