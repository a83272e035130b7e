//! Times as people type them, and as they are told.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ZonedDateTime};

/// Seconds since 1970 (UTC).
pub type Seconds = i64;

/// The beginning of a period: a day begins with it.
pub fn since(text: &str) -> Result<Seconds, String> {
    time(text, Timestamp::now(), &TimeZone::system(), Day::Begins)
}

/// The end of a period: a day that is named belongs to it.
pub fn until(text: &str) -> Result<Seconds, String> {
    time(text, Timestamp::now(), &TimeZone::system(), Day::Ends)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Day {
    Begins,
    Ends,
}

fn time(text: &str, now: Timestamp, zone: &TimeZone, day: Day) -> Result<Seconds, String> {
    let at =
        |time: DateTime| time.to_zoned_datetime(zone.clone()).ok().map(|time| time.timestamp().as_second());
    let date = || {
        let date: Date = (!text.contains(['T', 't', ' ', ':'])).then(|| text.parse().ok())??;
        match day {
            Day::Begins => at(date.at(0, 0, 0, 0)),
            Day::Ends => Some(at(date.tomorrow().ok()?.at(0, 0, 0, 0))? - 1),
        }
    };
    let back = || {
        let span: Span =
            text.parse().ok().filter(|_| text.starts_with(|first: char| first.is_ascii_digit()))?;
        Some(now.to_zoned_datetime(zone.clone()).checked_sub(span.abs()).ok()?.timestamp().as_second())
    };
    // A zone in brackets counts: read as a moment, the text would be taken without it.
    if text.contains('[') {
        let zoned = text.parse::<ZonedDateTime>().map(|time| time.timestamp().as_second());
        return zoned.map_err(|error| {
            format!("write a time with a zone such as 2026-11-24T08:00[Europe/Berlin]: {error}")
        });
    }
    let moment = || text.parse().ok().map(Timestamp::as_second);
    let local = || text.parse().ok().and_then(at);
    date().or_else(moment).or_else(local).or_else(back).ok_or_else(|| {
        "write a time such as 2026-11-24, 2026-11-24T08:00 or 2026-11-24T08:00:00Z, or an age such as 90m, 2h or 7d".to_owned()
    })
}

/// The form of RFC 3339; a number of seconds that is no date stays one.
pub fn shown(seconds: u64) -> String {
    let time = i64::try_from(seconds).ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
    time.map_or_else(|| format!("@{seconds}"), |time| time.to_string())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
    use super::*;

    /// It is noon, two hours east of Greenwich.
    fn at(text: &str, day: Day) -> Result<String, String> {
        let (now, zone) = ("2026-11-24T10:00:00Z".parse().unwrap(), TimeZone::fixed(jiff::tz::offset(2)));
        time(text, now, &zone, day).map(|seconds| shown(seconds.try_into().unwrap()))
    }

    #[test]
    fn times_are_read_as_they_are_typed() {
        for (typed, begins, ends) in [
            ("2026-11-23", "2026-11-22T22:00:00Z", "2026-11-23T21:59:59Z"),
            ("20261123", "2026-11-22T22:00:00Z", "2026-11-23T21:59:59Z"),
            ("2026-11-23T08:00:00Z", "2026-11-23T08:00:00Z", "2026-11-23T08:00:00Z"),
            ("2026-11-23T08:00:00.9+01:00", "2026-11-23T07:00:00Z", "2026-11-23T07:00:00Z"),
            ("2026-11-23T08:00", "2026-11-23T06:00:00Z", "2026-11-23T06:00:00Z"),
            ("2026-11-23 08:00:01", "2026-11-23T06:00:01Z", "2026-11-23T06:00:01Z"),
            ("2026-11-23T08:00[Asia/Tokyo]", "2026-11-22T23:00:00Z", "2026-11-22T23:00:00Z"),
            ("2026-11-23T08:00+09:00[Asia/Tokyo]", "2026-11-22T23:00:00Z", "2026-11-22T23:00:00Z"),
            ("2h", "2026-11-24T08:00:00Z", "2026-11-24T08:00:00Z"),
            ("90m", "2026-11-24T08:30:00Z", "2026-11-24T08:30:00Z"),
            ("1h30m", "2026-11-24T08:30:00Z", "2026-11-24T08:30:00Z"),
            ("7d", "2026-11-17T10:00:00Z", "2026-11-17T10:00:00Z"),
            ("2h ago", "2026-11-24T08:00:00Z", "2026-11-24T08:00:00Z"),
        ] {
            assert_eq!(at(typed, Day::Begins).as_deref(), Ok(begins), "{typed}");
            assert_eq!(at(typed, Day::Ends).as_deref(), Ok(ends), "{typed}");
        }
        for wrong in [
            "",
            "2",
            "-2h",
            "h",
            "2026-13-01",
            "2026-11",
            "yesterday",
            "2h x",
            "9999999999h",
            "2026-11-23T08:00:00Z[Asia/Tokyo]x",
            "2026-11-23T08:00[Nowhere/Else]",
            "2026-11-23T08:00+01:00[Asia/Tokyo]",
            "2h[Asia/Tokyo]",
        ] {
            assert!(at(wrong, Day::Begins).is_err(), "{wrong:?} was taken for {:?}", at(wrong, Day::Begins));
        }
    }

    #[test]
    fn a_number_that_is_no_date_is_told_all_the_same() {
        assert_eq!(shown(0), "1970-01-01T00:00:00Z");
        assert_eq!(shown(u64::MAX), "@18446744073709551615");
        assert_eq!(shown(1 << 60), "@1152921504606846976");
    }
}
