//! Format strings, as nginx's `log_format` and Apache httpd's `LogFormat` write them.

pub struct Variable {
    /// The variable, as the format has it.
    pub written: String,
    /// Other names for it; the first is its label.
    pub names: Vec<String>,
    pub limit: Limit,
    pub content: Content,
    pub label: Option<usize>,
    /// The label of a value in which nobody can tell where a query is.
    pub whole: Option<usize>,
}

/// Where a value ends for sure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// At a blank.
    Blank,
    /// At a quote; a backslash takes the next byte with it.
    Quote,
    /// At a bracket.
    Bracket,
    /// At a blank or a colon: the name of a server, which may be an IPv6 address in brackets.
    Host,
    None,
}

/// How parameters are looked for in a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    Request,
    Field,
    Word,
    /// A number, a time or an address.
    NoUrl,
}

/// The most variables of a format.
pub const MOST: usize = 64;

/// The reason why a format cannot be used.
#[derive(Debug, PartialEq, Eq)]
pub struct Fault(pub String);

/// Reads a format: the text between variables, and the variables.
pub fn parse(format: &str) -> Result<(Vec<Vec<u8>>, Vec<Variable>), Fault> {
    let (escapes, format) = match format.trim_start().strip_prefix("escape=") {
        Some(rest) => rest.split_once(char::is_whitespace).unwrap_or((rest, "")),
        None => ("default", format),
    };
    let format = format.trim_matches(['\n', '\r']);
    // Configuration files have it between quotes.
    let format = match format.trim().strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        Some(inner) => inner,
        None => format,
    };
    if format.contains(['\n', '\r']) {
        return Err(Fault("log_format has a line feed: write it in one line".into()));
    }
    let nginx = format.contains('$');
    let (mut literals, mut variables) = (vec![Vec::new()], Vec::new());
    let mut rest = format;
    while let Some(character) = rest.chars().next() {
        let found = if nginx { nginx_variable(rest) } else { apache_variable(rest)? };
        let literal = literals.last_mut().expect("there is one from the start");
        match found {
            Some((written, names, content)) => {
                if let (true, Some(last)) = (literal.is_empty(), variables.last_mut()) {
                    // Nobody can tell them apart: they are one, as in `%U%q` and `$uri$is_args$args`.
                    let last: &mut Variable = last;
                    rest = &rest[written.len()..];
                    last.join(written, names, content);
                    continue;
                }
                let names = names_of(literal, names);
                let limit = limit_of(&written, literal, content);
                rest = &rest[written.len()..];
                variables.push(Variable { written, names, limit, content, label: None, whole: None });
                literals.push(Vec::new());
            }
            // It is written between brackets, with a blank in it.
            None if !nginx && rest.starts_with("%t") => {
                literal.push(b'[');
                let names = vec!["time".to_owned(), "t".to_owned()];
                let (limit, content, written) = (Limit::Bracket, Content::NoUrl, "%t".to_owned());
                variables.push(Variable { written, names, limit, content, label: None, whole: None });
                literals.push(vec![b']']);
                rest = &rest[2..];
            }
            None if !nginx && rest.starts_with("%%") => {
                literal.push(b'%');
                rest = &rest[2..];
            }
            None if !nginx && rest.starts_with("\\\"") => {
                literal.push(b'"');
                rest = &rest[2..];
            }
            None if !nginx && rest.starts_with("\\t") => {
                literal.push(b'\t');
                rest = &rest[2..];
            }
            None => {
                let mut buffer = [0; 4];
                literal.extend_from_slice(character.encode_utf8(&mut buffer).as_bytes());
                rest = &rest[character.len_utf8()..];
            }
        }
    }
    if variables.is_empty() {
        return Err(Fault("log_format has no variable: write them as $name or %h".into()));
    }
    if variables.len() > MOST {
        return Err(Fault(format!("log_format has more than {MOST} variables")));
    }
    // Between quotes that nobody escapes, only the whole line tells where a value ends.
    let is_quoted = |index: usize| {
        literals[index].ends_with(b"\"") && literals[index + 1].starts_with(b"\"") && escapes != "none"
    };
    for (index, variable) in variables.iter_mut().enumerate() {
        if is_quoted(index) {
            variable.limit = Limit::Quote;
            if variable.content == Content::Word {
                variable.content = Content::Field;
            }
        } else if variable.limit == Limit::Quote {
            variable.limit = Limit::None;
        }
    }
    Ok((literals, variables))
}

impl Variable {
    /// Becomes one with the variable behind it.
    fn join(&mut self, written: String, names: Vec<String>, content: Content) {
        let limit = limit_of(&written, b"", content);
        self.limit = if self.limit == limit { limit } else { Limit::None };
        if self.content == Content::NoUrl {
            self.content = content;
        }
        self.names.extend([self.written.clone(), written.clone()].into_iter().chain(names));
        self.written += &written;
    }
}

