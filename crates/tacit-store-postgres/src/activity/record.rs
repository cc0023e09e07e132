//! Recording of session activity: any number of batches in one statement.

use tacit_core::log::StoredRow;
use tacit_store::{
    ActivityBatch, Event, Injection, Note, SessionChange, SessionUpdate, StoreResult,
};
use tokio_postgres::types::Type;

use crate::connection::{Connection, Parameter};
use crate::error::unwritable;
use crate::text::to_stored;

/// Records batches. The first events of a batch that are new make it new; of a batch whose events
/// are all known, nothing is stored. Updates of one session are combined, because a statement can
/// change a row only once. Rows are locked in the order of their keys. Paths that are known are
/// updated, because only then are their numbers returned.
const RECORD: &str = "
WITH new_paths AS (
    INSERT INTO tacit.agent_event_paths AS known (project, session, cwd, transcript)
    SELECT DISTINCT $1, session, cwd, transcript
    FROM unnest($4::text[], $11::text[], $12::text[], $13::boolean[])
        AS e (session, cwd, transcript, split)
    WHERE split ORDER BY session, cwd, transcript
    ON CONFLICT (project, owner, session, hashtextextended(cwd, 0),
                 hashtextextended(transcript, 0)) DO UPDATE SET session = known.session
    RETURNING id, session, cwd, transcript),
new_events AS (
    INSERT INTO tacit.agent_events (project, id, session, at, kind, tool, subject, body, packed,
                                    paths)
    SELECT $1, e.id, e.session, at, kind, tool, subject, body, packed, p.id
    FROM unnest($3::text[], $4::text[], $5::bigint[], $6::text[], $7::text[], $8::text[],
                $9::text[], $10::bytea[], $11::text[], $12::text[], $13::boolean[])
         WITH ORDINALITY AS e (id, session, at, kind, tool, subject, body, packed, cwd, transcript,
                               split, place)
    LEFT JOIN new_paths p ON e.split AND p.session = e.session
         AND p.cwd IS NOT DISTINCT FROM e.cwd AND p.transcript IS NOT DISTINCT FROM e.transcript
    ORDER BY place
    ON CONFLICT DO NOTHING RETURNING id),
new_batches AS (
    SELECT batch FROM
        (SELECT DISTINCT ON (id) id, batch
         FROM unnest($3::text[], $14::integer[]) WITH ORDINALITY AS e (id, batch, place)
         ORDER BY id, place) firsts
    JOIN new_events USING (id)
    UNION SELECT batch FROM unnest($2::integer[]) AS b (batch)),
new_sessions AS (
    INSERT INTO tacit.agent_sessions AS known
        (project, id, client, started_at, last_at, ended, context, asked, held_out)
    SELECT $1, id, (array_agg(client ORDER BY place))[1], min(at), max(at),
           (array_agg(ended ORDER BY at DESC, place DESC))[1], count(*) FILTER (WHERE compacted),
           bool_or(asked), (array_agg(held_out ORDER BY place))[1]
    FROM unnest($15::integer[], $16::text[], $17::text[], $18::bigint[], $19::text[],
                $20::boolean[], $21::boolean[], $22::boolean[])
         WITH ORDINALITY AS s (batch, id, client, at, ended, compacted, asked, held_out, place)
    WHERE batch IN (SELECT batch FROM new_batches)
    GROUP BY id ORDER BY id
    ON CONFLICT (project, owner, id) DO UPDATE SET
        started_at = least(known.started_at, excluded.started_at),
        last_at = greatest(known.last_at, excluded.last_at),
        ended = CASE WHEN excluded.last_at >= known.last_at THEN excluded.ended ELSE known.ended END,
        context = known.context + excluded.context,
        asked = known.asked OR excluded.asked),
new_injections AS (
    INSERT INTO tacit.agent_injections (project, session, agent, context, at, layer, event, memory, text,
                                  tokens, why, withheld)
    SELECT $1, session, agent, context, at, layer, event, memory, text, tokens, why, withheld
    FROM unnest($23::integer[], $24::text[], $25::text[], $26::bigint[], $27::bigint[],
                $28::text[], $29::text[], $30::bytea[], $31::text[], $32::bigint[], $33::text[],
                $34::boolean[])
         WITH ORDINALITY AS i (batch, session, agent, context, at, layer, event, memory, text,
                               tokens, why, withheld, place)
    WHERE batch IN (SELECT batch FROM new_batches)
    ORDER BY place)
