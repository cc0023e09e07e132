//! Properties of every session.

use proptest::prelude::*;
use tacit_observer::Timeline;
use tacit_observer::promotion::PromotionDecision;

use crate::script::{Script, at, conclusions};

#[derive(Debug, Clone)]
enum Act {
    Says(u8),
    Reads(u8),
    Edits(u8, u8, u8),
    Passes(u8),
    Fails(u8, u8),
    Reverts(u8),
    Notes(u8),
    Agent(Option<u8>),
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        (0..4_u8).prop_map(Act::Says),
        (0..5_u8).prop_map(Act::Reads),
        (0..4_u8, 0..3_u8, 0..3_u8).prop_map(|(file, old, new)| Act::Edits(file, old, new)),
        (0..3_u8).prop_map(Act::Passes),
        (0..3_u8, 0..2_u8).prop_map(|(command, error)| Act::Fails(command, error)),
        (0..4_u8).prop_map(Act::Reverts),
        (0..4_u8).prop_map(Act::Notes),
        prop::option::of(0..2_u8).prop_map(Act::Agent),
    ]
}

fn script(calls_app: &[Act]) -> Script {
    const COMMANDS: [&str; 3] = ["cargo test", "npm test", "./deploy.sh"];
    const ERRORS: [&str; 2] = ["error[E0308]: mismatched types", "Error: connect ECONNREFUSED"];
    const SAYS: [&str; 4] =
        ["Add it", "No, use pnpm instead of npm", "Always sort imports", "why?"];
    calls_app.iter().fold(Script::new("s"), |script, act| match act {
        Act::Says(what) => script.says(SAYS[usize::from(*what)]),
        Act::Reads(file) => script.reads(&format!("src/a/f{file}.rs")),
        Act::Edits(file, old, new) => script.edits(
            &format!("src/a/f{file}.rs"),
            &format!("value = {old}00"),
            &format!("value = {new}00"),
        ),
        Act::Passes(command) => script.runs(COMMANDS[usize::from(*command)], ""),
        Act::Fails(command, error) => {
            script.fails(COMMANDS[usize::from(*command)], ERRORS[usize::from(*error)])
        }
        Act::Reverts(file) => script.runs(&format!("git checkout -- src/a/f{file}.rs"), ""),
        Act::Notes(what) => {
            script.notes("gotcha", &format!("Something of kind {what} was found out"), &[])
        }
        Act::Agent(agent) => script.in_subagent(agent.map(|agent| format!("a{agent}")).as_deref()),
    })
}

proptest! {
    #[test]
    fn the_order_of_the_log_does_not_matter(calls_app in prop::collection::vec(act(), 0..60), seed in any::<u64>()) {
        let tree = script(&calls_app).ends().tree();
        let mut shuffled = tree.clone();
        // A simple shuffle that depends on the seed alone.
        let mut state = seed | 1;
        for at in (1..shuffled.log.len()).rev() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            shuffled.log.swap(at, (state >> 33) as usize % (at + 1));
        }
        let now = at(1_000);
        prop_assert_eq!(conclusions(&tree, &[], now), conclusions(&shuffled, &[], now));
    }

    #[test]
    fn duplicate_log_entries_count_once(calls_app in prop::collection::vec(act(), 0..40)) {
        let tree = script(&calls_app).ends().tree();
        let mut twice = tree.clone();
        twice.log.extend(tree.log.clone());
        prop_assert_eq!(Timeline::from_log(&tree.log), Timeline::from_log(&twice.log));
    }

    #[test]
    fn unchecked_work_yields_only_user_corrections(calls_app in prop::collection::vec(act(), 0..60)) {
        let script = script(&calls_app).ends();
        let conclusions = script.conclusions(&[]);
        for decision in conclusions.decisions {
            let (PromotionDecision::Keep(candidate) | PromotionDecision::Reinforce(_, candidate)) = decision;
            // Corrections by the user are the exception.
            prop_assert!(candidate.step_index.is_none_or(|step| conclusions.verdict.covers_step(step)));
            // The write gate accepts every draft.
            prop_assert!(candidate.draft.clone().check(tacit_core::Confidence::MEDIUM).is_ok(), "{:?}", candidate);
        }
    }

    #[test]
    fn parallel_conversations_do_not_affect_each_other(
        one in prop::collection::vec(act(), 0..20),
        two in prop::collection::vec(act(), 0..20),
        shift in 0..20_i64,
    ) {
        // The signals of each conversation are the same however the two are interleaved.
        let only_kept = |calls_app: &[Act]| calls_app.iter().filter(|act| matches!(act, Act::Reads(_) | Act::Edits(..))).cloned().collect::<Vec<_>>();
        let (one, two) = (only_kept(&one), only_kept(&two));
        let together = |shift: i64| {
            let first = script(&one);
            let length = first.log.len() as i64;
            let mut joined = script(&two).in_subagent(Some("other")).log;
            for (number, entry) in joined.iter_mut().enumerate() {
                entry.id = format!("other-{number:04}");
                entry.at = at(number as i64 * 2 + shift);
                if let tacit_observer::log::LogEvent::Client(event) = &mut entry.event {
                    event.agent = Some(tacit_core::Subagent { id: "other".into(), kind: None });
                }
            }
            let mut tree = first.rewind(length).tree();
            tree.log.extend(joined);
            let digest = conclusions(&tree, &[], at(1_000)).digest;
            let mut pairs: Vec<_> = digest.pairs.into_iter().map(|pair| (pair.a, pair.b, pair.step_delta)).collect();
            pairs.sort();
            (pairs, digest.files)
        };
        prop_assert_eq!(together(0), together(shift));
    }
}
