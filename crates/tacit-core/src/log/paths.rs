//! The fields that nearly all events of a session share: the session itself and the paths that the
//! client reports with each event. A store keeps them once and joins them to the rows it reads.

use super::LogRow;
use crate::domain::values::SessionId;

/// The paths that a client reports with each event of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventPaths {
    /// The agent's working directory.
    pub cwd: Option<String>,
    /// The client's transcript of the conversation.
    pub transcript: Option<String>,
}

impl LogRow<'_> {
    /// Removes the session and the paths from the body of a client's event and returns the paths.
    /// Returns `None`, and changes nothing, if the body does not have the form that
    /// [`LogRecord::encode`](super::LogRecord::encode) writes for this session.
    pub(super) fn split_paths(&mut self, session: &SessionId) -> Option<EventPaths> {
        let start = client_end(&self.body)?;
        let rest = &self.body[start..];
        let mut tail = rest.strip_prefix(&field("session", session.as_str()))?;
        let cwd = take_field(&mut tail, "cwd");
        let transcript = take_field(&mut tail, "transcript");
        let paths = EventPaths { cwd, transcript };
        // The body must be restored byte by byte, however its strings are escaped.
        let shared = shared_fields(session, &paths);
        let tail = rest.strip_prefix(&shared)?;
        if !tail.starts_with(",\"agent\":") && !tail.starts_with(",\"what\":") {
            return None;
        }
        let body = format!("{}{tail}", &self.body[..start]);
        self.body = body.into();
        Some(paths)
    }
}

impl EventPaths {
    /// Puts the session and the paths back into a body from which they were split.
    pub(super) fn join(&self, session: &SessionId, body: &mut String) {
        if let Some(start) = client_end(body) {
            body.insert_str(start, &shared_fields(session, self));
        }
    }
}

/// Returns the position after the client, the first field of an event.
fn client_end(body: &str) -> Option<usize> {
    let (version, rest) = body.split_once(",\"client\":\"")?;
    let digits = version.strip_prefix(super::codec::MARK)?;
    let has_version = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let name = rest.find(|c: char| !c.is_ascii_lowercase())?;
    (has_version && rest[name..].starts_with('"')).then(|| body.len() - rest.len() + name + 1)
}

fn shared_fields(session: &SessionId, paths: &EventPaths) -> String {
    let mut fields = field("session", session.as_str());
    let others = [("cwd", &paths.cwd), ("transcript", &paths.transcript)];
    for (name, value) in others {
        fields.extend(value.as_deref().map(|value| field(name, value)));
    }
    fields
}

fn field(name: &str, value: &str) -> String {
    format!(",\"{name}\":{}", serde_json::Value::from(value))
}

/// Removes a field with a string from the start of `rest`.
fn take_field(rest: &mut &str, name: &str) -> Option<String> {
    let value = rest.strip_prefix(&format!(",\"{name}\":"))?;
    let mut strings = serde_json::Deserializer::from_str(value).into_iter::<String>();
    let text = strings.next()?.ok()?;
    *rest = &value[strings.byte_offset()..];
    Some(text)
}
