//! The tokenizer compared with the publisher's, and its rules.

use serde_json::Value;
use tacit_models::bundled::{BundledModel, MAX_TOKENS};

#[test]
fn ids_match_the_publishers_tokenizer() {
    let model = BundledModel::load();
    for line in include_str!("../data/reference_tokens.jsonl").lines() {
        let value: Value = serde_json::from_str(line).expect("a reference is JSON");
        let text = value["text"].as_str().expect("a reference has a text");
        let expected = value["ids"].as_array().expect("a reference has ids");
        let expected: Vec<u64> = expected.iter().filter_map(Value::as_u64).collect();
        let ids: Vec<u64> = model.tokenize(text).into_iter().map(u64::from).collect();
        assert_eq!(ids, expected, "{text:?}");
    }
}

#[test]
fn equivalent_texts_have_the_same_tokens() {
    let model = BundledModel::load();
    for (a, b) in [
        ("Café", "cafe"),
        ("cafe\u{301}", "cafe"),
        ("zero\u{200b}width", "zerowidth"),
        ("a\u{0}b\u{7f}c", "abc"),
        ("tab\tnew\u{2003}line\u{a0}", "tab new line"),
        ("数据", "数 据"),
        ("a—b", "a — b"),
        ("İstanbul", "istanbul"),
        ("\u{212a}elvin", "kelvin"),
        ("x[SEP]y", "x [SEP] y"),
        ("vertical\u{b}tab", "verticaltab"),
        ("\u{e0b0}prompt", "prompt"),
    ] {
        assert_eq!(model.tokenize(a), model.tokenize(b), "{a:?} and {b:?}");
    }
}

#[test]
fn only_complete_special_tokens_are_special() {
    let model = BundledModel::load();
    assert_eq!(model.tokenize("[MASK]"), [101, 103, 102]);
    assert_ne!(model.tokenize("[mask]"), [101, 103, 102]);
    assert!(model.tokenize("[MASK").len() > 3);
}

#[test]
fn long_words_are_unknown_and_long_texts_are_cut() {
    let model = BundledModel::load();
    assert!(model.tokenize(&"a".repeat(100)).len() > 3);
    assert_eq!(model.tokenize(&"a".repeat(101)), [101, 100, 102]);
    assert_eq!(model.tokenize(&"é".repeat(10_000)), [101, 100, 102]);
    let long = "word ".repeat(100_000);
    assert_eq!(model.tokenize(&long).len(), MAX_TOKENS);
    assert_eq!(model.token_count(&long), 100_000);
}
