use proptest::prelude::*;
use tacit_triggers::fuzzy::{
    BONUS_CAMEL_CASE, BONUS_CONSECUTIVE, BONUS_DELIMITER, BONUS_WHITESPACE,
    FIRST_CHARACTER_MULTIPLIER, GAP_EXTENSION, GAP_START, MINIMUM_PER_CHARACTER, Matcher,
    SCORE_MATCH, Score, rank_matches, score_match,
};

fn points(query: &str, candidate: &str) -> Option<i32> {
    score_match(query, candidate).map(|score| score.points)
}

#[test]
fn the_scoring_constants_are_fixed() {
    assert_eq!((BONUS_WHITESPACE, BONUS_DELIMITER, BONUS_CAMEL_CASE), (10, 9, 7));
    assert_eq!((BONUS_CONSECUTIVE, FIRST_CHARACTER_MULTIPLIER), (4, 2));
    assert_eq!((GAP_START, GAP_EXTENSION), (-3, -1));
}

#[test]
fn alignments_have_the_expected_scores() {
    for (query, candidate, expected) in [
        // The first letter counts its bonus twice.
        ("a", "a", Some(16 + 2 * 10)),
        ("a", "x a", Some(16 + 2 * 10)),
        ("a", "x-a", Some(16 + 2 * 9)),
        ("a", "xA", Some(16 + 2 * 7)),
        ("2", "x2", Some(16 + 2 * 7)),
        // Letters in a row earn four each.
        ("abc", "abc", Some(3 * 16 + 2 * 10 + 2 * 4)),
        // A gap of one, of three.
        ("ab", "axb", Some(2 * 16 + 2 * 10 - 3)),
        ("ab", "axxxb", Some(2 * 16 + 2 * 10 - 5)),
        // A word start after a gap.
        ("ab", "ax b", Some(2 * 16 + 2 * 10 - 3 - 1 + 10)),
        // Several words add up, in any order.
        ("b a", "a b", Some(2 * (16 + 2 * 10))),
        // The best alignment, not the first.
        ("ab", "axxx ab", Some(2 * 16 + 2 * 10 + 4)),
        // Too little for its length.
        ("a", "xa", None),
        ("ab", "axxxxxxxxxxxxxxxxxxxxxxxb", None),
        // Not there at all.
        ("ab", "ba", None),
        ("", "abc", None),
        ("a", "", None),
        ("  ", "abc", None),
    ] {
        assert_eq!(points(query, candidate), expected, "{query} in {candidate}");
    }
}

#[test]
fn compressed_triggers_reach_readable_headings() {
    for (query, heading) in [
        ("when write mock test", "When Writing Mock Tests"),
        ("when writing mock tests", "When Writing Mock Tests"),
        ("how encode path", "How to Encode Paths"),
        ("encode path", "When Encoding Paths Needed"),
        ("when mck tst", "When Writing Mock Tests"),
        ("WHEN MOCK", "when writing mock tests"),
    ] {
        assert!(points(query, heading).is_some(), "{query}: {heading}");
    }
    for (query, heading) in
        [("how encode path", "When Encoding Paths Needed"), ("when xyz", "When Writing Mock Tests")]
    {
        assert_eq!(points(query, heading), None, "{query}: {heading}");
    }
}

#[test]
fn letters_are_letters_in_every_script() {
    for (query, candidate) in [
        ("ÉTÉ", "l'été"),
        // Composed and decomposed.
        ("cafe\u{301}", "Café"),
        ("café", "CAFE\u{301}"),
        ("ΟΔΟΣ", "οδος"),
        ("οδός", "ΟΔΌΣ"),
        ("İstanbul", "i\u{307}stanbul"),
        ("日本", "日本語"),
        ("straße", "Straße"),
    ] {
        assert!(points(query, candidate).is_some(), "{query} in {candidate}");
    }
    assert_eq!(points("cafe", "café"), None);
}

#[test]
fn whole_words_break_ties() {
    let candidates = ["Mock Tests In Continuous Integration", "Mock Testsuite", "Mock Tests"];
    let ranked = rank_matches("mock tests", candidates, 5);
    let order: Vec<usize> = ranked.iter().map(|(number, _)| *number).collect();
    assert_eq!(order, [2, 0, 1]);
    assert!(ranked.iter().all(|(_, score)| score.points == ranked[0].1.points));
}

