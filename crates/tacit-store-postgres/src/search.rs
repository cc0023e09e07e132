//! Full-text search: the server finds the words, the shared score ranks the memories.

use std::collections::BTreeMap;

use tacit_store::{
    Filter, MemoryKey, StoreResult, TermCounts, TextHit, TextQuery, TextScore, search_terms,
};
use tokio_postgres::types::Type;

use crate::connection::Connection;
use crate::filter::ProjectCondition;
use crate::row::identifier;
use crate::text::{from_stored, number, to_stored};

/// Selects where the words `$2` occur, one row for each word, with the counts that scores need. The team's
/// memories and the user's own are apart in the index, which has all columns that are read. Of each word, the
/// `$3` newest of both suffice to find as many of the newest that have any.
const OCCURRENCES: &str = "
    SELECT t.memories, t.words,
        (SELECT coalesce(sum(c.documents), 0)::bigint FROM terms c
         WHERE c.project = $1 AND c.term = q.word),
        o.seqs, o.title, o.body, o.labels, o.lengths
    FROM unnest($2::text[]) WITH ORDINALITY AS q (word, place)
    CROSS JOIN (SELECT coalesce(sum(memories), 0)::bigint AS memories,
                       coalesce(sum(words), 0)::bigint AS words
                FROM text_totals WHERE project = $1) AS t
    CROSS JOIN LATERAL (
        SELECT array_agg(n.seq) AS seqs, array_agg(n.title) AS title, array_agg(n.body) AS body,
            array_agg(n.labels) AS labels, array_agg(n.length) AS lengths
        FROM (VALUES (''), (session_user::text)) AS h (holder)
        CROSS JOIN LATERAL (
            SELECT w.seq, w.title, w.body, w.labels, w.length FROM memory_words w
            WHERE w.project = $1 AND w.holder = h.holder AND w.word = q.word
            ORDER BY w.seq DESC LIMIT $3) AS n) AS o
    ORDER BY q.place";

/// A memory with some of the words, and its score.
struct Ranked {
    seq: i64,
    score: f64,
}

pub(crate) fn search_text(
    connection: &Connection,
    project: i64,
    query: &TextQuery,
) -> StoreResult<Vec<TextHit>> {
    let terms = search_terms(&query.tokens);
    if terms.is_empty() || query.limit == 0 {
        return Ok(Vec::new());
    }
    let ranked = rank(connection, project, &terms, query.newest)?;
    // Only the best are looked up and filtered: a lookup of every match of a common word would cost
    // more than the ranking.
    let mut hits = Vec::new();
    let mut seen = 0;
    let mut candidates = query.limit.saturating_add(query.limit / 2).saturating_add(16);
    while seen < ranked.len() && hits.len() < query.limit {
        let next = ranked.len().min(candidates);
        hits.extend(filtered(connection, project, &ranked[seen..next], &query.filter)?);
        seen = next;
        candidates = candidates.saturating_mul(8);
    }
    // Of equal scores, the newest are found, and then ordered by identifier.
    hits.truncate(query.limit);
    hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.id.cmp(&b.id)));
    Ok(hits)
}

/// Returns the memories with any of the words, best first; of equal scores, the newest first.
fn rank(
    connection: &Connection,
    project: i64,
    terms: &[&str],
    newest: Option<usize>,
) -> StoreResult<Vec<Ranked>> {
    let words: Vec<_> = terms.iter().map(|term| to_stored(term)).collect();
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    let limit = newest.map(number);
    let rows = connection.rows(
        OCCURRENCES,
        &[(&project, Type::INT8), (&words, Type::TEXT_ARRAY), (&limit, Type::INT8)],
    )?;
    let mut totals = (0, 0);
    let mut containing = Vec::with_capacity(terms.len());
    // The occurrences of each word in the columns, and the length of the memory.
    let mut found: BTreeMap<i64, (Vec<[u32; 3]>, u64)> = BTreeMap::new();
    for (place, row) in rows.iter().enumerate() {
        let count = |column| Ok(connection.get::<i64>(row, column)?.unsigned_abs());
        totals = (count(0)?, count(1)?);
        containing.push(count(2)?);
        let list = |column| {
            let list: Option<Vec<i32>> = connection.get(row, column)?;
            Ok(list.unwrap_or_default())
        };
        let seqs: Vec<i64> = connection.get::<Option<_>>(row, 3)?.unwrap_or_default();
        let (title, body, labels, lengths) = (list(4)?, list(5)?, list(6)?, list(7)?);
        let counts = title.iter().zip(&body).zip(&labels).zip(&lengths);
        for (seq, (((title, body), labels), length)) in seqs.iter().zip(counts) {
            let entry = found.entry(*seq).or_insert_with(|| (vec![[0; 3]; terms.len()], 0));
            entry.0[place] = [title, body, labels].map(|count| count.unsigned_abs());
            entry.1 = u64::from(length.unsigned_abs());
        }
    }
    let score = TextScore::new(totals.0, totals.1, &containing);
    let newest = newest.unwrap_or(usize::MAX);
    let mut ranked: Vec<Ranked> = found
        .iter()
        .rev()
        .take(newest)
        .map(|(seq, (counts, length))| Ranked { seq: *seq, score: score.score(counts, *length) })
        .collect();
    // Stable, so that the newest of equal scores stay first.
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score));
    Ok(ranked)
}

