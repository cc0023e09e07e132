//! What is wrong with a value from the outside, and in which field.

use std::fmt;

use thiserror::Error;

/// One field that does not hold what it must.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{field}: {problem}")]
pub struct FieldError {
    /// The path of the field, such as `tags[3]` or `details.steps[0].order`.
    pub field: String,
    /// What is wrong with it.
    pub problem: Problem,
}

impl FieldError {
    /// An error about a field.
    pub fn new(field: impl Into<String>, problem: impl Into<Problem>) -> FieldError {
        FieldError { field: field.into(), problem: problem.into() }
    }
}

/// What is wrong with a value.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Problem {
    /// Nothing, or only white space.
    #[error("is empty")]
    Empty,
    /// More than the limit.
    #[error("is {actual} {unit} long; at most {max} fit")]
    TooLong {
        /// The limit.
        max: usize,
        /// The length found.
        actual: usize,
        /// What is counted.
        unit: LengthUnit,
    },
    /// More items than the limit.
    #[error("has {actual} items; at most {max} are kept")]
    TooMany {
        /// The limit.
        max: usize,
        /// The number found.
        actual: usize,
    },
    /// Not one of the values that are meant.
    #[error("`{value}` is not {expected}")]
    Unexpected {
        /// What was found, shortened.
        value: String,
        /// What was expected, as a phrase that follows "is not".
        expected: String,
    },
    /// A rule between fields is broken.
    #[error("{0}")]
    Rule(String),
}

impl Problem {
    /// A value that is not one of those expected; a long value is shortened.
    pub fn unexpected(value: &str, expected: impl Into<String>) -> Problem {
        const SHOWN: usize = 60;
        let mut shown: String = value.chars().take(SHOWN).collect();
        if value.chars().nth(SHOWN).is_some() {
            shown.push('…');
        }
        Problem::Unexpected { value: shown.escape_debug().to_string(), expected: expected.into() }
    }

    /// A broken rule.
    pub fn rule(text: impl Into<String>) -> Problem {
        Problem::Rule(text.into())
    }
}

/// What the length of a value is counted in.
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
