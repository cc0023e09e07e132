//! Why there are no vectors.
//!
//! Callers tell apart what can be waited out, what needs the user, and what is a server's fault.
//! Every message names the endpoint; none holds a key, which [`crate::http`] sees to before text
//! from a server gets in here.

use std::time::Duration;

/// Why texts were not embedded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EmbedError {
    /// The settings cannot work; nothing was sent.
    #[error("{0}")]
    Misconfigured(String),

    /// No connection, or it broke before an answer came.
    #[error("`{endpoint}` cannot be reached: {detail}")]
    Unreachable {
        /// The address of the server.
        endpoint: String,
        /// What happened, and what to do.
        detail: String,
    },

    /// No whole answer within the time allowed.
    #[error(
        "`{endpoint}` did not answer within {} ms; allow more time or use a smaller model",
        after.as_millis()
    )]
    TimedOut {
        /// The address of the server, or the name of the bundled model.
        endpoint: String,
        /// The time allowed.
        after: Duration,
    },

    /// The server answered with an error, or with a redirect.
    #[error("`{endpoint}` refused with status {status}: {message}")]
    Refused {
        /// The address of the server.
        endpoint: String,
        /// The status of the answer.
        status: u16,
        /// What the server said or, where we know better, what to do.
        message: String,
    },

    /// Too many requests.
    #[error("`{endpoint}` asks for fewer requests; {}", pause(*retry_after))]
    RateLimited {
        /// The address of the server.
        endpoint: String,
        /// How long the server wants to be left alone, when it says.
        retry_after: Option<Duration>,
    },

    /// The vectors have another length.
    #[error(
        "`{endpoint}` sent {found} dimensions where {expected} were asked for; update the server, \
         or set the dimensions to {found} and re-index"
    )]
    WrongDimensions {
        /// The address of the server.
        endpoint: String,
        /// The dimensions of the model id.
        expected: usize,
        /// The dimensions that came.
        found: usize,
    },

    /// A vector holds something that is not a number, or a number without bounds.
    #[error("`{endpoint}` sent a vector that is not finite; try another model or quantisation")]
    NotFinite {
        /// The address of the server.
        endpoint: String,
    },

    /// The answer is not what the interface promises.
    #[error("`{endpoint}` sent an answer that cannot be read: {detail}")]
    Malformed {
        /// The address of the server.
        endpoint: String,
        /// What is wrong with the answer.
        detail: String,
    },

    /// More or fewer vectors than texts.
    #[error("`{endpoint}` sent {found} vectors for {expected} texts; update the server")]
    WrongCount {
        /// The address of the server.
        endpoint: String,
        /// How many texts were sent.
        expected: usize,
        /// How many vectors came.
        found: usize,
    },
}

fn pause(retry_after: Option<Duration>) -> String {
    match retry_after {
        Some(pause) => format!("try again in {} s", pause.as_secs()),
        None => "try again later".to_owned(),
    }
}
