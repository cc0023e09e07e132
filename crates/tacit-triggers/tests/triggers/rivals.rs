//! Compares the ranking with another fuzzy matcher.

use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use tacit_triggers::fuzzy::rank_matches;

use crate::support::migrated;

/// Returns the candidates that the other matcher finds, the best first, with their scores.
fn rival(query: &str, titles: &[&str]) -> Vec<(usize, u32)> {
    let mut matcher = Matcher::new(Config::DEFAULT);
    let pattern = Pattern::new(query, CaseMatching::Ignore, Normalization::Never, AtomKind::Fuzzy);
    let mut buffer = Vec::new();
    let mut found: Vec<(usize, u32)> = titles
        .iter()
        .enumerate()
        .filter_map(|(number, title)| {
            let score = pattern.score(Utf32Str::new(title, &mut buffer), &mut matcher)?;
            Some((number, score))
        })
        .collect();
    found.sort_by_key(|(number, score)| (std::cmp::Reverse(*score), *number));
    found
}

/// Returns queries for a heading: all of it, two words of it, words cut short, and single words
/// that many headings have.
fn queries(title: &str) -> Vec<String> {
    let words: Vec<String> = title.split_whitespace().map(str::to_lowercase).collect();
    let cut = |word: &String| word.chars().take(4).collect::<String>();
    let all_cut: Vec<String> = words.iter().map(cut).collect();
    let mut queries = vec![words.join(" "), words[words.len() - 2..].join(" "), all_cut.join(" ")];
    queries.extend(words.iter().skip(1).filter(|word| word.len() > 2).map(cut));
    queries
}

#[test]
fn ranking_agrees_with_another_matcher() {
    let corpus = migrated();
    let titles: Vec<&str> = corpus
        .places()
        .map(|place| corpus.heading(place))
        .filter(|heading| heading.is_semantic())
        .map(|heading| heading.title.as_str())
        .collect();
    assert!(titles.len() >= 120);
    let (mut asked, mut agreed, mut pairs, mut same) = (0, 0, 0, 0);
    for title in &titles {
        for query in queries(title) {
            let ours = rank_matches(&query, titles.iter().copied(), usize::MAX);
            let theirs = rival(&query, &titles);
            asked += 1;
            // The other matcher may rate several candidates equally.
            let best = theirs.first().map(|(_, score)| *score);
            let top = ours.first().map(|(number, _)| *number);
            agreed += usize::from(
                theirs.iter().any(|(number, score)| Some(*number) == top && Some(*score) == best),
            );
            for (at, (one, _)) in ours.iter().enumerate() {
                for (other, _) in &ours[at + 1..] {
                    let score = |number| theirs.iter().find(|(n, _)| *n == number).map(|(_, s)| *s);
                    let (Some(one), Some(other)) = (score(*one), score(*other)) else { continue };
                    // Candidates that it rates equally have no order to compare.
                    pairs += usize::from(one != other);
                    same += usize::from(one > other);
                }
            }
        }
    }
    assert!(agreed * 100 >= asked * 98, "the same best: {agreed} of {asked}");
    assert!(pairs > 500 && same * 100 >= pairs * 94, "the same order: {same} of {pairs} pairs");
}
