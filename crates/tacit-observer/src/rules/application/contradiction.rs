//! Finds stored observations that a session contradicts: the action worked at once.

use tacit_core::{MemoryId, ObservationType};

use super::act;
use crate::application::{AppCall, AppCallKind};

/// A stored observation of the application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownObservation {
    /// The memory that holds it.
    pub id: MemoryId,
    /// The kind of observation.
    pub kind: ObservationType,
    /// The text, as the rules wrote it.
    pub content: String,
}

/// Returns the observations that the calls of a conversation contradict. An action that is said not
/// to work, worked; or it worked before anything that it is said to need was done.
pub(crate) fn contradicted(known: &[KnownObservation], calls: &[&AppCall]) -> Vec<MemoryId> {
    let mut found = Vec::new();
    let mut failed: Vec<String> = Vec::new();
    let mut done: Vec<String> = Vec::new();
    for call in calls.iter().filter(|call| call.kind == AppCallKind::Action) {
        let acted = act(call);
        if call.failure.is_some() {
            failed.push(acted);
            continue;
        }
        if call.target.is_some() && !failed.contains(&acted) {
            for observation in known {
                let rest = observation.content.strip_prefix(acted.as_str());
                let is_denied = rest.is_some_and(|rest| denies(observation.kind, rest, &done));
                if is_denied && !found.contains(&observation.id) {
                    found.push(observation.id);
                }
            }
        }
        done.push(acted);
    }
    found
}

/// Returns true if an action that worked after `done` contradicts what follows it in the text of an
/// observation.
fn denies(kind: ObservationType, rest: &str, done: &[String]) -> bool {
    match kind {
        ObservationType::McpGotcha => rest.starts_with(" does not work"),
        ObservationType::Precondition => rest
            .strip_prefix(" works only after ")
            .and_then(|rest| rest.split_once(". Before that"))
            .is_some_and(|(needed, _)| !done.iter().any(|act| needed.contains(act.as_str()))),
        // Whether something takes time depends on the machine.
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(tool: &str, target: &str, works: bool) -> AppCall {
        AppCall {
            tool: tool.to_owned(),
            kind: AppCallKind::Action,
            target: Some(target.to_owned()),
            failure: (!works).then(|| "it is disabled".to_owned()),
            answer: String::new(),
        }
    }

    #[test]
    fn an_action_that_works_at_once_contradicts_what_it_is_said_to_need() {
        let id: MemoryId = "01a1dec1-b840-7000-b2ef-209ac0fa4457".parse().unwrap();
        let known = |kind, content: &str| KnownObservation { id, kind, content: content.into() };
        let needs = known(
            ObservationType::Precondition,
            "click on `Start` works only after click on `Settings`, then fill on `Name`. Before \
             that it failed (it is disabled).",
        );
        let fails = known(
            ObservationType::McpGotcha,
            "click on `Start` does not work (it is disabled); eval does.",
        );
        let slow = known(ObservationType::Timing, "click on `Start` needs some time: it failed.");
        let (start, settings) = (call("click", "Start", true), call("click", "Settings", true));
        let refused = call("click", "Start", false);
        let other = call("click", "Starter", true);
        for (observation, calls, expected) in [
            (&needs, vec![&start], true),
            (&needs, vec![&other, &start], true),
            (&needs, vec![&settings, &start], false),
            (&needs, vec![&refused, &start], false),
            (&needs, vec![&other], false),
            (&fails, vec![&start], true),
            (&fails, vec![&refused, &start], false),
            (&slow, vec![&start], false),
        ] {
            let found = contradicted(std::slice::from_ref(observation), &calls);
            assert_eq!(!found.is_empty(), expected, "{}: {calls:?}", observation.content);
        }
    }
}
