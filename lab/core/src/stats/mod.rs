//! Statistics: pure functions over samples. Outliers stay: they happened.

pub mod between_runs;
pub mod bootstrap;
pub mod growth;
#[cfg(test)]
pub mod simulated;
pub mod slopes;
pub mod verdict;

use std::borrow::Borrow;
use std::collections::BTreeMap;

/// The value a share of the samples lies below, by linear interpolation between neighbours (Hyndman and Fan, 1996,
/// type 7). None without samples.
pub fn quantile(samples: impl IntoIterator<Item: Borrow<f64>>, share: f64) -> Option<f64> {
    let mut sorted: Vec<f64> = samples.into_iter().map(|sample| *sample.borrow()).collect();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    let position = share.clamp(0.0, 1.0) * last as f64;
    let below = position.floor() as usize;
    let above = position.ceil() as usize;
    Some(sorted[below] + (sorted[above] - sorted[below]) * (position - below as f64))
}

/// The middle sample, or the mean of the two middle ones.
pub fn median(samples: impl IntoIterator<Item: Borrow<f64>>) -> Option<f64> {
    quantile(samples, 0.5)
}

/// Samples by the block they were taken in.
pub type ByBlock = BTreeMap<u64, f64>;

/// Numerator over denominator within each block that has both. Pairing within a block cancels what drifts between blocks. A
/// time of zero was not measured, and is no part of a ratio.
pub fn paired_ratios(numerator: &ByBlock, denominator: &ByBlock) -> Vec<f64> {
    let pairs = numerator.iter().filter_map(|(block, above)| Some((*above, *denominator.get(block)?)));
    pairs.filter(|(above, below)| *above > 0.0 && *below > 0.0).map(|(above, below)| above / below).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_have_known_answers() {
        assert_eq!(median([0.0; 0]), None);
        assert_eq!(median([3.0]), Some(3.0));
        assert_eq!(median([9.0, 1.0, 4.0]), Some(4.0));
        assert_eq!(median([4.0, 1.0, 9.0, 2.0]), Some(3.0));
        // R: quantile(c(1,2,4,8,16,32,64), c(.25,.75)) = 3, 24
        let doubling = [64.0, 1.0, 32.0, 2.0, 16.0, 4.0, 8.0];
        assert_eq!(quantile(doubling, 0.25), Some(3.0));
        assert_eq!(quantile(doubling, 0.75), Some(24.0));
        assert_eq!(quantile(doubling, 0.0), Some(1.0));
        assert_eq!(quantile(doubling, 1.0), Some(64.0));
    }

    #[test]
    fn ratios_are_taken_within_blocks_only() {
        let engine = ByBlock::from([(1, 10.0), (2, 20.0), (4, 9.0), (5, 0.0)]);
        let copy = ByBlock::from([(1, 5.0), (2, 10.0), (3, 1.0), (4, 0.0), (5, 1.0)]);
        assert_eq!(paired_ratios(&engine, &copy), [2.0, 2.0]);
        assert!(paired_ratios(&engine, &ByBlock::new()).is_empty());
    }

    #[test]
    fn a_drift_shared_by_both_leaves_the_paired_ratio_alone() {
        let copy: ByBlock = (0..10).map(|block| (block, 100.0 * 1.5f64.powi(block as i32))).collect();
        let engine: ByBlock = copy.iter().map(|(block, time)| (*block, time * 1.25)).collect();
        let seen = paired_ratios(&engine, &copy);
        assert!(seen.iter().all(|ratio| (ratio - 1.25).abs() < 1e-12), "{seen:?}");
    }
}
