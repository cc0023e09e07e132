//! Storage of links between memories and symbols.

use rusqlite::{Connection, OptionalExtension, Row, params};
use tacit_core::{Memory, MemoryId, RepoPath, SymbolRef, Timestamp};
use tacit_store::{CodeLink, LinkStore, MemoryLinks, StoreResult};

use crate::error::{damaged, explain, unwritable};
use crate::row::{COLUMNS, select, seq_of};
use crate::store::{SqliteStore, identifier};

/// A stored link.
type LinkRow = ([u8; 16], String, String, i64);

fn link_row(row: &Row<'_>) -> rusqlite::Result<LinkRow> {
    Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
}

impl SqliteStore {
    fn select_links(&self, condition: &str, value: &str) -> StoreResult<Vec<(MemoryId, CodeLink)>> {
        let sql = format!(
            "SELECT m.id, l.path, l.name, l.sum FROM memory_links l
             JOIN memories m ON m.seq = l.memory WHERE {condition} ORDER BY m.seq, l.path, l.name"
        );
        let rows: Vec<LinkRow> = self.run(|connection| {
            connection.prepare_cached(&sql)?.query_map([value], link_row)?.collect()
        })?;
        rows.into_iter()
            .map(|(id, path, name, sum)| {
                let symbol = SymbolRef::of(&path, &name)
                    .map_err(|problem| damaged(&self.path, format!("a link's `name` {problem}")))?;
                Ok((identifier(&self.path, id)?, CodeLink { symbol, checksum: sum as u64 }))
            })
            .collect()
    }
}

impl LinkStore for SqliteStore {
    fn links_of(&self, ids: &[MemoryId]) -> StoreResult<Vec<(MemoryId, CodeLink)>> {
        let list: Vec<String> = ids.iter().map(hexadecimal).collect();
        let list = serde_json::to_string(&list).map_err(|e| explain(&self.path, &unwritable(e)))?;
        self.select_links(
            "l.memory IN (SELECT m.seq FROM json_each(?) j JOIN memories m ON m.id = unhex(j.value))",
            &list,
        )
    }

    fn links(&self) -> StoreResult<Vec<(MemoryId, CodeLink)>> {
        self.select_links("m.status = ?", tacit_core::StatusKind::Active.as_str())
    }

    fn unlinked(&self, limit: usize) -> StoreResult<Vec<Memory>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM memories m
             WHERE m.status = 'active' AND m.linked_at IS NOT m.updated_at ORDER BY m.seq LIMIT ?"
        );
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        select(&self.connection, &self.path, &sql, &[&limit])
    }

    fn save_links(&mut self, links: &[MemoryLinks]) -> StoreResult<()> {
        self.write(|connection| {
            for MemoryLinks { memory, memory_updated_at: seen, links } in links {
                // The memory may have been removed meanwhile.
                let Some(seq) = seq_of(connection, memory).optional()? else { continue };
                replace(connection, seq, links, Some(*seen))?;
            }
            Ok(())
        })
    }

    fn reset_links(&mut self) -> StoreResult<()> {
        self.write(|connection| {
            connection
                .execute("UPDATE memories SET linked_at = NULL WHERE linked_at IS NOT NULL", [])
        })?;
        Ok(())
    }

    fn move_links(&mut self, from: &RepoPath, to: &RepoPath) -> StoreResult<()> {
        self.write(|connection| {
            connection
                .prepare_cached("UPDATE OR REPLACE memory_links SET path = ?2 WHERE path = ?1")?
                .execute([from.as_str(), to.as_str()])
        })?;
        Ok(())
    }

    fn files_in_use(&self) -> StoreResult<Vec<RepoPath>> {
        let paths: Vec<String> = self.run(|connection| {
            connection
                .prepare_cached(
                    "SELECT path FROM (
                         SELECT memory, path FROM memory_files
                         UNION SELECT memory, path FROM memory_links
                         UNION SELECT memory, target_file FROM memory_relations
                         WHERE target_file IS NOT NULL)
                     WHERE memory IN (SELECT seq FROM memories WHERE status = 'active')
                     GROUP BY path ORDER BY path",
                )?
                .query_map([], |row| row.get(0))?
                .collect()
        })?;
        let path = |path: String| {
            RepoPath::new(path).map_err(|problem| damaged(&self.path, format!("a path {problem}")))
        };
        paths.into_iter().map(path).collect()
    }
}

fn hexadecimal(id: &MemoryId) -> String {
    id.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Replaces the links of a memory, computed as of this change of it.
pub(crate) fn replace(
    connection: &Connection,
    seq: i64,
    links: &[CodeLink],
    linked_at: Option<Timestamp>,
) -> rusqlite::Result<()> {
    connection.prepare_cached("DELETE FROM memory_links WHERE memory = ?")?.execute([seq])?;
    for link in links {
        insert(connection, seq, link)?;
    }
    connection
        .prepare_cached("UPDATE memories SET linked_at = ? WHERE seq = ?")?
        .execute(params![linked_at.map(Timestamp::as_millis), seq])?;
    Ok(())
}

fn insert(connection: &Connection, seq: i64, link: &CodeLink) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO memory_links (memory, path, name, sum) VALUES (?, ?, ?, ?)",
        )?
        .execute(params![
            seq,
            link.symbol.path().as_str(),
            link.symbol.name(),
            link.checksum as i64
        ])?;
    Ok(())
}
