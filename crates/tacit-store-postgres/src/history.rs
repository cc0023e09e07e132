//! Storage of the history.

use serde_json::{Map, Value};
use tacit_core::{Author, MemoryId, Reasoning};
use tacit_store::{
    Action, ActionKind, Change, ChangeId, ChangeItem, ChangeQuery, StoreError, StoreResult,
};
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use crate::connection::Connection;
use crate::error::damaged;
use crate::filter::ProjectCondition;
use crate::row::{identifier, moment};
use crate::text::{from_stored, number, to_stored};

/// Condition for a change `c` that is in force. An undo may itself be undone, and so on: the change
/// is in force if the chain of undos has even length.
const IN_FORCE: &str = "(
    WITH RECURSIVE upon (id, height) AS (
        SELECT c.id, 0
        UNION ALL
        SELECT (SELECT max(later.id) FROM changes later
                WHERE later.project = $1 AND later.reverts = upon.id), height + 1
        FROM upon WHERE EXISTS (SELECT 1 FROM changes later
                                WHERE later.project = $1 AND later.reverts = upon.id))
    SELECT max(height) % 2 = 0 FROM upon)";

/// Condition for a change `c` that `undo` stops at. A change whose memories were all purged is
/// empty; the purge itself stops `undo`.
const UNDOABLE: &str = "c.kind <> 'undo' AND (c.kind = 'purge' OR EXISTS (
    SELECT 1 FROM change_items i WHERE i.project = $1 AND i.change = c.id
    AND (i.before IS NOT NULL OR i.after IS NOT NULL)))";

/// The change of one memory that is not written yet.
#[derive(Debug)]
pub(crate) struct NewItem {
    pub(crate) memory: MemoryId,
    /// The only person who sees the memory; empty if the team does.
    pub(crate) holder: String,
    pub(crate) before: Option<String>,
    pub(crate) after: Option<String>,
}

/// Writes a change with its first items. Returns its number.
pub(crate) fn open_change(
    connection: &Connection,
    project: i64,
    action: &Action,
    items: &[NewItem],
) -> StoreResult<ChangeId> {
    let actor = to_stored(action.actor.as_str());
    let reason = action.reason.as_ref().map(|reason| to_stored(reason.as_str()));
    let columns = Columns::of(items);
    let sql = "WITH number AS (
            UPDATE counters SET change = change + 1 WHERE project = $1 RETURNING change),
        opened AS (
            INSERT INTO changes (project, id, holder, at, kind, actor, reason, reverts)
            SELECT $1, change, $2, $3, $4, $5, $6, $7 FROM number RETURNING id),
        added AS (
            INSERT INTO change_items (project, change, item, memory, holder, before, after)
            SELECT $1, opened.id, n.item, n.memory, n.holder, n.before, n.after FROM opened,
            ROWS FROM (unnest($8::bytea[]), unnest($9::text[]), unnest($10::text[]),
                unnest($11::text[])) WITH ORDINALITY AS n (memory, holder, before, after, item))
        SELECT id FROM opened";
    let rows = connection.rows(
        sql,
        &[
            (&project, Type::INT8),
            (&holder_of(items), Type::TEXT),
            (&action.at.as_millis(), Type::INT8),
            (&action.kind.as_str(), Type::TEXT),
            (&actor.as_ref(), Type::TEXT),
            (&reason.as_deref(), Type::TEXT),
            (&action.reverts, Type::INT8),
            (&columns.memories, Type::BYTEA_ARRAY),
            (&columns.holders, Type::TEXT_ARRAY),
            (&columns.before, Type::TEXT_ARRAY),
            (&columns.after, Type::TEXT_ARRAY),
        ],
    )?;
    let Some(row) = rows.first() else { return Err(may_not_write(connection)) };
    connection.get(row, 0)
}

/// Writes more items of a change, of which there are `written` already.
pub(crate) fn add_items(
    connection: &Connection,
    project: i64,
    change: ChangeId,
    written: usize,
    items: &[NewItem],
) -> StoreResult<()> {
    let columns = Columns::of(items);
    let sql = "INSERT INTO change_items (project, change, item, memory, holder, before, after)
        SELECT $1, $2, $3 + n.item, n.memory, n.holder, n.before, n.after
        FROM ROWS FROM (unnest($4::bytea[]), unnest($5::text[]), unnest($6::text[]),
            unnest($7::text[])) WITH ORDINALITY AS n (memory, holder, before, after, item)";
    connection.execute(
        sql,
        &[
            (&project, Type::INT8),
            (&change, Type::INT8),
            (&number(written), Type::INT8),
            (&columns.memories, Type::BYTEA_ARRAY),
            (&columns.holders, Type::TEXT_ARRAY),
            (&columns.before, Type::TEXT_ARRAY),
            (&columns.after, Type::TEXT_ARRAY),
        ],
    )?;
    if holder_of(items).is_empty() {
        let sql = "UPDATE changes SET holder = ''
                   WHERE project = $1 AND id = $2 AND holder <> ''";
        connection.execute(sql, &[(&project, Type::INT8), (&change, Type::INT8)])?;
    }
    Ok(())
}

/// Returns the only person who sees a change: that of its items, if none is the team's.
fn holder_of(items: &[NewItem]) -> &str {
    let shared = items.iter().any(|item| item.holder.is_empty());
    items.first().filter(|_| !shared).map_or("", |item| item.holder.as_str())
}

/// Returns the error of a writer who may only read.
pub(crate) fn may_not_write(connection: &Connection) -> StoreError {
    StoreError::Denied {
        server: connection.server().to_owned(),
        detail:
            "your role in this project does not allow this change; a curator can give you another"
                .into(),
    }
}

