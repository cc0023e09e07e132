//! The end of a turn: asks the agent for the lesson of the turn, for records, or for both.

use tacit_store::SessionChange;

use super::{HookContext, HookDecision};

/// The question about a turn that taught something. The answer is the last message of the agent,
/// which the observer reads.
const LESSON: &str = "what should the next agent in this repository know because of this turn: a \
                      cause, a rule, a command that works here? Answer with one line `LESSON: ...` \
                      that names the code, command or file, or with `LESSON: none`.";

/// Handles the end of a turn.
pub(super) fn turn(ctx: &HookContext<'_, '_>, decision: &mut HookDecision) {
    let request = &ctx.stop_request;
    let text = match (&request.records, request.lesson) {
        (Some(task), true) => format!("{task}\n\nIn your last message, also say: {LESSON}"),
        (Some(task), false) => task.clone(),
        (None, true) => format!("Before you stop: {LESSON} Do nothing else."),
        (None, false) => return,
    };
    decision.changes.push(SessionChange::Asked);
    decision.reply.block = Some(text);
}
