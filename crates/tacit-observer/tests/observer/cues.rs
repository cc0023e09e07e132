//! Cues of learnt memories: the situations in which they were learnt.

use tacit_observer::promotion::PromotionDecision;

use crate::script::{OK, Script};

/// Returns the cues of all that is learnt.
fn cues(script: &Script) -> Vec<String> {
    let learnt = script.conclusions(&[]).decisions;
    let drafts = learnt.into_iter().map(|decision| match decision {
        PromotionDecision::Keep(candidate) | PromotionDecision::Reinforce(_, candidate) => {
            candidate.draft
        }
    });
    drafts.flat_map(|draft| draft.cues).collect()
}

fn noted(script: Script) -> Script {
    script
        .notes("gotcha", "The exporter keeps the file open until the process ends", &[])
        .edits("src/export.rs", "let a = 1;", "let a = 2;")
        .runs("cargo test", OK)
        .ends()
}

#[test]
fn the_task_of_the_session_is_a_cue() {
    let task = "Customers report that their downloaded invoices are empty, please find out why";
    for (script, expected) in [
        (Script::new("s").says(task), vec![task]),
        (Script::new("s").says(task).says("yes, go on"), vec![task]),
        (Script::new("s").says("fix it"), vec![]),
        (Script::new("s").says("The exporter keeps the file open until the process ends!"), vec![]),
        (Script::new("s").says_automatically(task), vec![]),
        (Script::new("s"), vec![]),
    ] {
        assert_eq!(cues(&noted(script)), expected);
    }
}

#[test]
fn statistics_have_no_cues() {
    let script = Script::new("s")
        .says("Customers report that their downloaded invoices are empty, please find out why")
        .reads("src/a.rs")
        .edits("src/a.rs", "let a = 1;", "let a = 2;")
        .edits("src/b.rs", "let a = 1;", "let a = 2;")
        .runs("cargo test", OK)
        .ends();
    assert_eq!(cues(&script), Vec::<String>::new());
}
