//! Upgrade of rows that earlier versions wrote: the part of migrating that SQL cannot do.

use rusqlite::{Connection, params};
use tacit_core::{Details, FingerprintDigest, digest_of_token};

use crate::lists;
use crate::row::{self, COLUMNS};

/// The last schema in which fingerprints were words, and fixes of errors and steps of recipes sentences.
pub(crate) const CONCLUSIONS_IN_WORDS: i64 = 12;

/// Gives error patterns their fingerprints, and errors and recipes that were observed their fields. What
/// cannot be read is left as it is.
pub(crate) fn conclusions(connection: &Connection) -> rusqlite::Result<()> {
    // A damaged text index must not keep the store from opening. Whoever makes it anew sets the
    // fingerprints as well.
    for (seq, fingerprint) in indexed_fingerprints(connection).unwrap_or_default() {
        set_fingerprint(connection, seq, &fingerprint)?;
    }
    let sql = format!(
        "SELECT {COLUMNS} FROM memories m WHERE m.type IN ('error_pattern', 'workflow_recipe')"
    );
    let mut statement = connection.prepare(&sql)?;
    let mut rows = statement.query([])?;
    let mut upgraded = Vec::new();
    while let Some(row) = rows.next()? {
        let Ok(before) = row::memory(row) else { continue };
        let mut after = before.clone();
        after.body.upgrade();
        if after != before {
            upgraded.push((row.get(0)?, before, after));
        }
    }
    for (seq, before, after) in upgraded {
        row::put(connection, &after, Some(seq))?;
        lists::put(connection, seq, Some(&before), &after)?;
        if let Details::ErrorPattern(error) = after.body.subject.details() {
            set_fingerprint(connection, seq, &error.fingerprint)?;
        }
    }
    Ok(())
}

fn set_fingerprint(
    connection: &Connection,
    seq: i64,
    fingerprint: &FingerprintDigest,
) -> rusqlite::Result<usize> {
    connection
        .prepare_cached("UPDATE memories SET fingerprint = ? WHERE seq = ?")?
        .execute(params![fingerprint.as_str(), seq])
}

/// The fingerprints that the text index has as words, by row.
fn indexed_fingerprints(
    connection: &Connection,
) -> rusqlite::Result<Vec<(i64, FingerprintDigest)>> {
    connection.execute_batch(
        "CREATE VIRTUAL TABLE temp.indexed_words USING fts5vocab (main, memory_text, instance)",
    )?;
    let words = connection
        .prepare(
            "SELECT doc, term FROM temp.indexed_words
             WHERE term > 'zq' AND term < 'zr' AND col = 'labels'",
        )?
        .query_map([], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))?
        .collect::<rusqlite::Result<Vec<_>>>();
    connection.execute_batch("DROP TABLE temp.indexed_words")?;
    let digests = words?.into_iter();
    Ok(digests.filter_map(|(seq, word)| Some((seq, digest_of_token(&word)?))).collect())
}
