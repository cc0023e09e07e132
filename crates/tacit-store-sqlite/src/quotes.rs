//! Removal of quotations of purged memories.
//!
//! Prompts and injections are in the session log and in the observer's conclusions. Whole rows are
//! removed: a gap in the log is better than an incomplete purge. Memories are never touched; each
//! is purged by itself. What the history says of another memory is blanked where it quotes, unless
//! that memory still says the same: its history would no longer tell what it is.

use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Row, params_from_iter};
use tacit_core::Quotations;
use tacit_core::log::unpack_body;
use tacit_store::{ErasedRows, without_quotations};

use crate::salvage::copy::{TableSchema, tables};
use crate::unreadable::row_condition;

/// The treatment of a row that quotes a purged memory.
#[derive(Clone, Copy)]
enum Treatment {
    Delete,
    /// Sets the columns that quote it to this value.
    Set(&'static str),
    /// Replaces the strings that quote it in the JSON of its columns.
    Blank,
}

use Treatment::{Blank, Delete, Set};

/// The tables that may quote a memory, their columns with text, and the treatment of their rows.
const QUOTING: [(&str, &[&str], Treatment); 9] = [
    ("agent_events", &["tool", "subject", "body", "packed"], Delete),
    ("agent_event_paths", &["cwd", "transcript"], Delete),
    ("agent_notes", &["text", "files", "body"], Delete),
    ("agent_injections", &["text", "why", "fate_why"], Set("''")),
    ("observer_error_patterns", &["tool_name", "error_message", "resolved_how"], Delete),
    ("observer_signal_log", &["signal_type", "signal_data"], Delete),
    ("observer_sessions", &["digest", "applied"], Set("NULL")),
    ("changes", &["reason"], Set("NULL")),
    ("change_items", &["before", "after"], Blank),
];

/// Deletes or blanks the rows that quote a memory. Returns their numbers by table.
pub(crate) fn erase(
    connection: &Connection,
    quotations: &Quotations,
) -> rusqlite::Result<Vec<ErasedRows>> {
    let mut erased = Vec::new();
    if quotations.is_empty() {
        return Ok(erased);
    }
    for table in tables(connection)? {
        let Some((name, columns, treatment)) = QUOTING.iter().find(|row| row.0 == table.name)
        else {
            continue;
        };
        let statements = statements(connection, &table, columns, *treatment, quotations)?;
        if statements.is_empty() {
            continue;
        }
        erased.push(ErasedRows { table: (*name).to_owned(), rows: statements.len() as u64 });
        let run = || {
            statements.iter().try_for_each(|(sql, values)| {
                connection.prepare_cached(sql)?.execute(params_from_iter(values)).map(drop)
            })
        };
        match treatment {
            Blank => without_trigger(connection, "change_items_stay", run)?,
            Delete | Set(_) => run()?,
        }
        if *name == "agent_event_paths" {
            let sql = "DELETE FROM agent_events WHERE paths IS NOT NULL
                       AND paths NOT IN (SELECT id FROM agent_event_paths)";
            connection.execute(sql, [])?;
        }
    }
    Ok(erased)
}

/// A statement with its parameters.
type Statement = (String, Vec<Value>);

/// Returns a statement for each row that quotes a memory.
fn statements(
    connection: &Connection,
    table: &TableSchema,
    columns: &[&str],
    treatment: Treatment,
    quotations: &Quotations,
) -> rusqlite::Result<Vec<Statement>> {
    let mut found = Vec::new();
    let saying_the_same = match treatment {
        Blank => quoting_memories(connection, quotations)?,
        Delete | Set(_) => Vec::new(),
    };
    let memory = table.columns.iter().position(|name| name == "memory");
    let sql = format!("SELECT {} FROM {}", table.columns.join(", "), table.name);
    let mut statement = connection.prepare(&sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        if let Some(at) = memory
            && !saying_the_same.is_empty()
            && saying_the_same.contains(&row.get::<_, Vec<u8>>(at).unwrap_or_default())
        {
            continue;
        }
        let quoting: Vec<&str> = columns
            .iter()
            .filter(|column| may_quote(table, row, column, quotations))
            .copied()
            .collect();
        if quoting.is_empty() {
            continue;
        }
        let (condition, key) = row_condition(table, row);
        let name = &table.name;
        found.push(match treatment {
            Delete => (format!("DELETE FROM {name} WHERE {condition}"), key),
            Set(value) => {
                let set: Vec<String> =
                    quoting.iter().map(|column| format!("{column} = {value}")).collect();
                (format!("UPDATE {name} SET {} WHERE {condition}", set.join(", ")), key)
            }
            Blank => {
                let set: Vec<String> =
                    quoting.iter().map(|column| format!("{column} = ?")).collect();
                let texts = quoting.iter().map(|column| {
                    let text = text_of(table, row, column).unwrap_or_default();
                    without_quotations(&text, quotations).into()
                });
                let values = texts.chain(key).collect();
                (format!("UPDATE {name} SET {} WHERE {condition}", set.join(", ")), values)
            }
        });
    }
    Ok(found)
}

/// Returns the ids of the memories whose own text quotes a purged one.
fn quoting_memories(
    connection: &Connection,
    quotations: &Quotations,
) -> rusqlite::Result<Vec<Vec<u8>>> {
    let sql = "SELECT id, content, title, reasoning, details, cues FROM memories";
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        for column in 1..=5 {
            let text: Option<String> = row.get(column)?;
            if text.is_some_and(|text| quotations.are_in(&text)) {
                found.push(row.get(0)?);
                break;
            }
        }
    }
    Ok(found)
}

