//! Comparison with vectors that onnxruntime computed from the publisher's export.

use std::num::NonZeroUsize;

use serde_json::Value;
use tacit_models::bundled::{BundledModel, TextKind};
use tacit_simd::gemm::{Kernel, SimdLevel};

struct Reference {
    kind: TextKind,
    text: String,
    vector: Vec<f32>,
}

fn references() -> Vec<Reference> {
    let lines = include_str!("../data/reference.jsonl").lines();
    let references = lines.map(|line| {
        let value: Value = serde_json::from_str(line).expect("a reference is JSON");
        let text = value["text"].as_str().expect("a reference has a text");
        let vector = value["vector"].as_array().expect("a reference has a vector");
        let number = |number: &Value| number.as_f64().expect("a vector has numbers") as f32;
        Reference {
            kind: match value["kind"].as_str() {
                Some("query") => TextKind::Query,
                _ => TextKind::Passage,
            },
            text: text.to_owned(),
            vector: vector.iter().map(number).collect(),
        }
    });
    references.collect()
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| -> f64 {
        let products = a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b));
        products.sum()
    };
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

/// Checks all references of at most `tokens` tokens at one level.
///
/// A float that rounds the other way changes every later layer a little, so two runtimes agree
/// either almost to the bit or to about 0.997; the bounds allow for that.
fn check_level(kernel: Kernel, tokens: usize) {
    let model = BundledModel::load().with_kernel(kernel);
    let mut cosines = Vec::new();
    for Reference { kind, text, vector } in references() {
        if model.token_count(&text) <= tokens {
            let cosine = cosine(&model.embed(&text, kind), &vector);
            assert!(cosine >= 0.993, "{cosine} for {text:?} on {:?}", kernel.level());
            cosines.push(cosine);
        }
    }
    let mean = cosines.iter().sum::<f64>() / cosines.len() as f64;
    assert!(mean >= 0.9975, "mean {mean} on {:?}", kernel.level());
    let close = cosines.iter().filter(|cosine| **cosine > 0.9999).count();
    assert!(close >= 25, "only {close} are all but equal");
}

#[test]
fn vectors_match_the_publishers_export_at_the_best_level() {
    check_level(Kernel::best(), usize::MAX);
}

#[test]
fn vectors_match_the_publishers_export_at_the_other_levels() {
    for kernel in Kernel::available().into_iter().skip(1) {
        // Plain Rust is too slow for long texts; `levels_agree_to_the_bit` covers it.
        let tokens = if kernel.level() == SimdLevel::Portable { 10 } else { usize::MAX };
        check_level(kernel, tokens);
    }
}

#[test]
fn levels_agree_to_the_bit() {
    let model = BundledModel::load();
    let references = references();
    for Reference { kind, text, .. } in references.iter().step_by(19) {
        let text: String = text.chars().take(150).collect();
        let best = model.embed(&text, *kind);
        for kernel in Kernel::available() {
            let vector = model.with_kernel(kernel).embed(&text, *kind);
            assert_eq!(vector, best, "{text:?} on {:?}", kernel.level());
        }
    }
}

#[test]
fn batching_and_threads_do_not_change_vectors() {
    let model = BundledModel::load();
    let texts: Vec<String> = references().into_iter().map(|r| r.text).step_by(5).collect();
    let one_by_one: Vec<_> = texts.iter().map(|t| model.embed(t, TextKind::Passage)).collect();
    for threads in [1, 2, 5, 100] {
        let threads = NonZeroUsize::new(threads).expect("not zero");
        assert_eq!(model.embed_batch(&texts, TextKind::Passage, threads), one_by_one);
    }
    let none: [&str; 0] = [];
    assert!(model.embed_batch(&none, TextKind::Query, NonZeroUsize::MIN).is_empty());
}

#[test]
fn queries_and_passages_are_embedded_differently() {
    let model = BundledModel::load();
    let query = model.embed("how do retries work", TextKind::Query);
    let passage = model.embed("how do retries work", TextKind::Passage);
    assert!(cosine(&query, &passage) < 0.99);
    let related = model.embed("The client retries three times with backoff.", TextKind::Passage);
    let unrelated = model.embed("The logo is blue on white.", TextKind::Passage);
    assert!(cosine(&query, &related) > cosine(&query, &unrelated));
}
