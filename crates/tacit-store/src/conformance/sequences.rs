//! Random sequences of operations, applied to two stores that must stay equal.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::operations::{Kind, Operation, UNINDEXED, apply};
use super::state::{GenerationCheck, assert_same_state};
use crate::Store;

/// All kinds, the frequent ones several times.
const KINDS: [Kind; 37] = [
    Kind::Remember,
    Kind::Remember,
    Kind::Remember,
    Kind::Remember,
    Kind::Edit,
    Kind::Edit,
    Kind::Edit,
    Kind::Record,
    Kind::Record,
    Kind::Record,
    Kind::Observe,
    Kind::Observe,
    Kind::Embed,
    Kind::Embed,
    Kind::Remove,
    Kind::Purge,
    Kind::Abort,
    Kind::Claim,
    Kind::Undo,
    Kind::Undo,
    Kind::Access,
    Kind::Link,
    Kind::Link,
    Kind::ResetLinks,
    Kind::MoveLinks,
    Kind::AddModel,
    Kind::ActivateModel,
    Kind::DeleteOtherModels,
    Kind::SetFates,
    Kind::Judge,
    Kind::SetUses,
    Kind::BlankInjections,
    Kind::DeleteEvents,
    Kind::SetCoChanges,
    Kind::EraseQuotes,
    Kind::CacheTerms,
    Kind::QueueMissing,
];

/// Generates operations on a few memories, sessions and files.
pub fn operation() -> impl Strategy<Value = Operation> {
    (prop::sample::select(KINDS.to_vec()), 0..12_u8, any::<u8>())
        .prop_map(|(kind, one, other)| Operation { kind, one, other })
}

/// Applies random sequences of operations to pairs of empty stores and compares the stores.
///
/// # Panics
///
/// If the stores differ, with the shortest sequence that was found.
pub fn same_states<A: Store, B: Store, KeepA, KeepB>(
    cases: u32,
    one: impl Fn() -> (A, KeepA),
    other: impl Fn() -> (B, KeepB),
) {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let sequences = prop::collection::vec(operation(), 1..60);
    let run = TestRunner::new(config).run(&sequences, |operations| {
        let ((mut one, _keep_one), (mut other, _keep_other)) = (one(), other());
        for (nth, operation) in operations.iter().enumerate() {
            let (left, right) = (apply(&mut one, *operation), apply(&mut other, *operation));
            assert_eq!(left, right, "step {nth}, {operation:?}");
            if nth % 16 == 15 {
                let when = format!("after step {nth}, {operation:?}");
                assert_same_state(&one, &other, GenerationCheck::Compared, &when);
            }
        }
        assert_same_state(&one, &other, GenerationCheck::Compared, "at the end");
        Ok(())
    });
    if let Err(error) = run {
        panic!("{error}");
    }
}

/// Fills a store with rows of every kind: a few hundred operations, without those that delete much.
pub fn filled(store: &mut dyn Store) {
    let calm = |kind: &Kind| {
        !matches!(kind, Kind::DeleteOtherModels | Kind::DeleteEvents | Kind::ResetLinks)
    };
    let kinds: Vec<Kind> = KINDS.into_iter().filter(calm).collect();
    for number in 0..220_usize {
        let kind = kinds[number * 7 % kinds.len()];
        let one = (number * 5 % 12) as u8;
        // A copy is indexed as a whole, so every memory is.
        let other = ((number * 37 % 256) as u8).max(1);
        let other = if other.is_multiple_of(UNINDEXED) { other + 1 } else { other };
        apply(store, Operation { kind, one, other });
    }
    for one in (0..12).step_by(2) {
        apply(store, Operation { kind: Kind::Remember, one, other: 201 + one * 3 });
    }
    // Some of them replace what was there by nothing.
    for kind in [Kind::Record, Kind::SetUses, Kind::SetCoChanges, Kind::Link, Kind::Observe] {
        apply(store, Operation { kind, one: 5, other: 7 });
    }
}
