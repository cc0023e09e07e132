use tacit_triggers::offer::Offers;

use crate::support::corpus;

const INDEX: &str = "\
## agents/decisions/a.md
/when writing mock tests | mock patch, test doubles
/when fixing flaky tests
/how encode paths | ECONNREFUSED, busy_timeout
/when writing code
/when testing
";

#[test]
fn only_clear_matches_are_offered() {
    let corpus = corpus(INDEX, &[]);
    let entries = || corpus.entries().map(|(_, entry)| entry);
    for (text, expected) in [
        (
            "Please write some tests with mocks for the cart",
            vec!["/when writing mock tests | mock patch, test doubles"],
        ),
        ("add a mock.patch here", vec!["/when writing mock tests | mock patch, test doubles"]),
        ("the tests are flaky again, fix them", vec!["/when fixing flaky tests"]),
        ("encode the path of the file", vec!["/how encode paths | ECONNREFUSED, busy_timeout"]),
        (
            "Error: connect ECONNREFUSED 127.0.0.1:5432",
            vec!["/how encode paths | ECONNREFUSED, busy_timeout"],
        ),
        ("PRAGMA busy_timeout = 5000", vec!["/how encode paths | ECONNREFUSED, busy_timeout"]),
        // One word of two, a vague word, words far apart: silence.
        ("write the tests", vec![]),
        ("testing", vec![]),
        ("write code", vec![]),
        ("", vec![]),
        ("what is the weather", vec![]),
    ] {
        let found: Vec<String> = Offers::of(entries())
            .matching(text, 3)
            .iter()
            .map(|offer| offer.entry.to_string())
            .collect();
        assert_eq!(found, expected, "{text}");
    }
    let apart = format!("mock {} tests written", "word ".repeat(40));
    assert_eq!(Offers::of(entries()).matching(&apart, 3), []);
}

#[test]
fn offers_are_ranked_and_limited() {
    let corpus = corpus(INDEX, &[]);
    let entries = || corpus.entries().map(|(_, entry)| entry);
    let text = "fix the flaky tests: write mocks for the tests, encode paths";
    let all = Offers::of(entries()).matching(text, 10);
    assert_eq!(all.len(), 3);
    assert!(all.is_sorted_by(|one, other| one.weight >= other.weight));
    assert_eq!(Offers::of(entries()).matching(text, 1), all[..1]);
}

#[test]
fn the_exit_code_line_is_ignored() {
    let corpus = corpus("## a.md\n/when exit codes\n", &[]);
    let lines = |text| Offers::of(corpus.entries().map(|(_, entry)| entry)).matching(text, 3).len();
    assert_eq!(lines("Exit code 3\nboom"), 0);
    assert_eq!(lines("Error: Exit code 101"), 0);
    assert_eq!(lines("Exit codes are wrong"), 1);
    assert_eq!(lines("Exit code 3\nwhich exit code is right?"), 1);
}

#[test]
fn long_text_is_cut_at_a_character_boundary() {
    let corpus = corpus(INDEX, &[]);
    let text = "é".repeat(20_000);
    assert_eq!(Offers::of(corpus.entries().map(|(_, entry)| entry)).matching(&text, 3), []);
}
