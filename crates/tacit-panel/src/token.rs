//! The token of a running panel, and the limit on wrong ones.

use std::collections::VecDeque;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// The wrong tokens that are answered in [`WINDOW`]; more are refused without a look.
const MOST_FAILURES: usize = 10;
/// The time for which a wrong token counts.
const WINDOW: Duration = Duration::from_secs(60);

/// The token that every request of the API must have: 256 random bits in hexadecimal digits.
#[derive(Clone)]
pub struct PanelToken(String);

impl PanelToken {
    /// Writes random bytes as a token.
    pub fn new(random: [u8; 32]) -> PanelToken {
        PanelToken(random.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// Returns the digits.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Compares in a time that does not depend on the digits.
    pub(crate) fn matches(&self, given: &[u8]) -> bool {
        let own = self.0.as_bytes();
        if own.len() != given.len() {
            return false;
        }
        let differing = own.iter().zip(given).fold(0, |sum, (a, b)| black_box(sum | (a ^ b)));
        black_box(differing) == 0
    }
}

impl std::fmt::Debug for PanelToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PanelToken(…)")
    }
}

/// The recent wrong tokens. The right one is accepted however many there were: otherwise any program on
/// the machine could lock the user out.
#[derive(Debug, Default)]
pub(crate) struct Failures(VecDeque<Instant>);

impl Failures {
    /// Counts a wrong token. Returns the time to wait if there were too many.
    pub(crate) fn count(&mut self, now: Instant) -> Option<Duration> {
        while self.0.front().is_some_and(|at| now.duration_since(*at) >= WINDOW) {
            self.0.pop_front();
        }
        match self.0.front() {
            Some(first) if self.0.len() >= MOST_FAILURES => {
                Some(WINDOW.saturating_sub(now.duration_since(*first)))
            }
            _ => {
                self.0.push_back(now);
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_digits_match() {
        let token = PanelToken::new([0xa5; 32]);
        assert_eq!(token.reveal().len(), 64);
        assert!(token.matches(token.reveal().as_bytes()));
        for wrong in ["", "a5", &"a5".repeat(33), &"a4".repeat(32), &"A5".repeat(32)] {
            assert!(!token.matches(wrong.as_bytes()), "{wrong}");
        }
        assert_eq!(format!("{token:?}"), "PanelToken(…)");
    }

    #[test]
    fn ten_wrong_tokens_a_minute_are_answered() {
        let start = Instant::now();
        let mut failures = Failures::default();
        for second in 0..10 {
            assert_eq!(failures.count(start + Duration::from_secs(second)), None);
        }
        let later = |second| start + Duration::from_secs(second);
        assert_eq!(failures.count(later(10)), Some(Duration::from_secs(50)));
        assert_eq!(failures.count(later(60)), None, "the first is a minute old");
        assert_eq!(failures.count(later(60)), Some(Duration::from_secs(1)));
    }
}
