//! Running processes and saying what they cost.

use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;

/// What one process cost.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sample {
    /// User and system time, of the process and of those it waited for.
    pub(crate) cpu: Duration,
    /// From before it was started until it was reaped.
    pub(crate) wall: Duration,
}

/// Runs a process to its end. Nothing else that this process started may end meanwhile: the
/// system counts the time of all children together.
pub(crate) fn sample(command: &mut Command) -> Result<Sample> {
    let before = children()?;
    let start = Instant::now();
    let status = command.status().context("cannot start the process to measure")?;
    let wall = start.elapsed();
    let cpu = children()?.saturating_sub(before);
    if !status.success() {
        bail!("{command:?} failed ({status})");
    }
    Ok(Sample { cpu, wall })
}

/// Returns the time of all children that have ended. The kernel scales it from a clock in
/// nanoseconds, so that, unlike `/proc/self/stat`, it can tell processes of less than a tick apart.
pub(crate) fn children() -> Result<Duration> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).context("cannot read the time of children")?;
    Ok(duration(usage.user_time()) + duration(usage.system_time()))
}

fn duration(time: TimeVal) -> Duration {
    let seconds = u64::try_from(time.tv_sec()).unwrap_or(0);
    let micros = u64::try_from(time.tv_usec()).unwrap_or(0);
    Duration::from_secs(seconds) + Duration::from_micros(micros)
}

/// The middle and the slow end of several measurements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spread {
    pub(crate) median: Duration,
    pub(crate) p95: Duration,
}

impl Spread {
    /// Returns the spread of at least one measurement; nothing of none.
    pub(crate) fn of(values: impl IntoIterator<Item = Duration>) -> Spread {
        let mut values: Vec<Duration> = values.into_iter().collect();
        values.sort_unstable();
        Spread { median: percentile(&values, 50), p95: percentile(&values, 95) }
    }
}

/// Returns the smallest value that at least `percent` of the sorted values do not exceed.
fn percentile(sorted: &[Duration], percent: usize) -> Duration {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied().unwrap_or_default()
}

/// Returns a duration in milliseconds.
pub(crate) fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

/// How many times as long.
pub(crate) fn ratio(duration: Duration, unit: Duration) -> f64 {
    duration.as_secs_f64() / unit.as_secs_f64().max(1e-9)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(millis: impl IntoIterator<Item = u64>) -> (u64, u64) {
        let spread = Spread::of(millis.into_iter().map(Duration::from_millis));
        (spread.median.as_millis() as u64, spread.p95.as_millis() as u64)
    }

    #[test]
    fn percentiles_are_values_that_were_measured() {
        assert_eq!(spread([7]), (7, 7));
        assert_eq!(spread([3, 1, 2]), (2, 3));
        assert_eq!(spread(1..=40), (20, 38));
        assert_eq!(spread(1..=100), (50, 95));
        assert_eq!(spread([]), (0, 0));
    }

    #[test]
    fn a_process_takes_time_and_a_failing_one_is_not_measured() {
        let sample = sample(&mut Command::new("true")).unwrap();
        assert!(sample.wall > Duration::ZERO);
        assert!(super::sample(&mut Command::new("false")).is_err());
    }

    #[test]
    fn ratios_are_finite() {
        assert_eq!(ratio(Duration::from_millis(6), Duration::from_millis(2)), 3.0);
        assert!(ratio(Duration::from_millis(6), Duration::ZERO).is_finite());
    }
}
