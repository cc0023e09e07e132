//! The end of a turn: asks the agent to write down what it learnt, once for the same content, and
//! once per session if the content is unknown.

use tacit_store::SessionChange;

use super::{HookContext, HookDecision, StopRequest};

/// The request if the transcript of the session cannot be read.
const ANY_LEARNINGS: &str = "Before you stop: did this session teach you anything that later work \
                             on this project should know, such as a pitfall, a decision and its \
                             reason, or a fix that worked? Store each with `tacit remember --type \
                             TYPE \"...\"`: one sentence, and only what was confirmed. If there is \
                             nothing, just stop.";

/// Handles the end of a turn. `goes_on` is true if the agent continues because of a stop hook.
pub(super) fn turn(ctx: &HookContext<'_, '_>, goes_on: bool, decision: &mut HookDecision) {
    // An agent is held back once only, or it might never stop.
    if goes_on {
        return;
    }
    let asked = ctx.session.as_ref().is_some_and(|session| session.asked);
    let request = match &ctx.stop_request {
        StopRequest::Task(request) => request.clone(),
        StopRequest::AnyLearnings if !asked => ANY_LEARNINGS.to_owned(),
        StopRequest::AnyLearnings | StopRequest::None => return,
    };
    decision.changes.push(SessionChange::Asked);
    decision.reply.block = Some(request);
}
