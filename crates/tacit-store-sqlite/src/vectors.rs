//! Storage of vectors, from which the mapped file is built.

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};
use tacit_core::Memory;
use tacit_store::{
    EmbeddedPart, MemoryKey, ModelState, StoreResult, VectorKey, VectorModel, VectorPage,
    VectorSet, VectorStore,
};

use crate::error::{explain, unwritable};
use crate::row::{COLUMNS, select_with_seq};
use crate::store::SqliteStore;

/// Stores the hash of a memory's embedded text. If it changed, the memory is queued for every
/// model.
pub(crate) fn note_meaning(
    connection: &Connection,
    seq: i64,
    meaning: Option<u64>,
) -> rusqlite::Result<()> {
    let meaning = meaning.map(|meaning| meaning as i64);
    let changed = connection
        .prepare_cached("UPDATE memories SET meaning = ?1 WHERE seq = ?2 AND meaning IS NOT ?1")?
        .execute(params![meaning, seq])?;
    if changed > 0 && meaning.is_some() {
        connection
            .prepare_cached(
                "INSERT OR IGNORE INTO vector_queue (model, memory) SELECT seq, ? FROM models",
            )?
            .execute([seq])?;
    }
    Ok(())
}

impl SqliteStore {
    pub(crate) fn run<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> StoreResult<T> {
        work(&self.connection).map_err(|error| explain(&self.path, &error))
    }

    pub(crate) fn write<T>(
        &mut self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> StoreResult<T> {
        let path = &self.path;
        let fail = |error: rusqlite::Error| explain(path, &error);
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(fail)?;
        let value = work(&transaction).map_err(fail)?;
        transaction.commit().map_err(fail)?;
        Ok(value)
    }
}

pub(crate) fn model_seq(
    connection: &Connection,
    model: &VectorModel,
) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached("SELECT seq FROM models WHERE name = ? AND dims = ?")?
        .query_row(params![model.name, model.dims as i64], |row| row.get(0))
        .optional()
}

