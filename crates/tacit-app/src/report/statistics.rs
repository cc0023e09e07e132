//! Intervals for what the report estimates: values in, values out.
//!
//! Shares have Wilson's interval, differences of shares Newcombe's (his method 10), which stay within
//! their range and hold for small samples. Differences of means have a bootstrap interval, because
//! counts per session are skewed and have no simple distribution; sessions are drawn as a whole,
//! because what happens within one is not independent. All intervals are at 95 %.

use serde::Serialize;

/// The two-sided 95 % point of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;
/// The number of samples that the bootstrap draws.
const SAMPLES: usize = 2_000;
/// The share of samples beyond each end of an interval.
const TAIL: f64 = 0.025;
/// The seed of the bootstrap: the same sessions give the same interval.
const SEED: u64 = 0x7461_6369_7420_3233;

/// A 95 % confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// A share with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Proportion {
    /// The number of successes.
    pub count: u64,
    /// The number of trials.
    pub of: u64,
    /// The interval of the share; `None` without trials.
    pub interval: Option<Interval>,
}

/// The numerator and the denominator that a session adds to a mean: a sum and a number of cases. A
/// mean per session has the denominator 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SessionSample {
    /// The part of the sum.
    pub sum: f64,
    /// The part of the number of cases.
    pub cases: f64,
}

impl Interval {
    /// Returns true if zero is inside: the data do not show a difference.
    #[must_use]
    pub fn includes_zero(self) -> bool {
        self.low <= 0.0 && self.high >= 0.0
    }
}

impl Proportion {
    /// Computes the interval of a share.
    #[must_use]
    pub fn new(count: u64, of: u64) -> Proportion {
        Proportion { count, of, interval: wilson(count, of) }
    }

    /// Returns the share; `None` without trials.
    #[must_use]
    pub fn share(&self) -> Option<f64> {
        (self.of > 0).then(|| self.count as f64 / self.of as f64)
    }
}

impl SessionSample {
    /// Creates the sample of a value per session.
    #[must_use]
    pub fn one(value: u64) -> SessionSample {
        SessionSample { sum: value as f64, cases: 1.0 }
    }
}

/// Computes Wilson's score interval of a share; `None` without trials.
#[must_use]
pub fn wilson(count: u64, of: u64) -> Option<Interval> {
    if of == 0 {
        return None;
    }
    let (count, of) = (count.min(of) as f64, of as f64);
    let share = count / of;
    let z2 = Z * Z;
    let middle = count + z2 / 2.0;
    let spread = Z * (of * share * (1.0 - share) + z2 / 4.0).sqrt();
    let (low, high) = ((middle - spread) / (of + z2), (middle + spread) / (of + z2));
    Some(Interval { low: low.clamp(0.0, share), high: high.clamp(share, 1.0) })
}

/// Computes Newcombe's interval of the difference of two shares; `None` if one has no trials.
#[must_use]
pub fn newcombe(first: Proportion, second: Proportion) -> Option<Interval> {
    let (p, q) = (first.share()?, second.share()?);
    let (first, second) = (first.interval?, second.interval?);
    let below = (p - first.low).hypot(second.high - q);
    let above = (first.high - p).hypot(q - second.low);
    Some(Interval { low: p - q - below, high: p - q + above })
}

/// Returns the mean of samples: their sum by their cases; `None` without cases.
#[must_use]
pub fn mean(samples: &[SessionSample]) -> Option<f64> {
    let (sum, cases) =
        samples.iter().fold((0.0, 0.0), |(sum, cases), one| (sum + one.sum, cases + one.cases));
    (cases > 0.0).then(|| sum / cases)
}

/// Computes the percentile bootstrap interval of the difference of two means, `first` minus `second`.
/// Returns `None` if one of them has no cases. The order of samples within a group matters, so callers
/// sort them.
#[must_use]
pub fn bootstrap_difference(first: &[SessionSample], second: &[SessionSample]) -> Option<Interval> {
    mean(first)?;
    mean(second)?;
    let mut random = SplitMix(SEED);
    let mut differences: Vec<f64> = Vec::with_capacity(SAMPLES);
    for _ in 0..SAMPLES {
        // A sample may draw no cases at all, in which it has no mean.
        let drawn = (random.mean_of_sample(first), random.mean_of_sample(second));
        if let (Some(first), Some(second)) = drawn {
            differences.push(first - second);
        }
    }
    differences.sort_by(f64::total_cmp);
    let at = |share: f64| {
        let last = differences.len().checked_sub(1)?;
        differences.get((share * last as f64).round() as usize).copied()
    };
    Some(Interval { low: at(TAIL)?, high: at(1.0 - TAIL)? })
}

