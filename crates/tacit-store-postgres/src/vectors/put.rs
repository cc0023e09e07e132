//! Writing the vectors of memories.

use std::collections::BTreeMap;

use tacit_store::{EmbeddedPart, StoreResult, VectorModel, VectorSet};
use tokio_postgres::types::Type;

use crate::connection::Connection;
use crate::error::unwritable;
use crate::text::number;

/// Writes vectors as the next generation of their model, whose row is locked until then: so
/// generations become visible in their order. A memory that somebody changes just now counts as
/// changed, and its vectors are discarded.
const PUT: &str = "
WITH current AS (
    UPDATE tacit.models SET generation = generation + 1
    WHERE project = $1 AND name = $2 AND dims = $3::bigint RETURNING seq AS model, generation),
given AS (SELECT * FROM unnest($4::bigint[], $5::bigint[]) AS g (seq, updated_at)),
kept AS MATERIALIZED (
    SELECT m.seq, m.holder, c.model, c.generation FROM given g
    JOIN tacit.memories m ON m.project = $1 AND m.seq = g.seq AND m.updated_at = g.updated_at
    CROSS JOIN current c
    FOR SHARE OF m SKIP LOCKED),
parts AS (
    SELECT k.model, k.seq, k.holder, p.part, k.generation,
           ($8::real[])[((p.place - 1) * $3 + 1)::integer : (p.place * $3)::integer] AS v
    FROM unnest($6::bigint[], $7::smallint[]) WITH ORDINALITY AS p (seq, part, place)
    JOIN kept k ON k.seq = p.seq),
stored AS (
    INSERT INTO tacit.memory_vectors (project, model, seq, part, generation, holder, v)
    SELECT $1, model, seq, part, generation, holder, v FROM parts ORDER BY seq, part
    ON CONFLICT (project, model, seq, part, holder)
        DO UPDATE SET generation = excluded.generation, v = excluded.v),
gone AS (
    DELETE FROM tacit.memory_vectors v USING kept k
    WHERE v.project = $1 AND v.model = k.model AND v.seq = k.seq
    AND NOT EXISTS (SELECT 1 FROM unnest($6, $7) AS p (seq, part)
                    WHERE p.seq = v.seq AND p.part = v.part)),
done AS (
    DELETE FROM tacit.vector_queue q USING kept k
    WHERE q.project = $1 AND q.model = k.model AND q.seq = k.seq)
SELECT count(*) FROM kept";

/// Stores vectors in one statement. Returns the number of memories for which they were accepted.
pub(super) fn put_vectors(
    connection: &Connection,
    project: i64,
    model: &VectorModel,
    sets: &[VectorSet],
) -> StoreResult<usize> {
    let sets: BTreeMap<i64, &VectorSet> =
        sets.iter().filter_map(|set| Some((i64::try_from(set.key).ok()?, set))).collect();
    let keys: Vec<i64> = sets.keys().copied().collect();
    let seen: Vec<i64> = sets.values().map(|set| set.memory_updated_at.as_millis()).collect();
    let (mut of, mut parts, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for (key, set) in &sets {
        let pieces = (0..EmbeddedPart::MOST).map(EmbeddedPart::Piece).zip(&set.pieces);
        let cues = (0..EmbeddedPart::MOST).map(EmbeddedPart::Cue).zip(&set.cues);
        for (part, vector) in pieces.chain(cues) {
            if vector.len() != model.dims {
                return Err(unwritable(
                    connection.server(),
                    &format!(
                        "a vector of `{}` has {} numbers instead of {}",
                        model.name,
                        vector.len(),
                        model.dims
                    ),
                ));
            }
            of.push(*key);
            parts.push(i16::from(part.to_number()));
            values.extend_from_slice(vector);
        }
    }
    let kept = connection.read(
        PUT,
        &[
            (&project, Type::INT8),
            (&model.name, Type::TEXT),
            (&number(model.dims), Type::INT8),
            (&keys, Type::INT8_ARRAY),
            (&seen, Type::INT8_ARRAY),
            (&of, Type::INT8_ARRAY),
            (&parts, Type::INT2_ARRAY),
            (&values, Type::FLOAT4_ARRAY),
        ],
        |row| row.count(0),
    )?;
    Ok(kept.into_iter().next().unwrap_or_default())
}
