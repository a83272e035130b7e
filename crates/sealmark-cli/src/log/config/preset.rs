//! `preset = "…"`: the keys that it stands for.

use super::Format;
use sealmark_fields::Wrapper;
use serde::Deserialize;

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
}

const NGINX: &str = r#"$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent""#;
const APACHE: &str = r#"%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i""#;
const APACHE_VHOST: &str = r#"%v:%p %h %l %u %t "%r" %>s %O "%{Referer}i" "%{User-Agent}i""#;

/// The meaning of a preset, where the file does not say it: the format, and the names that are sealed or stay in clear.
pub struct Default {
    pub format: Option<Format>,
    pub log_format: Option<&'static str>,
    pub wrapper: Option<Wrapper>,
    pub seal: &'static [&'static str],
    pub keep: &'static [&'static str],
    pub query: &'static [&'static str],
}

impl Preset {
    /// The keys that it stands for.
    pub fn default(self) -> Default {
        const NONE: Default =
            Default { format: None, log_format: None, wrapper: None, seal: &[], keep: &[], query: &[] };
        let server = |log_format| {
            let seal = &["client", "user", "Referer", "User-Agent"];
            Default { log_format: Some(log_format), seal, query: &["all"], ..NONE }
        };
        // The fields that a service adds to its records are not known: all but the record's own are sealed.
        let json = |keep| Default { format: Some(Format::Json), seal: &["**"], keep, ..NONE };
        match self {
            Self::Nginx => server(NGINX),
            Self::Apache => server(APACHE),
            Self::ApacheVhost => server(APACHE_VHOST),
            Self::Ecs => json(&[
                "@timestamp",
                "ecs.*",
                "log.level",
                "log.logger",
                "log.origin",
                "service.*",
                "process.*",
                "event.*",
                "host.*",
                "agent.*",
                "error.type",
                "http.request.method",
                "http.response.status_code",
                "http.version",
            ]),
            Self::Logstash => {
                json(&["@timestamp", "@version", "level", "level_value", "logger_name", "thread_name"])
            }
            Self::Gelf => {
                json(&["version", "host", "timestamp", "level", "facility", "_logger*", "_thread*"])
            }
            Self::Docker => Default { wrapper: Some(Wrapper::Docker), ..NONE },
            Self::Cri => Default { wrapper: Some(Wrapper::Cri), ..NONE },
        }
    }
}
