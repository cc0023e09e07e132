//! Storage of links between memories and symbols.

use std::collections::BTreeMap;

use tacit_core::{Memory, MemoryId, RepoPath, SymbolRef, Timestamp};
use tacit_store::{CodeLink, LinkStore, MemoryLinks, StoreResult};
use tokio_postgres::types::Type;

use crate::columns::Columns;
use crate::connection::{Connection, Parameter, WriterLock};
use crate::row::{COLUMNS, select};
use crate::store::PostgresStore;
use crate::text::number;

/// Replaces the links of memories. Memories that were removed meanwhile are skipped; rows are
/// locked in the order of their numbers.
const SAVE: &str = "
WITH given AS (
    SELECT m.seq, m.holder, g.id, g.seen FROM unnest($2::bytea[], $3::bigint[]) AS g (id, seen)
    JOIN tacit.memories m ON m.project = $1 AND m.id = g.id ORDER BY m.seq FOR UPDATE OF m),
noted AS (
    UPDATE tacit.memories m SET linked_at = g.seen FROM given g
    WHERE m.project = $1 AND m.seq = g.seq),
stored AS (
    INSERT INTO tacit.memory_links (project, seq, path, name, checksum, holder)
    SELECT $1, g.seq, l.path, l.name, l.checksum, g.holder
    FROM unnest($4::bytea[], $5::text[], $6::text[], $7::bigint[])
        AS l (id, path, name, checksum)
    JOIN given g ON g.id = l.id
    ON CONFLICT (project, holder, seq, path, name) DO UPDATE SET checksum = excluded.checksum)
DELETE FROM tacit.memory_links l USING given g
WHERE l.project = $1 AND l.seq = g.seq
AND NOT EXISTS (SELECT 1 FROM unnest($4, $5, $6) AS n (id, path, name)
                WHERE n.id = g.id AND n.path = l.path AND n.name = l.name)";

impl LinkStore for PostgresStore {
    fn links_of(&self, ids: &[MemoryId]) -> StoreResult<Vec<(MemoryId, CodeLink)>> {
        let ids: Vec<&[u8]> = ids.iter().map(|id| id.as_bytes().as_slice()).collect();
        self.select_links(
            "m.id = ANY ($2)",
            &[(&self.project, Type::INT8), (&ids, Type::BYTEA_ARRAY)],
        )
    }

    fn links(&self) -> StoreResult<Vec<(MemoryId, CodeLink)>> {
        self.select_links("m.status = 'active'", &[(&self.project, Type::INT8)])
    }

    fn unlinked(&self, limit: usize) -> StoreResult<Vec<Memory>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM tacit.memories m
             WHERE m.project = $1 AND m.status = 'active'
             AND m.linked_at IS DISTINCT FROM m.updated_at ORDER BY m.seq LIMIT $2"
        );
        select(&self.connection, &sql, &[(&self.project, Type::INT8), (&number(limit), Type::INT8)])
    }

    fn save_links(&mut self, links: &[MemoryLinks]) -> StoreResult<()> {
        let links: Vec<_> = links
            .iter()
            .map(|links| (&links.memory, Some(links.memory_updated_at), links.links.as_slice()))
            .collect();
        self.connection.transaction(WriterLock::Wait(self.project), |connection| {
            save(connection, self.project, &links)
        })
    }

    fn reset_links(&mut self) -> StoreResult<()> {
        let sql = "UPDATE tacit.memories SET linked_at = NULL
                   WHERE project = $1 AND linked_at IS NOT NULL";
        self.connection.transaction(WriterLock::Wait(self.project), |connection| {
            connection.execute(sql, &[(&self.project, Type::INT8)]).map(drop)
        })
    }

    fn move_links(&mut self, from: &RepoPath, to: &RepoPath) -> StoreResult<()> {
        if from == to {
            return Ok(());
        }
        let sql = "WITH moved AS (
                 DELETE FROM tacit.memory_links WHERE project = $1 AND path = $2
                 RETURNING seq, name, checksum, holder)
             INSERT INTO tacit.memory_links (project, seq, path, name, checksum, holder)
             SELECT $1, seq, $3, name, checksum, holder FROM moved
             ON CONFLICT (project, holder, seq, path, name)
                 DO UPDATE SET checksum = excluded.checksum";
        let parameters: [Parameter<'_>; 3] =
            [(&self.project, Type::INT8), (&from.as_str(), Type::TEXT), (&to.as_str(), Type::TEXT)];
        self.connection.transaction(WriterLock::Wait(self.project), |connection| {
            connection.execute(sql, &parameters).map(drop)
        })
    }

    fn files_in_use(&self) -> StoreResult<Vec<RepoPath>> {
        let sql = "SELECT path FROM (
                 SELECT value AS path, seq FROM tacit.memory_marks
                 WHERE project = $1 AND kind IN ('file', 'relation_file')
                 UNION SELECT path, seq FROM tacit.memory_links WHERE project = $1) used
             JOIN tacit.memories m ON m.project = $1 AND m.seq = used.seq AND m.status = 'active'
             GROUP BY path ORDER BY path";
        self.connection.read_readable(sql, &[(&self.project, Type::INT8)], |row| row.path(0))
    }
}

