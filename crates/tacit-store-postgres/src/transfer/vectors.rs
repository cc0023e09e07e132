//! Models and vectors.

use std::collections::{BTreeMap, HashMap};

use tacit_core::MemoryId;
use tacit_store::{
    EmbeddedPart, ModelRow, StoreResult, TransferPage, TransferRow, TransferTable, VectorsRow,
};
use tokio_postgres::types::Type;

use super::{Pages, Unreadable};
use crate::connection::Connection;
use crate::text::number;

/// The condition for memories with vectors of a model or waiting for them.
pub(super) const EMBEDDED: &str = "AND (
    EXISTS (SELECT 1 FROM tacit.memory_vectors v
            WHERE v.project = $1 AND v.model = o.seq AND v.seq = t.seq)
    OR EXISTS (SELECT 1 FROM tacit.vector_queue q
               WHERE q.project = $1 AND q.model = o.seq AND q.seq = t.seq))";

pub(super) fn models(pages: &Pages<'_>) -> StoreResult<TransferPage> {
    let columns = "t.name, t.dims::bigint, t.active";
    let (rows, next) = pages.read(TransferTable::Models, columns, Unreadable::Fails, |row| {
        let (name, dims, active) = (row.get(0)?, row.count(1)?, row.get(2)?);
        Ok(TransferRow::Model(ModelRow { name, dims, active }))
    })?;
    Ok(TransferPage { rows, next })
}

/// Adds models. An active one replaces the others; an inactive one leaves them as they are.
pub(super) fn put_models(
    connection: &Connection,
    project: i64,
    rows: &[&ModelRow],
) -> StoreResult<()> {
    for row in rows {
        let dims = number(row.dims);
        let model =
            [(&project as _, Type::INT8), (&row.name as _, Type::TEXT), (&dims as _, Type::INT8)];
        connection.execute(
            "INSERT INTO tacit.models (project, name, dims) VALUES ($1, $2, $3::bigint)
             ON CONFLICT DO NOTHING",
            &model,
        )?;
        let sql = match row.active {
            true => "SELECT tacit.activate_model($1, $2, $3)",
            false => {
                "UPDATE tacit.models SET active = false
                 WHERE project = $1 AND name = $2 AND dims = $3::bigint AND active"
            }
        };
        connection.execute(sql, &model)?;
    }
    Ok(())
}

/// Vectors by their parts.
type Parts = BTreeMap<u8, Vec<f32>>;

pub(super) fn vectors(pages: &Pages<'_>) -> StoreResult<TransferPage> {
    let columns = "t.id, o.name, o.dims::bigint, EXISTS (SELECT 1 FROM tacit.vector_queue q
        WHERE q.project = $1 AND q.model = o.seq AND q.seq = t.seq), t.seq, o.seq";
    let (found, next) = pages.read(TransferTable::Vectors, columns, Unreadable::Fails, |row| {
        let of = (row.get::<i64>(4)?, row.get::<i64>(5)?);
        let row = VectorsRow {
            model: row.get(1)?,
            dims: row.count(2)?,
            memory: row.memory(0)?,
            pending: row.get(3)?,
            pieces: Vec::new(),
            cues: Vec::new(),
        };
        Ok((of, row))
    })?;
    let of: Vec<(i64, i64)> = found.iter().map(|(of, _)| *of).collect();
    let mut parts = parts(pages.connection, pages.project, &of)?;
    let row = |(of, mut row): ((i64, i64), VectorsRow)| {
        for (part, vector) in parts.remove(&of).unwrap_or_default() {
            match EmbeddedPart::from_number(part) {
                EmbeddedPart::Piece(index) => row.pieces.push((index, vector)),
                EmbeddedPart::Cue(index) => row.cues.push((index, vector)),
            }
        }
        TransferRow::Vectors(row)
    };
    Ok(TransferPage { rows: found.into_iter().map(row).collect(), next })
}

/// Returns the vectors of memories, each with its model.
fn parts(
    connection: &Connection,
    project: i64,
    of: &[(i64, i64)],
) -> StoreResult<HashMap<(i64, i64), Parts>> {
    let (memories, models): (Vec<i64>, Vec<i64>) = of.iter().copied().unzip();
    let found = connection.read(
        "SELECT v.seq, v.model, v.part::bigint, v.v::real[]
         FROM unnest($2::bigint[], $3::bigint[]) AS g (seq, model)
         JOIN tacit.memory_vectors v
             ON v.project = $1 AND v.model = g.model AND v.seq = g.seq",
        &[(&project, Type::INT8), (&memories, Type::INT8_ARRAY), (&models, Type::INT8_ARRAY)],
        |row| {
            let of = (row.get::<i64>(0)?, row.get::<i64>(1)?);
            Ok((of, row.count::<u8>(2)?, row.get::<Vec<f32>>(3)?))
        },
    )?;
    let mut parts: HashMap<(i64, i64), Parts> = HashMap::new();
    for (of, part, vector) in found {
        parts.entry(of).or_default().insert(part, vector);
    }
    Ok(parts)
}

/// Queues memories for models, and takes others from the queue.
const QUEUE: &str = "
WITH given AS (
    SELECT * FROM unnest($2::bigint[], $3::bigint[], $4::boolean[]) AS g (seq, model, pending)),
gone AS (
    DELETE FROM tacit.vector_queue q USING given g
    WHERE q.project = $1 AND q.model = g.model AND q.seq = g.seq AND NOT g.pending)