INSERT INTO tacit.agent_notes (project, id, session, at, kind, text, files, body)
SELECT $1, id, session, at, kind, text, files, body
FROM unnest($35::integer[], $36::text[], $37::text[], $38::bigint[], $39::text[], $40::text[],
            $41::text[], $42::text[])
     WITH ORDINALITY AS n (batch, id, session, at, kind, text, files, body, place)
WHERE batch IN (SELECT batch FROM new_batches)
ORDER BY place
ON CONFLICT DO NOTHING";

/// Records batches in one statement, and so in one round trip and one transaction.
pub(super) fn record_all(
    connection: &Connection,
    project: i64,
    records: &[ActivityBatch],
) -> StoreResult<()> {
    let mut columns = Columns::default();
    for (batch, record) in (0_i32..).zip(records) {
        if record.events.is_empty() {
            columns.without_events.push(batch);
        }
        for event in &record.events {
            columns.events.push(connection, batch, event)?;
        }
        record.sessions.iter().for_each(|update| columns.sessions.push(batch, update));
        record.injections.iter().for_each(|injection| columns.injections.push(batch, injection));
        for note in &record.notes {
            columns.notes.push(connection, batch, note)?;
        }
    }
    if columns.is_empty() {
        return Ok(());
    }
    connection.execute(RECORD, &columns.parameters(&project))?;
    Ok(())
}

/// The columns of all batches.
#[derive(Default)]
struct Columns {
    without_events: Vec<i32>,
    events: EventColumns,
    sessions: SessionColumns,
    injections: InjectionColumns,
    notes: NoteColumns,
}

#[derive(Default)]
struct EventColumns {
    batch: Vec<i32>,
    id: Vec<String>,
    session: Vec<String>,
    at: Vec<i64>,
    kind: Vec<String>,
    tool: Vec<Option<String>>,
    subject: Vec<Option<String>>,
    body: Vec<String>,
    packed: Vec<Option<Vec<u8>>>,
    cwd: Vec<Option<String>>,
    transcript: Vec<Option<String>>,
    split: Vec<bool>,
}

#[derive(Default)]
struct SessionColumns {
    batch: Vec<i32>,
    id: Vec<String>,
    client: Vec<String>,
    at: Vec<i64>,
    ended: Vec<Option<String>>,
    compacted: Vec<bool>,
    asked: Vec<bool>,
    held_out: Vec<Option<bool>>,
}

#[derive(Default)]
struct InjectionColumns {
    batch: Vec<i32>,
    session: Vec<String>,
    agent: Vec<Option<String>>,
    context: Vec<i64>,
    at: Vec<i64>,
    layer: Vec<String>,
    event: Vec<String>,
    memory: Vec<Option<Vec<u8>>>,
    text: Vec<String>,
    tokens: Vec<i64>,
    why: Vec<String>,
    withheld: Vec<bool>,
}

#[derive(Default)]
struct NoteColumns {
    batch: Vec<i32>,
    id: Vec<String>,
    session: Vec<String>,
    at: Vec<i64>,
    kind: Vec<String>,
    text: Vec<String>,
    files: Vec<String>,
    body: Vec<String>,
}

fn stored(text: &str) -> String {
    to_stored(text).into_owned()
}

fn optional(text: Option<&str>) -> Option<String> {
    text.map(stored)
}

impl EventColumns {
    fn push(&mut self, connection: &Connection, batch: i32, event: &Event) -> StoreResult<()> {
        let row = StoredRow::of(&event.record, &event.session)
            .map_err(|problem| unwritable(connection.server(), &problem))?;
        self.batch.push(batch);
        self.id.push(stored(&event.id));
        self.session.push(event.session.to_string());
        self.at.push(event.at.as_millis());
        self.kind.push(row.kind);
        self.tool.push(optional(row.tool.as_deref()));
        self.subject.push(optional(row.subject.as_deref()));
        self.body.push(stored(&row.body));
        self.packed.push(row.packed);
        self.split.push(row.paths.is_some());
        let paths = row.paths.unwrap_or_default();
        self.cwd.push(optional(paths.cwd.as_deref()));
        self.transcript.push(optional(paths.transcript.as_deref()));
        Ok(())
    }
}

impl SessionColumns {
    fn push(&mut self, batch: i32, update: &SessionUpdate) {
        let ended = match &update.change {
            SessionChange::Ended(reason) => Some(reason.as_str()),
            SessionChange::Seen | SessionChange::Compacted | SessionChange::Asked => None,
        };
        self.batch.push(batch);
        self.id.push(update.id.to_string());
        self.client.push(stored(&update.client));
        self.at.push(update.at.as_millis());
        self.ended.push(optional(ended));
        self.compacted.push(update.change == SessionChange::Compacted);
        self.asked.push(update.change == SessionChange::Asked);
        self.held_out.push(update.held_out);
    }
}

