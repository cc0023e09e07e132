//! Runs processes and measures their cost.

use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;

/// The cost of one process.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sample {
    /// User and system time of the process and its children.
    pub(crate) cpu: Duration,
    /// Wall-clock time from start to exit.
    pub(crate) wall: Duration,
}

/// Runs a process to its end. No other child process may end at the same time, because the system
/// adds up the time of all children.
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

/// Returns the time of all children that have ended. The kernel measures it in nanoseconds, so
/// that, unlike `/proc/self/stat`, it can distinguish processes that take less than a tick.
pub(crate) fn children() -> Result<Duration> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).context("cannot read the time of children")?;
    Ok(duration(usage.user_time()) + duration(usage.system_time()))
}

fn duration(time: TimeVal) -> Duration {
    let seconds = u64::try_from(time.tv_sec()).unwrap_or(0);
    let micros = u64::try_from(time.tv_usec()).unwrap_or(0);
    Duration::from_secs(seconds) + Duration::from_micros(micros)
}

/// The median and 95th percentile of several measurements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spread {
    pub(crate) median: Duration,
    pub(crate) p95: Duration,
}

impl Spread {
    /// Computes the spread; zero without measurements.
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

/// Returns the ratio of two durations.
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
    fn failing_processes_are_not_measured() {
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
