//! Property tests: stored memories read back unchanged.

use proptest::prelude::*;
use tacit_core::{Author, Memory, Timestamp};
use tacit_store::{Action, ActionKind, Store};
use tacit_testkit::arbitrary;

fn action() -> Action {
    Action {
        kind: ActionKind::Remember,
        at: Timestamp::from_millis(0).expect("a moment"),
        actor: Author::new("test").expect("a name"),
        reason: None,
        reverts: None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn memories_survive_a_store_round_trip(memories in prop::collection::vec(arbitrary::memory(), 1..6)) {
        let (mut store, _keep) = super::empty();
        let mut transaction = store.begin(action()).unwrap();
        for memory in &memories {
            transaction.insert(memory).unwrap();
        }
        transaction.commit().unwrap();
        let ids: Vec<_> = memories.iter().map(|memory| memory.id).collect();
        prop_assert_eq!(store.read(&ids).unwrap(), memories);
    }

    #[test]
    fn updates_replace_every_field(before in arbitrary::memory(), after in arbitrary::memory()) {
        let (mut store, _keep) = super::empty();
        let after = Memory { id: before.id, usage: before.usage, ..after };
        let mut transaction = store.begin(action()).unwrap();
        transaction.insert(&before).unwrap();
        transaction.update(&before, &after).unwrap();
        transaction.commit().unwrap();
        prop_assert_eq!(store.read(&[before.id]).unwrap(), vec![after]);
    }

    #[test]
    fn memories_survive_a_json_round_trip(memory in arbitrary::memory()) {
        let text = memory.to_json().to_string();
        prop_assert_eq!(Memory::from_json_str(&text).unwrap(), memory);
    }
}
