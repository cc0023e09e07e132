//! Cases about vectors and models.

use super::*;

fn model(name: &str) -> VectorModel {
    VectorModel { name: name.into(), dims: 2 }
}

fn pending(store: &dyn Store, name: &str) -> Vec<u8> {
    let pending = store.pending(&model(name), 99).expect("pending");
    pending.iter().map(|(_, memory)| memory.id.as_bytes()[15]).collect()
}

/// Gives every pending memory the vector (x, 0).
fn embed(store: &mut dyn Store, name: &str, x: f32) -> usize {
    let sets: Vec<VectorSet> = store
        .pending(&model(name), 99)
        .expect("pending")
        .into_iter()
        .map(|(key, memory)| VectorSet {
            key,
            memory_updated_at: memory.updated_at,
            pieces: vec![vec![x, 0.0]],
            cues: Vec::new(),
        })
        .collect();
    store.put_vectors(&model(name), &sets).expect("put")
}

pub fn new_text_is_pending_for_every_model(store: &mut dyn Store) {
    store_all(store, &[memory(1, "before the model")]);
    assert_eq!(store.models().expect("models"), []);
    store.add_model(&model("m")).expect("add");
    store.add_model(&model("m")).expect("adding twice is adding once");
    let cost = with(
        3,
        Draft {
            kind: Some("context_cost".into()),
            details: Some(serde_json::json!({
                "module": "a", "average_tokens_per_session": 1, "p90_tokens_per_session": 1,
                "sample_count": 1
            })),
            ..Draft { content: "never embedded".into(), ..Draft::default() }
        },
    );
    store_all(store, &[memory(2, "after the model"), cost]);
    assert_eq!(pending(store, "m"), [2, 1]);
    let models = store.models().expect("models");
    assert_eq!(models.len(), 1);
    assert!(models[0].active);
    assert_eq!((models[0].pending, models[0].generation), (2, 0));
}

pub fn vectors_read_back_by_piece(store: &mut dyn Store) {
    store.add_model(&model("m")).expect("add");
    store_all(store, &[memory(1, "text")]);
    let (key, kept) = store.pending(&model("m"), 9).expect("pending").remove(0);
    let pieces = vec![vec![0.6, 0.8], vec![1.0, 0.0]];
    let cues = vec![vec![0.0, 1.0]];
    let set = VectorSet {
        key,
        memory_updated_at: kept.updated_at,
        pieces: pieces.clone(),
        cues: cues.clone(),
    };
    assert_eq!(store.put_vectors(&model("m"), &[set]).expect("put"), 1);
    assert_eq!(pending(store, "m"), Vec::<u8>::new());
    let read = store.vectors_of(&model("m"), &[key, 999]).expect("read");
    let vectors: Vec<_> = read.iter().map(|(_, vector)| vector.clone()).collect();
    assert_eq!(vectors, [pieces, cues].concat());
    let parts: Vec<EmbeddedPart> = read.iter().map(|(key, _)| key.part).collect();
    let piece = EmbeddedPart::Piece;
    assert_eq!(parts, [piece(0), piece(1), EmbeddedPart::Cue(0)]);
    let all = store.vectors_since(&model("m"), 0, 9).expect("since").rows;
    assert_eq!(all.iter().filter(|(key, _)| key.part == EmbeddedPart::Cue(0)).count(), 1);
}

pub fn changed_text_needs_new_vectors(store: &mut dyn Store) {
    store.add_model(&model("m")).expect("add");
    let first = memory(1, "first text");
    store_all(store, std::slice::from_ref(&first));
    let (key, seen) = store.pending(&model("m"), 9).expect("pending").remove(0);
    let tagged = edit(store, &first, |memory| memory.updated_at = at(7));
    let pieces = vec![vec![1.0, 0.0]];
    let late = VectorSet { key, memory_updated_at: seen.updated_at, pieces, cues: Vec::new() };
    assert_eq!(store.put_vectors(&model("m"), &[late]).expect("put"), 0, "it has changed");
    assert_eq!(embed(store, "m", 1.0), 1);
    let same = edit(store, &tagged, |memory| memory.observations = 9);
    assert_eq!(pending(store, "m"), Vec::<u8>::new(), "the text is the same");
    let other = edit(store, &same, |memory| memory.body = super::memory(1, "new text").body);
    assert_eq!(pending(store, "m"), [1]);
    embed(store, "m", 0.5);
    let vectors = store.vectors_of(&model("m"), &[key]).expect("read");
    assert_eq!(vectors.len(), 1);
    assert_eq!(vectors[0].1, [0.5, 0.0]);
    let mut transaction = begin(store);
    transaction.remove(&other).expect("remove");
    transaction.commit().expect("commit");
    assert_eq!(store.vectors_of(&model("m"), &[key]).expect("read"), []);
}

pub fn vectors_page_by_generation(store: &mut dyn Store) {
    store.add_model(&model("m")).expect("add");
    for number in 1..=5 {
        store_all(store, &[memory(number, &format!("text {number}"))]);
        embed(store, "m", f32::from(number));
    }
    let all = store.vectors_since(&model("m"), 0, 99).expect("since");
    assert_eq!((all.rows.len(), all.generation, all.more), (5, 5, false));
    let page = store.vectors_since(&model("m"), 2, 2).expect("since");
    assert_eq!((page.generation, page.more), (4, true));
    assert_eq!(page.rows.iter().map(|(_, v)| v[0]).collect::<Vec<_>>(), [3.0, 4.0]);
    let none = store.vectors_since(&model("m"), 5, 99).expect("since");
    assert_eq!((none.rows.len(), none.generation, none.more), (0, 5, false));
}

pub fn activated_models_replace_others(store: &mut dyn Store) {
    store.add_model(&model("old")).expect("add");
    store_all(store, &[memory(1, "text")]);
    embed(store, "old", 1.0);
    store.add_model(&model("new")).expect("add");
    let models = store.models().expect("models");
    assert_eq!(models[0].model, model("old"));
    assert_eq!((models[1].active, models[1].pending), (false, 1));
    embed(store, "new", 2.0);
    store.activate_model(&model("new")).expect("activate");
    let models = store.models().expect("models");
    let active: Vec<bool> = models.iter().map(|state| state.active).collect();
    assert_eq!((models[0].model.clone(), active), (model("new"), vec![true, false]));
    assert_eq!(store.vectors_since(&model("old"), 0, 9).expect("since").rows.len(), 1);
    store.delete_other_models(&model("new")).expect("delete");
    let models = store.models().expect("models");
    assert_eq!(models.len(), 1);
    assert_eq!((models[0].model.clone(), models[0].active), (model("new"), true));
    assert_eq!(store.vectors_since(&model("old"), 0, 9).expect("since").rows, []);
}
