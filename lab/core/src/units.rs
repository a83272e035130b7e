//! Numbers as people read them. Sizes of inputs are binary where they are round; rates and memory are decimal
//! (1 MB = 10^6 bytes, 1 GB = 10^9 bytes).

use std::time::Duration;

/// "10 MiB", or "10 MiB + 1" where one byte is what matters; where it is not round, "8404 bytes" to the byte while it is
/// small, as it was published, or "6.72 GB".
pub fn size(bytes: u64) -> String {
    let is_round = |bytes: u64| bytes >= 10_000 && bytes.is_power_of_two();
    match bytes {
        _ if is_round(bytes.saturating_sub(1)) => format!("{} + 1", size(bytes - 1)),
        _ if is_round(bytes.saturating_add(1)) => format!("{} - 1", size(bytes + 1)),
        _ => round_size(bytes),
    }
}

fn round_size(bytes: u64) -> String {
    let units = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    // More than four digits of a unit are no round number.
    let is_round = |unit: u64| bytes.is_multiple_of(unit) && (1..10_000).contains(&(bytes / unit));
    match units.iter().find(|(_, unit)| is_round(*unit)) {
        Some((name, unit)) => format!("{} {name}", bytes / unit),
        None if bytes < 10_000 => format!("{bytes} bytes"),
        None => decimal(bytes as f64, ["kB", "MB", "GB"]),
    }
}

/// Thousands, millions or thousands of millions.
pub fn decimal(value: f64, units: [&str; 3]) -> String {
    let step = if value >= 999.5e6 { 2 } else { usize::from(value >= 999.5e3) };
    format!("{} {}", significant(value / [1e3, 1e6, 1e9][step]), units[step])
}

/// "49", "8404", "8_404", "16KiB", "256 MiB", "1GiB".
pub fn parse_size(text: &str) -> Result<u64, String> {
    parse_size::parse_size(text).map_err(|_| "a number of bytes, or of KiB, MiB or GiB, is needed".into())
}

/// Longer than anybody waits.
const LONGEST: Duration = Duration::from_secs(30 * 24 * 3600);

/// "90s", "1m 30s", "1h"; 30 days at most.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let time = humantime::parse_duration(text).ok().filter(|time| *time <= LONGEST);
    time.ok_or_else(|| "a time such as 90s, 2m or 1h is needed, 720h at most".into())
}

/// "5%" or "0.5 %", as a share: 0.05 or 0.005.
pub fn parse_percent(text: &str) -> Result<f64, String> {
    let percent = text.strip_suffix('%').and_then(|number| number.trim_end().parse::<f64>().ok());
    let share =
        percent.filter(|percent| percent.is_finite() && *percent >= 0.0).map(|percent| percent / 100.0);
    share.ok_or_else(|| "a percentage such as 5% is needed".into())
}

/// "40 ms", "12 s", "3 min" or "2.5 h".
pub fn duration(time: Duration) -> String {
    match time.as_secs_f64() {
        s if s < 1.0 => format!("{:.0} ms", s * 1e3),
        s if s < 100.0 => format!("{s:.0} s"),
        s if s < 6000.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

/// Three significant digits, never an exponent.
pub fn significant(value: f64) -> String {
    let decimals = match value.abs() {
        at if at >= 99.95 => 0,
        at if at >= 9.995 => 1,
        at if at >= 0.9995 => 2,
        at if at >= 0.09995 => 3,
        _ => 4,
    };
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_times_are_read() {
        assert_eq!(["49", "16KiB", "256 MiB", "1GiB"].map(parse_size), [49, 16384, 1 << 28, 1 << 30].map(Ok));
        assert_eq!(["8_404", "1_0 KiB"].map(parse_size), [8404, 10240].map(Ok));
        assert!(["", "x", "1kx", "-1", "_", "99999999999GiB"].iter().all(|text| parse_size(text).is_err()));
        let seconds = |text| parse_duration(text).map(|time| time.as_secs());
        assert_eq!(["90s", "2m", "1h"].map(seconds), [90, 120, 3600].map(Ok));
        assert_eq!(["1m 30s", "1000s", "720h"].map(seconds), [90, 1000, 2_592_000].map(Ok));
        for text in ["", "2", "m", "1.2.3s", "-1s", "721h", "99999999999999999999s"] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn percentages_are_read() {
        assert_eq!(["5%", "0.5 %", "0%"].map(parse_percent), [0.05, 0.005, 0.0].map(Ok));
        assert!(["", "5", "%", "-1%", "NaN%", "inf%", "5%%"].iter().all(|text| parse_percent(text).is_err()));
    }

    #[test]
    fn durations_read_as_expected() {
        let words = [0.04, 12.3, 130.0, 9000.0].map(|s| duration(Duration::from_secs_f64(s)));
        assert_eq!(words, ["40 ms", "12 s", "2 min", "2.5 h"]);
    }

    #[test]
    fn numbers_read_as_expected() {
        assert_eq!(
            [1, 1024, 1500, 8404, 12_345, 10_485_760, 268_435_456, 1 << 30, 6_719_094_784].map(size),
            [
                "1 bytes",
                "1 KiB",
                "1500 bytes",
                "8404 bytes",
                "12.3 kB",
                "10 MiB",
                "256 MiB",
                "1 GiB",
                "6.72 GB"
            ]
        );
        let around = [(1 << 16) - 1, (1 << 20) - 1, (1 << 20) + 1, (1 << 31) + 1, 8191, 8193].map(size);
        assert_eq!(around, ["64 KiB - 1", "1 MiB - 1", "1 MiB + 1", "2 GiB + 1", "8191 bytes", "8193 bytes"]);
        assert_eq!(size(u64::MAX), "18446744074 GB");
        assert_eq!(
            [1234.5, 99.96, 99.6, 12.34, 9.996, 1.0, 0.1234, 0.04567, 0.0].map(significant),
            ["1234", "100", "99.6", "12.3", "10.0", "1.00", "0.123", "0.0457", "0.0000"]
        );
    }
}
