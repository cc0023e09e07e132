//! Full-text search.

use std::path::Path;

use rusqlite::{Connection, ToSql};
use tacit_store::{StoreResult, TextHit, TextQuery};

use crate::error::explain;
use crate::filter::Condition;
use crate::store::identifier;

/// How much a token counts in the heading, the text and the labels.
const WEIGHTS: &str = "2.0, 1.0, 1.0";

/// More tokens than this add nothing but time.
const MAX_TOKENS: usize = 64;

pub(crate) fn search_text(
    connection: &Connection,
    path: &Path,
    query: &TextQuery,
) -> StoreResult<Vec<TextHit>> {
    let expression = expression(query);
    if expression.is_empty() || query.limit == 0 {
        return Ok(Vec::new());
    }
    let condition = Condition::of(&query.filter);
    // The index ranks alone, and only the best are looked up and filtered: a look-up for every
    // memory that has one common word would cost more than the ranking.
    let mut candidates = query.limit.saturating_mul(2).saturating_add(32);
    loop {
        let (hits, seen) = filtered(connection, path, &expression, &condition, candidates)?;
        if hits.len() >= query.limit || seen < candidates {
            return Ok(finish(hits, query.limit));
        }
        candidates = candidates.saturating_mul(8);
    }
}

/// The best candidates that pass the filter, and how many candidates there were.
fn filtered(
    connection: &Connection,
    path: &Path,
    expression: &str,
    condition: &Condition,
    candidates: usize,
) -> StoreResult<(Vec<TextHit>, usize)> {
    let fail = |error: rusqlite::Error| explain(path, &error);
    let sql = format!(
        "WITH found AS MATERIALIZED (
             SELECT rowid AS seq, bm25(memory_text, {WEIGHTS}) AS score FROM memory_text
             WHERE memory_text MATCH ? ORDER BY score LIMIT ?)
         SELECT m.id, -found.score, m.seq IS NOT NULL FROM found
         LEFT JOIN memories m ON m.seq = found.seq AND {}",
        condition.sql()
    );
    let limit = i64::try_from(candidates).unwrap_or(i64::MAX);
    let mut parameters: Vec<&dyn ToSql> = vec![&expression, &limit];
    parameters.extend(condition.parameters());
    let mut statement = connection.prepare_cached(&sql).map_err(fail)?;
    let mut rows = statement.query(parameters.as_slice()).map_err(fail)?;
    let mut hits = Vec::new();
    let mut seen = 0;
    while let Some(row) = rows.next().map_err(fail)? {
        seen += 1;
        if row.get::<_, bool>(2).map_err(fail)? {
            let id = identifier(path, row.get(0).map_err(fail)?)?;
            hits.push(TextHit { id, score: row.get(1).map_err(fail)? });
        }
    }
    Ok((hits, seen))
}

fn finish(mut hits: Vec<TextHit>, limit: usize) -> Vec<TextHit> {
    hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.id.cmp(&b.id)));
    hits.truncate(limit);
    hits
}

/// Any of the tokens, each quoted so that it means only itself.
fn expression(query: &TextQuery) -> String {
    let tokens = query.tokens.distinct();
    let quoted: Vec<String> =
        tokens.iter().take(MAX_TOKENS).map(|token| format!("\"{token}\"")).collect();
    quoted.join(" OR ")
}
