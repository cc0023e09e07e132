//! Time that is left, and how it is spent on trying again.
//!
//! Deterministic: the pauses double, nothing is random, and the sleeping itself is passed in.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::EmbedError;

/// How often a request is sent at most.
pub const TRIES: u32 = 3;
/// The pause before the second try; it doubles for every further one.
pub const FIRST_PAUSE: Duration = Duration::from_millis(250);
/// Longer deadlines are cut to this, so that sums of times cannot overflow.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// Passes the time between tries.
pub(crate) type Sleep = Arc<dyn Fn(Duration) + Send + Sync>;

/// A moment by which something is done, and how long that was from the start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RequestDeadline {
    pub(crate) at: Instant,
    after: Duration,
}

impl RequestDeadline {
    pub(crate) fn within(after: Duration) -> Self {
        let after = after.min(LONGEST);
        Self { at: Instant::now() + after, after }
    }

    /// What is left, if anything is.
    pub(crate) fn left(&self) -> Option<Duration> {
        let left = self.at.saturating_duration_since(Instant::now());
        (!left.is_zero()).then_some(left)
    }

    pub(crate) fn missed(&self, endpoint: &str) -> EmbedError {
        EmbedError::TimedOut { endpoint: endpoint.to_owned(), after: self.after }
    }
}

/// What became of one try.
pub(crate) enum Try<T> {
    /// It is over, well or badly.
    Done(Result<T, EmbedError>),
    /// It failed in a way that may pass, perhaps not before a time the server gave.
    Again(EmbedError, Option<Duration>),
}

/// Tries until something is done, the tries are used up, or the next pause would end after the
/// deadline; then the last failure is what the caller hears about.
pub(crate) fn retry<T>(
    endpoint: &str,
    deadline: RequestDeadline,
    sleep: &Sleep,
    mut attempt: impl FnMut(Duration) -> Try<T>,
) -> Result<T, EmbedError> {
    let mut pause = FIRST_PAUSE;
    let mut last = None;
    for number in 1..=TRIES {
        let Some(left) = deadline.left() else { break };
        let (error, at_least) = match attempt(left) {
            Try::Done(result) => return result,
            Try::Again(error, at_least) => (error, at_least),
        };
        last = Some(error);
        let wait = pause.max(at_least.unwrap_or_default());
        if number == TRIES || deadline.left().is_none_or(|left| wait >= left) {
            break;
        }
        sleep(wait);
        pause *= 2;
    }
    Err(last.unwrap_or_else(|| deadline.missed(endpoint)))
}
