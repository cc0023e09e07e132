//! Memories, their history and their links.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension, params};
use tacit_core::{Memory, Reasoning, SymbolRef};
use tacit_store::{
    Change, ChangeRow, CodeLink, IndexEntry, LinksRow, MemoryRow, RequestRow, StoreResult,
    TransferPage, TransferRow,
};

use super::{Pages, Source, Unreadable};
use crate::activity::{get, moment, optional_moment};
use crate::error::{damaged, explain};
use crate::history::{CHANGE, add_item, attach_items, change};
use crate::quotes::without_trigger;
use crate::row::{self, COLUMNS, read, read_row, seq_of};
use crate::store::identifier;
use crate::{index, lists};

/// Memories whose links were computed at some time.
pub(super) const LINKED: &str = "memories m WHERE (m.linked_at IS NOT NULL
    OR EXISTS (SELECT 1 FROM memory_links l WHERE l.memory = m.seq))";

pub(super) fn memories(pages: &Pages<'_>) -> StoreResult<TransferPage> {
    let source = Source { columns: COLUMNS, from: "memories m", key: &["m.seq"] };
    let (rows, next) = pages.read(source, Unreadable::Fails, |row| {
        let memory = read_row(row, pages.path)?;
        Ok(TransferRow::Memory(Box::new(MemoryRow { memory })))
    })?;
    Ok(TransferPage { rows, next })
}

/// Stores a memory as it is, without a change in the history.
pub(crate) fn put_memory(
    connection: &Connection,
    path: &Path,
    memory: &Memory,
    entry: &dyn Fn(&Memory) -> IndexEntry,
) -> StoreResult<()> {
    let before = read(connection, path, &[memory.id])?.pop();
    let write = || {
        let seq = before.as_ref().map(|before| seq_of(connection, &before.id)).transpose()?;
        let seq = row::put(connection, memory, seq)?;
        lists::put(connection, seq, before.as_ref(), memory)?;
        index::put(connection, seq, &entry(memory))
    };
    write().map_err(|error| explain(path, &error))
}

pub(super) fn changes(pages: &Pages<'_>) -> StoreResult<TransferPage> {
    let columns = format!("{CHANGE}, NULL");
    let source = Source { columns: &columns, from: "changes c", key: &["c.id"] };
    let (mut changes, next) =
        pages.read(source, Unreadable::Fails, |row| change(pages.path, row))?;
    attach_items(pages.connection, pages.path, None, &mut changes)?;
    let rows = changes.into_iter().map(|change| TransferRow::Change(row_of(change))).collect();
    Ok(TransferPage { rows, next })
}

fn row_of(change: Change) -> ChangeRow {
    let Change { id, action, items, .. } = change;
    ChangeRow {
        id,
        kind: action.kind,
        at: action.at,
        actor: action.actor,
        reason: action.reason,
        reverts: action.reverts,
        items,
    }
}

/// Stores a change. One that is there is replaced only if it differs, because a purge blanked it: the
/// history is append-only otherwise.
pub(super) fn put_change(connection: &Connection, row: &ChangeRow) -> rusqlite::Result<()> {
    let known =
        connection.prepare_cached("SELECT 1 FROM changes WHERE id = ?")?.exists([row.id])?;
    if known {
        return match is_stored(connection, row)? {
            true => Ok(()),
            false => replace_change(connection, row),
        };
    }
    connection
        .prepare_cached(
            "INSERT INTO changes (id, at, kind, actor, reason, reverts) VALUES (?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            row.id,
            row.at.as_millis(),
            row.kind.as_str(),
            row.actor.as_str(),
            row.reason.as_ref().map(Reasoning::as_str),
            row.reverts,
        ])?;
    put_items(connection, row)
}

fn put_items(connection: &Connection, row: &ChangeRow) -> rusqlite::Result<()> {
    for item in &row.items {
        add_item(connection, row.id, &item.memory, item.before.as_ref(), item.after.as_ref())?;
    }
    Ok(())
}

/// Returns true if a change is stored exactly like this. One that cannot be read is not.
fn is_stored(connection: &Connection, row: &ChangeRow) -> rusqlite::Result<bool> {
    let path = Path::new("");
    let sql = format!("SELECT {CHANGE}, NULL FROM changes c WHERE c.id = ?");
    let found =
        connection.prepare_cached(&sql)?.query_row([row.id], |found| Ok(change(path, found)))?;
    let Ok(found) = found else { return Ok(false) };
    let mut found = [found];
    let items = attach_items(connection, path, None, &mut found);
    let [found] = found;
    Ok(items.is_ok() && row_of(found) == *row)
}

fn replace_change(connection: &Connection, row: &ChangeRow) -> rusqlite::Result<()> {
    without_trigger(connection, "changes_stay", || {
        connection.execute(
            "UPDATE changes SET at = ?, kind = ?, actor = ?, reason = ?, reverts = ? WHERE id = ?",
            params![
                row.at.as_millis(),
                row.kind.as_str(),
                row.actor.as_str(),
                row.reason.as_ref().map(Reasoning::as_str),
                row.reverts,
                row.id,
            ],
        )?;
        Ok(())
    })?;
    without_trigger(connection, "change_items_remain", || {
        connection.execute("DELETE FROM change_items WHERE change = ?", [row.id])?;
        Ok(())
    })?;
    put_items(connection, row)
}

pub(super) fn requests(pages: &Pages<'_>) -> StoreResult<TransferPage> {
    let source = Source { columns: "at", from: "requests", key: &["name"] };
    pages.page(source, |row| {
        let (at, name) = (moment(pages.path, row, 0)?, get(pages.path, row, 1)?);
        Ok(TransferRow::Request(RequestRow { name, at }))
    })
}

pub(super) fn put_request(connection: &Connection, row: &RequestRow) -> rusqlite::Result<()> {
    connection
        .prepare_cached("INSERT OR REPLACE INTO requests (name, at) VALUES (?, ?)")?
        .execute(params![row.name, row.at.as_millis()])?;
    Ok(())
}

pub(super) fn links(pages: &Pages<'_>) -> StoreResult<TransferPage> {
    let columns = "m.id, m.linked_at,
        (SELECT json_group_array(json_array(l.path, l.name, l.sum) ORDER BY l.path, l.name)
         FROM memory_links l WHERE l.memory = m.seq)";
    let source = Source { columns, from: LINKED, key: &["m.seq"] };
    let (rows, next) = pages.read(source, Unreadable::Fails, |row| {
        let path = pages.path;
        let links: String = get(path, row, 2)?;
        let links: Vec<(String, String, i64)> = serde_json::from_str(&links)
            .map_err(|error| damaged(path, format!("a memory's links: {error}")))?;
        let link = |(file, name, sum): (String, String, i64)| {
            let symbol = SymbolRef::of(&file, &name)
                .map_err(|problem| damaged(path, format!("a link's `name` {problem}")))?;
            Ok(CodeLink { symbol, checksum: sum as u64 })
        };
        Ok(TransferRow::Links(LinksRow {
            memory: identifier(path, get(path, row, 0)?)?,
            linked_at: optional_moment(path, row, 1)?,
            links: links.into_iter().map(link).collect::<StoreResult<_>>()?,
        }))
    })?;
    Ok(TransferPage { rows, next })
}

pub(super) fn put_links(connection: &Connection, row: &LinksRow) -> rusqlite::Result<()> {
    let Some(seq) = seq_of(connection, &row.memory).optional()? else { return Ok(()) };
    crate::links::replace(connection, seq, &row.links, row.linked_at)
}
