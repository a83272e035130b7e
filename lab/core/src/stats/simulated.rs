//! Noise with a seed, for tests that ask how often a method is wrong.

use crate::workload::SplitMix64;

/// Noise in the log ratio of one block, without any true difference. It is the same on both sides: a mirrored block disturbs
/// either engine alike.
#[derive(Debug, Clone, Copy)]
pub enum Noise {
    /// 2 %, normal.
    Normal,
    /// Normal, with 15 % of the blocks 1.3 times off on either side.
    Bursts,
    /// 1 %, normal, and either engine 10 % slower in 40 % of the blocks.
    TwoModes,
    /// The same, 70 % slower: so are many of the processes that send over a socket.
    FarModes,
}

impl Noise {
    pub fn draw(self, random: &mut SplitMix64) -> f64 {
        match self {
            Self::Normal => 0.02 * normal(random),
            Self::Bursts => {
                let burst = if uniform(random) < 0.15 { 1.3_f64.ln() } else { 0.0 };
                0.02 * normal(random) + if uniform(random) < 0.5 { burst } else { -burst }
            }
            Self::TwoModes | Self::FarModes => {
                let far = if matches!(self, Self::FarModes) { 1.7_f64.ln() } else { 0.1 };
                let mut mode = || if uniform(random) < 0.4 { far } else { 0.0 };
                let modes = mode() - mode();
                0.01 * normal(random) + modes
            }
        }
    }
}

/// Between 0 and 1, both excluded.
pub fn uniform(random: &mut SplitMix64) -> f64 {
    ((random.next() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
}

/// Standard normal (Box and Muller, 1958).
pub fn normal(random: &mut SplitMix64) -> f64 {
    let radius = (-2.0 * uniform(random).ln()).sqrt();
    radius * (std::f64::consts::TAU * uniform(random)).cos()
}

/// In how many of a hundred runs something happened.
pub fn share_in_percent(runs: u32, seed: u64, mut happened: impl FnMut(&mut SplitMix64) -> bool) -> f64 {
    let mut random = SplitMix64::new(seed);
    let count = (0..runs).filter(|_| happened(&mut random)).count();
    100.0 * count as f64 / f64::from(runs)
}
