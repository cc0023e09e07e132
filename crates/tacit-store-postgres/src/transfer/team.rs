//! Memories, their history and their links.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::{Map, Value, json};
use tacit_core::{Author, Memory, MemoryId, Reasoning, SymbolRef, Visibility};
use tacit_store::{
    ActionKind, ChangeId, ChangeItem, ChangeRow, CodeLink, IndexEntry, LinksRow, MemoryRow,
    RequestRow, StoreResult, TransferPage, TransferRow, TransferTable,
};
use tokio_postgres::types::Type;

use super::put::{optional, stored, write_json};
use super::{Pages, Unreadable};
use crate::columns::Columns;
use crate::connection::Connection;
use crate::error::unwritable;
use crate::index::{self, NewIndexEntry};
use crate::links;
use crate::row::{self, bytes_of};
use crate::text::hexadecimal;
use crate::write::{self, WrittenRow};

/// The condition for memories whose links were computed at some time.
pub(super) const LINKED: &str = "AND (t.linked_at IS NOT NULL OR EXISTS (
    SELECT 1 FROM tacit.memory_links l WHERE l.project = t.project AND l.seq = t.seq))";

pub(super) fn memories(pages: &Pages<'_>) -> StoreResult<TransferPage> {
    let columns = "t.seq, t.doc, t.access_count, t.last_accessed_at, t.id";
    let (rows, next) = pages.read(TransferTable::Memories, columns, Unreadable::Fails, |row| {
        let (_, memory) = row::memory(row.connection, row.row)?;
        Ok(TransferRow::Memory(Box::new(MemoryRow { memory })))
    })?;
    Ok(TransferPage { rows, next })
}

/// Writes memories and their entries in the index.
pub(super) fn put_memories(
    connection: &Connection,
    project: i64,
    memories: &[&Memory],
    index: &dyn Fn(&Memory) -> IndexEntry,
) -> StoreResult<()> {
    if memories.is_empty() {
        return Ok(());
    }
    let ids: Vec<MemoryId> = memories.iter().map(|memory| memory.id).collect();
    let sql = "SELECT id FROM tacit.memories WHERE project = $1 AND id = ANY ($2)";
    let known: HashSet<MemoryId> = connection
        .read(sql, &[(&project, Type::INT8), (&bytes_of(&ids), Type::BYTEA_ARRAY)], |row| {
            row.memory(0)
        })?
        .into_iter()
        .collect();
    // Of several rows of one memory, the last counts.
    let latest: HashMap<MemoryId, &Memory> =
        memories.iter().map(|memory| (memory.id, *memory)).collect();
    let mut seen = HashSet::new();
    let memories = memories.iter().filter(|memory| seen.insert(memory.id));
    let (changed, new): (Vec<&Memory>, Vec<&Memory>) =
        memories.map(|memory| latest[&memory.id]).partition(|memory| known.contains(&memory.id));
    let mut entries: Vec<NewIndexEntry> = Vec::with_capacity(new.len() + changed.len());
    let mut add = |memories: &[&Memory], rows: Vec<WrittenRow>, fresh: bool| {
        let both = rows.into_iter().zip(memories);
        entries.extend(both.map(|(row, memory)| NewIndexEntry::new(row, fresh, &index(memory))));
    };
    add(&changed, write::update(connection, project, &changed)?, false);
    add(&new, write::insert(connection, project, &new)?, true);
    index::put(connection, project, &entries)
}

pub(super) fn changes(pages: &Pages<'_>) -> StoreResult<TransferPage> {
    let (mut changes, next) =
        pages.read(TransferTable::Changes, CHANGE, Unreadable::Fails, change_row)?;
    attach_items(pages.connection, pages.project, &mut changes)?;
    Ok(TransferPage { rows: changes.into_iter().map(TransferRow::Change).collect(), next })
}

/// The columns that [`change_row`] reads.
const CHANGE: &str = "t.id, t.kind, t.at, t.actor, t.reason, t.reverts";

