//! Full-text search.

use std::path::Path;

use rusqlite::{Connection, ToSql};
use tacit_store::{StoreResult, TEXT_WEIGHTS, TermCounts, TextHit, TextQuery, search_terms};

use crate::error::explain;
use crate::filter::Condition;
use crate::store::identifier;

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
    // A negative limit means no limit.
    let newest = query.newest.map_or(-1, |newest| i64::try_from(newest).unwrap_or(i64::MAX));
    // The index ranks alone, and only the best are looked up and filtered: a lookup of every match
    // of a common word would cost more than the ranking.
    let mut candidates = query.limit.saturating_add(query.limit / 2).saturating_add(16);
    loop {
        let (hits, seen) = filtered(connection, path, &expression, newest, &condition, candidates)?;
        if hits.len() >= query.limit || seen < candidates {
            return Ok(finish(hits, query.limit));
        }
        candidates = candidates.saturating_mul(8);
    }
}

/// Returns the best candidates that pass the filter, and the number of candidates.
fn filtered(
    connection: &Connection,
    path: &Path,
    expression: &str,
    newest: i64,
    condition: &Condition,
    candidates: usize,
) -> StoreResult<(Vec<TextHit>, usize)> {
    let fail = |error: rusqlite::Error| explain(path, &error);
    let [title, text, labels] = TEXT_WEIGHTS;
    let sql = format!(
        "WITH newest AS (
             SELECT rowid AS seq, bm25(memory_text, {title:?}, {text:?}, {labels:?}) AS score
             FROM memory_text
             WHERE memory_text MATCH ? ORDER BY rowid DESC LIMIT ?),
         found AS MATERIALIZED (
             SELECT seq, score FROM newest ORDER BY score, seq DESC LIMIT ?)
         SELECT m.id, -found.score, m.seq IS NOT NULL, found.seq FROM found
         LEFT JOIN memories m ON m.seq = found.seq AND {} ORDER BY found.score, found.seq DESC",
        condition.sql()
    );
    let limit = i64::try_from(candidates).unwrap_or(i64::MAX);
    let mut parameters: Vec<&dyn ToSql> = vec![&expression, &newest, &limit];
    parameters.extend(condition.parameters());
    let mut statement = connection.prepare_cached(&sql).map_err(fail)?;
    let mut rows = statement.query(parameters.as_slice()).map_err(fail)?;
    let mut hits = Vec::new();
    let mut seen = 0;
    while let Some(row) = rows.next().map_err(fail)? {
        seen += 1;
        if row.get::<_, bool>(2).map_err(fail)? {
            let id = identifier(path, row.get(0).map_err(fail)?)?;
            let key = row.get::<_, i64>(3).map_err(fail)?.unsigned_abs();
            hits.push(TextHit { id, key, score: row.get(1).map_err(fail)? });
        }
    }
    Ok((hits, seen))
}

/// Keeps the best hits, of equal ones the newest, and orders equal ones by identifier.
fn finish(mut hits: Vec<TextHit>, limit: usize) -> Vec<TextHit> {
    hits.truncate(limit);
    hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.id.cmp(&b.id)));
    hits
}

/// Builds a query for any of the tokens, each quoted so that it is no operator.
fn expression(query: &TextQuery) -> String {
    let terms = search_terms(&query.tokens);
    let quoted: Vec<String> = terms.iter().map(|term| format!("\"{term}\"")).collect();
    quoted.join(" OR ")
}

/// Returns the number of memories that contain each token.
pub(crate) fn count_terms(
    connection: &Connection,
    path: &Path,
    tokens: &[&str],
) -> StoreResult<TermCounts> {
    let fail = |error: rusqlite::Error| explain(path, &error);
    // Keys grow and memories are rarely deleted: in a large store the last key approximates the
    // number of memories, whereas counting would read a whole index.
    let memories: Option<i64> = connection
        .prepare_cached(
            "SELECT CASE WHEN max(seq) > 5000 THEN max(seq)
                         ELSE (SELECT count(*) FROM memories) END FROM memories",
        )
        .and_then(|mut statement| statement.query_row([], |row| row.get(0)))
        .map_err(fail)?;
    let mut statement = connection
        .prepare_cached(
            "SELECT coalesce((SELECT documents FROM common_terms WHERE term = ?1),
                             (SELECT doc FROM memory_terms WHERE term = ?1), 0)",
        )
        .map_err(fail)?;
    let mut documents = Vec::with_capacity(tokens.len());
    for token in tokens {
        let count: i64 = statement.query_row([token], |row| row.get(0)).map_err(fail)?;
        documents.push(count.unsigned_abs());
    }
    Ok(TermCounts { memories: memories.unwrap_or(0).unsigned_abs(), documents })
}

/// Returns the tokens with a prefix.
pub(crate) fn terms_with_prefix(
    connection: &Connection,
    path: &Path,
    beginning: &str,
    limit: usize,
) -> StoreResult<Vec<(String, u64)>> {
    // The greatest character ends the range of the prefix.
    let end = format!("{beginning}{}", char::MAX);
    connection
        .prepare_cached(
            "SELECT term, doc FROM memory_terms WHERE term >= ? AND term < ?
             ORDER BY term LIMIT ?",
        )
        .and_then(|mut statement| {
            statement
                .query_map(rusqlite::params![beginning, end, limit as i64], |row| {
                    Ok((row.get(0)?, row.get::<_, i64>(1)?.unsigned_abs()))
                })?
                .collect()
        })
        .map_err(|error| explain(path, &error))
}

/// Caches the counts of frequent tokens.
pub(crate) fn cache_common_terms(
    connection: &mut Connection,
    path: &Path,
    least: u64,
) -> StoreResult<usize> {
    let fail = |error: rusqlite::Error| explain(path, &error);
    let least = i64::try_from(least).unwrap_or(i64::MAX);
    // Read before the transaction: reading takes long, and would hold the lock.
    let common: Vec<(String, i64)> = connection
        .prepare("SELECT term, doc FROM memory_terms WHERE doc >= ?")
        .and_then(|mut statement| {
            statement.query_map([least], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        })
        .map_err(fail)?;
    let transaction = connection
        .transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)
        .map_err(fail)?;
    transaction.execute("DELETE FROM common_terms", []).map_err(fail)?;
    for (term, documents) in &common {
        transaction
            .prepare_cached("INSERT INTO common_terms (term, documents) VALUES (?, ?)")
            .and_then(|mut statement| statement.execute(rusqlite::params![term, documents]))
            .map_err(fail)?;
    }
    transaction.commit().map_err(fail)?;
    Ok(common.len())
}
