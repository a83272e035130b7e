//! The mean of some samples and Student's interval around it: what JMH tells of a benchmark. Verdicts of the lab never
//! rest on it, as times are skewed; it is for files that others read.

/// The share of intervals that hold the true mean, as JMH has it.
const CONFIDENCE: f64 = 0.999;

/// Where Student's distribution is the normal one to four digits; the sums below take as many steps.
const MANY: usize = 10_000;

/// `CONFIDENCE` of a normal distribution lies so many standard deviations around its middle.
const NORMAL: f64 = 3.290_526_731;

/// A mean, and half the width of its interval; none of a single sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mean {
    pub mean: f64,
    pub error: Option<f64>,
}

/// None without samples.
pub fn mean(samples: &[f64]) -> Option<Mean> {
    let count = samples.len() as f64;
    let mean = samples.iter().sum::<f64>() / count;
    let squares: f64 = samples.iter().map(|sample| (sample - mean).powi(2)).sum();
    let error = (samples.len() > 1).then(|| {
        let standard_error = (squares / (count - 1.0) / count).sqrt();
        two_sided(samples.len() - 1) * standard_error
    });
    (!samples.is_empty()).then_some(Mean { mean, error })
}

/// Within so many standard errors around 0 lies `CONFIDENCE` of Student's distribution.
fn two_sided(freedom: usize) -> f64 {
    if freedom > MANY {
        return NORMAL;
    }
    let (mut low, mut high) = (0.0, 1.0);
    while within(high, freedom) < CONFIDENCE {
        high *= 2.0;
    }
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if within(middle, freedom) < CONFIDENCE { low = middle } else { high = middle }
    }
    high
}

/// The share of Student's distribution between -t and t (Abramowitz and Stegun, 26.7.3 and 26.7.4).
fn within(t: f64, freedom: usize) -> f64 {
    let angle = (t / (freedom as f64).sqrt()).atan();
    let (sine, cosine) = angle.sin_cos();
    let is_odd = freedom % 2 == 1;
    let first = if is_odd { cosine } else { 1.0 };
    let terms = (usize::from(is_odd) + 2..freedom).step_by(2);
    let factors = terms.scan(first, |term, power| {
        *term *= cosine * cosine * (power - 1) as f64 / power as f64;
        Some(*term)
    });
    let sum = sine * (first + factors.sum::<f64>());
    match freedom {
        1 => angle * std::f64::consts::FRAC_2_PI,
        _ if is_odd => (angle + sum) * std::f64::consts::FRAC_2_PI,
        _ => sum,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
    use super::*;

    /// R: qt(0.9995, df)
    #[test]
    fn students_distribution_has_known_answers() {
        let known = [
            (1, 636.619_249),
            (2, 31.599_055),
            (3, 12.923_979),
            (4, 8.610_302),
            (5, 6.868_827),
            (9, 4.780_913),
            (10, 4.586_894),
            (99, 3.391_529),
            (1_000, 3.300_283),
        ];
        for (freedom, t) in known {
            let found = two_sided(freedom);
            assert!((found / t - 1.0).abs() < 1e-6, "{freedom}: {found} instead of {t}");
        }
        assert!((two_sided(MANY) - NORMAL).abs() < 1e-3, "{}", two_sided(MANY));
        assert_eq!(two_sided(MANY + 1), NORMAL);
    }

    #[test]
    fn means_have_known_answers() {
        assert_eq!(mean(&[]), None);
        assert_eq!(mean(&[7.0]), Some(Mean { mean: 7.0, error: None }));
        let three = mean(&[1.0, 2.0, 3.0]).unwrap();
        assert!((three.mean - 2.0).abs() < 1e-12);
        assert!((three.error.unwrap() - 31.599_055 / 3f64.sqrt()).abs() < 1e-5, "{three:?}");
    }
}
