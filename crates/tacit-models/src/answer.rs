//! Converts the numbers in an answer to vectors that satisfy [`Embedder`](crate::Embedder).
//!
//! Each provider has its own JSON shape; reading numbers and checking and normalising vectors is
//! the same for all. Errors never repeat the content of an answer.

use serde::de::DeserializeOwned;

use crate::EmbedError;
use crate::server_message::is_web_page;

const OTHER_SHAPE: &str = "JSON without the expected fields";

/// The number and length of the vectors that an answer must hold.
#[derive(Clone, Copy, Debug)]
pub struct ExpectedVectors<'a> {
    /// The server, for errors.
    pub endpoint: &'a str,
    /// The number of vectors.
    pub count: usize,
    /// The length of each vector.
    pub dims: usize,
}

impl ExpectedVectors<'_> {
    /// Reads JSON of a provider's shape.
    pub(crate) fn parse<Shape: DeserializeOwned>(&self, body: &[u8]) -> Result<Shape, EmbedError> {
        serde_json::from_slice(body).map_err(|error| {
            if stopped_at_not_finite(body, &error) {
                return self.not_finite();
            }
            self.malformed(describe_mismatch(body, &error))
        })
    }

    /// Checks vectors and scales them to length one.
    pub(crate) fn vectors(&self, raw: &[Vec<Number>]) -> Result<Vec<Vec<f32>>, EmbedError> {
        if raw.len() != self.count {
            let endpoint = self.endpoint.to_owned();
            let (expected, found) = (self.count, raw.len());
            return Err(EmbedError::WrongCount { endpoint, expected, found });
        }
        raw.iter().map(|vector| self.vector(vector)).collect()
    }

    fn vector(&self, raw: &[Number]) -> Result<Vec<f32>, EmbedError> {
        if raw.len() != self.dims {
            let endpoint = self.endpoint.to_owned();
            let (expected, found) = (self.dims, raw.len());
            return Err(EmbedError::WrongDimensions { endpoint, expected, found });
        }
        let numbers = || raw.iter().map(|number| number.unwrap_or(f64::NAN));
        let norm = numbers().map(|x| x * x).sum::<f64>().sqrt();
        if !norm.is_finite() {
            return Err(self.not_finite());
        }
        if norm < f64::MIN_POSITIVE {
            return Err(self.malformed("a vector of zeros, which has no direction".to_owned()));
        }
        Ok(numbers().map(|x| (x / norm) as f32).collect())
    }

    pub(crate) fn malformed(&self, detail: String) -> EmbedError {
        malformed(self.endpoint, detail)
    }

    fn not_finite(&self) -> EmbedError {
        EmbedError::NotFinite { endpoint: self.endpoint.to_owned() }
    }
}

/// Reads JSON of a provider's shape that holds no vectors.
pub(crate) fn parse_json<Shape: DeserializeOwned>(
    endpoint: &str,
    body: &[u8],
) -> Result<Shape, EmbedError> {
    serde_json::from_slice(body)
        .map_err(|error| malformed(endpoint, describe_mismatch(body, &error)))
}

/// Returns the error for JSON without the expected fields.
pub(crate) fn wrong_shape(endpoint: &str) -> EmbedError {
    malformed(endpoint, OTHER_SHAPE.to_owned())
}

fn malformed(endpoint: &str, detail: String) -> EmbedError {
    EmbedError::Malformed { endpoint: endpoint.to_owned(), detail }
}

/// Explains why a body is not the expected JSON, without quoting it.
fn describe_mismatch(body: &[u8], error: &serde_json::Error) -> String {
    let position = format!("at line {}, column {}", error.line(), error.column());
    match error.classify() {
        _ if is_web_page(body) => "a web page; check the address".to_owned(),
        serde_json::error::Category::Eof => format!("JSON that ends too early, {position}"),
        serde_json::error::Category::Data => format!("{OTHER_SHAPE}, {position}"),
        _ => format!("not JSON, {position}"),
    }
}

/// One number of a vector. Many encoders write `null` for NaN.
pub(crate) type Number = Option<f64>;

/// Returns true if parsing stopped at a bare `NaN` or `Infinity`, which Python writes although JSON
/// has no such literals, or at a number too large for any float.
fn stopped_at_not_finite(body: &[u8], error: &serde_json::Error) -> bool {
    let line = body.split(|byte| *byte == b'\n').nth(error.line().saturating_sub(1));
    // The column counts from one and is that of the first unexpected character.
    let rest = line.and_then(|line| line.get(error.column().saturating_sub(1)..));
    rest.is_some_and(|rest| rest.starts_with(b"NaN") || rest.starts_with(b"Infinity"))
        || error.to_string().starts_with("number out of range")
}
