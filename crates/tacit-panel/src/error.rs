//! Errors of the API: a status, a code and words.

use axum::http::StatusCode;
use serde::Serialize;
use serde_json::Value;
use tacit_app::{AppError, ErrorCode};
use tacit_core::visible;

use crate::phrase::Phrase;

/// An error as the page receives it.
#[derive(Debug, Clone)]
pub(crate) struct ApiError {
    pub(crate) status: StatusCode,
    pub(crate) body: Box<ErrorBody>,
    /// The seconds after which a new attempt makes sense.
    pub(crate) retry_after: Option<u64>,
}

/// The body of an error.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
pub(crate) struct ErrorBody {
    /// The kind of error.
    pub(crate) code: &'static str,
    /// The message; values are in backticks.
    pub(crate) message: String,
    /// The message as a code with values; null if it has none.
    pub(crate) message_phrase: Option<Phrase>,
    /// The next step.
    pub(crate) hint: Option<String>,
    /// The next step as a code with values; null if it has none.
    pub(crate) hint_phrase: Option<Phrase>,
    /// Facts about the error, depending on its kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) details: Option<Value>,
}

impl ApiError {
    pub(crate) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        let message: String = message.into();
        let body = ErrorBody {
            code,
            message_phrase: Phrase::parse(&message),
            message,
            hint: None,
            hint_phrase: None,
            details: None,
        };
        ApiError { status, body: Box::new(body), retry_after: None }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        let hint: String = hint.into();
        self.body.hint_phrase = Phrase::parse(&hint);
        self.body.hint = Some(hint);
        self
    }

    pub(crate) fn details(mut self, details: Value) -> Self {
        self.body.details = Some(details);
        self
    }

    /// A value of the request is wrong.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        ApiError::new(StatusCode::BAD_REQUEST, "usage", message)
    }

    /// The thing does not exist.
    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        ApiError::new(StatusCode::NOT_FOUND, "not_found", message)
    }

    /// A rule forbids it.
    pub(crate) fn refused(message: impl Into<String>) -> Self {
        ApiError::new(StatusCode::CONFLICT, "refused", message)
    }

    /// Something that cannot be undone was asked for without saying so.
    pub(crate) fn unconfirmed(word: &str) -> Self {
        ApiError::new(StatusCode::CONFLICT, "confirm", "this cannot be undone; nothing was done")
            .hint(format!("send `confirm` with `{word}`"))
    }

    /// The program failed.
    pub(crate) fn failure(message: impl Into<String>) -> Self {
        ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "failure", message)
    }
}

impl From<AppError> for ApiError {
    fn from(error: AppError) -> ApiError {
        let (status, code) = match error.code {
            ErrorCode::Usage => (StatusCode::BAD_REQUEST, "usage"),
            ErrorCode::NotFound => (StatusCode::NOT_FOUND, "not_found"),
            ErrorCode::NotInitialised => (StatusCode::UNPROCESSABLE_ENTITY, "not_initialised"),
            ErrorCode::Busy => (StatusCode::SERVICE_UNAVAILABLE, "busy"),
            ErrorCode::Damaged => (StatusCode::INSUFFICIENT_STORAGE, "damaged"),
            ErrorCode::Refused => (StatusCode::CONFLICT, "refused"),
            ErrorCode::Failure => (StatusCode::INTERNAL_SERVER_ERROR, "failure"),
        };
        let mut answer = ApiError::new(status, code, visible(&error.message));
        if let Some(hint) = &error.hint {
            answer = answer.hint(visible(hint));
        }
        answer.retry_after = (error.code == ErrorCode::Busy).then_some(1);
        answer
    }
}

/// Errors that use cases know how to explain.
macro_rules! explained {
    ($($error:ty),+) => {$(
        impl From<$error> for ApiError {
            fn from(error: $error) -> ApiError {
                AppError::from(error).into()
            }
        }
    )+};
}

explained!(
    tacit_engine::EngineError,
    tacit_engine::ConfigFileError,
    tacit_core::ConfigError,
    tacit_store::StoreError,
    std::io::Error
);

impl From<tacit_core::Problem> for ApiError {
    fn from(problem: tacit_core::Problem) -> ApiError {
        ApiError::usage(problem.to_string())
    }
}
