//! Errors of embedders.
//!
//! Callers distinguish temporary failures, configuration errors and server errors. Every message
//! names the endpoint. None contains a key: [`crate::http`] removes keys from server messages.

use std::time::Duration;

/// The reason why texts could not be embedded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EmbedError {
    /// The settings are invalid; nothing was sent.
    #[error("{0}")]
    Misconfigured(String),

    /// The connection failed, or broke before an answer arrived.
    #[error("`{endpoint}` cannot be reached: {detail}")]
    Unreachable {
        /// The address of the server.
        endpoint: String,
        /// The cause, and what the user can do.
        detail: String,
    },

    /// The server did not answer completely within the time limit.
    #[error(
        "`{endpoint}` did not answer within {} ms; allow more time or use a smaller model",
        after.as_millis()
    )]
    TimedOut {
        /// The address of the server, or the name of the bundled model.
        endpoint: String,
        /// The time limit.
        after: Duration,
    },

    /// The server answered with an error, or with a redirect.
    #[error("`{endpoint}` refused with status {status}: {message}")]
    Refused {
        /// The address of the server.
        endpoint: String,
        /// The HTTP status.
        status: u16,
        /// The server's message, or a better explanation where there is one.
        message: String,
    },

    /// The server has received too many requests.
    #[error("`{endpoint}` asks for fewer requests; {}", retry_advice(*retry_after))]
    RateLimited {
        /// The address of the server.
        endpoint: String,
        /// The pause that the server asks for, if any.
        retry_after: Option<Duration>,
    },

    /// The vectors have the wrong length.
    #[error(
        "`{endpoint}` sent {found} dimensions instead of {expected}; update the server, \
         or set the dimensions to {found} and re-index"
    )]
    WrongDimensions {
        /// The address of the server.
        endpoint: String,
        /// The expected dimensions.
        expected: usize,
        /// The dimensions that were sent.
        found: usize,
    },

    /// A vector contains NaN or infinity.
    #[error("`{endpoint}` sent a vector that is not finite; try another model or quantisation")]
    NotFinite {
        /// The address of the server.
        endpoint: String,
    },

    /// The answer does not follow the interface.
    #[error("`{endpoint}` sent an invalid answer: {detail}")]
    Malformed {
        /// The address of the server.
        endpoint: String,
        /// The problem with the answer.
        detail: String,
    },

    /// The number of vectors differs from the number of texts.
    #[error("`{endpoint}` sent {found} vectors for {expected} texts; update the server")]
    WrongCount {
        /// The address of the server.
        endpoint: String,
        /// The number of texts.
        expected: usize,
        /// The number of vectors.
        found: usize,
    },
}

fn retry_advice(retry_after: Option<Duration>) -> String {
    match retry_after {
        Some(pause) => format!("try again in {} s", pause.as_secs()),
        None => "try again later".to_owned(),
    }
}