#[test]
fn ranking_is_limited_and_stable() {
    let ranked = rank_matches("a", ["a b", "a c", "a d"], 2);
    assert_eq!(ranked.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [0, 1]);
}

#[test]
fn a_warm_matcher_does_not_allocate() {
    let candidates = ["When Writing Mock Tests", "When Ünïcode Is Compared", "How to Encode Paths"];
    let mut matcher = Matcher::new("when writing mock tests in every long file of the project");
    let compare = |matcher: &mut Matcher| {
        for query in ["when writing mock tests", "when ünïcode compared", "how encode path"] {
            matcher.set_query(query);
            for candidate in candidates {
                std::hint::black_box(matcher.score(candidate));
                std::hint::black_box(matcher.closeness(candidate));
            }
        }
    };
    compare(&mut matcher);
    let cold = allocation_counter::measure(|| compare(&mut Matcher::default()));
    let warm = allocation_counter::measure(|| compare(&mut matcher));
    assert!(cold.count_total > 0);
    assert_eq!(warm.count_total, 0);
}

/// Finds the best alignment of a word by trying all of them.
fn by_force(word: &[char], text: &[char]) -> Option<i32> {
    fn bonus(text: &[char], at: usize) -> i32 {
        let this = text[at];
        if !this.is_alphanumeric() {
            return 0;
        }
        match at.checked_sub(1).map(|before| text[before]) {
            None => BONUS_WHITESPACE,
            Some(c) if c.is_whitespace() => BONUS_WHITESPACE,
            Some(c) if !c.is_alphanumeric() => BONUS_DELIMITER,
            Some(c) if c.is_lowercase() && this.is_uppercase() => BONUS_CAMEL_CASE,
            Some(c) if !c.is_numeric() && this.is_numeric() => BONUS_CAMEL_CASE,
            Some(_) => 0,
        }
    }
    fn rest(word: &[char], text: &[char], last: Option<usize>) -> Option<i32> {
        let Some((first, others)) = word.split_first() else { return Some(0) };
        let from = last.map_or(0, |last| last + 1);
        (from..text.len())
            .filter(|at| text[*at].to_lowercase().eq(first.to_lowercase()))
            .filter_map(|at| {
                let own = match last {
                    None => bonus(text, at) * FIRST_CHARACTER_MULTIPLIER,
                    Some(last) if last + 1 == at => bonus(text, at).max(BONUS_CONSECUTIVE),
                    Some(last) => {
                        let gap = i32::try_from(at - last - 2).unwrap();
                        bonus(text, at) + GAP_START + GAP_EXTENSION * gap
                    }
                };
                Some(SCORE_MATCH + own + rest(others, text, Some(at))?)
            })
            .max()
    }
    let best = rest(word, text, None)?;
    (best >= MINIMUM_PER_CHARACTER * i32::try_from(word.len()).unwrap()).then_some(best)
}

proptest! {
    #[test]
    fn alignments_are_optimal(word in "[abAB1]{1,5}", text in "[abAB1 \\-]{0,14}") {
        let letters = |text: &str| text.chars().collect::<Vec<char>>();
        let expected = by_force(&letters(&word), &letters(&text));
        prop_assert_eq!(points(&word, &text), expected);
    }

    #[test]
    fn any_text_is_scored(query in "\\PC{0,40}", candidate in "\\PC{0,80}") {
        let mut matcher = Matcher::new(&query);
        let score = matcher.score(&candidate);
        prop_assert_eq!(matcher.score(&candidate), score, "scratch memory changes nothing");
        prop_assert!(matcher.closeness(&candidate) >= score.map_or(0, |score| score.points));
    }

    #[test]
    fn the_same_word_matches_best(text in "[a-z]{2,8}", other in "[a-z]{0,30}") {
        let own: Score = score_match(&text, &text).unwrap();
        prop_assert!(score_match(&text, &other).is_none_or(|score| score <= own));
    }
}
