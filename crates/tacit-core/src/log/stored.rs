//! The columns of a record in a store, which keeps shared fields once and compresses long bodies.

use std::sync::OnceLock;

use super::packed::{pack_body, unpack_body};
use super::{ClientRecord, EventPaths, LogKind, LogRecord, LogRow, decode};
use crate::domain::values::SessionId;
use crate::field::Problem;

/// The columns of a record in a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRow {
    /// The word of its [`LogKind`].
    pub kind: String,
    /// The tool of the event, or the tool or command that reported the record.
    pub tool: Option<String>,
    /// The file, command, unit of work or memory that the record is about.
    pub subject: Option<String>,
    /// The other fields, as JSON; empty if they are in `packed`.
    pub body: String,
    /// The other fields, compressed.
    pub packed: Option<Vec<u8>>,
    /// The paths that the body of a client's event does not have; it has no session either then.
    pub paths: Option<EventPaths>,
}

impl StoredRow {
    /// Encodes a record of a session in the newest version.
    pub fn of(record: &LogRecord, session: &SessionId) -> Result<StoredRow, Problem> {
        let mut row = record.encode()?;
        let paths = row.split_paths(session);
        let packed = pack_body(&row.body);
        let body = if packed.is_some() { String::new() } else { row.body.into_owned() };
        Ok(StoredRow {
            kind: row.kind.into_owned(),
            tool: row.tool.map(Into::into),
            subject: row.subject.map(Into::into),
            body,
            packed,
            paths,
        })
    }

    /// Decodes a row of any version. The body of a client's event is restored only when it is
    /// needed, because hooks look at the columns of many.
    pub fn decode(self, session: &SessionId) -> Result<LogRecord, Problem> {
        let StoredRow { kind, tool, subject, body, packed, paths } = self;
        let stored =
            StoredBody { body, packed, shared: paths.map(|paths| (session.clone(), paths)) };
        if let LogKind::Client(name) = kind.parse()? {
            let json = EventJson::stored(stored);
            return Ok(LogRecord::Client(ClientRecord::from_columns(name, tool, subject, json)));
        }
        decode(LogRow {
            kind: kind.into(),
            tool: tool.map(Into::into),
            subject: subject.map(Into::into),
            body: stored.restore()?.into(),
        })
    }
}

/// A body as a store has it.
#[derive(Debug, Clone)]
struct StoredBody {
    body: String,
    packed: Option<Vec<u8>>,
    shared: Option<(SessionId, EventPaths)>,
}

impl StoredBody {
    fn restore(&self) -> Result<String, Problem> {
        let mut body = match &self.packed {
            Some(packed) => unpack_body(packed)?,
            None => self.body.clone(),
        };
        if let Some((session, paths)) = &self.shared {
            paths.join(session, &mut body);
        }
        Ok(body)
    }
}

/// The JSON of a client's event, restored from its stored form when it is first needed.
#[derive(Debug, Clone)]
pub(super) struct EventJson {
    stored: Option<Box<StoredBody>>,
    text: OnceLock<String>,
}

impl EventJson {
    pub(super) fn new(json: String) -> EventJson {
        EventJson { stored: None, text: json.into() }
    }

    fn stored(stored: StoredBody) -> EventJson {
        EventJson { stored: Some(Box::new(stored)), text: OnceLock::new() }
    }

    /// Returns the JSON. It is empty, which is no JSON, if the stored form is damaged.
    pub(super) fn text(&self) -> &str {
        self.text.get_or_init(|| {
            let restored = self.stored.as_ref().map(|stored| stored.restore());
            restored.and_then(Result::ok).unwrap_or_default()
        })
    }
}

impl PartialEq for EventJson {
    fn eq(&self, other: &EventJson) -> bool {
        self.text() == other.text()
    }
}

impl Eq for EventJson {}
