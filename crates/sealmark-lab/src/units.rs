//! Numbers as people read them. Sizes of inputs are binary where they are round; rates and memory are decimal
//! (1 MB = 10^6 bytes, 1 GB = 10^9 bytes).

/// "10 MiB", or "6.72 GB" for a size that is not round.
pub fn size(bytes: u64) -> String {
    let units = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    // More than four digits of a unit are no round number.
    match units
        .iter()
        .find(|(_, unit)| bytes >= *unit && bytes.is_multiple_of(*unit) && bytes / unit < 10_000)
    {
        Some((name, unit)) => format!("{} {name}", bytes / unit),
        None if bytes < 1000 => format!("{bytes} bytes"),
        None => decimal(bytes as f64, ["kB", "MB", "GB"]),
    }
}

/// Bytes per second as "412 kB/s", "4.97 MB/s" or "2.45 GB/s".
pub fn rate(bytes_per_second: f64) -> String {
    decimal(bytes_per_second, ["kB/s", "MB/s", "GB/s"])
}

fn decimal(value: f64, units: [&str; 3]) -> String {
    let step = if value >= 999.5e6 { 2 } else { usize::from(value >= 999.5e3) };
    format!("{} {}", significant(value / [1e3, 1e6, 1e9][step]), units[step])
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
    fn numbers_read_as_expected() {
        assert_eq!(
            [1, 1024, 1500, 10_485_760, 268_435_456, 1 << 30, 6_719_094_784].map(size),
            ["1 bytes", "1 KiB", "1.50 kB", "10 MiB", "256 MiB", "1 GiB", "6.72 GB"]
        );
        assert_eq!(
            [12.0, 999_499.0, 999_999.0, 4.97e6, 2.449e9].map(rate),
            ["0.0120 kB/s", "999 kB/s", "1.00 MB/s", "4.97 MB/s", "2.45 GB/s"]
        );
        assert_eq!(
            [1234.5, 99.96, 99.6, 12.34, 9.996, 1.0, 0.1234, 0.04567, 0.0].map(significant),
            ["1234", "100", "99.6", "12.3", "10.0", "1.00", "0.123", "0.0457", "0.0000"]
        );
    }
}
