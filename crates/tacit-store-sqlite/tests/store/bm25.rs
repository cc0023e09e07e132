//! The shared score of full-text search, against SQLite's own.

use proptest::prelude::*;
use rusqlite::Connection;
use tacit_store::{TEXT_WEIGHTS, TextScore};

/// Words of skewed frequency, so that some are in most documents.
fn text() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        6 => prop::sample::select(vec!["pool", "fork"]),
        2 => prop::sample::select(vec!["close", "retry", "cache", "token"]),
        1 => prop::sample::select(vec!["webhook", "E0308", "src/a.rs", "--force"]),
    ];
    prop::collection::vec(word, 0..12).prop_map(|words| words.join(" "))
}

fn count(text: &str, term: &str) -> u32 {
    text.split_whitespace().filter(|word| *word == term).count() as u32
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn the_shared_score_equals_that_of_sqlite(
        documents in prop::collection::vec([text(), text(), text()], 1..40),
        removed in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
        terms in prop::sample::subsequence(
            vec!["pool", "close", "webhook", "src/a.rs", "--force", "unknown"], 1..6),
    ) {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(
            "CREATE VIRTUAL TABLE memory_text USING fts5 (
                 title, body, labels, content = '', contentless_delete = 1,
                 tokenize = \"unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Co'\")",
        ).unwrap();
        let mut documents: Vec<Option<[String; 3]>> = documents.into_iter().map(Some).collect();
        for (number, document) in documents.iter().enumerate() {
            let [title, body, labels] = document.as_ref().unwrap();
            connection.execute(
                "INSERT INTO memory_text (rowid, title, body, labels) VALUES (?, ?, ?, ?)",
                rusqlite::params![number as i64, title, body, labels],
            ).unwrap();
        }
        for index in removed {
            let number = index.index(documents.len());
            documents[number] = None;
            connection
                .execute("DELETE FROM memory_text WHERE rowid = ?", [number as i64])
                .unwrap();
        }
        let left: Vec<&[String; 3]> = documents.iter().flatten().collect();
        let length = |document: &[String; 3]| -> u64 {
            document.iter().map(|text| text.split_whitespace().count() as u64).sum()
        };
        let has = |document: &[String; 3], term: &str| {
            document.iter().any(|text| count(text, term) > 0)
        };
        let containing: Vec<u64> = terms
            .iter()
            .map(|term| left.iter().filter(|document| has(document, term)).count() as u64)
            .collect();
        let tokens = left.iter().map(|document| length(document)).sum();
        let score = TextScore::new(left.len() as u64, tokens, &containing);

        let [title, body, labels] = TEXT_WEIGHTS;
        let query: Vec<String> = terms.iter().map(|term| format!("\"{term}\"")).collect();
        let mut statement = connection
            .prepare(&format!(
                "SELECT rowid, -bm25(memory_text, {title:?}, {body:?}, {labels:?})
                 FROM memory_text WHERE memory_text MATCH ?"
            ))
            .unwrap();
        let found: Vec<(i64, f64)> = statement
            .query_map([query.join(" OR ")], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        for (number, expected) in &found {
            let document = documents[*number as usize].as_ref().unwrap();
            let counts: Vec<[u32; 3]> = terms
                .iter()
                .map(|term| [0, 1, 2].map(|column: usize| count(&document[column], term)))
                .collect();
            let actual = score.score(&counts, length(document));
            prop_assert!((actual - expected).abs() < 1e-9, "{} is not {}", actual, expected);
        }
        let matching = left.iter().filter(|one| terms.iter().any(|term| has(one, term))).count();
        prop_assert_eq!(found.len(), matching);
    }
}