/// Returns the hits among these that pass the filter.
fn filtered(
    connection: &Connection,
    project: i64,
    ranked: &[Ranked],
    filter: &Filter,
) -> StoreResult<Vec<TextHit>> {
    let mut condition = ProjectCondition::of(project, filter);
    let seqs: Vec<i64> = ranked.iter().map(|ranked| ranked.seq).collect();
    let seqs = condition.parameter(seqs, Type::INT8_ARRAY);
    condition.term(format!("m.seq = ANY({seqs})"));
    let sql = format!("SELECT m.seq, m.id FROM memories m WHERE {}", condition.sql());
    let mut ids = BTreeMap::new();
    for row in connection.rows(&sql, &condition.parameters())? {
        ids.insert(connection.get::<i64>(&row, 0)?, identifier(connection, &row, 1)?);
    }
    let hit = |ranked: &Ranked| {
        let key: MemoryKey = ranked.seq.unsigned_abs();
        ids.get(&ranked.seq).map(|id| TextHit { id: *id, key, score: ranked.score })
    };
    Ok(ranked.iter().filter_map(hit).collect())
}

/// Returns the number of memories, and of those that contain each token.
pub(crate) fn count_terms(
    connection: &Connection,
    project: i64,
    tokens: &[&str],
) -> StoreResult<TermCounts> {
    let sql =
        "SELECT coalesce((SELECT sum(memories) FROM text_totals WHERE project = $1), 0)::bigint
                + (SELECT count(*) FROM memories WHERE project = $1 AND length IS NULL),
            ARRAY(SELECT coalesce((SELECT sum(c.documents) FROM terms c
                                   WHERE c.project = $1 AND c.term = q.word), 0)::bigint
                  FROM unnest($2::text[]) WITH ORDINALITY AS q (word, place) ORDER BY q.place)";
    let words: Vec<_> = tokens.iter().map(|token| to_stored(token)).collect();
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    let row = connection.row(sql, &[(&project, Type::INT8), (&words, Type::TEXT_ARRAY)])?;
    let documents: Vec<i64> = connection.get(&row, 1)?;
    Ok(TermCounts {
        memories: connection.get::<i64>(&row, 0)?.unsigned_abs(),
        documents: documents.into_iter().map(i64::unsigned_abs).collect(),
    })
}

/// Returns the tokens with a prefix.
pub(crate) fn terms_with_prefix(
    connection: &Connection,
    project: i64,
    beginning: &str,
    limit: usize,
) -> StoreResult<Vec<(String, u64)>> {
    let first = to_stored(beginning);
    // The greatest character ends the range of the prefix.
    let last = format!("{first}{}", char::MAX);
    let sql = "SELECT term, sum(documents)::bigint FROM terms
               WHERE project = $1 AND term >= $2 AND term < $3
               GROUP BY term ORDER BY term LIMIT $4";
    let rows = connection.rows(
        sql,
        &[
            (&project, Type::INT8),
            (&first.as_ref(), Type::TEXT),
            (&last, Type::TEXT),
            (&number(limit), Type::INT8),
        ],
    )?;
    rows.iter()
        .map(|row| {
            let count = connection.get::<i64>(row, 1)?.unsigned_abs();
            Ok((from_stored(connection.get(row, 0)?), count))
        })
        .collect()
}

/// Returns the number of tokens that occur in at least `least` memories. All counts are kept anyway.
pub(crate) fn count_common_terms(
    connection: &Connection,
    project: i64,
    least: u64,
) -> StoreResult<usize> {
    let least = i64::try_from(least).unwrap_or(i64::MAX);
    let sql = "SELECT count(*) FROM (SELECT 1 FROM terms WHERE project = $1
               GROUP BY term HAVING sum(documents) >= $2) AS common";
    let row = connection.row(sql, &[(&project, Type::INT8), (&least, Type::INT8)])?;
    Ok(usize::try_from(connection.get::<i64>(&row, 0)?).unwrap_or(0))
}