fn change_row(row: &Columns<'_>) -> StoreResult<ChangeRow> {
    let bad = |what: &str| row.damaged(format!("a change's `{what}` is not one"));
    Ok(ChangeRow {
        id: row.get(0)?,
        kind: ActionKind::from_word(row.get(1)?).ok_or_else(|| bad("kind"))?,
        at: row.moment(2)?,
        actor: Author::new(row.text(3)?).map_err(|_| bad("actor"))?,
        reason: row.optional_text(4)?.map(Reasoning::new).transpose().map_err(|_| bad("reason"))?,
        reverts: row.get(5)?,
        items: Vec::new(),
    })
}

/// Reads the items of changes, which are sorted by number.
fn attach_items(
    connection: &Connection,
    project: i64,
    changes: &mut [ChangeRow],
) -> StoreResult<()> {
    let ids: Vec<ChangeId> = changes.iter().map(|change| change.id).collect();
    let items = connection.read(
        "SELECT change, memory, before, after FROM tacit.change_items
         WHERE project = $1 AND change = ANY ($2) ORDER BY change, item",
        &[(&project, Type::INT8), (&ids, Type::INT8_ARRAY)],
        |row| {
            let fields = |at| -> StoreResult<Option<Map<String, Value>>> {
                let json = row.get::<Option<&str>>(at)?.map(serde_json::from_str).transpose();
                json.map_err(|error| {
                    row.damaged(format!("an entry of the history is broken: {error}"))
                })
            };
            let item = ChangeItem { memory: row.memory(1)?, before: fields(2)?, after: fields(3)? };
            Ok((row.get::<ChangeId>(0)?, item))
        },
    )?;
    for (id, item) in items {
        if let Ok(at) = changes.binary_search_by_key(&id, |change| change.id) {
            changes[at].items.push(item);
        }
    }
    Ok(())
}

/// Adds changes with their numbers. A change is the team's if the team sees one of its memories.
const ADD_CHANGES: &str = "
WITH given AS (
    SELECT * FROM json_to_recordset($2::text::json) AS r (id bigint, kind text, at bigint,
        actor text, reason text, reverts bigint, items json)),
items AS (
    SELECT g.id AS change, i.item, decode(i.memory, 'hex') AS memory, i.before, i.after,
           CASE WHEN i.shared THEN '' ELSE session_user::text END AS holder
    FROM given g
    CROSS JOIN json_to_recordset(g.items)
        AS i (item integer, memory text, before text, after text, shared boolean)),
counted AS (
    UPDATE tacit.counters SET change = greatest(change, (SELECT max(id) FROM given))
    WHERE project = $1),
added AS (
    INSERT INTO tacit.changes (project, id, holder, at, kind, actor, reason, reverts)
    SELECT $1, g.id,
           CASE WHEN EXISTS (SELECT 1 FROM items i WHERE i.change = g.id AND i.holder = '')
               THEN '' ELSE session_user::text END,
           at, kind, actor, reason, reverts
    FROM given g)
INSERT INTO tacit.change_items (project, change, item, memory, holder, before, after)
SELECT $1, change, item, memory, holder, before, after FROM items";

/// Blanks reasons of changes.
const BLANK_REASONS: &str = "
UPDATE tacit.changes c SET reason = NULL
FROM json_to_recordset($2::text::json) AS r (id bigint, reason text)
WHERE c.project = $1 AND c.id = r.id AND r.reason IS NULL AND c.reason IS NOT NULL";

/// Replaces items of changes.
const REPLACE_ITEMS: &str = "
UPDATE tacit.change_items c SET before = i.before, after = i.after
FROM json_to_recordset($2::text::json) AS r (id bigint, items json)
CROSS JOIN json_to_recordset(r.items) AS i (item integer, before text, after text)
WHERE c.project = $1 AND c.change = r.id AND c.item = i.item
AND (c.before IS DISTINCT FROM i.before OR c.after IS DISTINCT FROM i.after)";

