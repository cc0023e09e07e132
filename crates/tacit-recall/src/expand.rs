//! Words that nobody has used, led back to words that somebody has.
//!
//! A question may spell a name otherwise than the project does: with a typing error, in one word
//! instead of two, or cut short. What the project calls things is known from its memories, so no
//! model is needed to find what was probably meant.

/// The shortest word that is compared letter by letter.
const SHORTEST: usize = 5;
/// From this length on, two letters may differ.
const LONG: usize = 9;
/// How much longer than the beginning of it a word may be.
const MOST_MORE: usize = 4;
/// The shortest half of a word that was written as one.
const SHORTEST_HALF: usize = 3;

/// The ways to read an unknown word as two.
pub fn halves(token: &str) -> Vec<(&str, &str)> {
    if !token.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Vec::new();
    }
    (SHORTEST_HALF..(token.len() + 1).saturating_sub(SHORTEST_HALF))
        .map(|at| token.split_at(at))
        .collect()
}

/// The known word that an unknown one most likely stands for: one letter away (two, in a long
/// word), or begun by it. Of several, the commonest.
pub fn nearest_word<'a>(token: &str, known: &'a [(String, u64)]) -> Option<&'a str> {
    let length = token.chars().count();
    if length < SHORTEST || token.chars().any(|c| c.is_ascii_digit()) {
        return None;
    }
    let allowed = if length >= LONG { 2 } else { 1 };
    known
        .iter()
        .filter_map(|(word, documents)| {
            let begun = word.starts_with(token) && word.chars().count() <= length + MOST_MORE;
            let away = if begun { Some(1) } else { distance(token, word, allowed) };
            Some((away?, std::cmp::Reverse(*documents), word.as_str()))
        })
        .min()
        .map(|(.., word)| word)
}

/// How many letters must be changed, added, removed or swapped with their neighbour to make one
/// word the other, if no more than `most`.
fn distance(one: &str, other: &str, most: usize) -> Option<usize> {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    if one.len().abs_diff(other.len()) > most {
        return None;
    }
    let mut rows = [vec![0; other.len() + 1], (0..=other.len()).collect(), Vec::new()];
    for (i, a) in one.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in other.iter().enumerate() {
            let mut cost =
                (rows[1][j] + usize::from(a != b)).min(rows[1][j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && one[i - 1] == *b && *a == other[j - 1] {
                cost = cost.min(rows[0][j - 1] + 1);
            }
            row.push(cost);
        }
        rows.swap(0, 1);
        rows[1] = row;
    }
    rows[1].last().copied().filter(|cost| *cost <= most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn unknown_words_lead_to_known_ones() {
        let known: Vec<(String, u64)> = [
            ("webhook", 9),
            ("worker", 3),
            ("migration", 5),
            ("migrations", 1),
            ("pool", 7),
            ("websocket", 2),
            ("timeout", 4),
        ]
        .map(|(word, count)| (word.to_owned(), count))
        .to_vec();
        for (token, found) in [
            ("webhok", Some("webhook")),
            ("wokrer", Some("worker")),
            ("migratoin", Some("migration")),
            ("migra", Some("migration")),
            ("migr", None),
            ("migrat", Some("migration")),
            ("timeuot", Some("timeout")),
            ("pol", None),
            ("sockets", None),
            ("e0308x", None),
        ] {
            assert_eq!(nearest_word(token, &known), found, "{token}");
        }
    }

    #[test]
    fn a_word_can_be_two() {
        assert_eq!(halves("webhook").len(), 2);
        assert!(halves("webhook").contains(&("web", "hook")));
        assert!(halves("pool").is_empty() && halves("").is_empty() && halves("größer").is_empty());
    }

    proptest! {
        #[test]
        fn distances_are_alike_from_both_sides(one in ".{0,12}", other in ".{0,12}") {
            prop_assert_eq!(distance(&one, &other, 3), distance(&other, &one, 3));
            prop_assert_eq!(distance(&one, &one, 0), Some(0));
        }
    }
}