impl InjectionColumns {
    fn push(&mut self, batch: i32, injection: &Injection) {
        self.batch.push(batch);
        self.session.push(injection.session.to_string());
        self.agent.push(optional(injection.agent.as_deref()));
        self.context.push(injection.context.into());
        self.at.push(injection.at.as_millis());
        self.layer.push(stored(&injection.layer));
        self.event.push(stored(&injection.event));
        self.memory.push(injection.memory.map(|id| id.as_bytes().to_vec()));
        self.text.push(stored(&injection.text));
        self.tokens.push(injection.tokens.into());
        self.why.push(stored(&injection.why));
        self.withheld.push(injection.withheld);
    }
}

impl NoteColumns {
    fn push(&mut self, connection: &Connection, batch: i32, note: &Note) -> StoreResult<()> {
        let files: Vec<&str> = note.files.iter().map(|file| file.as_str()).collect();
        let body =
            note.record.encode().map_err(|problem| unwritable(connection.server(), &problem))?;
        self.batch.push(batch);
        self.id.push(stored(&note.id));
        self.session.push(note.session.to_string());
        self.at.push(note.at.as_millis());
        self.kind.push(note.record.kind().as_str().to_owned());
        self.text.push(stored(&note.text));
        self.files.push(serde_json::json!(files).to_string());
        self.body.push(stored(&body));
        Ok(())
    }
}

impl Columns {
    fn is_empty(&self) -> bool {
        self.events.batch.is_empty()
            && self.sessions.batch.is_empty()
            && self.injections.batch.is_empty()
            && self.notes.batch.is_empty()
    }

    /// Returns the parameters of [`RECORD`] in its order.
    fn parameters<'p>(&'p self, project: &'p i64) -> Vec<Parameter<'p>> {
        let (events, sessions) = (&self.events, &self.sessions);
        let (injections, notes) = (&self.injections, &self.notes);
        vec![
            (project, Type::INT8),
            (&self.without_events, Type::INT4_ARRAY),
            (&events.id, Type::TEXT_ARRAY),
            (&events.session, Type::TEXT_ARRAY),
            (&events.at, Type::INT8_ARRAY),
            (&events.kind, Type::TEXT_ARRAY),
            (&events.tool, Type::TEXT_ARRAY),
            (&events.subject, Type::TEXT_ARRAY),
            (&events.body, Type::TEXT_ARRAY),
            (&events.packed, Type::BYTEA_ARRAY),
            (&events.cwd, Type::TEXT_ARRAY),
            (&events.transcript, Type::TEXT_ARRAY),
            (&events.split, Type::BOOL_ARRAY),
            (&events.batch, Type::INT4_ARRAY),
            (&sessions.batch, Type::INT4_ARRAY),
            (&sessions.id, Type::TEXT_ARRAY),
            (&sessions.client, Type::TEXT_ARRAY),
            (&sessions.at, Type::INT8_ARRAY),
            (&sessions.ended, Type::TEXT_ARRAY),
            (&sessions.compacted, Type::BOOL_ARRAY),
            (&sessions.asked, Type::BOOL_ARRAY),
            (&sessions.held_out, Type::BOOL_ARRAY),
            (&injections.batch, Type::INT4_ARRAY),
            (&injections.session, Type::TEXT_ARRAY),
            (&injections.agent, Type::TEXT_ARRAY),
            (&injections.context, Type::INT8_ARRAY),
            (&injections.at, Type::INT8_ARRAY),
            (&injections.layer, Type::TEXT_ARRAY),
            (&injections.event, Type::TEXT_ARRAY),
            (&injections.memory, Type::BYTEA_ARRAY),
            (&injections.text, Type::TEXT_ARRAY),
            (&injections.tokens, Type::INT8_ARRAY),
            (&injections.why, Type::TEXT_ARRAY),
            (&injections.withheld, Type::BOOL_ARRAY),
            (&notes.batch, Type::INT4_ARRAY),
            (&notes.id, Type::TEXT_ARRAY),
            (&notes.session, Type::TEXT_ARRAY),
            (&notes.at, Type::INT8_ARRAY),
            (&notes.kind, Type::TEXT_ARRAY),
            (&notes.text, Type::TEXT_ARRAY),
            (&notes.files, Type::TEXT_ARRAY),
            (&notes.body, Type::TEXT_ARRAY),
        ]
    }
}
