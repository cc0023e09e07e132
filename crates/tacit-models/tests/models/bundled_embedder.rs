//! The bundled model as an embedder.

use std::time::Duration;

use tacit_models::bundled::BundledModel;
use tacit_models::{BundledEmbedder, EmbedError, Embedder, TextKind};

#[test]
fn a_deadline_does_not_change_the_vectors() {
    let texts: Vec<String> = (0..19).map(|n| format!("the retry pauses {n} seconds")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    for kind in [TextKind::Query, TextKind::Passage] {
        let alone: Vec<_> =
            texts.iter().map(|text| BundledModel::load().embed(text, kind).to_vec()).collect();
        for deadline in [None, Some(Duration::from_secs(600)), Some(Duration::MAX)] {
            assert_eq!(BundledEmbedder::new().embed(&texts, kind, deadline).as_ref(), Ok(&alone));
        }
    }
    assert_eq!(BundledEmbedder::new().embed(&[], TextKind::Query, None), Ok(Vec::new()));
}

#[test]
fn an_expired_deadline_is_an_error() {
    let result = BundledEmbedder::new().embed(&["text"], TextKind::Query, Some(Duration::ZERO));
    let error = result.expect_err("no time");
    assert!(matches!(error, EmbedError::TimedOut { .. }), "{error:?}");
    assert!(error.to_string().starts_with("`tacit-embed-s/int8` did not"), "{error}");
}
