//! From the numbers in an answer to vectors that keep what [`Embedder`](crate::Embedder) promises.
//!
//! The shape around the numbers is each provider's own; reading a number, checking and
//! normalising a vector are the same for all. Nothing an answer holds is repeated in an error.

use serde::de::DeserializeOwned;

use crate::EmbedError;
use crate::server_message::is_web_page;

const OTHER_SHAPE: &str = "JSON of another shape than this interface has";

/// What an answer must hold.
#[derive(Clone, Copy, Debug)]
pub struct ExpectedVectors<'a> {
    /// The server, for errors.
    pub endpoint: &'a str,
    /// How many vectors.
    pub count: usize,
    /// The length of each.
    pub dims: usize,
}

impl ExpectedVectors<'_> {
    /// Reads JSON of a provider's shape.
    pub(crate) fn parse<Shape: DeserializeOwned>(&self, body: &[u8]) -> Result<Shape, EmbedError> {
        serde_json::from_slice(body).map_err(|error| {
            if says_not_finite(body, &error) {
                return self.not_finite();
            }
            self.malformed(not_the_shape(body, &error))
        })
    }

    /// The vectors of an answer, checked and brought to length one.
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
    serde_json::from_slice(body).map_err(|error| malformed(endpoint, not_the_shape(body, &error)))
}

/// JSON that does not hold what the interface promises.
pub(crate) fn wrong_shape(endpoint: &str) -> EmbedError {
    malformed(endpoint, OTHER_SHAPE.to_owned())
}

fn malformed(endpoint: &str, detail: String) -> EmbedError {
    EmbedError::Malformed { endpoint: endpoint.to_owned(), detail }
}

/// Why a body is not what the interface promises, without a word of it.
fn not_the_shape(body: &[u8], error: &serde_json::Error) -> String {
    let place = format!("at line {}, column {}", error.line(), error.column());
    match error.classify() {
        _ if is_web_page(body) => "a web page; check the address".to_owned(),
        serde_json::error::Category::Eof => format!("JSON that ends too early, {place}"),
        serde_json::error::Category::Data => format!("{OTHER_SHAPE}, {place}"),
        _ => format!("not JSON, {place}"),
    }
}

/// One number of a vector. `null` stands for not a number, which is how many encoders write it.
pub(crate) type Number = Option<f64>;

/// Whether parsing stopped at a bare `NaN` or `Infinity`, which Python writes though JSON has no
/// such words, or at a number too large for any float.
fn says_not_finite(body: &[u8], error: &serde_json::Error) -> bool {
    let line = body.split(|byte| *byte == b'\n').nth(error.line().saturating_sub(1));
    // The column counts from one and is that of the first character that did not fit.
    let rest = line.and_then(|line| line.get(error.column().saturating_sub(1)..));
    rest.is_some_and(|rest| rest.starts_with(b"NaN") || rest.starts_with(b"Infinity"))
        || error.to_string().starts_with("number out of range")
}