/// Returns true if a column quotes a memory, or is compressed and cannot be read: it may say
/// anything.
fn may_quote(table: &TableSchema, row: &Row<'_>, column: &str, quotations: &Quotations) -> bool {
    match text_of(table, row, column) {
        Some(text) => quotations.are_in(&text),
        None => column == "packed" && !is_null(table, row, column),
    }
}

fn is_null(table: &TableSchema, row: &Row<'_>, column: &str) -> bool {
    let at = table.columns.iter().position(|name| name == column);
    at.is_none_or(|at| matches!(row.get_ref(at), Ok(ValueRef::Null)))
}

/// Returns the text of a column, unpacked if it is compressed.
fn text_of(table: &TableSchema, row: &Row<'_>, column: &str) -> Option<String> {
    let at = table.columns.iter().position(|name| name == column)?;
    match row.get_ref(at) {
        Ok(ValueRef::Text(bytes)) => Some(String::from_utf8_lossy(bytes).into_owned()),
        Ok(ValueRef::Blob(packed)) if column == "packed" => unpack_body(packed).ok(),
        _ => None,
    }
}

/// Runs statements that a trigger would reject, in the current transaction.
pub(crate) fn without_trigger(
    connection: &Connection,
    name: &str,
    run: impl FnOnce() -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    let sql: String = connection.query_row(
        "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name = ?",
        [name],
        |row| row.get(0),
    )?;
    connection.execute_batch(&format!("DROP TRIGGER {name}"))?;
    run()?;
    connection.execute_batch(&sql)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::migrate::migrate;

    /// Columns of text that never quote a memory: identifiers, words of a fixed set, and paths.
    const SILENT: [(&str, &[&str]); 12] = [
        ("work_units", &["methodology", "path", "label"]),
        ("changes", &["kind", "actor"]),
        ("requests", &["name"]),
        ("models", &["name"]),
        ("agent_sessions", &["id", "client", "ended"]),
        ("agent_events", &["id", "session", "kind"]),
        ("agent_event_paths", &["session"]),
        ("agent_injections", &["session", "agent", "layer", "event", "fate"]),
        ("agent_notes", &["id", "session", "kind"]),
        ("observer_sessions", &["session", "tree", "state"]),
        ("observer_signal_log", &["session_id"]),
        ("team_copy", &["server", "project"]),
    ];

    #[test]
    fn every_column_with_text_is_searched_or_known_to_quote_nothing() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection, std::path::Path::new("memory.db")).unwrap();
        let mut statement = connection
            .prepare(
                "SELECT t.name, c.name FROM pragma_table_list t, pragma_table_info(t.name) c
                 WHERE t.schema = 'main' AND t.type = 'table' AND c.type = 'TEXT'
                 AND t.name NOT LIKE 'memor%' AND t.name NOT LIKE 'observer_file%'
                 AND t.name NOT LIKE 'observer_co%' AND t.name <> 'common_terms'
                 AND t.name NOT LIKE 'sqlite%'",
            )
            .unwrap();
        let columns = statement
            .query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))
            .unwrap();
        let mut unknown = Vec::new();
        for (table, column) in columns.map(Result::unwrap) {
            let searched = QUOTING
                .iter()
                .any(|(name, columns, _)| *name == table && columns.contains(&column.as_str()));
            let silent = SILENT
                .iter()
                .any(|(name, columns)| *name == table && columns.contains(&column.as_str()));
            if !searched && !silent && column != "error_hash" {
                unknown.push(format!("{table}.{column}"));
            }
        }
        assert_eq!(unknown, [] as [String; 0]);
    }
}
