//! The end of a turn: the agent may be asked, once in a session, to write down what it learnt.

use tacit_store::SessionChange;

use super::{Decision, Desk};

/// The agent has nothing more to do.
pub(super) fn turn(desk: &Desk<'_, '_>, goes_on: bool, decision: &mut Decision) {
    let asked = desk.session.as_ref().is_some_and(|session| session.asked);
    // Whoever was held back once is let go, so that no agent is kept for ever.
    if !desk.settings.ask_agent || goes_on || asked {
        return;
    }
    decision.changes.push(SessionChange::Asked);
    decision.reply.block = Some(
        "Before you stop: if this session taught something that will hold for later work here (a \
         pitfall, a decision with its reason, a fix that worked), store each with `tacit remember \
         --type TYPE \"...\"`, one sentence each, only what was confirmed. Then stop. If there is \
         nothing, just stop."
            .into(),
    );
}