/// The text in front of a variable may name it: a member of JSON, `name=`, or `name:` in LTSV. A reader takes that for its
/// name, too.
fn names_of(literal: &[u8], mut names: Vec<String>) -> Vec<String> {
    let text = String::from_utf8_lossy(literal);
    let text = text.strip_suffix('"').unwrap_or(&text);
    let is_part = |letter: char| letter.is_alphanumeric() || "._-@".contains(letter);
    let behind = |text: &str| text[text.trim_end_matches(is_part).len()..].to_owned();
    let member =
        text.trim_end().strip_suffix(':').and_then(|text| text.trim_end().strip_suffix('"')).map(behind);
    let assigned = text.strip_suffix('=').map(behind);
    let ltsv = text.strip_suffix(':').filter(|text| {
        let name = behind(text);
        text.len() == name.len() || text[..text.len() - name.len()].ends_with('\t')
    });
    let name = member.or(assigned).or(ltsv.map(behind)).filter(|name| !name.is_empty());
    if let Some(name) = name {
        names.insert(0, name);
    }
    names
}

fn limit_of(written: &str, literal: &[u8], content: Content) -> Limit {
    let word = written.trim_start_matches(['$', '{']).trim_end_matches('}');
    match word {
        "time_local" => Limit::Bracket,
        "host" | "server_name" | "hostname" => Limit::Host,
        _ if written == "%v" => Limit::Host,
        "remote_addr"
        | "status"
        | "body_bytes_sent"
        | "bytes_sent"
        | "request_time"
        | "request_length"
        | "msec"
        | "time_iso8601"
        | "server_port"
        | "remote_port"
        | "connection"
        | "connection_requests"
        | "pid"
        | "request_id"
        | "scheme"
        | "server_protocol"
        | "request_method"
        | "pipe"
        | "ssl_protocol"
        | "ssl_cipher" => Limit::Blank,
        // A client that is asked for a name may answer with blanks.
        _ if written == "%u" || written == "%l" => Limit::None,
        _ if written.starts_with('%') && content == Content::NoUrl => Limit::Blank,
        _ if literal.ends_with(b"\"") => Limit::Quote,
        _ => Limit::None,
    }
}

type Found = (String, Vec<String>, Content);

/// `$name` or `${name}`
fn nginx_variable(rest: &str) -> Option<Found> {
    let name = rest.strip_prefix('$')?;
    let bare = name.strip_prefix('{').and_then(|name| Some(&name[..name.find('}')?]));
    let plain = &name
        [..name.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').unwrap_or(name.len())];
    let name = bare.unwrap_or(plain);
    (!name.is_empty()).then_some(())?;
    let written = &rest[..if bare.is_some() { name.len() + 3 } else { name.len() + 1 }];
    let header = name.strip_prefix("http_").map(|header| {
        let words = header.split('_').map(|word| {
            let mut letters = word.chars();
            letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
        });
        words.collect::<Vec<_>>().join("-")
    });
    let alias = match name {
        "remote_addr" => Some("client".to_owned()),
        "remote_user" => Some("user".to_owned()),
        _ => header,
    };
    let content = match name {
        "request" => Content::Request,
        "remote_addr" | "time_local" | "time_iso8601" | "status" | "body_bytes_sent" | "bytes_sent"
        | "request_time" | "request_length" | "msec" | "remote_user" => Content::NoUrl,
        _ => Content::Word,
    };
    Some((written.to_owned(), alias.into_iter().chain([name.to_owned()]).collect(), content))
}

/// `%h`, `%>s`, `%{Referer}i`, `%!200,304{User-Agent}i`
fn apache_variable(rest: &str) -> Result<Option<Found>, Fault> {
    let Some(text) = rest.strip_prefix('%').filter(|text| !text.starts_with(['%', 't'])) else {
        return Ok(None);
    };
    let text = text.trim_start_matches(|letter: char| letter.is_ascii_digit() || "!,<>".contains(letter));
    let (argument, text) = match text.strip_prefix('{') {
        Some(inner) => match inner.split_once('}') {
            Some((argument, behind)) => (Some(argument), behind),
            None => return Err(Fault(format!("{rest:?} in log_format has no closing brace"))),
        },
        None => (None, text),
    };
    // `%^ti` and the like have three letters.
    let length = if text.starts_with('^') { 3 } else { 1 };
    let Some(letter) = text.get(..length) else {
        return Err(Fault(format!("{rest:?} at the end of log_format is not a directive")));
    };
    let written = rest[..rest.len() - text.len() + length].to_owned();
    let (names, content): (Vec<&str>, _) = match (letter, argument) {
        ("h", None) => (vec!["client", "h"], Content::NoUrl),
        ("a", _) => (vec!["client", "a"], Content::NoUrl),
        ("u", None) => (vec!["user", "u"], Content::NoUrl),
        ("l", None) => (vec!["ident", "l"], Content::NoUrl),
        ("r", None) => (vec!["request", "r"], Content::Request),
        ("U", None) => (vec!["uri", "U"], Content::Word),
        ("q", None) => (vec!["query_string", "q"], Content::Word),
        ("i" | "o" | "C" | "e" | "n", Some(argument)) => (vec![argument], Content::Word),
        ("t", Some(_)) => (vec!["time"], Content::Word),
        (other, None) if "sbBDTIOSpPkXHmAv".contains(other) => (vec![other], Content::NoUrl),
        (other, _) => (vec![argument.unwrap_or(other)], Content::Word),
    };
    Ok(Some((written, names.into_iter().map(str::to_owned).collect(), content)))
}
