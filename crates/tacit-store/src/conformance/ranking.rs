//! The same ranking in two stores.

use super::*;

/// The memories to rank.
const MEMORIES: usize = 300;
/// The queries to compare.
const QUERIES: usize = 120;
/// The compared results of each query.
const TOP: usize = 10;
/// The least share of results that agree.
const LEAST_OVERLAP: f64 = 0.99;

/// Asserts that two empty stores rank realistic memories alike: the best results of queries that are
/// made of words of the memories agree. `draft` returns the draft with a number.
///
/// # Panics
///
/// If fewer than 99 of 100 results agree.
pub fn same_ranking(one: &mut dyn Store, other: &mut dyn Store, draft: impl Fn(usize) -> Draft) {
    let memories: Vec<Memory> = (0..MEMORIES).map(|number| numbered(number, &draft)).collect();
    store_all(one, &memories);
    store_all(other, &memories);
    let (mut found, mut shared) = (0, 0);
    for number in 0..QUERIES {
        let text = question(&memories, number);
        let [left, right] = [&*one, &*other].map(|store| top(store, &text));
        assert!(!left.is_empty(), "`{text}` finds nothing");
        found += left.len().max(right.len());
        shared += left.iter().filter(|id| right.contains(id)).count();
    }
    let overlap = shared as f64 / found as f64;
    assert!(overlap >= LEAST_OVERLAP, "{overlap} of the results agree");
}

fn numbered(number: usize, draft: &impl Fn(usize) -> Draft) -> Memory {
    let body = draft(number).check(Confidence::HIGH).expect("a valid draft");
    let mut random = [0; 10];
    random[6..].copy_from_slice(&(number as u32).to_be_bytes());
    let time = at(number as i64);
    Memory::new(MemoryId::from_parts(time, random), body, time)
}

/// Returns a few words of one memory and a few of another.
fn question(memories: &[Memory], number: usize) -> String {
    let words = |at: usize, skip: usize, take: usize| -> Vec<&str> {
        let content = memories[at % memories.len()].body.content.as_str();
        let words = content.split_whitespace().filter(|word| !tokenize(word).is_empty());
        words.skip(skip).step_by(3).take(take).collect()
    };
    let first = words(number * 17 + 3, number % 4, 2 + number % 5);
    let second = words(number * 29 + 11, number % 3, number % 3);
    [first, second].concat().join(" ")
}

fn top(store: &dyn Store, text: &str) -> Vec<MemoryId> {
    let tokens = tokenize(text);
    let query = TextQuery { tokens, filter: Filter::default(), limit: TOP, newest: None };
    store.search_text(&query).expect("search").into_iter().map(|hit| hit.id).collect()
}
