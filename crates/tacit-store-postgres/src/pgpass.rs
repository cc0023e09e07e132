//! The password file of libpq: lines of `host:port:database:user:password`.

use std::path::Path;

use tacit_fs::platform::is_open_to_others;

use crate::settings::{Password, ServerUrl, SettingsError};

/// The most bytes of a password file.
const LARGEST: u64 = 1024 * 1024;

/// Returns the password of the first line that fits. A missing file has none; one that others can read
/// is refused, as by libpq.
pub(crate) fn find(
    path: &Path,
    url: &ServerUrl,
    user: &str,
) -> Result<Option<Password>, SettingsError> {
    let fail = |source| SettingsError::File { path: path.to_path_buf(), source };
    let opened = tacit_fs::open_following(path);
    let Some(file) = tacit_fs::none_if_missing(opened).map_err(fail)? else { return Ok(None) };
    if is_open_to_others(&file.metadata().map_err(fail)?) {
        return Err(SettingsError::OpenToOthers(path.to_path_buf()));
    }
    let bytes = tacit_fs::read_all(file, LARGEST).map_err(fail)?;
    let text = String::from_utf8_lossy(&bytes);
    let port = url.port.to_string();
    // libpq calls the host of a socket `localhost`.
    let host = if url.is_socket() { "localhost" } else { &url.host };
    let database = url.database.as_deref().unwrap_or(user);
    let wanted = [host, &port, database, user];
    Ok(text.lines().find_map(|line| password(line, &wanted)))
}

/// Returns the password of a line if its other fields fit; `*` fits everything.
fn password(line: &str, wanted: &[&str; 4]) -> Option<Password> {
    if line.starts_with('#') {
        return None;
    }
    let mut fields = fields(line.trim_end_matches('\r'));
    for wanted in wanted {
        let (field, literal) = fields.next()?;
        if field != *wanted && !(literal && field == "*") {
            return None;
        }
    }
    fields.next().map(|(password, _)| password).filter(|text| !text.is_empty()).map(Password::new)
}

/// Splits a line at `:`; a backslash escapes. Each field comes with true if nothing in it was escaped.
fn fields(line: &str) -> impl Iterator<Item = (String, bool)> {
    let mut characters = line.chars();
    let mut ended = false;
    std::iter::from_fn(move || {
        if ended {
            return None;
        }
        let (mut field, mut literal) = (String::new(), true);
        loop {
            match characters.next() {
                Some('\\') => {
                    literal = false;
                    field.extend(characters.next());
                }
                Some(':') => break,
                Some(other) => field.push(other),
                None => {
                    ended = true;
                    break;
                }
            }
        }
        Some((field, literal))
    })
}
