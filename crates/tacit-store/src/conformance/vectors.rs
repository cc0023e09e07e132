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

pub fn vectors_of_models_are_apart(store: &mut dyn Store) {
    store.add_model(&model("one")).expect("add");
    let wide = VectorModel { name: "one".into(), dims: 3 };
    store.add_model(&wide).expect("the same name with other dimensions is another model");
    store_all(store, &[memory(1, "text")]);
    embed(store, "one", 1.0);
    assert_eq!(pending(store, "one"), [] as [u8; 0]);
    let (key, kept) = store.pending(&wide, 9).expect("pending").remove(0);
    let pieces = vec![vec![1.0, -0.0, f32::MIN_POSITIVE]];
    let set = VectorSet {
        key,
        memory_updated_at: kept.updated_at,
        pieces: pieces.clone(),
        cues: Vec::new(),
    };
    assert_eq!(store.put_vectors(&wide, &[set]).expect("put"), 1);
    let read = store.vectors_of(&wide, &[key]).expect("read");
    assert_eq!(read.iter().map(|(_, vector)| vector.clone()).collect::<Vec<_>>(), pieces);
    assert_eq!(store.vectors_of(&model("one"), &[key]).expect("read").len(), 1);
    let unknown = model("unknown");
    assert_eq!(store.vectors_of(&unknown, &[key]).expect("read"), []);
    assert_eq!(store.pending(&unknown, 9).expect("pending"), []);
    assert_eq!(store.put_vectors(&unknown, &[]).expect("put"), 0);
    assert!(store.vectors_since(&unknown, 0, 9).expect("since").rows.is_empty());
    store.activate_model(&unknown).expect("nothing happens");
    store.delete_other_models(&unknown).expect("nothing happens");
    assert_eq!(store.models().expect("models").len(), 2);
}

pub fn missing_vectors_are_queued(store: &mut dyn Store) {
    store.add_model(&model("m")).expect("add");
    store_all(store, &[memory(1, "text"), memory(2, "other text")]);
    // Without pieces a memory has no vectors, and waits for none.
    let sets: Vec<VectorSet> = store
        .pending(&model("m"), 9)
        .expect("pending")
        .into_iter()
        .map(|(key, memory)| VectorSet {
            key,
            memory_updated_at: memory.updated_at,
            pieces: if memory.id.as_bytes()[15] == 1 { Vec::new() } else { vec![vec![1.0, 0.0]] },
            cues: Vec::new(),
        })
        .collect();
    assert_eq!(store.put_vectors(&model("m"), &sets).expect("put"), 2);
    assert_eq!(store.check(true).expect("check").without_vectors, 1);
    assert_eq!(store.queue_missing_vectors().expect("queue"), 1);
    assert_eq!(store.queue_missing_vectors().expect("queue"), 0);
    assert_eq!(pending(store, "m"), [1]);
    assert_eq!(store.check(true).expect("check").without_vectors, 0);
}

/// A store with an index of its own returns near vectors; others return none at all.
pub fn nearest_vectors_are_near(store: &mut dyn Store) {
    store.add_model(&model("m")).expect("add");
    let memories: Vec<Memory> =
        (1..=40).map(|number| memory(number, &format!("text {number}"))).collect();
    store_all(store, &memories);
    let angle = |number: u8| {
        let angle = f32::from(number) * 0.1;
        vec![angle.cos(), angle.sin()]
    };
    let pending = store.pending(&model("m"), 99).expect("pending");
    let mut numbers = std::collections::HashMap::new();
    let sets: Vec<VectorSet> = pending
        .into_iter()
        .map(|(key, memory)| {
            let number = memory.id.as_bytes()[15];
            numbers.insert(key, number);
            let pieces = vec![angle(number)];
            VectorSet { key, memory_updated_at: memory.updated_at, pieces, cues: Vec::new() }
        })
        .collect();
    store.put_vectors(&model("m"), &sets).expect("put");
    store.activate_model(&model("m")).expect("activate");
    let Some(near) = store.nearest(&model("m"), &angle(20), 5).expect("nearest") else { return };
    assert!(near.iter().all(|(key, vector)| *vector == angle(numbers[&key.memory])));
    let found: Vec<u8> = near.iter().map(|(key, _)| numbers[&key.memory]).collect();
    for number in 18..=22 {
        assert!(found.contains(&number), "{number} is not in {found:?}");
    }
    assert_eq!(store.nearest(&model("unknown"), &angle(1), 5).expect("nearest"), Some(Vec::new()));
}
