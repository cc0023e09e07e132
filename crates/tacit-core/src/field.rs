//! Errors of invalid values, with the field they are in.

use std::fmt;

use thiserror::Error;

/// An invalid field.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{field}: {problem}")]
pub struct FieldError {
    /// The path of the field, such as `tags[3]` or `details.steps[0].order`.
    pub field: String,
    /// The problem with its value.
    pub problem: Problem,
}

impl FieldError {
    /// Creates an error about a field.
    pub fn new(field: impl Into<String>, problem: impl Into<Problem>) -> FieldError {
        FieldError { field: field.into(), problem: problem.into() }
    }
}

/// The problem with a value.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Problem {
    /// The value is empty or white space.
    #[error("is empty")]
    Empty,
    /// The value is too long.
    #[error("is {actual} {unit} long; the limit is {max}")]
    TooLong {
        /// The greatest length.
        max: usize,
        /// The actual length.
        actual: usize,
        /// The unit of the length.
        unit: LengthUnit,
    },
    /// The list has too many items.
    #[error("has {actual} items; the limit is {max}")]
    TooMany {
        /// The greatest number of items.
        max: usize,
        /// The actual number of items.
        actual: usize,
    },
    /// The value is none of the expected ones.
    #[error("`{value}` is not {expected}")]
    Unexpected {
        /// The value, shortened.
        value: String,
        /// The expectation, as a phrase that follows "is not".
        expected: String,
    },
    /// A rule between fields is violated.
    #[error("{0}")]
    Rule(String),
}

impl Problem {
    /// Creates a problem of an unexpected value; a long value is shortened.
    pub fn unexpected(value: &str, expected: impl Into<String>) -> Problem {
        const SHOWN: usize = 60;
        let mut shown: String = value.chars().take(SHOWN).collect();
        if value.chars().nth(SHOWN).is_some() {
            shown.push('…');
        }
        Problem::Unexpected { value: shown.escape_debug().to_string(), expected: expected.into() }
    }

    /// Creates a problem from a sentence.
    pub fn rule(text: impl Into<String>) -> Problem {
        Problem::Rule(text.into())
    }
}

/// The unit of a length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LengthUnit {
    /// Unicode scalar values.
    Characters,
    /// Bytes of UTF-8.
    Bytes,
}

impl fmt::Display for LengthUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LengthUnit::Characters => "characters",
            LengthUnit::Bytes => "bytes",
        })
    }
}
