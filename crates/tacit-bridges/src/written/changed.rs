//! Finds which rule of a changed file replaced which.

use tacit_core::{Tokens, jaccard, tokenize};

/// The share of words that a rule and its successor have in common.
const SIMILAR: f64 = 0.4;

/// Returns pairs of rules, the old and the new one by their positions: the new one says what the old
/// one said in other words. Both lists are in the order of the file. Rules with the same text keep
/// their place; between two of those, an old rule was replaced by the most similar new one, or by the
/// only other one.
pub fn replaced(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let (mut from_old, mut from_new) = (0, 0);
    for (at, text) in new.iter().enumerate() {
        let kept = old[from_old..].iter().position(|other| other == text);
        if let Some(kept) = kept.map(|kept| from_old + kept) {
            pair_up(old, new, from_old..kept, from_new..at, &mut pairs);
            (from_old, from_new) = (kept + 1, at + 1);
        }
    }
    pair_up(old, new, from_old..old.len(), from_new..new.len(), &mut pairs);
    pairs
}

/// Pairs the rules of a gap between two that stayed. A rule that only moved is neither old nor new.
fn pair_up(
    old: &[&str],
    new: &[&str],
    gone: std::ops::Range<usize>,
    come: std::ops::Range<usize>,
    pairs: &mut Vec<(usize, usize)>,
) {
    let mut gone: Vec<usize> = gone.filter(|at| !new.contains(&old[*at])).collect();
    let mut come: Vec<usize> = come.filter(|at| !old.contains(&new[*at])).collect();
    if gone.is_empty() || come.is_empty() {
        return;
    }
    let tokens = |texts: &[&str], at: &[usize]| -> Vec<Tokens> {
        at.iter().map(|at| tokenize(texts[*at])).collect()
    };
    let (was, is) = (tokens(old, &gone), tokens(new, &come));
    let mut likely: Vec<(f64, usize, usize)> = Vec::new();
    for (one, was) in was.iter().enumerate() {
        for (other, is) in is.iter().enumerate() {
            let similarity = jaccard(was, is);
            if similarity >= SIMILAR {
                likely.push((similarity, gone[one], come[other]));
            }
        }
    }
    likely.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (_, one, other) in likely {
        if gone.contains(&one) && come.contains(&other) {
            pairs.push((one, other));
            gone.retain(|at| *at != one);
            come.retain(|at| *at != other);
        }
    }
    if let ([one], [other]) = (gone.as_slice(), come.as_slice()) {
        pairs.push((*one, *other));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_replaced_where_it_stood() {
        for (old, new, expected) in [
            (vec!["a", "use npm", "c"], vec!["a", "use pnpm", "c"], vec![(1, 1)]),
            (vec!["a", "b", "c"], vec!["a", "c", "d"], vec![]),
            (vec!["a", "b"], vec!["b", "a"], vec![]),
            (vec!["a"], vec!["a", "b"], vec![]),
            (vec!["a", "b"], vec!["a"], vec![]),
            (
                vec!["run all tests before a push", "never use tabs"],
                vec!["never use hard tabs", "run all tests before a commit"],
                vec![(0, 1), (1, 0)],
            ),
            (vec!["x y z", "k l m"], vec!["one two three", "four five", "six"], vec![]),
        ] {
            let mut pairs = replaced(&old, &new);
            pairs.sort_unstable();
            assert_eq!(pairs, expected, "{old:?} {new:?}");
        }
    }
}