INSERT INTO tacit.vector_queue (project, model, seq, holder)
SELECT $1, g.model, g.seq, m.holder FROM given g
JOIN tacit.memories m ON m.project = $1 AND m.seq = g.seq WHERE g.pending
ON CONFLICT DO NOTHING";

/// Replaces the vectors of memories as the next generation of a model.
const REPLACE: &str = "
WITH current AS (
    UPDATE tacit.models SET generation = generation + 1
    WHERE project = $1 AND seq = $2 RETURNING generation, dims),
parts AS (
    SELECT p.seq, p.part,
           ($6::real[])[((p.place - 1) * c.dims + 1)::integer : (p.place * c.dims)::integer] AS v,
           c.generation
    FROM current c
    CROSS JOIN unnest($4::bigint[], $5::bigint[]) WITH ORDINALITY AS p (seq, part, place)),
gone AS (
    DELETE FROM tacit.memory_vectors v
    WHERE v.project = $1 AND v.model = $2 AND v.seq = ANY ($3::bigint[])
    AND NOT EXISTS (SELECT 1 FROM unnest($4, $5) AS p (seq, part)
                    WHERE p.seq = v.seq AND p.part = v.part))
INSERT INTO tacit.memory_vectors (project, model, seq, part, generation, holder, v)
SELECT $1, $2, p.seq, p.part, p.generation, m.holder, p.v
FROM parts p JOIN tacit.memories m ON m.project = $1 AND m.seq = p.seq ORDER BY p.seq, p.part
ON CONFLICT (project, model, seq, part, holder)
    DO UPDATE SET generation = excluded.generation, v = excluded.v";

/// Replaces vectors that differ. Those of unknown memories and models are skipped, and those that
/// are not as long as their model says.
pub(super) fn put_vectors(
    connection: &Connection,
    project: i64,
    rows: &[&VectorsRow],
) -> StoreResult<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let rows = known(connection, project, rows)?;
    let (of, waiting): (Vec<(i64, i64)>, Vec<bool>) =
        rows.iter().map(|(of, row)| (*of, row.pending)).unzip();
    let (memories, models): (Vec<i64>, Vec<i64>) = of.iter().copied().unzip();
    connection.execute(
        QUEUE,
        &[
            (&project, Type::INT8),
            (&memories, Type::INT8_ARRAY),
            (&models, Type::INT8_ARRAY),
            (&waiting, Type::BOOL_ARRAY),
        ],
    )?;
    let stored = parts(connection, project, &of)?;
    let mut changed: BTreeMap<i64, Vec<(i64, Parts)>> = BTreeMap::new();
    for ((memory, model), row) in &rows {
        let wanted = parts_of(row);
        if stored.get(&(*memory, *model)).unwrap_or(&Parts::new()) != &wanted {
            changed.entry(*model).or_default().push((*memory, wanted));
        }
    }
    for (model, sets) in changed {
        let (mut seqs, mut numbers, mut values) = (Vec::new(), Vec::new(), Vec::new());
        for (memory, parts) in &sets {
            for (part, vector) in parts {
                seqs.push(*memory);
                numbers.push(i64::from(*part));
                values.extend_from_slice(vector);
            }
        }
        let memories: Vec<i64> = sets.iter().map(|(memory, _)| *memory).collect();
        connection.execute(
            REPLACE,
            &[
                (&project, Type::INT8),
                (&model, Type::INT8),
                (&memories, Type::INT8_ARRAY),
                (&seqs, Type::INT8_ARRAY),
                (&numbers, Type::INT8_ARRAY),
                (&values, Type::FLOAT4_ARRAY),
            ],
        )?;
    }
    Ok(())
}

/// Returns the rows of known memories and models with their numbers: of several for one, the last.
fn known<'r>(
    connection: &Connection,
    project: i64,
    rows: &[&'r VectorsRow],
) -> StoreResult<BTreeMap<(i64, i64), &'r VectorsRow>> {
    let memories: Vec<&[u8]> = rows.iter().map(|row| row.memory.as_bytes().as_slice()).collect();
    let of_project = (&project as _, Type::INT8);
    let memories: HashMap<MemoryId, i64> = connection
        .read(
            "SELECT id, seq FROM tacit.memories WHERE project = $1 AND id = ANY ($2)",
            &[of_project.clone(), (&memories, Type::BYTEA_ARRAY)],
            |row| Ok((row.memory(0)?, row.get(1)?)),
        )?
        .into_iter()
        .collect();
    let models: HashMap<(String, usize), i64> = connection
        .read(
            "SELECT name, dims::bigint, seq FROM tacit.models WHERE project = $1",
            &[of_project],
            |row| Ok(((row.get(0)?, row.count(1)?), row.get(2)?)),
        )?
        .into_iter()
        .collect();
    let of = |row: &VectorsRow| {
        Some((*memories.get(&row.memory)?, *models.get(&(row.model.clone(), row.dims))?))
    };
    Ok(rows.iter().filter_map(|row| Some((of(row)?, *row))).collect())
}

/// Returns the vectors of a row by their parts.
fn parts_of(row: &VectorsRow) -> Parts {
    let pieces = row.pieces.iter().map(|(at, vector)| (EmbeddedPart::Piece(*at), vector));
    let cues = row.cues.iter().map(|(at, vector)| (EmbeddedPart::Cue(*at), vector));
    let fitting = pieces.chain(cues).filter(|(_, vector)| vector.len() == row.dims);
    fitting.map(|(part, vector)| (part.to_number(), vector.clone())).collect()
}
