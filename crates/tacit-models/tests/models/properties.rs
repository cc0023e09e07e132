//! Properties of tokenizer and model for any text.

use proptest::prelude::*;
use tacit_models::bundled::{BundledModel, MAX_TOKENS, TextKind};

/// Text that is difficult for a tokenizer: marks, ideographs, control characters, special tokens.
fn awkward() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        any::<char>().prop_map(String::from),
        "[ -~]{0,12}",
        "[\u{300}-\u{36f}\u{200b}-\u{200f}\u{4e00}-\u{4e20}\u{e000}\u{fffd}]{0,6}",
        Just("[CLS]".to_owned()),
        Just("[MASK".to_owned()),
        "[a-z]{90,110}",
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn tokens_start_with_cls_and_end_with_sep(text in awkward()) {
        let model = BundledModel::load();
        let ids = model.tokenize(&text);
        prop_assert_eq!(ids.first(), Some(&101));
        prop_assert_eq!(ids.last(), Some(&102));
        prop_assert!(ids.len() <= MAX_TOKENS);
        prop_assert!(ids.iter().all(|id| *id < 30_522));
        prop_assert_eq!(ids.len() - 2, model.token_count(&text).min(MAX_TOKENS - 2));
    }

    #[test]
    fn tokenizing_random_bytes_does_not_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let ids = BundledModel::load().tokenize(&String::from_utf8_lossy(&bytes));
        prop_assert!(ids.len() <= MAX_TOKENS);
    }

    #[test]
    fn case_and_surrounding_space_do_not_matter(text in "[a-zA-Z0-9 .,_-]{0,40}") {
        let model = BundledModel::load();
        let ids = model.tokenize(&text);
        prop_assert_eq!(&model.tokenize(&text.to_uppercase()), &ids);
        prop_assert_eq!(&model.tokenize(&format!(" \t{text}\n")), &ids);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn embeddings_are_finite_and_have_length_one(text in awkward(), query in any::<bool>()) {
        let kind = if query { TextKind::Query } else { TextKind::Passage };
        let vector = BundledModel::load().embed(&text, kind);
        let length: f32 = vector.iter().map(|x| x * x).sum();
        prop_assert!(vector.iter().all(|x| x.is_finite()));
        prop_assert!((length - 1.0).abs() < 1e-4);
    }
}
