//! The definitions inside the program, row by row.

use tacit_core::UniversalPhase::{self, Define, Explore, Implement, Refine, Reflect, Validate};
use tacit_work::{Methodology, NATIVE, SHIPPED};

use crate::methodology;

#[test]
fn shipped_definitions_are_valid_and_named_like_their_file() {
    for definition in SHIPPED {
        let methodology = Methodology::parse(definition.text).unwrap();
        assert_eq!(methodology.id(), definition.id);
        for phase in UniversalPhase::ALL {
            let own = methodology.phases().iter().any(|(_, universal)| universal == phase);
            assert!(own, "{} has no phase for `{phase}`", definition.id);
        }
    }
    assert_eq!(SHIPPED[0].id, NATIVE);
}

#[test]
fn phases_map_to_universal_phases() {
    for (id, phases) in [
        (
            "native",
            &[
                ("planning", Define),
                ("spec", Define),
                ("coding", Implement),
                ("qa_review", Validate),
                ("qa_fix", Refine),
                ("debugging", Refine),
                ("insights", Explore),
                ("something else", Explore),
            ] as &[(&str, UniversalPhase)],
        ),
        (
            "bmad",
            &[
                ("analyst", Define),
                ("pm", Define),
                ("architect", Define),
                ("story_creation", Define),
                ("dev", Implement),
                ("story_development", Implement),
                ("qa", Validate),
                ("story_acceptance", Validate),
                ("sm", Reflect),
                ("retrospective", Reflect),
                ("research", Explore),
                ("coding", Explore),
            ],
        ),
        (
            "tdd",
            &[
                ("red", Define),
                ("green", Implement),
                ("assertion", Validate),
                ("refactor", Refine),
                ("blue", Explore),
            ],
        ),
        ("agile", &[("tech_debt", Refine), ("sprint_planning", Define), ("demo", Validate)]),
    ] {
        for (own, universal) in phases {
            assert_eq!(methodology(id).map_phase(own), *universal, "{id} {own}");
        }
        for universal in UniversalPhase::ALL {
            assert_eq!(methodology(id).find_phase(universal.as_str()), Some(*universal));
        }
        assert_eq!(methodology(id).find_phase("codign"), None);
    }
}

#[test]
fn units_have_readable_labels() {
    for (id, typed, hierarchy, label) in [
        (
            "native",
            "spec_042/subtask_3",
            &["spec_042", "subtask_3"] as &[&str],
            "Spec 042 / Subtask 3",
        ),
        ("native", "042/3", &["042", "3"], "Spec 042 / Subtask 3"),
        ("native", "042", &["042"], "Spec 042"),
        (
            "bmad",
            "epic_3/story_3_2/task_5",
            &["epic_3", "story_3_2", "task_5"],
            "Epic 3 / Story 3.2",
        ),
        ("bmad", "epic=3/story=3.2", &["3", "3.2"], "Epic 3 / Story 3.2"),
        ("bmad", "story=3.2", &["3.2"], "Story 3.2"),
        ("bmad", "task=wire it up", &["wire it up"], "wire it up"),
        (
            "tdd",
            "feature_auth/red_cycle_5",
            &["feature_auth", "red_cycle_5"],
            "Feature auth / Cycle 5",
        ),
        ("agile", "sprint_12/story_US47", &["sprint_12", "story_US47"], "Sprint 12 / Story US47"),
        ("agile", "story=US47/task=2", &["US47", "2"], "Story US47 / Task 2"),
    ] {
        let unit = methodology(id).unit(typed).unwrap();
        assert_eq!(unit.methodology(), id);
        assert_eq!(unit.hierarchy(), hierarchy, "{typed}");
        assert_eq!(unit.label(), label, "{typed}");
    }
}

#[test]
fn invalid_units_are_rejected_with_a_reason() {
    for (typed, expected) in [
        (
            "1/2/3",
            "work unit: `1/2/3` is deeper than Native (specs and subtasks) goes (spec, subtask)",
        ),
        (
            "story=1",
            "work unit: `story` is not a level of Native (specs and subtasks) (spec, subtask)",
        ),
        ("subtask=1/spec=2", "work unit: levels are given from the outermost: spec, subtask"),
        ("", "work unit: an entry of the hierarchy is empty"),
        ("1//", "work unit: `1//` is deeper than Native (specs and subtasks) goes (spec, subtask)"),
    ] {
        assert_eq!(methodology("native").unit(typed).unwrap_err().to_string(), expected);
    }
    // References of others are taken as they are.
    let deep = methodology("native").unit_of(vec!["a".into(), "b".into(), "c".into()]).unwrap();
    assert_eq!(deep.label(), "Spec a / Subtask b");
}

#[test]
fn shipped_relays_connect_their_stages() {
    let relays = |id: &str| -> Vec<(String, String, usize)> {
        let methodology = methodology(id);
        let all = methodology.relays().iter();
        all.map(|relay| (relay.from.clone(), relay.to.clone(), relay.types.len())).collect()
    };
    let row = |from: &str, to: &str, types| (from.to_owned(), to.to_owned(), types);
    assert_eq!(
        relays("native"),
        [
            row("planner", "coder", 0),
            row("coder", "qa_reviewer", 0),
            row("qa_reviewer", "qa_fixer", 2)
        ]
    );
    assert_eq!(
        relays("bmad"),
        [
            row("analyst", "architect", 0),
            row("architect", "dev", 0),
            row("dev", "qa", 0),
            row("qa", "sm", 2)
        ]
    );
    assert_eq!(
        relays("tdd"),
        [row("test_writer", "implementer", 0), row("implementer", "refactorer", 0)]
    );
    let native = methodology("native");
    let to = |word: &str| -> Vec<String> {
        native.relays_to(word).iter().map(|relay| relay.from.clone()).collect()
    };
    assert_eq!(to("coder"), ["planner"], "a stage");
    assert_eq!(to("coding"), ["planner"], "a phase of its own");
    assert_eq!(to("implement"), ["planner"], "a universal phase");
    assert_eq!(to("refine"), ["qa_reviewer"]);
    assert_eq!(to("define"), Vec::<String>::new());
    assert_eq!(to("nonsense"), Vec::<String>::new());
}

#[test]
fn custom_types_weigh_every_phase() {
    for (id, expected) in [
        ("native", &[] as &[&str]),
        ("bmad", &["bmad:acceptance_criterion"]),
        ("tdd", &["tdd:test_contract"]),
        ("agile", &["agile:definition_of_done"]),
    ] {
        let methodology = methodology(id);
        let types: Vec<&str> = methodology.types().iter().map(|kind| kind.kind.as_str()).collect();
        assert_eq!(types, expected);
        for kind in methodology.types() {
            assert_eq!(kind.weights.len(), UniversalPhase::ALL.len(), "{}", kind.kind);
        }
    }
}
