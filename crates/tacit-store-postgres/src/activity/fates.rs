//! The fates of injections, and what follows from them: how often each memory was of use.

use std::collections::BTreeMap;

use tacit_core::{SessionId, Timestamp};
use tacit_store::{InjectionFate, MemoryUses, StoreResult};
use tokio_postgres::types::Type;

use crate::connection::{Connection, Parameter};
use crate::text::to_stored;

/// Saves fates. Injections of `events` lose the fates that they had; a session that was judged up to
/// a time is marked.
const SAVE: &str = "
WITH fates AS (
    SELECT * FROM unnest($3::text[], $4::bytea[], $5::text[], $6::text[], $7::text[])
        AS f (event, memory, text, fate, why)),
judged AS (
    UPDATE tacit.agent_sessions SET judged_upto = $9
    WHERE project = $1 AND owner = session_user AND id = $8)
UPDATE tacit.agent_injections AS i SET fate = j.fate, fate_why = j.why
FROM (SELECT i.seq, f.fate, f.why FROM tacit.agent_injections i
      LEFT JOIN fates f ON f.event = i.event AND f.memory IS NOT DISTINCT FROM i.memory
           AND f.text = i.text
      WHERE i.project = $1 AND i.owner = session_user AND i.event = ANY ($2::text[] || $3)
      AND (f.fate IS NOT NULL OR i.fate IS NOT NULL AND i.event = ANY ($2))) j
WHERE i.project = $1 AND i.owner = session_user AND i.seq = j.seq";

/// Saves fates, and the judgement of a session, in one statement.
pub(super) fn save(
    connection: &Connection,
    project: i64,
    session: Option<(&SessionId, Timestamp)>,
    events: &[String],
    fates: &[InjectionFate],
) -> StoreResult<()> {
    // Of several fates of one injection, the last is saved.
    let last: BTreeMap<_, _> = fates
        .iter()
        .map(|fate| ((&fate.event, fate.memory.as_ref().map(|id| id.as_bytes()), &fate.text), fate))
        .collect();
    let fates = || last.values();
    let judged: Vec<_> = events.iter().map(|event| to_stored(event)).collect();
    let of_events: Vec<_> = fates().map(|fate| to_stored(&fate.event)).collect();
    let memories: Vec<_> =
        fates().map(|fate| fate.memory.as_ref().map(|id| id.as_bytes().as_slice())).collect();
    let texts: Vec<_> = fates().map(|fate| to_stored(&fate.text)).collect();
    let words: Vec<_> = fates().map(|fate| fate.judged.fate.as_str()).collect();
    let reasons: Vec<_> = fates().map(|fate| to_stored(&fate.judged.why)).collect();
    connection.execute(
        SAVE,
        &[
            (&project, Type::INT8),
            (&judged, Type::TEXT_ARRAY),
            (&of_events, Type::TEXT_ARRAY),
            (&memories, Type::BYTEA_ARRAY),
            (&texts, Type::TEXT_ARRAY),
            (&words, Type::TEXT_ARRAY),
            (&reasons, Type::TEXT_ARRAY),
            (&session.map(|(session, _)| session.as_str()), Type::TEXT),
            (&session.map(|(_, upto)| upto.as_millis()), Type::INT8),
        ],
    )?;
    Ok(())
}

/// Replaces the counts of one's own sessions.
const SET_USES: &str = "
WITH given AS (
    SELECT * FROM unnest($2::bytea[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[],
                         $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[])
        AS g (memory, judged, sessions, used, helped, contradicted, flagged, direct_judged,
              direct_sessions)),
gone AS (
    DELETE FROM tacit.memory_uses WHERE project = $1 AND owner = session_user
    AND memory NOT IN (SELECT memory FROM given))
INSERT INTO tacit.memory_uses (project, memory, holder, judged, sessions, used, helped,
                               contradicted, flagged, direct_judged, direct_sessions)
SELECT $1, g.memory, coalesce(m.holder, session_user), judged, sessions, used, helped, contradicted,
       flagged, direct_judged, direct_sessions
FROM given g LEFT JOIN tacit.memories m ON m.project = $1 AND m.id = g.memory ORDER BY g.memory
ON CONFLICT (project, memory, owner) DO UPDATE SET holder = excluded.holder,
    judged = excluded.judged, sessions = excluded.sessions, used = excluded.used,
    helped = excluded.helped, contradicted = excluded.contradicted, flagged = excluded.flagged,
    direct_judged = excluded.direct_judged, direct_sessions = excluded.direct_sessions";

/// Replaces the counts of the memories in one's own sessions.
pub(super) fn set_uses(
    connection: &Connection,
    project: i64,
    uses: &[MemoryUses],
) -> StoreResult<()> {
    let memories: Vec<&[u8]> = uses.iter().map(|one| one.memory.as_bytes().as_slice()).collect();
    let column = |count: fn(&MemoryUses) -> u32| -> Vec<i64> {
        uses.iter().map(|one| count(one).into()).collect()
    };
    let columns = [
        column(|one| one.counts.judged),
        column(|one| one.counts.sessions),
        column(|one| one.counts.used),
        column(|one| one.counts.helped),
        column(|one| one.counts.contradicted),
        column(|one| one.counts.flagged),
        column(|one| one.counts.direct_judged),
        column(|one| one.counts.direct_sessions),
    ];
    let mut parameters: Vec<Parameter<'_>> =
        vec![(&project, Type::INT8), (&memories, Type::BYTEA_ARRAY)];
    parameters.extend(columns.iter().map(|column| (column as _, Type::INT8_ARRAY)));
    connection.execute(SET_USES, &parameters)?;
    Ok(())
}
