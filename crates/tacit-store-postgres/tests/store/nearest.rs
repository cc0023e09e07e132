//! The search for near vectors: what it finds, and whose.

use std::collections::HashSet;

use tacit_core::Visibility;
use tacit_store::TeamRole;
use tacit_store::conformance::{memory, store_all};
use tacit_store::{EmbeddedPart, VectorKey, VectorModel, VectorSet, VectorStore};
use tacit_store_postgres::{PostgresStore, add_project};

use crate::conformance::store;
use crate::database::TIMEOUTS;

const DIMS: usize = 24;

fn model() -> VectorModel {
    VectorModel { name: "m".into(), dims: DIMS }
}

/// Returns vectors of length one that look random.
fn vectors(seed: u64) -> impl Iterator<Item = Vec<f32>> {
    let mut state = seed;
    std::iter::repeat_with(move || {
        let mut vector: Vec<f32> = std::iter::repeat_with(|| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
        })
        .take(DIMS)
        .collect();
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
        vector.iter_mut().for_each(|value| *value /= length);
        vector
    })
}

/// Stores memories and gives each pending one `pieces` vectors. Returns all vectors that were given.
fn fill(
    store: &mut PostgresStore,
    memories: std::ops::RangeInclusive<u8>,
    pieces: usize,
    seed: u64,
    visibility: Visibility,
) -> Vec<(VectorKey, Vec<f32>)> {
    let of = |number| {
        let mut memory = memory(number, &format!("fact {number}"));
        memory.body.visibility = visibility;
        memory
    };
    let memories: Vec<_> = memories.map(of).collect();
    store_all(store, &memories);
    let mut vectors = vectors(seed);
    let mut sets = Vec::new();
    for (key, memory) in store.pending(&model(), 1_000).expect("pending") {
        sets.push(VectorSet {
            key,
            memory_updated_at: memory.updated_at,
            pieces: vectors.by_ref().take(pieces).collect(),
            cues: Vec::new(),
        });
    }
    assert_eq!(store.put_vectors(&model(), &sets).expect("put"), memories.len());
    let keyed = |set: VectorSet| {
        let key = set.key;
        let part = move |(index, vector): (usize, Vec<f32>)| {
            (VectorKey { memory: key, part: EmbeddedPart::Piece(index as u8) }, vector)
        };
        set.pieces.into_iter().enumerate().map(part)
    };
    sets.into_iter().flat_map(keyed).collect()
}

fn product(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

/// Returns the keys of the nearest ten.
fn ten_nearest(query: &[f32], vectors: &[(VectorKey, Vec<f32>)]) -> Vec<VectorKey> {
    let mut scored: Vec<_> =
        vectors.iter().map(|(key, vector)| (product(query, vector), *key)).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    scored.into_iter().take(10).map(|(_, key)| key).collect()
}

fn nearest(store: &PostgresStore, query: &[f32], limit: usize) -> Vec<(VectorKey, Vec<f32>)> {
    store.nearest(&model(), query, limit).expect("a search").expect("an index")
}

#[test]
fn the_index_finds_the_exact_neighbours_once_they_are_compared_again() {
    let (mut store, database) = store();
    store.add_model(&model()).expect("a model");
    let all = fill(&mut store, 1..=250, 4, 7, Visibility::Team);
    assert_eq!(all.len(), 1_000);
    // The planner would read so few rows one after another.
    let ada = database.user("ada");
    database.run(&format!("ALTER ROLE {ada} SET enable_seqscan = off"));
    database.run(&format!("ALTER ROLE {ada} SET enable_sort = off"));
    let store = database.open("ada");
    let (mut found, mut wanted) = (0, 0);
    for query in vectors(99).take(50) {
        let candidates = nearest(&store, &query, 40);
        assert_eq!(candidates.len(), 40);
        assert!(candidates.iter().all(|candidate| all.contains(candidate)), "as they were stored");
        let exact: HashSet<VectorKey> = ten_nearest(&query, &all).into_iter().collect();
        wanted += exact.len();
        found += ten_nearest(&query, &candidates).iter().filter(|key| exact.contains(key)).count();
    }
    assert!(found * 100 >= wanted * 99, "{found} of {wanted}");
    let plan = "SELECT count(*)::text FROM pg_stat_user_indexes
                WHERE idx_scan > 0 AND pg_get_indexdef(indexrelid) LIKE '%hnsw%'";
    // Statistics are reported when a session is idle or ends.
    drop(store);
    let used = (0..100).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        database.ask_superuser(plan).as_deref() == Some("1")
    });
    assert!(used, "the index was not used");
}

#[test]
fn vectors_of_other_projects_and_of_private_memories_are_not_found() {
    let (mut ada, database) = store();
    ada.add_model(&model()).expect("a model");
    let shared = fill(&mut ada, 1..=20, 1, 1, Visibility::Team);
    let private = fill(&mut ada, 21..=40, 1, 2, Visibility::Private);
    let mut bob = database.member("bob", TeamRole::Contributor);
    let other = "github.com/team/other";
    add_project(&database.settings_of("bob"), TIMEOUTS, other, "other").expect("a project");
    let mut elsewhere =
        PostgresStore::open(&database.settings_of("bob"), other, TIMEOUTS).expect("a store");
    elsewhere.add_model(&model()).expect("a model");
    let apart = fill(&mut elsewhere, 1..=20, 1, 3, Visibility::Team);

    let keys = |found: &[(VectorKey, Vec<f32>)]| -> HashSet<u64> {
        found.iter().map(|(key, _)| key.memory).collect()
    };
    for query in vectors(5).take(5) {
        let of_ada: Vec<_> = nearest(&ada, &query, 100);
        assert_eq!(keys(&of_ada), keys(&[shared.clone(), private.clone()].concat()));
        assert_eq!(keys(&nearest(&bob, &query, 100)), keys(&shared));
        let found = nearest(&elsewhere, &query, 100);
        assert!(found.iter().all(|candidate| apart.contains(candidate)));
        assert_eq!(found.len(), apart.len());
    }
    let all: Vec<u64> = (0..100).collect();
    assert_eq!(bob.vectors_of(&model(), &all).expect("vectors").len(), shared.len());
    assert_eq!(bob.vectors_since(&model(), 0, 100).expect("vectors").rows.len(), shared.len());
    // A new model waits for the private memories too, which only their owner embeds.
    let second = VectorModel { name: "second".into(), dims: DIMS };
    bob.add_model(&second).expect("a model");
    let pending = |store: &PostgresStore| store.pending(&second, 100).expect("pending").len();
    assert_eq!((pending(&ada), pending(&bob)), (40, 20));
    bob.activate_model(&second).expect("active");
    bob.delete_other_models(&second).expect("deleted");
    assert_eq!(ada.vectors_since(&model(), 0, 100).expect("vectors").rows, []);
}

#[test]
fn readers_find_vectors_and_add_none() {
    let (mut ada, database) = store();
    ada.add_model(&model()).expect("a model");
    let all = fill(&mut ada, 1..=3, 1, 1, Visibility::Team);
    let mut reader = database.member("rita", TeamRole::Reader);
    assert_eq!(nearest(&reader, &all[0].1, 10).len(), 3);
    let unknown = VectorModel { name: "other".into(), dims: DIMS };
    assert!(reader.add_model(&unknown).is_err());
    assert!(reader.activate_model(&model()).is_err());
    assert_eq!(reader.nearest(&unknown, &all[0].1, 10).expect("a search"), Some(Vec::new()));
}
