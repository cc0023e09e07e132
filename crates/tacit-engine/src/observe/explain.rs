//! Records kept of a session tree beside its memories (a digest, counts, the reason for each
//! conclusion), and their explanation.

use serde::{Deserialize, Serialize};
use tacit_core::SessionId;
use tacit_core::log::Complexity;
use tacit_observer::promotion::TraceEntry;
use tacit_observer::session_tree::Release;
use tacit_observer::{Conclusions, SessionDigest};
use tacit_store::{
    ErrorOccurrences, FilePairUse, LoggedSignal, ObservedState, ObservedTree, TreeUsage,
};

use super::gather::GatheredTree;
use crate::engine::{Engine, StoreScope};
use crate::error::EngineResult;

/// An explanation of the conclusions from a session.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// The session tree.
    pub session: SessionId,
    /// The verdict of the checks.
    pub verdict: String,
    /// The size of the task.
    pub complexity: Complexity,
    /// True for past conclusions, false for those that would be drawn now.
    pub concluded: bool,
    /// The trace of all that was considered.
    pub considered: Vec<TraceEntry>,
}

impl Engine<'_> {
    /// Explains the conclusions from a session, or those that would be drawn now if it has not been
    /// looked at yet. Writes nothing.
    pub fn explain_session(&self, session: &SessionId) -> EngineResult<Explanation> {
        let store = self.store(StoreScope::Project).ok_or_else(|| self.not_initialised())?;
        if let Some(tree) = store.tree_of(session)? {
            let signals = store.signals(&tree)?;
            let summary = signals.iter().find(|signal| signal.kind == SUMMARY);
            let summary =
                summary.and_then(|signal| serde_json::from_str::<Summary>(&signal.body).ok());
            if let Some(Summary { verdict, complexity }) = summary {
                let others = signals.iter().filter(|signal| signal.kind != SUMMARY);
                let considered =
                    others.filter_map(|signal| serde_json::from_str(&signal.body).ok());
                let considered = considered.collect();
                return Ok(Explanation {
                    session: tree,
                    verdict,
                    complexity,
                    concluded: true,
                    considered,
                });
            }
        }
        let (gathered, conclusions) = self.learn(session)?;
        Ok(Explanation {
            session: gathered.tree.session,
            verdict: conclusions.verdict.describe(),
            complexity: conclusions.complexity,
            concluded: false,
            considered: conclusions.trace,
        })
    }
}

/// The kind of the signal that summarises a tree.
const SUMMARY: &str = "summary";

/// The summary of a tree.
#[derive(Serialize, Deserialize)]
struct Summary {
    verdict: String,
    complexity: Complexity,
}

/// Returns the rows that are kept of a tree beside its memories.
pub(super) fn observed_tree(
    gathered: &GatheredTree,
    conclusions: &Conclusions,
) -> EngineResult<ObservedTree> {
    let digest = &conclusions.digest;
    let (verdict, complexity) = (conclusions.verdict.describe(), conclusions.complexity);
    let summary = LoggedSignal {
        kind: SUMMARY.to_owned(),
        body: serde_json::to_string(&Summary { verdict, complexity })?,
        score: None,
    };
    let mut signals = vec![summary];
    for considered in &conclusions.trace {
        signals.push(LoggedSignal {
            kind: considered.basis.as_str().to_owned(),
            body: serde_json::to_string(considered)?,
            score: considered.score,
        });
    }
    Ok(ObservedTree {
        tree: gathered.tree.session.clone(),
        sessions: gathered.sessions.iter().map(|one| (one.id.clone(), one.last_at)).collect(),
        at: digest.at,
        state: match conclusions.release {
            Release::Wait(_) => ObservedState::Waits,
            Release::Now | Release::Never(_) => ObservedState::Done,
        },
        digest: serde_json::to_string(digest)?,
        signals,
        usage: uses(digest),
    })
}

fn uses(digest: &SessionDigest) -> TreeUsage {
    TreeUsage {
        files: digest
            .files
            .iter()
            .map(|used| (used.file.clone(), used.reads + used.changes))
            .collect(),
        pairs: digest
            .pairs
            .iter()
            .map(|pair| FilePairUse {
                a: pair.a.clone(),
                b: pair.b.clone(),
                a_first: pair.a_first,
                delta_ms: pair.time_delta_ms as f64,
            })
            .collect(),
        errors: digest
            .errors
            .iter()
            .map(|error| ErrorOccurrences {
                fingerprint: error.fingerprint.to_string(),
                tool: error.tool.clone(),
                message: error.message.clone(),
                count: error.count,
                resolved_how: error.resolved_how.clone(),
            })
            .collect(),
    }
}
