//! Recounts the confirmations of memories that the observer concluded: a session confirms a memory
//! only if it met the same subject.

use tacit_core::{Details, Memory, Sessions, Source};
use tacit_observer::SessionDigest;
use tacit_store::{ActionKind, Filter, ListOrder};

use crate::engine::{Engine, StoreScope};
use crate::error::EngineResult;
use crate::remember::index;

/// The request that marks a store as recounted.
const REQUEST: &str = "observe recount of confirmations 1";
/// The most digests that are compared.
const DIGESTS: usize = 2_000;

impl Engine<'_> {
    /// Recounts once per store: earlier versions counted similar texts as confirmations.
    pub(super) fn recount_confirmations(&mut self) -> EngineResult<()> {
        let store = self.store(StoreScope::Project).ok_or_else(|| self.not_initialised())?;
        if store.count_requests(REQUEST)? > 0 {
            return Ok(());
        }
        let read = store.digests(DIGESTS)?;
        let digests: Vec<SessionDigest> =
            read.iter().filter_map(|json| serde_json::from_str(json).ok()).collect();
        let filter = Filter { sources: vec![Source::ObserverInferred], ..Filter::everything() };
        let project = Some(StoreScope::Project);
        let found = self.list(project, &filter, ListOrder::Oldest, usize::MAX, 0)?;
        let action = self.tacit_action(ActionKind::Edit, "recounted confirmations");
        let mut gate = self.open_gate(StoreScope::Project, action, true)?;
        if gate.transaction.claim_request(REQUEST)? {
            for found in found {
                let before = found.memory;
                if let Some(mut after) = recounted(&before, &digests) {
                    after.updated_at = gate.now;
                    gate.transaction.update(&before, &after)?;
                    index(gate.transaction.as_mut(), &after)?;
                }
            }
        }
        gate.commit()?;
        Ok(())
    }
}

/// Returns a memory with the sessions that met its subject, or `None` if its count is right.
fn recounted(before: &Memory, digests: &[SessionDigest]) -> Option<Memory> {
    let sessions = &before.body.origin.sessions;
    if before.observations <= 1 || sessions.iter().count() <= 1 {
        return None;
    }
    let first = sessions.iter().next()?.clone();
    let met = |digest: &&SessionDigest| match before.body.subject.details() {
        Details::ErrorPattern(error) => {
            digest.errors.iter().any(|other| other.fingerprint == error.fingerprint)
        }
        // Measured anew by each session.
        Details::PrefetchPattern(_)
        | Details::ContextCost(_)
        | Details::TaskCalibration(_)
        | Details::WorkflowRecipe(_) => true,
        _ => {
            let files: Vec<_> = before.body.files.iter().collect();
            files.len() == 2
                && digest
                    .pairs
                    .iter()
                    .any(|pair| files.contains(&&pair.a) && files.contains(&&pair.b))
        }
    };
    let confirming = digests.iter().filter(met).map(|digest| &digest.session);
    let confirming: Vec<_> =
        confirming.filter(|id| sessions.iter().any(|own| own == *id)).collect();
    let kept = sessions.iter().filter(|id| **id == first || confirming.contains(id)).cloned();
    let kept = Sessions::collect(kept).ok()?;
    let lost = sessions.iter().count() - kept.iter().count();
    if lost == 0 {
        return None;
    }
    let mut after = before.clone();
    after.observations = before.observations.saturating_sub(lost as u32).max(1);
    after.body.origin.sessions = kept;
    Some(after)
}
