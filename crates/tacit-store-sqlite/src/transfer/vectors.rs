//! Models and vectors.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, Row, params};
use tacit_store::{
    EmbeddedPart, ModelRow, StoreResult, TransferPage, TransferRow, VectorModel, VectorsRow,
};

use super::{Pages, Source, Unreadable};
use crate::activity::get;
use crate::error::explain;
use crate::row::seq_of;
use crate::store::identifier;
use crate::vectors::{decode_vector, encode_vector, model_seq};

/// Memories with vectors or waiting for them, by model.
pub(super) const EMBEDDED: &str = "memories m CROSS JOIN models o WHERE (
    EXISTS (SELECT 1 FROM memory_vectors v WHERE v.memory = m.seq AND v.model = o.seq)
    OR EXISTS (SELECT 1 FROM vector_queue q WHERE q.memory = m.seq AND q.model = o.seq))";

/// The generations of the models whose vectors a transaction has changed.
#[derive(Default)]
pub(super) struct Generations(HashMap<i64, i64>);

impl Generations {
    /// Returns the generation of the changes, which is the next one of the model.
    fn of(&mut self, connection: &Connection, model: i64) -> rusqlite::Result<i64> {
        if let Some(generation) = self.0.get(&model) {
            return Ok(*generation);
        }
        let sql =
            "UPDATE models SET generation = generation + 1 WHERE seq = ? RETURNING generation";
        let generation = connection.prepare_cached(sql)?.query_row([model], |row| row.get(0))?;
        self.0.insert(model, generation);
        Ok(generation)
    }
}

pub(super) fn models(pages: &Pages<'_>) -> StoreResult<TransferPage> {
    let source = Source { columns: "name, dims, active", from: "models", key: &["seq"] };
    let (rows, next) = pages.read(source, Unreadable::Fails, |row| {
        let model = VectorModel { name: get(pages.path, row, 0)?, dims: get_count(pages, row, 1)? };
        let active = get(pages.path, row, 2)?;
        Ok(TransferRow::Model(ModelRow { name: model.name, dims: model.dims, active }))
    })?;
    Ok(TransferPage { rows, next })
}

fn get_count(pages: &Pages<'_>, row: &Row<'_>, at: usize) -> StoreResult<usize> {
    Ok(get::<i64>(pages.path, row, at)?.unsigned_abs() as usize)
}

pub(super) fn put_model(connection: &Connection, row: &ModelRow) -> rusqlite::Result<()> {
    connection
        .prepare_cached("INSERT OR IGNORE INTO models (name, dims) VALUES (?, ?)")?
        .execute(params![row.name, row.dims as i64])?;
    // An active model replaces the others; an inactive one leaves them as they are.
    let sql = match row.active {
        true => "UPDATE models SET active = (name = ?1 AND dims = ?2)",
        false => "UPDATE models SET active = 0 WHERE name = ?1 AND dims = ?2",
    };
    connection.prepare_cached(sql)?.execute(params![row.name, row.dims as i64])?;
    Ok(())
}

pub(super) fn vectors(pages: &Pages<'_>) -> StoreResult<TransferPage> {
    let columns = "m.id, o.name, o.dims,
        EXISTS (SELECT 1 FROM vector_queue q WHERE q.memory = m.seq AND q.model = o.seq)";
    let source = Source { columns, from: EMBEDDED, key: &["m.seq", "o.seq"] };
    let (rows, next) = pages.read(source, Unreadable::Fails, |row| {
        let (memory, model): (i64, i64) = (get(pages.path, row, 4)?, get(pages.path, row, 5)?);
        let (pieces, cues) =
            parts(pages.connection, memory, model).map_err(|error| explain(pages.path, &error))?;
        Ok(TransferRow::Vectors(VectorsRow {
            model: get(pages.path, row, 1)?,
            dims: get_count(pages, row, 2)?,
            memory: identifier(pages.path, get(pages.path, row, 0)?)?,
            pending: get(pages.path, row, 3)?,
            pieces,
            cues,
        }))
    })?;
    Ok(TransferPage { rows, next })
}

/// Vectors with their indexes.
type Numbered = Vec<(u8, Vec<f32>)>;

/// Returns the vectors of the pieces and the cues of a memory.
fn parts(
    connection: &Connection,
    memory: i64,
    model: i64,
) -> rusqlite::Result<(Numbered, Numbered)> {
    let mut statement = connection.prepare_cached(
        "SELECT piece, vector FROM memory_vectors WHERE memory = ? AND model = ? ORDER BY piece",
    )?;
    let mut rows = statement.query([memory, model])?;
    let (mut pieces, mut cues) = (Vec::new(), Vec::new());
    while let Some(row) = rows.next()? {
        let vector = decode_vector(row.get_ref(1)?.as_blob()?);
        match EmbeddedPart::from_number(row.get(0)?) {
            EmbeddedPart::Piece(index) => pieces.push((index, vector)),
            EmbeddedPart::Cue(index) => cues.push((index, vector)),
        }
    }
    Ok((pieces, cues))
}

pub(super) fn put_vectors(
    connection: &Connection,
    row: &VectorsRow,
    generations: &mut Generations,
) -> rusqlite::Result<()> {
    let model = VectorModel { name: row.model.clone(), dims: row.dims };
    let Some(model) = model_seq(connection, &model)? else { return Ok(()) };
    let Some(memory) = seq_of(connection, &row.memory).optional()? else { return Ok(()) };
    let queue = match row.pending {
        true => "INSERT OR IGNORE INTO vector_queue (model, memory) VALUES (?, ?)",
        false => "DELETE FROM vector_queue WHERE model = ? AND memory = ?",
    };
    connection.prepare_cached(queue)?.execute([model, memory])?;
    let (pieces, cues) = parts(connection, memory, model)?;
    if (&pieces, &cues) == (&row.pieces, &row.cues) {
        return Ok(());
    }
    let generation = generations.of(connection, model)?;
    connection
        .prepare_cached("DELETE FROM memory_vectors WHERE memory = ? AND model = ?")?
        .execute([memory, model])?;
    let pieces = row.pieces.iter().map(|(index, vector)| (EmbeddedPart::Piece(*index), vector));
    let cues = row.cues.iter().map(|(index, vector)| (EmbeddedPart::Cue(*index), vector));
    for (part, vector) in pieces.chain(cues) {
        connection
            .prepare_cached(
                "INSERT OR REPLACE INTO memory_vectors (memory, model, piece, generation, vector)
                 VALUES (?, ?, ?, ?, ?)",
            )?
            .execute(params![memory, model, part.to_number(), generation, encode_vector(vector)])?;
    }
    Ok(())
}
