//! `preset = "…"`: the keys that it stands for.

use sealmark_fields::{List, Rule, Wrapper};
use serde::Deserialize;

#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    Json,
    Logfmt,
    Ltsv,
    Access,
    Text,
    Query,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    Nginx,
    Apache,
    ApacheVhost,
    Ecs,
    Logstash,
    Gelf,
    Docker,
    Cri,
    Rails,
    Spring,
}

const NGINX: &str = r#"$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent""#;
const APACHE: &str = r#"%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i""#;
const APACHE_VHOST: &str = r#"%v:%p %h %l %u %t "%r" %>s %O "%{Referer}i" "%{User-Agent}i""#;

/// Fields of Elastic Common Schema that tell of the program and its machine. Others of the same groups hold input of the program:
/// `event.original`, `process.command_line`, `log.original`.
const ECS: &[&str] = &[
    "@timestamp",
    "ecs.*",
    "log.level",
    "log.logger",
    "log.origin",
    "service.*",
    "process.pid",
    "process.name",
    "process.thread",
    "process.uptime",
    "event.action",
    "event.category",
    "event.code",
    "event.created",
    "event.dataset",
    "event.duration",
    "event.end",
    "event.kind",
    "event.module",
    "event.outcome",
    "event.provider",
    "event.sequence",
    "event.severity",
    "event.start",
    "event.timezone",
    "event.type",
    "host.name",
    "host.hostname",
    "host.id",
    "host.architecture",
    "host.os",
    "agent.*",
    "error.type",
    "http.request.method",
    "http.response.status_code",
    "http.version",
];
/// Fields of logstash's encoders that are never private, and where python-logstash-async puts them.
const LOGSTASH: &[&str] = &[
    "@timestamp",
    "@version",
    "level",
    "level_value",
    "logger_name",
    "thread_name",
    "pid",
    "lineno",
    "extra.logger_name",
    "extra.thread_name",
    "extra.process_name",
    "extra.func_name",
    "extra.line",
];
/// Fields of GELF that are never private, and what Spring Boot, graypy and pygelf add to each record.
const GELF: &[&str] = &[
    "version",
    "host",
    "timestamp",
    "level",
    "level_name",
    "facility",
    "file",
    "line",
    "_level_name",
    "_logger",
    "_logger_name",
    "_log_logger",
    "_thread_name",
    "_process_thread_name",
    "_process_name",
    "_process_pid",
    "_pid",
    "_file",
    "_line",
    "_module",
    "_function",
    "_func",
    "_service_name",
    "_service_version",
    "_service_environment",
    "_error_type",
];
/// Lines of Rails, with or without what `Logger::Formatter` puts in front, and tags. The path of a request ends at its first
/// question mark. All other lines are sealed as a whole: what the application logs itself, exceptions, SQL.
const RAILS: &str = r#"(?x-u)^(?:[DIWEFA],\ \[[0-9T:.\ -]+\#[0-9]+\]\ +(?:DEBUG|INFO|WARN|ERROR|FATAL|ANY)\ --\ :\ )?
    (?:(?<tags>\[.*\])\x20)?(?:
    Started\ (?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)\ "[^?]*(?:\?(?<query>.*))?"\ for\ (?<client>\S+)\ at\ [0-9:+\ -]+
    |Processing\ by\ [A-Z][\w:]*\#\w+[?!]?\ as\ (?:(?:HTML|JSON|XML|JS|TEXT|TURBO_STREAM|\*/\*)|(?<format>.*))
    |\x20\x20Parameters:\ (?<parameters>\{.*\})
    |\x20\x20Render(?:ing|ed)\ (?:[\w/.-]|\ within\ |\ template|\ layout\ |\ collection\ of\ )+(?:\ \([\w:.|\ ]+\))?
    |Redirected\ to\ (?<location>.*)
    |Completed\ [1-5][0-9][0-9]\ [A-Za-z'\ -]*\ in\ [0-9]+ms(?:\ \((?:\w+:\ [0-9.]+(?:ms)?(?:\ \([0-9]+\ quer(?:y|ies),\ [0-9]+\ cached\))?(?:\ \|\ )?)+\))?
)$"#;
/// Lines of Spring Boot's console and file. Stack traces are lines of another kind, which are sealed as a whole.
const SPRING: &str = r#"(?x-u)^[0-9]{4}-[0-9]{2}-[0-9]{2}[T\ ][0-9:.,]+(?:Z|[+-][0-9:]+)?\ +(?:TRACE|DEBUG|INFO|WARN|ERROR)
    \ +[0-9]*\ ?---\ (?:\[[^\]]*\]\ ?)+[\w.$/\[\]-]+\ *:\ (?<message>.*)$"#;

/// The name of the preset whose pattern a rule is.
pub fn of_rule(rule: &Rule) -> Option<&'static str> {
    let known = [("rails", RAILS), ("spring", SPRING)];
    let is_pattern = rule.list == List::Patterns;
    known.into_iter().find(|(_, pattern)| is_pattern && rule.name == *pattern).map(|(name, _)| name)
}

/// The meaning of a preset: the format, and the names that are sealed or stay in the clear, beside those in the file.
pub struct Default {
    pub format: Option<Format>,
    pub log_format: Option<&'static str>,
    pub wrapper: Option<Wrapper>,
    pub seal: &'static [&'static str],
    pub keep: &'static [&'static str],
    pub query: &'static [&'static str],
    /// The preset's name, for reports, and its pattern.
    pub pattern: Option<(&'static str, &'static str)>,
}

impl Preset {
    /// The keys that it stands for.
    pub fn default(self) -> Default {
        const NONE: Default = Default {
            format: None,
            log_format: None,
            wrapper: None,
            seal: &[],
            keep: &[],
            query: &[],
            pattern: None,
        };
        let server = |log_format| {
            let seal = &["client", "user", "Referer", "User-Agent"];
            Default { log_format: Some(log_format), seal, query: &["all"], ..NONE }
        };
        // The fields that a service adds to its records are not known: all but the record's own are sealed.
        let json = |keep| Default { format: Some(Format::Json), seal: &["**"], keep, ..NONE };
        let text =
            |name, pattern| Default { format: Some(Format::Text), pattern: Some((name, pattern)), ..NONE };
        match self {
            Self::Nginx => server(NGINX),
            Self::Apache => server(APACHE),
            Self::ApacheVhost => server(APACHE_VHOST),
            Self::Ecs => json(ECS),
            Self::Logstash => json(LOGSTASH),
            Self::Gelf => json(GELF),
            Self::Rails => text("rails", RAILS),
            Self::Spring => text("spring", SPRING),
            Self::Docker => Default { wrapper: Some(Wrapper::Docker), ..NONE },
            Self::Cri => Default { wrapper: Some(Wrapper::Cri), ..NONE },
        }
    }
}
