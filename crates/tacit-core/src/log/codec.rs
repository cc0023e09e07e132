//! The JSON encoding of a record's body, with its version.
//!
//! A body is an object. Since version 2 its first field is `v`. A body without it is of version 1,
//! which has the same fields, but some may be missing and others unknown. A version newer than this
//! program is an error.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::domain::values::RepoPath;
use crate::event::{VisitText, visit_value};
use crate::field::Problem;

/// The version that this program writes.
const VERSION: u32 = 2;
/// The start of a body that has a version.
pub(super) const MARK: &str = "{\"v\":";

/// Encodes a record.
pub(super) fn write(fields: &impl Serialize) -> Result<String, Problem> {
    let json = serde_json::to_string(fields)
        .map_err(|error| Problem::rule(format!("cannot be written to the log: {error}")))?;
    let rest = json.strip_prefix('{').unwrap_or("}");
    let comma = if rest == "}" { "" } else { "," };
    Ok(format!("{MARK}{VERSION}{comma}{rest}"))
}

/// Decodes a record.
pub(super) fn read<T: DeserializeOwned>(body: &str) -> Result<T, Problem> {
    let version = version(body);
    if version > VERSION {
        return Err(Problem::rule(format!(
            "is of version {version} of the log; this program reads up to version {VERSION}"
        )));
    }
    serde_json::from_str(body)
        .map_err(|error| Problem::rule(format!("cannot be read from the log: {error}")))
}

/// Visits every text of a body and returns the new body.
pub(super) fn visit(body: &str, visit: &mut VisitText<'_>) -> Result<String, Problem> {
    let Value::Object(mut fields) = read(body)? else {
        return Err(Problem::rule("is not an object"));
    };
    fields.remove("v");
    let mut fields = Value::Object(fields);
    visit_value(None, &mut fields, visit);
    write(&fields)
}

/// Returns the version of a body. Looks only at its start, because parsing a long body twice would
/// take twice as long.
fn version(body: &str) -> u32 {
    let Some(rest) = body.strip_prefix(MARK) else { return 1 };
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..digits].parse().unwrap_or(u32::MAX)
}

/// Reads a list of files and skips invalid paths, such as redacted ones.
pub(super) fn files<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<RepoPath>, D::Error> {
    let names = Option::<Vec<String>>::deserialize(from)?.unwrap_or_default();
    Ok(names.into_iter().filter_map(|name| RepoPath::new(name).ok()).collect())
}

/// Reads a word from a set that a later version may extend; an unknown word is `None`.
pub(super) fn known_word<'de, D, T>(from: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: std::str::FromStr,
{
    let word = Option::<String>::deserialize(from)?;
    Ok(word.and_then(|word| word.parse().ok()))
}
