//! The text index and what else is found by the text of a memory, written for many memories at once.

use std::collections::BTreeMap;

use tacit_core::{FingerprintDigest, Signature};
use tacit_store::{IndexEntry, StoreResult};
use tokio_postgres::types::Type;

use crate::connection::{Connection, Parameter};
use crate::row::stored_keys;
use crate::term_counts::{Counted, TermCountChanges};
use crate::text::to_stored;
use crate::write::WrittenRow;

/// An entry that is not written yet.
#[derive(Debug)]
pub(crate) struct NewIndexEntry {
    pub(crate) row: WrittenRow,
    /// True if the memory was inserted by this transaction, so that there is no earlier entry.
    pub(crate) fresh: bool,
    /// The words and how often each is in the title, the text, and the labels with the cues.
    words: BTreeMap<String, [i32; 3]>,
    length: i32,
    bands: Vec<String>,
    fingerprint: Option<String>,
    meaning: Option<i64>,
}

impl NewIndexEntry {
    pub(crate) fn new(row: WrittenRow, fresh: bool, entry: &IndexEntry) -> NewIndexEntry {
        let mut words: BTreeMap<String, [i32; 3]> = BTreeMap::new();
        let mut length: i32 = 0;
        // The final score weighs cues on their own; here they only have to be found.
        let columns = [(0, &entry.title), (1, &entry.text), (2, &entry.labels), (2, &entry.cues)];
        for (column, tokens) in columns {
            for token in tokens.iter() {
                words.entry(to_stored(token).into_owned()).or_default()[column] += 1;
                length = length.saturating_add(1);
            }
        }
        NewIndexEntry {
            row,
            fresh,
            words,
            length,
            bands: entry.signature.as_ref().map(bands).unwrap_or_default(),
            fingerprint: entry.fingerprint.as_ref().map(FingerprintDigest::to_string),
            meaning: entry.embedding_hash.map(u64::cast_signed),
        }
    }
}

/// Returns the bands as stored: 32 bits distinguish them well enough, in half the space.
pub(crate) fn bands(signature: &Signature) -> Vec<String> {
    signature.bands().iter().map(|band| format!("{:08x}", *band as u32)).collect()
}

/// Writes entries in place of earlier ones.
pub(crate) fn put(
    connection: &Connection,
    project: i64,
    entries: &[NewIndexEntry],
) -> StoreResult<()> {
    if entries.is_empty() {
        return Ok(());
    }
    let mut counts = TermCountChanges::default();
    let known: Vec<i64> = entries.iter().filter(|e| !e.fresh).map(|e| e.row.seq).collect();
    take_out(connection, project, &known, &mut counts)?;
    for entry in entries {
        for word in entry.words.keys() {
            *counts.terms.entry((word.clone(), entry.row.holder.clone())).or_default() += 1;
        }
        let total = counts.totals.entry(entry.row.holder.clone()).or_default();
        total.0 += 1;
        total.1 += i64::from(entry.length);
    }
    let memories = Memories::of(entries);
    let words = Words::of(entries);
    let bands = Bands::of(entries);
    let mut statements: Vec<(&str, Vec<Parameter<'_>>)> = vec![
        (PUT_MEMORIES, memories.parameters(&project)),
        (PUT_WORDS, words.parameters(&project)),
        (PUT_BANDS, bands.parameters(&project)),
    ];
    let counted = Counted::of(&counts);
    counted.add_to(&mut statements, &project);
    connection.execute_all(&statements)
}

/// Removes the entries of memories.
pub(crate) fn remove(connection: &Connection, project: i64, keys: &[u64]) -> StoreResult<()> {
    let mut counts = TermCountChanges::default();
    take_out(connection, project, &stored_keys(keys), &mut counts)?;
    let counted = Counted::of(&counts);
    let mut statements = Vec::new();
    counted.add_to(&mut statements, &project);
    connection.execute_all(&statements)
}

/// Takes a memory out of the index and removes its marks, before other people see it than before.
pub(crate) fn leave(connection: &Connection, project: i64, seq: i64) -> StoreResult<()> {
    remove(connection, project, &[seq.unsigned_abs()])?;
    let memory = [(&project as _, Type::INT8), (&seq as _, Type::INT8)];
    connection.execute("DELETE FROM memory_marks WHERE project = $1 AND seq = $2", &memory)?;
    let sql = "UPDATE memories SET length = NULL WHERE project = $1 AND seq = $2";
    connection.execute(sql, &memory).map(drop)
}

/// Removes the words and bands of memories, and counts them.
fn take_out(
    connection: &Connection,
    project: i64,
    seqs: &[i64],
    counts: &mut TermCountChanges,
) -> StoreResult<()> {
    if seqs.is_empty() {
        return Ok(());
    }
    let memories: [Parameter<'_>; 2] = [(&project, Type::INT8), (&seqs, Type::INT8_ARRAY)];
    let lengths = "SELECT holder, count(*), sum(length) FROM memories
         WHERE project = $1 AND seq = ANY($2) AND length IS NOT NULL GROUP BY holder";
    for row in connection.rows(lengths, &memories)? {
        let total = counts.totals.entry(connection.get(&row, 0)?).or_default();
        total.0 -= connection.get::<i64>(&row, 1)?;
        total.1 -= connection.get::<i64>(&row, 2)?;
    }
    let words = "WITH gone AS (DELETE FROM memory_words WHERE project = $1 AND seq = ANY($2)
             RETURNING word, holder)
         SELECT word, holder, count(*) FROM gone GROUP BY word, holder";
    for row in connection.rows(words, &memories)? {
        let key = (connection.get(&row, 0)?, connection.get(&row, 1)?);
        *counts.terms.entry(key).or_default() -= connection.get::<i64>(&row, 2)?;
    }
    let bands = "DELETE FROM memory_marks WHERE project = $1 AND seq = ANY($2) AND kind = 'band'";
    connection.execute(bands, &memories).map(drop)
}