impl VectorStore for SqliteStore {
    fn models(&self) -> StoreResult<Vec<ModelState>> {
        self.run(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT name, dims, active, generation,
                     (SELECT count(*) FROM vector_queue q WHERE q.model = m.seq)
                 FROM models m ORDER BY active DESC, seq",
            )?;
            let rows = statement.query_map([], |row| {
                Ok(ModelState {
                    model: VectorModel {
                        name: row.get(0)?,
                        dims: row.get::<_, i64>(1)?.unsigned_abs() as usize,
                    },
                    active: row.get(2)?,
                    generation: row.get::<_, i64>(3)?.unsigned_abs(),
                    pending: row.get::<_, i64>(4)?.unsigned_abs(),
                })
            })?;
            rows.collect()
        })
    }

    fn add_model(&mut self, model: &VectorModel) -> StoreResult<()> {
        if self.run(|connection| model_seq(connection, model))?.is_some() {
            return Ok(());
        }
        self.write(|connection| {
            if model_seq(connection, model)?.is_some() {
                return Ok(());
            }
            connection.execute(
                "INSERT INTO models (name, dims, active)
                 VALUES (?, ?, NOT EXISTS (SELECT 1 FROM models WHERE active))",
                params![model.name, model.dims as i64],
            )?;
            let seq = connection.last_insert_rowid();
            connection.execute(
                "INSERT INTO vector_queue (model, memory)
                 SELECT ?, seq FROM memories WHERE meaning IS NOT NULL",
                [seq],
            )?;
            Ok(())
        })
    }

    fn activate_model(&mut self, model: &VectorModel) -> StoreResult<()> {
        self.write(|connection| {
            if let Some(seq) = model_seq(connection, model)? {
                connection.execute("UPDATE models SET active = 0 WHERE seq <> ?", [seq])?;
                connection.execute("UPDATE models SET active = 1 WHERE seq = ?", [seq])?;
            }
            Ok(())
        })
    }

    fn delete_other_models(&mut self, model: &VectorModel) -> StoreResult<()> {
        self.write(|connection| {
            if let Some(seq) = model_seq(connection, model)? {
                connection.execute("DELETE FROM models WHERE seq <> ?", [seq])?;
            }
            Ok(())
        })
    }

    fn pending(&self, model: &VectorModel, limit: usize) -> StoreResult<Vec<(MemoryKey, Memory)>> {
        let Some(seq) = self.run(|connection| model_seq(connection, model))? else {
            return Ok(Vec::new());
        };
        let sql = format!(
            "SELECT {COLUMNS} FROM vector_queue q CROSS JOIN memories m ON m.seq = q.memory
             WHERE q.model = ? ORDER BY q.memory DESC LIMIT ?"
        );
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows = select_with_seq(&self.connection, &self.path, &sql, &[&seq, &limit])?;
        Ok(rows.into_iter().map(|(seq, memory)| (seq.unsigned_abs(), memory)).collect())
    }

    fn put_vectors(&mut self, model: &VectorModel, sets: &[VectorSet]) -> StoreResult<usize> {
        self.write(|connection| {
            let Some(seq) = model_seq(connection, model)? else { return Ok(0) };
            connection
                .prepare_cached("UPDATE models SET generation = generation + 1 WHERE seq = ?")?
                .execute([seq])?;
            let mut kept = 0;
            for set in sets {
                kept += usize::from(put_set(connection, seq, set)?);
            }
            Ok(kept)
        })
    }

    fn vectors_since(
        &self,
        model: &VectorModel,
        generation: u64,
        limit: usize,
    ) -> StoreResult<VectorPage> {
        self.run(|connection| {
            let mut page = VectorPage { generation, ..VectorPage::default() };
            let Some(seq) = model_seq(connection, model)? else { return Ok(page) };
            let latest: i64 = connection
                .prepare_cached("SELECT generation FROM models WHERE seq = ?")?
                .query_row([seq], |row| row.get(0))?;
            // The last generation of a page is returned whole, however large it is.
            let last: Option<i64> = connection
                .prepare_cached(
                    "SELECT generation FROM memory_vectors WHERE model = ? AND generation > ?
                     ORDER BY generation LIMIT 1 OFFSET ?",
                )?
                .query_row(params![seq, generation as i64, limit.max(1) as i64 - 1], |row| {
                    row.get(0)
                })
                .optional()?;
            let last = last.unwrap_or(latest);
            let mut statement = connection.prepare_cached(
                "SELECT memory, piece, vector, generation FROM memory_vectors
                 WHERE model = ? AND generation > ? AND generation <= ?",
            )?;
            let rows = statement.query_map(params![seq, generation as i64, last], |row| {
                Ok((row.get::<_, i64>(3)?, vector_row(row)?))
            })?;
            let mut rows = rows.collect::<rusqlite::Result<Vec<_>>>()?;
            rows.sort_unstable_by_key(|(generation, (key, _))| (*generation, *key));
            page.rows = rows.into_iter().map(|(_, row)| row).collect();
            page.generation = last.unsigned_abs().max(generation);
            page.more = last < latest;
            Ok(page)
        })
    }

    fn vectors_of(
        &self,
        model: &VectorModel,
        keys: &[MemoryKey],
    ) -> StoreResult<Vec<(VectorKey, Vec<f32>)>> {
        self.run(|connection| {
            let Some(seq) = model_seq(connection, model)? else { return Ok(Vec::new()) };
            let mut statement = connection.prepare_cached(
                "SELECT memory, piece, vector FROM json_each(?1) k
                 CROSS JOIN memory_vectors v ON v.memory = k.value AND v.model = ?2",
            )?;
            let list = serde_json::to_string(keys).map_err(unwritable)?;
            let rows = statement.query_map(params![list, seq], vector_row)?;
            let mut vectors = rows.collect::<rusqlite::Result<Vec<_>>>()?;
            // SQLite would copy every vector to sort them.
            vectors.sort_unstable_by_key(|(key, _)| *key);
            Ok(vectors)
        })
    }
}

fn put_set(connection: &Connection, model: i64, set: &VectorSet) -> rusqlite::Result<bool> {
    let key = set.key as i64;
    let unchanged = connection
        .prepare_cached("SELECT 1 FROM memories WHERE seq = ? AND updated_at = ?")?
        .exists(params![key, set.memory_updated_at.as_millis()])?;
    if !unchanged {
        return Ok(false);
    }
    connection
        .prepare_cached("DELETE FROM memory_vectors WHERE memory = ? AND model = ?")?
        .execute(params![key, model])?;
    let pieces = (0..EmbeddedPart::MOST).map(EmbeddedPart::Piece).zip(&set.pieces);
    let cues = (0..EmbeddedPart::MOST).map(EmbeddedPart::Cue).zip(&set.cues);
    for (part, vector) in pieces.chain(cues) {
        connection
            .prepare_cached(
                "INSERT INTO memory_vectors (memory, model, piece, generation, vector)
                 VALUES (?1, ?2, ?3, (SELECT generation FROM models WHERE seq = ?2), ?4)",
            )?
            .execute(params![key, model, part.to_number(), encode_vector(vector)])?;
    }
    connection
        .prepare_cached("DELETE FROM vector_queue WHERE model = ? AND memory = ?")?
        .execute(params![model, key])?;
    Ok(true)
}

fn vector_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<(VectorKey, Vec<f32>)> {
    let key = VectorKey {
        memory: row.get::<_, i64>(0)?.unsigned_abs(),
        part: EmbeddedPart::from_number(row.get(1)?),
    };
    Ok((key, decode_vector(row.get_ref(2)?.as_blob()?)))
}

pub(crate) fn encode_vector(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|value| value.to_le_bytes()).collect()
}

pub(crate) fn decode_vector(bytes: &[u8]) -> Vec<f32> {
    bytes
        .chunks_exact(4)
        .map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]]))
        .collect()
}
