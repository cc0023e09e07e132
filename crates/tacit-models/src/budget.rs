//! Deadlines and retries.
//!
//! Deterministic: pauses double, nothing is random, and the sleep function is passed in.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::EmbedError;

/// Maximum number of attempts for a request.
pub const TRIES: u32 = 3;
/// The pause before the second attempt; it doubles for each further one.
pub const FIRST_PAUSE: Duration = Duration::from_millis(250);
/// Longer deadlines are cut to this, so that adding durations cannot overflow.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// Sleeps between attempts.
pub(crate) type Sleep = Arc<dyn Fn(Duration) + Send + Sync>;

/// The time by which a call must end, with the duration it was given.
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

    /// Returns the remaining time, or `None` if the deadline has passed.
    pub(crate) fn remaining(&self) -> Option<Duration> {
        let remaining = self.at.saturating_duration_since(Instant::now());
        (!remaining.is_zero()).then_some(remaining)
    }

    pub(crate) fn timeout_error(&self, endpoint: &str) -> EmbedError {
        EmbedError::TimedOut { endpoint: endpoint.to_owned(), after: self.after }
    }
}

/// The result of one attempt.
pub(crate) enum Attempt<T> {
    /// A final result.
    Done(Result<T, EmbedError>),
    /// A temporary failure, with the delay that the server asked for, if any.
    Retry(EmbedError, Option<Duration>),
}

/// Attempts until one succeeds, the attempts are used up, or the next pause would end after the
/// deadline. Returns the last failure then.
pub(crate) fn retry<T>(
    endpoint: &str,
    deadline: RequestDeadline,
    sleep: &Sleep,
    mut attempt: impl FnMut(Duration) -> Attempt<T>,
) -> Result<T, EmbedError> {
    let mut pause = FIRST_PAUSE;
    let mut last = None;
    for count in 1..=TRIES {
        let Some(remaining) = deadline.remaining() else { break };
        let (error, delay) = match attempt(remaining) {
            Attempt::Done(result) => return result,
            Attempt::Retry(error, delay) => (error, delay),
        };
        last = Some(error);
        let wait = pause.max(delay.unwrap_or_default());
        if count == TRIES || deadline.remaining().is_none_or(|remaining| wait >= remaining) {
            break;
        }
        sleep(wait);
        pause *= 2;
    }
    Err(last.unwrap_or_else(|| deadline.timeout_error(endpoint)))
}