/// Adds changes. One that is there may differ only by what a purge blanked: the history is
/// append-only otherwise.
pub(super) fn put_changes(
    connection: &Connection,
    project: i64,
    changes: &[&ChangeRow],
) -> StoreResult<()> {
    if changes.is_empty() {
        return Ok(());
    }
    let ids: Vec<ChangeId> = changes.iter().map(|change| change.id).collect();
    let sql = format!(
        "SELECT {CHANGE} FROM tacit.changes t WHERE t.project = $1 AND t.id = ANY ($2)
         ORDER BY t.id"
    );
    let mut known =
        connection.read(&sql, &[(&project, Type::INT8), (&ids, Type::INT8_ARRAY)], change_row)?;
    attach_items(connection, project, &mut known)?;
    let known: HashMap<ChangeId, ChangeRow> =
        known.into_iter().map(|change| (change.id, change)).collect();
    let (mut added, mut replaced) = (BTreeMap::new(), Vec::new());
    for change in changes {
        match known.get(&change.id) {
            None => drop(added.insert(change.id, *change)),
            Some(known) if known == *change => {}
            Some(known) if is_same_change(known, change) => replaced.push(json_of(change, &[])),
            Some(_) => {
                let detail = format!("its history has another change {}", change.id);
                return Err(unwritable(connection.server(), &detail));
            }
        }
    }
    if !added.is_empty() {
        let numbers: Vec<ChangeId> = added.keys().copied().collect();
        let mut seen_by_team = seen_by_team(connection, project, &added)?;
        let rows = added.into_values().map(|change| {
            let shared: Vec<bool> =
                change.items.iter().map(|item| is_shared(item, &mut seen_by_team)).collect();
            json_of(change, &shared)
        });
        let rows = rows.collect();
        write_json(connection, project, ADD_CHANGES, rows)?;
        check_undone(connection, project, &numbers)?;
    }
    if !replaced.is_empty() {
        write_json(connection, project, BLANK_REASONS, replaced.clone())?;
        write_json(connection, project, REPLACE_ITEMS, replaced)?;
    }
    Ok(())
}

/// Returns the memories of changes that earlier changes showed to the team, or only to their owners. The
/// history of a memory alone tells who saw it then: the memory may be gone, or shared since.
fn seen_by_team(
    connection: &Connection,
    project: i64,
    changes: &BTreeMap<ChangeId, &ChangeRow>,
) -> StoreResult<HashMap<MemoryId, bool>> {
    let first = changes.keys().next().copied().unwrap_or_default();
    let ids: HashSet<MemoryId> =
        changes.values().flat_map(|change| &change.items).map(|item| item.memory).collect();
    let ids: Vec<&[u8]> = ids.iter().map(|id| id.as_bytes().as_slice()).collect();
    let seen = connection.read(
        "SELECT DISTINCT ON (memory) memory, holder = '' FROM tacit.change_items
         WHERE project = $1 AND memory = ANY ($2) AND change < $3
         ORDER BY memory, change DESC, item DESC",
        &[(&project, Type::INT8), (&ids, Type::BYTEA_ARRAY), (&first, Type::INT8)],
        |row| Ok((row.memory(0)?, row.get(1)?)),
    )?;
    Ok(seen.into_iter().collect())
}

/// Returns true if an item is for the team to see, and notes it for the next one of the memory. An item whose
/// memory is not known to be the team's is private.
fn is_shared(item: &ChangeItem, seen_by_team: &mut HashMap<MemoryId, bool>) -> bool {
    // An edit has only the fields that it changes; a whole memory leaves out what is the default.
    let fields = item.after.as_ref().or(item.before.as_ref());
    let said = fields.and_then(|fields| match fields.get("visibility") {
        Some(visibility) => Some(visibility.is_null() || *visibility == Visibility::Team.as_str()),
        None => fields.contains_key("id").then_some(true),
    });
    let is_shared = said.or(seen_by_team.get(&item.memory).copied()).unwrap_or(false);
    seen_by_team.insert(item.memory, is_shared);
    is_shared
}

/// Fails if one of these changes undid another that is not there.
fn check_undone(connection: &Connection, project: i64, changes: &[ChangeId]) -> StoreResult<()> {
    let row = connection.row(
        "SELECT min(c.id) FROM tacit.changes c
         WHERE c.project = $1 AND c.id = ANY ($2) AND c.reverts IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM tacit.changes u
                         WHERE u.project = $1 AND u.id = c.reverts)",
        &[(&project, Type::INT8), (&changes, Type::INT8_ARRAY)],
    )?;
    match connection.get::<Option<ChangeId>>(&row, 0)? {
        None => Ok(()),
        Some(id) => {
            let detail = format!("change {id} undid a change that is not there");
            Err(unwritable(connection.server(), &detail))
        }
    }
}

