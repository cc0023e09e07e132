//! Removal of quotations of purged memories.
//!
//! Prompts and injections are in the session log and in the observer's conclusions. Whole rows are
//! removed: a gap in the log is better than an incomplete purge. Memories are never touched; each
//! is purged by itself.

use rusqlite::Connection;
use tacit_core::log::unpack_body;

/// Statements that delete or blank rows that contain their parameter.
const STATEMENTS: [&str; 10] = [
    "DELETE FROM agent_events WHERE instr(body, ?1) OR instr(subject, ?1) OR instr(tool, ?1)",
    "DELETE FROM agent_events WHERE paths IN
     (SELECT id FROM agent_event_paths WHERE instr(cwd, ?1) OR instr(transcript, ?1))",
    "DELETE FROM agent_event_paths WHERE instr(cwd, ?1) OR instr(transcript, ?1)",
    "DELETE FROM agent_notes WHERE instr(text, ?1) OR instr(body, ?1)",
    "UPDATE agent_injections SET text = '', why = '' WHERE instr(text, ?1) OR instr(why, ?1)",
    "DELETE FROM observer_error_patterns
     WHERE instr(error_message, ?1) OR instr(ifnull(resolved_how, ''), ?1)",
    "DELETE FROM observer_signal_log WHERE instr(signal_data, ?1)",
    "UPDATE observer_sessions SET digest = NULL WHERE instr(digest, ?1)",
    "UPDATE observer_sessions SET applied = NULL WHERE instr(applied, ?1)",
    "UPDATE changes SET reason = NULL WHERE instr(reason, ?1)",
];

/// Deletes rows that contain one of these phrases, as is or escaped in JSON. Returns their number.
pub(crate) fn erase(connection: &Connection, phrases: &[String]) -> rusqlite::Result<u64> {
    let forms: Vec<String> = phrases.iter().flat_map(|phrase| forms(phrase)).collect();
    let mut erased = erase_packed(connection, &forms)?;
    for form in &forms {
        for sql in STATEMENTS {
            erased += connection.prepare_cached(sql)?.execute([form])? as u64;
        }
    }
    Ok(erased)
}

/// Deletes events with compressed bodies that contain one of these texts, or that cannot be read.
fn erase_packed(connection: &Connection, forms: &[String]) -> rusqlite::Result<u64> {
    if forms.is_empty() {
        return Ok(0);
    }
    let mut statement = connection
        .prepare_cached("SELECT seq, packed FROM agent_events WHERE packed IS NOT NULL")?;
    let mut rows = statement.query([])?;
    let mut found: Vec<i64> = Vec::new();
    while let Some(row) = rows.next()? {
        let packed = row.get_ref(1)?;
        let body = packed.as_blob().ok().and_then(|packed| unpack_body(packed).ok());
        if body.is_none_or(|body| forms.iter().any(|form| body.contains(form.as_str()))) {
            found.push(row.get(0)?);
        }
    }
    for seq in &found {
        connection.prepare_cached("DELETE FROM agent_events WHERE seq = ?")?.execute([seq])?;
    }
    Ok(found.len() as u64)
}

/// Returns a text as is, escaped in JSON, and escaped twice.
fn forms(phrase: &str) -> Vec<String> {
    let quoted = |text: &str| {
        let json = serde_json::Value::from(text).to_string();
        json[1..json.len() - 1].to_owned()
    };
    let once = quoted(phrase);
    let twice = quoted(&once);
    let mut forms = vec![phrase.to_owned(), once, twice];
    forms.dedup();
    forms
}
