//! The end of a turn: the agent may be asked to write down what it learnt. Once for the same content,
//! and once in a session where the content is not known.

use tacit_store::SessionChange;

use super::{HookContext, HookDecision, StopRequest};

/// What is asked where nobody could look at the session.
const ANYTHING: &str = "Before you stop: if this session taught something that will hold for later \
                        work here (a pitfall, a decision with its reason, a fix that worked), store \
                        each with `tacit remember --type TYPE \"...\"`, one sentence each, only \
                        what was confirmed. Then stop. If there is nothing, just stop.";

/// The agent has nothing more to do.
pub(super) fn turn(ctx: &HookContext<'_, '_>, goes_on: bool, decision: &mut HookDecision) {
    // Whoever was held back once is let go, so that no agent is kept for ever.
    if goes_on {
        return;
    }
    let asked = ctx.session.as_ref().is_some_and(|session| session.asked);
    let what = match &ctx.stop_request {
        StopRequest::Task(what) => what.clone(),
        StopRequest::AnyLearnings if !asked => ANYTHING.to_owned(),
        StopRequest::AnyLearnings | StopRequest::None => return,
    };
    decision.changes.push(SessionChange::Asked);
    decision.reply.block = Some(what);
}
