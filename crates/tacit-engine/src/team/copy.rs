//! Copies a whole store to another database in pages, so that a killed copy can continue where it stopped,
//! and compares the two afterwards.

use serde::{Deserialize, Serialize};
use tacit_store::{Store, TransferRow, TransferTable, digest_of_rows};

use crate::error::EngineResult;
use crate::remember::index_entry;

/// The number of rows read and written at a time.
const ROWS: usize = 500;

/// The place up to which a store was copied.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct CopyState {
    /// The names of the tables that were copied to their ends.
    pub done: Vec<String>,
    /// The place in the table that follows; `None` at its start.
    pub after: Option<String>,
}

/// The progress of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CopyProgress {
    /// The table.
    pub table: TransferTable,
    /// The number of rows that were copied, over all tables.
    pub done: u64,
    /// The number of rows to copy, over all tables.
    pub total: u64,
}

/// A table in which two stores differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TableDifference {
    /// The name of the table.
    pub table: &'static str,
    /// The number of rows in the source.
    pub source: u64,
    /// The number of rows in the target.
    pub target: u64,
}

/// Copies tables to another store. `save` is called after each page.
pub(crate) fn copy_tables(
    from: &dyn Store,
    to: &mut dyn Store,
    tables: &[TransferTable],
    state: &mut CopyState,
    save: &mut dyn FnMut(&CopyState) -> EngineResult<()>,
    progress: &mut dyn FnMut(CopyProgress),
) -> EngineResult<u64> {
    let mut total = 0;
    let mut counts = Vec::with_capacity(tables.len());
    for table in tables {
        let rows = from.count_rows(*table)?;
        counts.push(rows);
        total += rows;
    }
    let mut done = 0;
    for (table, rows) in tables.iter().copied().zip(counts) {
        if state.done.iter().any(|name| name == table.as_str()) {
            done += rows;
            continue;
        }
        loop {
            let page = from.transfer_rows(table, state.after.as_deref(), ROWS)?;
            if !page.rows.is_empty() {
                to.put_rows(&page.rows, &|memory| index_entry(&memory.body))?;
            }
            done += page.rows.len() as u64;
            progress(CopyProgress { table, done: done.min(total), total });
            state.after = page.next;
            if state.after.is_none() {
                state.done.push(table.as_str().to_owned());
            }
            save(state)?;
            if state.after.is_none() {
                break;
            }
        }
    }
    Ok(total)
}

/// Returns the tables in which the rows of two stores differ.
pub(crate) fn compare(
    one: &dyn Store,
    other: &dyn Store,
    tables: &[TransferTable],
) -> EngineResult<Vec<TableDifference>> {
    let mut differences = Vec::new();
    for table in tables.iter().copied() {
        let (source, target) = (digest(one, table)?, digest(other, table)?);
        if source != target {
            let (source, target) = (source.rows, target.rows);
            differences.push(TableDifference { table: table.as_str(), source, target });
        }
    }
    Ok(differences)
}

fn digest(store: &dyn Store, table: TransferTable) -> EngineResult<tacit_store::RowsDigest> {
    let (mut digest, mut after) = (digest_of_rows(&[]), None);
    loop {
        let page = store.transfer_rows(table, after.as_deref(), ROWS)?;
        page.rows.iter().for_each(|row: &TransferRow| digest.add(row));
        after = page.next;
        if after.is_none() {
            return Ok(digest);
        }
    }
}