impl PostgresStore {
    /// Selects links by a condition on their memories.
    fn select_links(
        &self,
        condition: &str,
        parameters: &[Parameter<'_>],
    ) -> StoreResult<Vec<(MemoryId, CodeLink)>> {
        let sql = format!(
            "SELECT m.id, l.path, l.name, l.checksum FROM tacit.memory_links l
             JOIN tacit.memories m ON m.project = l.project AND m.seq = l.seq
             WHERE l.project = $1 AND {condition}
             ORDER BY m.seq, l.path, l.name"
        );
        self.connection.read_readable(&sql, parameters, link_row)
    }
}

/// Replaces the links of memories, each with the time as of which they were found.
pub(crate) fn save(
    connection: &Connection,
    project: i64,
    links: &[(&MemoryId, Option<Timestamp>, &[CodeLink])],
) -> StoreResult<()> {
    if links.is_empty() {
        return Ok(());
    }
    let links: BTreeMap<&[u8], _> = links
        .iter()
        .map(|(memory, seen, links)| (memory.as_bytes().as_slice(), (*seen, *links)))
        .collect();
    let ids: Vec<&[u8]> = links.keys().copied().collect();
    let seen: Vec<Option<i64>> =
        links.values().map(|(seen, _)| seen.map(Timestamp::as_millis)).collect();
    let rows: BTreeMap<_, _> = links
        .iter()
        .flat_map(|(id, (_, links))| links.iter().map(|link| (*id, link)))
        .map(|(id, link)| ((id, link.symbol.path(), link.symbol.name()), link.checksum as i64))
        .collect();
    let of: Vec<&[u8]> = rows.keys().map(|(id, ..)| *id).collect();
    let paths: Vec<&str> = rows.keys().map(|(_, path, _)| path.as_str()).collect();
    let names: Vec<&str> = rows.keys().map(|(.., name)| *name).collect();
    let checksums: Vec<i64> = rows.values().copied().collect();
    connection.execute(
        SAVE,
        &[
            (&project, Type::INT8),
            (&ids, Type::BYTEA_ARRAY),
            (&seen, Type::INT8_ARRAY),
            (&of, Type::BYTEA_ARRAY),
            (&paths, Type::TEXT_ARRAY),
            (&names, Type::TEXT_ARRAY),
            (&checksums, Type::INT8_ARRAY),
        ],
    )?;
    Ok(())
}

/// Reads a link and its memory.
fn link_row(row: &Columns<'_>) -> StoreResult<(MemoryId, CodeLink)> {
    let symbol = SymbolRef::of(row.get(1)?, row.get(2)?)
        .map_err(|problem| row.damaged(format!("a link's `name` {problem}")))?;
    let checksum = row.get::<i64>(3)? as u64;
    Ok((row.memory(0)?, CodeLink { symbol, checksum }))
}