/// New items by column.
struct Columns<'a> {
    memories: Vec<&'a [u8]>,
    holders: Vec<&'a str>,
    before: Vec<Option<&'a str>>,
    after: Vec<Option<&'a str>>,
}

impl<'a> Columns<'a> {
    fn of(items: &'a [NewItem]) -> Columns<'a> {
        Columns {
            memories: items.iter().map(|item| item.memory.as_bytes().as_slice()).collect(),
            holders: items.iter().map(|item| item.holder.as_str()).collect(),
            before: items.iter().map(|item| item.before.as_deref()).collect(),
            after: items.iter().map(|item| item.after.as_deref()).collect(),
        }
    }
}

pub(crate) fn changes(
    connection: &Connection,
    project: i64,
    query: &ChangeQuery,
) -> StoreResult<Vec<Change>> {
    let mut condition = condition_of(project, query);
    let limit = condition.parameter(number(query.limit), Type::INT8);
    let sql = format!(
        "SELECT c.id, c.at, c.kind, c.actor, c.reason, c.reverts,
             CASE WHEN NOT {IN_FORCE} THEN
                 (SELECT max(later.id) FROM changes later
                  WHERE later.project = $1 AND later.reverts = c.id) END
         FROM changes c WHERE {} ORDER BY c.id DESC LIMIT {limit}",
        condition.sql()
    );
    let rows = connection.rows(&sql, &condition.parameters())?;
    // One that no version of tacit wrote must not hide the others.
    let mut changes: Vec<Change> =
        rows.iter().filter_map(|row| change(connection, row).ok()).collect();
    if !query.without_items && !changes.is_empty() {
        attach_items(connection, project, query.memory, &mut changes)?;
    }
    Ok(changes)
}

/// Counts the changes that a query selects, whatever its limit.
pub(crate) fn count(
    connection: &Connection,
    project: i64,
    query: &ChangeQuery,
) -> StoreResult<usize> {
    let condition = condition_of(project, query);
    let sql = format!("SELECT count(*) FROM changes c WHERE {}", condition.sql());
    let row = connection.row(&sql, &condition.parameters())?;
    Ok(usize::try_from(connection.get::<i64>(&row, 0)?).unwrap_or(0))
}

fn condition_of(project: i64, query: &ChangeQuery) -> ProjectCondition {
    let mut condition = ProjectCondition::in_project("c", project);
    condition.given("c.id =", query.id, Type::INT8);
    if let Some(memory) = query.memory {
        let memory = condition.parameter(memory.as_bytes().to_vec(), Type::BYTEA);
        condition.term(format!(
            "c.id IN (SELECT i.change FROM change_items i
             WHERE i.project = $1 AND i.memory = {memory})"
        ));
    }
    condition.given("c.id >", query.after, Type::INT8);
    if query.undoable {
        condition.term(UNDOABLE);
        condition.term(IN_FORCE);
    }
    condition
}

fn change(connection: &Connection, row: &Row) -> StoreResult<Change> {
    let bad = |what: &str| damaged(connection.server(), format!("a change's `{what}` is not one"));
    let kind: &str = connection.get(row, 2)?;
    let actor: &str = connection.get(row, 3)?;
    let reason: Option<&str> = connection.get(row, 4)?;
    Ok(Change {
        id: connection.get(row, 0)?,
        action: Action {
            kind: ActionKind::from_word(kind).ok_or_else(|| bad("kind"))?,
            at: moment(connection, row, 1)?,
            actor: Author::new(from_stored(actor)).map_err(|_| bad("actor"))?,
            reason: reason
                .map(|reason| Reasoning::new(from_stored(reason)))
                .transpose()
                .map_err(|_| bad("reason"))?,
            reverts: connection.get(row, 5)?,
        },
        reverted_by: connection.get(row, 6)?,
        items: Vec::new(),
    })
}

/// Reads the items of all changes with one statement, only those of one memory if it is given.
fn attach_items(
    connection: &Connection,
    project: i64,
    memory: Option<MemoryId>,
    changes: &mut [Change],
) -> StoreResult<()> {
    let mut condition = ProjectCondition::in_project("i", project);
    let ids: Vec<ChangeId> = changes.iter().map(|change| change.id).collect();
    let ids = condition.parameter(ids, Type::INT8_ARRAY);
    condition.term(format!("i.change = ANY({ids})"));
    condition.given("i.memory =", memory.map(|id| id.as_bytes().to_vec()), Type::BYTEA);
    let sql = format!(
        "SELECT i.change, i.memory, i.before, i.after FROM change_items i WHERE {}
         ORDER BY i.change, i.item",
        condition.sql()
    );
    for row in connection.rows(&sql, &condition.parameters())? {
        let id: ChangeId = connection.get(&row, 0)?;
        let Ok(item) = change_item(connection, &row) else { continue };
        // Changes are sorted, newest first.
        if let Ok(at) = changes.binary_search_by(|change| id.cmp(&change.id)) {
            changes[at].items.push(item);
        }
    }
    Ok(())
}

fn change_item(connection: &Connection, row: &Row) -> StoreResult<ChangeItem> {
    Ok(ChangeItem {
        memory: identifier(connection, row, 1)?,
        before: fields(connection, connection.get(row, 2)?)?,
        after: fields(connection, connection.get(row, 3)?)?,
    })
}

fn fields(connection: &Connection, json: Option<&str>) -> StoreResult<Option<Map<String, Value>>> {
    json.map(|json| {
        serde_json::from_str(json).map_err(|error| {
            damaged(connection.server(), format!("an entry of the history is broken: {error}"))
        })
    })
    .transpose()
}
