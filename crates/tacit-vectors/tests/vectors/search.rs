//! Searches find the same rows as an exhaustive comparison, in the same order.

use tacit_vectors::{Error, VectorHit};

use crate::support::{Model, Scratch, cosine, keys, nearest, vector};

#[test]
fn search_returns_the_nearest_rows_with_exact_cosines() {
    for dims in [8, 63, 64, 384, 1024] {
        let (scratch, model) = Scratch::filled(dims, 400);
        let index = scratch.open();
        for seed in 10_000..10_010 {
            let query = vector(dims, seed);
            let hits = index.search(&query, 10).expect("searched");
            assert_eq!(keys(&hits), nearest(&model, &query, 10), "{dims} dimensions");
            for hit in &hits {
                assert!((f64::from(hit.score) - cosine(&query, &model[&hit.key])).abs() < 1e-6);
            }
            assert_eq!(hits, index.search_exact(&query, 10).expect("searched"));
        }
    }
}

#[test]
fn codes_keep_recall_for_clustered_rows() {
    let (dims, rows) = (128, 20_000);
    let (scratch, _) = Scratch::filled(dims, rows);
    let index = scratch.open();
    let mut found = 0;
    for seed in 50_000..50_030 {
        let query = vector(dims, seed);
        let exact = keys(&index.search_exact(&query, 10).expect("searched"));
        let hits = index.search(&query, 10).expect("searched");
        found += exact.iter().filter(|key| keys(&hits).contains(key)).count();
    }
    assert!(found >= 298, "found {found} of 300");
}

#[test]
fn equal_scores_are_ordered_by_key() {
    let scratch = Scratch::new(8);
    let same = vector(8, 1);
    let rows: Vec<(u64, &[f32])> = [9, 3, 7, 1, 5].map(|key| (key, &same[..])).to_vec();
    scratch.rebuild(1, &Model::new());
    scratch.apply(2, &rows, &[]);
    let hits = scratch.open().search(&same, 3).expect("searched");
    assert_eq!(keys(&hits), [1, 3, 5]);
}

#[test]
fn unusual_queries_have_defined_results() {
    let (scratch, model) = Scratch::filled(8, 20);
    let index = scratch.open();
    let query = vector(8, 100);
    assert_eq!(index.search(&query, 0).expect("searched"), []);
    assert_eq!(index.search(&[0.0; 8], 5).expect("searched"), []);
    assert_eq!(index.search_exact(&[0.0; 8], 5).expect("searched"), []);
    let all = index.search(&query, usize::MAX).expect("searched");
    assert_eq!(keys(&all), nearest(&model, &query, 20));
    let huge: Vec<f32> = query.iter().map(|x| x * 1e30).collect();
    assert_eq!(keys(&index.search(&huge, 20).expect("searched")), keys(&all));

    let short = index.search(&query[..7], 5).expect_err("one dimension is missing");
    assert!(matches!(short, Error::WrongDims { expected: 8, found: 7, .. }), "{short}");
    let nan = index.search(&[f32::NAN; 8], 5).expect_err("no number");
    assert!(nan.to_string().contains("the query for `"), "{nan}");
}

#[test]
fn zero_vectors_are_kept_and_score_zero() {
    let scratch = Scratch::new(16);
    let rows = Model::from([(1, vec![0.0; 16]), (2, vector(16, 2)), (3, vec![1e-40; 16])]);
    scratch.rebuild(1, &rows);
    let index = scratch.open();
    let query = vector(16, 2);
    let hits = index.search(&query, 3).expect("searched");
    assert_eq!(hits[0], VectorHit { key: 2, score: 1.0 });
    assert!(hits.contains(&VectorHit { key: 1, score: 0.0 }), "{hits:?}");
    index.verify().expect("clean");
}
