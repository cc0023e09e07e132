//! Searches find what an exhaustive comparison finds, in the same order, however they run.

use tacit_vectors::{Error, Hit, Level, Plan, SearchOptions};

use crate::support::{Model, Scratch, cosine, keys, nearest, vector};

#[test]
fn finds_the_nearest_with_their_exact_cosines() {
    for dims in [8, 63, 64, 384, 1024] {
        let (scratch, model) = Scratch::filled(dims, 400);
        let index = scratch.open();
        for seed in 10_000..10_010 {
            let query = vector(dims, seed);
            let hits = index.search(&query, 10, None).expect("searched");
            assert_eq!(keys(&hits), nearest(&model, &query, 10), "{dims} dimensions");
            for hit in &hits {
                assert!((f64::from(hit.score) - cosine(&query, &model[&hit.key])).abs() < 1e-6);
            }
            assert_eq!(hits, index.search_exact(&query, 10, None).expect("searched"));
        }
    }
}

#[test]
fn both_plans_keep_recall_on_clustered_rows() {
    let (dims, rows) = (128, 20_000);
    let (scratch, _) = Scratch::filled(dims, rows);
    let index = scratch.open();
    for plan in [Plan::Int8, Plan::Bits { candidates: 4096 }] {
        let mut found = 0;
        for seed in 50_000..50_030 {
            let query = vector(dims, seed);
            let exact = keys(&index.search_exact(&query, 10, None).expect("searched"));
            let options = SearchOptions { plan, ..Default::default() };
            let hits = index.search_with(&query, 10, None, options).expect("searched");
            found += exact.iter().filter(|key| keys(&hits).contains(key)).count();
        }
        assert!(found >= 298, "{plan:?} found {found} of 300");
    }
}

/// Scores to the last bit, so that a golden file made on one machine holds on another.
#[test]
fn levels_and_threads_do_not_show() {
    let (dims, rows) = (40, 40_000);
    let (scratch, _) = Scratch::filled(dims, rows);
    let index = scratch.open();
    for plan in [Plan::Auto, Plan::Int8, Plan::Bits { candidates: 300 }] {
        for seed in 50_000..50_004 {
            let query = vector(dims, seed);
            let run = |threads, level| -> Vec<(u64, u32)> {
                let options = SearchOptions { plan, threads: Some(threads), level: Some(level) };
                let hits = index.search_with(&query, 25, None, options).expect("searched");
                hits.iter().map(|hit| (hit.key, hit.score.to_bits())).collect()
            };
            let expected = run(1, Level::Portable);
            for level in Level::ALL {
                for threads in [1, 2, 3, 7] {
                    assert_eq!(run(threads, level), expected, "{plan:?} {level:?} {threads}");
                }
            }
        }
    }
}

#[test]
fn a_filter_is_part_of_the_question_not_of_the_answer() {
    let (dims, rows) = (32, 3000);
    let (scratch, model) = Scratch::filled(dims, rows);
    let index = scratch.open();
    let query = vector(dims, 9_999_999);
    for every in [2, 100, 1000, 5000] {
        let wanted: Model = model.clone().into_iter().filter(|(key, _)| key % every == 1).collect();
        let filter = |key: u64| key % every == 1;
        for plan in [Plan::Int8, Plan::Bits { candidates: 1500 }] {
            let options = SearchOptions { plan, ..Default::default() };
            let hits = index.search_with(&query, 10, Some(&filter), options).expect("searched");
            assert_eq!(keys(&hits), nearest(&wanted, &query, 10), "one in {every}, {plan:?}");
        }
    }
    assert_eq!(index.search(&query, 10, Some(&|_| false)).expect("searched"), []);
}

#[test]
fn equal_scores_come_by_key() {
    let scratch = Scratch::new(8);
    let same = vector(8, 1);
    let rows: Vec<(u64, &[f32])> = [9, 3, 7, 1, 5].map(|key| (key, &same[..])).to_vec();
    scratch.rebuild(1, &Model::new());
    scratch.apply(2, &rows, &[]);
    let hits = scratch.open().search(&same, 3, None).expect("searched");
    assert_eq!(keys(&hits), [1, 3, 5]);
}

#[test]
fn odd_questions_have_plain_answers() {
    let (scratch, model) = Scratch::filled(8, 20);
    let index = scratch.open();
    let query = vector(8, 100);
    assert_eq!(index.search(&query, 0, None).expect("searched"), []);
    assert_eq!(index.search(&[0.0; 8], 5, None).expect("searched"), []);
    assert_eq!(index.search_exact(&[0.0; 8], 5, None).expect("searched"), []);
    let all = index.search(&query, usize::MAX, None).expect("searched");
    assert_eq!(keys(&all), nearest(&model, &query, 20));
    let huge: Vec<f32> = query.iter().map(|x| x * 1e30).collect();
    assert_eq!(keys(&index.search(&huge, 20, None).expect("searched")), keys(&all));

    let short = index.search(&query[..7], 5, None).expect_err("one dimension is missing");
    assert!(matches!(short, Error::WrongDims { expected: 8, found: 7, .. }), "{short}");
    let nan = index.search(&[f32::NAN; 8], 5, None).expect_err("no number");
    assert!(nan.to_string().contains("the query for `"), "{nan}");
}

#[test]
fn vectors_without_direction_are_kept_and_score_zero() {
    let scratch = Scratch::new(16);
    let rows = Model::from([(1, vec![0.0; 16]), (2, vector(16, 2)), (3, vec![1e-40; 16])]);
    scratch.rebuild(1, &rows);
    let index = scratch.open();
    let query = vector(16, 2);
    let hits = index.search(&query, 3, None).expect("searched");
    assert_eq!(hits[0], Hit { key: 2, score: 1.0 });
    assert!(hits.contains(&Hit { key: 1, score: 0.0 }), "{hits:?}");
    index.verify().expect("clean");
}
