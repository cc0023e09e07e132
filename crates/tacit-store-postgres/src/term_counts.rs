//! Counts of words and memories, kept by every write to the text index.

use std::collections::BTreeMap;

use tokio_postgres::types::{ToSql, Type};

use crate::connection::Parameter;

/// Changes of the counts of words, by word and holder.
#[derive(Debug, Default)]
pub(crate) struct TermCountChanges {
    pub(crate) terms: BTreeMap<(String, String), i64>,
    /// Memories and words, by holder.
    pub(crate) totals: BTreeMap<String, (i64, i64)>,
}

/// Adds to counts. They are clamped to what the tables allow, so that no row that another member has written
/// makes it fail.
const COUNT_TERMS: &str = "
    INSERT INTO terms (project, term, holder, documents)
    SELECT $1, t.* FROM unnest($2::text[], $3::text[], $4::bigint[]) AS t
    ON CONFLICT (project, holder, term) DO UPDATE SET documents =
        least(greatest(terms.documents + excluded.documents, -1000000000000), 1000000000000)";

const DROP_TERMS: &str =
    "DELETE FROM terms WHERE project = $1 AND term = ANY($2) AND documents <= 0";

const COUNT_TOTALS: &str = "
    INSERT INTO text_totals (project, holder, memories, words)
    SELECT $1, t.* FROM unnest($2::text[], $3::bigint[], $4::bigint[]) AS t
    ON CONFLICT (project, holder) DO UPDATE SET
        memories =
            least(greatest(text_totals.memories + excluded.memories, -1000000000000), 1000000000000),
        words = least(greatest(text_totals.words + excluded.words, -1000000000000), 1000000000000)";

/// The changes of counts by column.
#[derive(Default)]
pub(crate) struct Counted<'a> {
    terms: Vec<&'a str>,
    holders: Vec<&'a str>,
    documents: Vec<i64>,
    /// Words that fewer memories have than before.
    fewer: Vec<&'a str>,
    total_holders: Vec<&'a str>,
    memories: Vec<i64>,
    words: Vec<i64>,
}

impl<'a> Counted<'a> {
    pub(crate) fn of(counts: &'a TermCountChanges) -> Counted<'a> {
        let mut counted = Counted::default();
        for ((term, holder), change) in counts.terms.iter().filter(|(_, change)| **change != 0) {
            counted.terms.push(term);
            counted.holders.push(holder);
            counted.documents.push(*change);
            if *change < 0 {
                counted.fewer.push(term);
            }
        }
        for (holder, (memories, words)) in
            counts.totals.iter().filter(|(_, change)| **change != (0, 0))
        {
            counted.total_holders.push(holder);
            counted.memories.push(*memories);
            counted.words.push(*words);
        }
        counted
    }

    pub(crate) fn add_to<'p>(
        &'p self,
        statements: &mut Vec<(&'p str, Vec<Parameter<'p>>)>,
        project: &'p i64,
    ) {
        if !self.terms.is_empty() {
            statements.push((
                COUNT_TERMS,
                vec![
                    (project, Type::INT8),
                    (&self.terms, Type::TEXT_ARRAY),
                    (&self.holders, Type::TEXT_ARRAY),
                    (&self.documents, Type::INT8_ARRAY),
                ],
            ));
        }
        if !self.fewer.is_empty() {
            let parameters =
                vec![(project as &(dyn ToSql + Sync), Type::INT8), (&self.fewer, Type::TEXT_ARRAY)];
            statements.push((DROP_TERMS, parameters));
        }
        if !self.total_holders.is_empty() {
            statements.push((
                COUNT_TOTALS,
                vec![
                    (project, Type::INT8),
                    (&self.total_holders, Type::TEXT_ARRAY),
                    (&self.memories, Type::INT8_ARRAY),
                    (&self.words, Type::INT8_ARRAY),
                ],
            ));
        }
    }
}