/// Queues memories whose embedded text changed for every model.
const PUT_MEMORIES: &str = "
    WITH entry AS (
        SELECT * FROM unnest($2::bigint[], $3::integer[], $4::text[], $5::bigint[])
            AS e (seq, length, fingerprint, meaning)),
    queued AS (
        INSERT INTO vector_queue (project, model, seq, holder)
        SELECT $1, o.seq, m.seq, m.holder FROM entry e
        JOIN memories m ON m.project = $1 AND m.seq = e.seq
        JOIN models o ON o.project = $1
        WHERE e.meaning IS NOT NULL AND m.meaning IS DISTINCT FROM e.meaning
        ON CONFLICT DO NOTHING)
    UPDATE memories m SET length = e.length, fingerprint = e.fingerprint, meaning = e.meaning
    FROM entry e WHERE m.project = $1 AND m.seq = e.seq";

struct Memories<'a> {
    seqs: Vec<i64>,
    lengths: Vec<i32>,
    fingerprints: Vec<Option<&'a str>>,
    meanings: Vec<Option<i64>>,
}

impl<'a> Memories<'a> {
    fn of(entries: &'a [NewIndexEntry]) -> Memories<'a> {
        Memories {
            seqs: entries.iter().map(|entry| entry.row.seq).collect(),
            lengths: entries.iter().map(|entry| entry.length).collect(),
            fingerprints: entries.iter().map(|entry| entry.fingerprint.as_deref()).collect(),
            meanings: entries.iter().map(|entry| entry.meaning).collect(),
        }
    }

    fn parameters<'p>(&'p self, project: &'p i64) -> Vec<Parameter<'p>> {
        vec![
            (project, Type::INT8),
            (&self.seqs, Type::INT8_ARRAY),
            (&self.lengths, Type::INT4_ARRAY),
            (&self.fingerprints, Type::TEXT_ARRAY),
            (&self.meanings, Type::INT8_ARRAY),
        ]
    }
}

const PUT_WORDS: &str = "
    INSERT INTO memory_words (project, word, seq, title, body, labels, length, holder)
    SELECT $1, w.* FROM unnest($2::text[], $3::bigint[], $4::integer[], $5::integer[],
        $6::integer[], $7::integer[], $8::text[]) AS w";

#[derive(Default)]
struct Words<'a> {
    words: Vec<&'a str>,
    seqs: Vec<i64>,
    counts: [Vec<i32>; 3],
    lengths: Vec<i32>,
    holders: Vec<&'a str>,
}

impl<'a> Words<'a> {
    fn of(entries: &'a [NewIndexEntry]) -> Words<'a> {
        let mut words = Words::default();
        for entry in entries {
            for (word, counts) in &entry.words {
                words.words.push(word);
                words.seqs.push(entry.row.seq);
                for (column, count) in words.counts.iter_mut().zip(counts) {
                    column.push(*count);
                }
                words.lengths.push(entry.length);
                words.holders.push(&entry.row.holder);
            }
        }
        words
    }

    fn parameters<'p>(&'p self, project: &'p i64) -> Vec<Parameter<'p>> {
        let [title, body, labels] = &self.counts;
        vec![
            (project, Type::INT8),
            (&self.words, Type::TEXT_ARRAY),
            (&self.seqs, Type::INT8_ARRAY),
            (title, Type::INT4_ARRAY),
            (body, Type::INT4_ARRAY),
            (labels, Type::INT4_ARRAY),
            (&self.lengths, Type::INT4_ARRAY),
            (&self.holders, Type::TEXT_ARRAY),
        ]
    }
}

const PUT_BANDS: &str = "
    INSERT INTO memory_marks (project, kind, value, seq, holder)
    SELECT $1, 'band', b.* FROM unnest($2::text[], $3::bigint[], $4::text[]) AS b
    ON CONFLICT DO NOTHING";

#[derive(Default)]
struct Bands<'a> {
    bands: Vec<&'a str>,
    seqs: Vec<i64>,
    holders: Vec<&'a str>,
}

impl<'a> Bands<'a> {
    fn of(entries: &'a [NewIndexEntry]) -> Bands<'a> {
        let mut bands = Bands::default();
        for entry in entries {
            for band in &entry.bands {
                bands.bands.push(band);
                bands.seqs.push(entry.row.seq);
                bands.holders.push(&entry.row.holder);
            }
        }
        bands
    }

    fn parameters<'p>(&'p self, project: &'p i64) -> Vec<Parameter<'p>> {
        vec![
            (project, Type::INT8),
            (&self.bands, Type::TEXT_ARRAY),
            (&self.seqs, Type::INT8_ARRAY),
            (&self.holders, Type::TEXT_ARRAY),
        ]
    }
}