/// Returns true if two versions of a change say the same, apart from what may be blanked.
fn is_same_change(one: &ChangeRow, other: &ChangeRow) -> bool {
    let outline = |change: &ChangeRow| {
        (change.kind, change.at, change.actor.clone(), change.reverts, change.items.len())
    };
    let memories = |change: &ChangeRow| -> Vec<MemoryId> {
        change.items.iter().map(|item| item.memory).collect()
    };
    outline(one) == outline(other)
        && memories(one) == memories(other)
        && (other.reason.is_none() || one.reason == other.reason)
}

/// Returns a change as JSON. `shared` tells for each item if it is for the team to see.
fn json_of(change: &ChangeRow, shared: &[bool]) -> Value {
    let json = |fields: &Option<Map<String, Value>>| {
        fields.as_ref().map(|fields| Value::Object(fields.clone()).to_string())
    };
    let item = |(at, item): (usize, &ChangeItem)| {
        json!({
            "item": at + 1, "memory": hexadecimal(item.memory.as_bytes()),
            "before": json(&item.before), "after": json(&item.after),
            "shared": shared.get(at),
        })
    };
    let items: Vec<Value> = change.items.iter().enumerate().map(item).collect();
    json!({
        "id": change.id, "kind": change.kind.as_str(), "at": change.at.as_millis(),
        "actor": stored(change.actor.as_str()),
        "reason": optional(change.reason.as_ref().map(Reasoning::as_str)),
        "reverts": change.reverts, "items": items,
    })
}

pub(super) fn requests(pages: &Pages<'_>) -> StoreResult<TransferPage> {
    pages.page(TransferTable::Requests, "t.name, t.at", |row| {
        Ok(TransferRow::Request(RequestRow { name: row.text(0)?, at: row.moment(1)? }))
    })
}

/// Adds requests. A request of another person stays as it is.
pub(super) const PUT_REQUESTS: &str = "
WITH given AS (
    SELECT * FROM json_to_recordset($2::text::json) AS r (name text, at bigint)),
replaced AS (
    UPDATE tacit.requests q SET at = g.at FROM given g
    WHERE q.project = $1 AND q.name = g.name AND q.at <> g.at AND q.owner = session_user)
INSERT INTO tacit.requests (project, name, at) SELECT $1, name, at FROM given
ON CONFLICT DO NOTHING";

pub(super) fn request(row: &RequestRow) -> Value {
    json!({"name": stored(&row.name), "at": row.at.as_millis()})
}

pub(super) fn links(pages: &Pages<'_>) -> StoreResult<TransferPage> {
    let of = |column: &str| {
        format!(
            "ARRAY(SELECT l.{column} FROM tacit.memory_links l
                   WHERE l.project = t.project AND l.seq = t.seq ORDER BY l.path, l.name)"
        )
    };
    let columns = format!("t.id, t.linked_at, {}, {}, {}", of("path"), of("name"), of("checksum"));
    let (rows, next) = pages.read(TransferTable::Links, &columns, Unreadable::Fails, |row| {
        let (paths, names): (Vec<&str>, Vec<&str>) = (row.get(2)?, row.get(3)?);
        let checksums: Vec<i64> = row.get(4)?;
        let symbols = paths.iter().zip(&names).zip(checksums);
        let link = |((path, name), checksum): ((&&str, &&str), i64)| {
            let symbol = SymbolRef::of(path, name)
                .map_err(|problem| row.damaged(format!("a link's `name` {problem}")))?;
            Ok(CodeLink { symbol, checksum: checksum as u64 })
        };
        Ok(TransferRow::Links(LinksRow {
            memory: row.memory(0)?,
            linked_at: row.optional_moment(1)?,
            links: symbols.map(link).collect::<StoreResult<_>>()?,
        }))
    })?;
    Ok(TransferPage { rows, next })
}

pub(super) fn put_links(
    connection: &Connection,
    project: i64,
    rows: &[&LinksRow],
) -> StoreResult<()> {
    let rows: Vec<_> =
        rows.iter().map(|row| (&row.memory, row.linked_at, row.links.as_slice())).collect();
    links::save(connection, project, &rows)
}