/// The generator SplitMix64: small, fast, and the same everywhere.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }

    /// Draws as many samples as there are, with replacement, and returns their mean.
    fn mean_of_sample(&mut self, samples: &[SessionSample]) -> Option<f64> {
        let (mut sum, mut cases) = (0.0, 0.0);
        for _ in 0..samples.len() {
            let drawn = samples[self.below(samples.len())];
            sum += drawn.sum;
            cases += drawn.cases;
        }
        (cases > 0.0).then(|| sum / cases)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rounded(interval: Interval) -> (f64, f64) {
        let round = |value: f64| (value * 10_000.0).round() / 10_000.0;
        (round(interval.low), round(interval.high))
    }

    #[test]
    fn shares_have_the_intervals_of_newcombe_1998() {
        for (count, of, low, high) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
            (29, 29, 0.8830, 1.0),
        ] {
            assert_eq!(rounded(wilson(count, of).unwrap()), (low, high), "{count} of {of}");
        }
        assert_eq!(wilson(0, 0), None);
    }

    #[test]
    fn differences_of_shares_have_the_intervals_of_newcombe_1998() {
        for (first, second, low, high) in [
            ((56, 70), (48, 80), 0.0524, 0.3339),
            ((9, 10), (3, 10), 0.1705, 0.8090),
            ((10, 10), (0, 20), 0.6791, 1.0),
        ] {
            let (first, second) =
                (Proportion::new(first.0, first.1), Proportion::new(second.0, second.1));
            assert_eq!(rounded(newcombe(first, second).unwrap()), (low, high));
        }
        assert_eq!(newcombe(Proportion::new(1, 2), Proportion::new(0, 0)), None);
    }

    #[test]
    fn equal_samples_have_an_exact_difference() {
        let (five, three) = ([SessionSample::one(5); 12], [SessionSample::one(3); 4]);
        let interval = bootstrap_difference(&five, &three).unwrap();
        assert_eq!(interval, Interval { low: 2.0, high: 2.0 });
        assert_eq!(bootstrap_difference(&five, &[]), None);
    }

    /// With 400 samples of 0 and 1 in equal parts, the mean has a standard error of 0.025.
    #[test]
    fn large_samples_have_the_interval_of_the_normal_distribution() {
        let halves: Vec<SessionSample> =
            (0..400).map(|number| SessionSample::one(number % 2)).collect();
        let interval = bootstrap_difference(&halves, &halves).unwrap();
        let expected = Z * 0.025 * std::f64::consts::SQRT_2;
        assert!((interval.high - expected).abs() < 0.006, "{interval:?}");
        assert!((interval.low + expected).abs() < 0.006, "{interval:?}");
    }

    /// About five of 100 intervals do not include zero although there is no effect.
    #[test]
    fn intervals_miss_as_often_as_they_claim() {
        let mut random = SplitMix(1);
        let mut draw = |count: usize| -> Vec<SessionSample> {
            (0..count)
                .map(|_| SessionSample::one(random.below(3) as u64 + random.below(2) as u64))
                .collect()
        };
        let misses = (0..100)
            .filter(|_| {
                let interval = bootstrap_difference(&draw(60), &draw(20));
                !interval.is_some_and(Interval::includes_zero)
            })
            .count();
        assert!((1..=12).contains(&misses), "{misses}");
    }

    #[test]
    fn sessions_without_cases_do_not_change_a_mean() {
        let none = SessionSample { sum: 0.0, cases: 0.0 };
        let two = SessionSample { sum: 6.0, cases: 2.0 };
        assert_eq!(mean(&[none, two, none]), Some(3.0));
        assert_eq!(mean(&[none]), None);
        assert_eq!(bootstrap_difference(&[none], &[two]), None);
        let three = Interval { low: 3.0, high: 3.0 };
        assert_eq!(bootstrap_difference(&[none, two, two], &[SessionSample::one(0)]), Some(three));
    }

    proptest! {
        #[test]
        fn intervals_contain_their_share(of in 1_u64..500, part in 0.0..=1.0_f64) {
            let count = (part * of as f64) as u64;
            let proportion = Proportion::new(count, of);
            let (share, interval) = (proportion.share().unwrap(), proportion.interval.unwrap());
            prop_assert!(0.0 <= interval.low && interval.low <= share);
            prop_assert!(share <= interval.high && interval.high <= 1.0);
        }

        #[test]
        fn swapped_groups_swap_the_interval(a in 0_u64..40, b in 0_u64..40) {
            let (a, b) = (Proportion::new(a, 40), Proportion::new(b, 40));
            let (one, other) = (newcombe(a, b).unwrap(), newcombe(b, a).unwrap());
            prop_assert!((one.low + other.high).abs() < 1e-12);
            prop_assert!(one.low <= one.high && one.low >= -1.0 && one.high <= 1.0);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn the_bootstrap_is_reproducible_and_ordered(
            first in prop::collection::vec(0_u64..20, 1..30),
            second in prop::collection::vec(0_u64..20, 1..30),
        ) {
            let samples = |values: &[u64]| values.iter().map(|value| SessionSample::one(*value)).collect::<Vec<_>>();
            let (first, second) = (samples(&first), samples(&second));
            let interval = bootstrap_difference(&first, &second).unwrap();
            prop_assert!(interval.low <= interval.high);
            prop_assert_eq!(Some(interval), bootstrap_difference(&first, &second));
        }
    }
}
