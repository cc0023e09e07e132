//! The end of a turn: asks the agent for the lesson of the turn, for records, or for both.

use tacit_store::SessionChange;

use super::{HookContext, HookDecision};

/// The question about a turn that taught something. The answer is the last message of the agent,
/// which the observer reads.
const LESSON: &str = "what should the next agent in this repository know because of this turn: a \
                      cause, a rule, a command that works here? Answer with one line `LESSON: ...` \
                      that names the code, command or file, or with `LESSON: none`.";

/// The beginning of the task to write records.
const RECORDS: &str = "this session may contain something that later work should know.";

/// The beginning of every request to an agent that is about to stop.
const STOP_REQUEST: &str = "Before you stop: ";

/// Returns true if a text is such a request, which some clients report as a prompt.
pub fn is_stop_request(text: &str) -> bool {
    text.strip_prefix(STOP_REQUEST)
        .is_some_and(|rest| rest.starts_with(LESSON) || rest.starts_with(RECORDS))
}

/// Handles the end of a turn.
pub(super) fn turn(ctx: &HookContext<'_, '_>, decision: &mut HookDecision) {
    let request = &ctx.stop_request;
    let text = match (&request.records, request.lesson) {
        (Some(task), true) => format!("{task}\n\nIn your last message, also say: {LESSON}"),
        (Some(task), false) => task.clone(),
        (None, true) => format!("{STOP_REQUEST}{LESSON} Do nothing else."),
        (None, false) => return,
    };
    decision.changes.push(SessionChange::Asked);
    decision.reply.block = Some(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_requests_are_recognised() {
        let task = include_str!("../hook/records_task.md");
        for (text, expected) in [
            (format!("{STOP_REQUEST}{LESSON} Do nothing else."), true),
            (format!("{task}\ngotcha: 2"), true),
            ("Before you stop: run the tests".to_owned(), false),
            (LESSON.to_owned(), false),
        ] {
            assert_eq!(is_stop_request(&text), expected, "{text}");
        }
    }
}
