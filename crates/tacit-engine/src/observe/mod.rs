//! Looking at what agents did, and keeping what proved true.
//!
//! `tacit-observer` decides, values in and values out; here is what it is given and what becomes of
//! its decisions. Every session is looked at once it is over, or somebody says how its work goes, and
//! again if it goes on; each conclusion is drawn once.

mod apply;
mod family;
mod gather;
mod near;
mod report;
mod scratchpad;
pub(crate) mod transcript;

use serde::{Deserialize, Serialize};
use tacit_core::SessionId;
use tacit_core::log::Complexity;
use tacit_observer::promotion::{Considered, Fate, Promotion, promote};
use tacit_observer::session_tree::Release;
use tacit_observer::{Digest, Observation, observe};
use tacit_store::{ErrorUse, LoggedSignal, ObservedState, ObservedTree, PairUse, Session, Uses};

pub(crate) use gather::entries;
pub use report::ValidationReport;

use crate::engine::{Engine, Shelf};
use crate::error::EngineResult;
use gather::Gathered;

/// How many sessions are looked at in one go.
const SESSIONS: usize = 200;
/// How many earlier sessions a rule can look at.
const PAST: usize = 120;
/// A session in which nothing happened for so many days is over, whether or not it said so.
const SILENT_DAYS: f64 = 0.125;

/// What came of looking at sessions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Observed {
    /// How many session trees were looked at.
    pub sessions: usize,
    /// How many memories are new.
    pub stored: usize,
    /// How many were confirmed.
    pub reinforced: usize,
    /// How many were brought up to date.
    pub updated: usize,
    /// How many trees wait for others.
    pub waiting: usize,
}

/// Why something was or was not concluded from a session.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// The session tree.
    pub session: SessionId,
    /// What the checks say.
    pub verdict: String,
    /// How large the task is.
    pub complexity: Complexity,
    /// Whether this is what was concluded, or what would be.
    pub concluded: bool,
    /// Everything that was considered.
    pub considered: Vec<Considered>,
}

impl Engine<'_> {
    /// Whether anything is concluded from what agents do: the user may not want it, or have them
    /// write it down themselves.
    pub fn observes(&self) -> bool {
        matches!(self.config.capture_extractor.as_str(), "auto" | "model" | "rules")
    }

    /// Looks at every session that is over or was reported on, and has not been looked at since.
    pub fn observe_pending(&mut self) -> EngineResult<Observed> {
        let silent = self.clock.now().plus_days(-SILENT_DAYS);
        let store = self.store(Shelf::Project).ok_or_else(|| self.not_initialised())?;
        let sessions = store.sessions_to_observe(silent, SESSIONS)?;
        for session in &sessions {
            self.link_session(&session.id)?;
        }
        let mut observed = Observed::default();
        let mut seen: Vec<SessionId> = Vec::new();
        for session in sessions {
            if !seen.contains(&session.id) {
                let tree = self.observe_tree(&session.id, &mut observed)?;
                seen.extend(tree.into_iter().map(|session| session.id));
            }
        }
        Ok(observed)
    }

    /// Looks at one session and those that belong to it, whether or not it is over.
    pub fn observe_session(&mut self, session: &SessionId) -> EngineResult<Observed> {
        let mut observed = Observed::default();
        self.link_session(session)?;
        self.observe_tree(session, &mut observed)?;
        Ok(observed)
    }

    /// Why what was concluded from a session was, or what would be concluded now if it has not been
    /// looked at yet. Writes nothing.
    pub fn explain_session(&self, session: &SessionId) -> EngineResult<Explanation> {
        let store = self.store(Shelf::Project).ok_or_else(|| self.not_initialised())?;
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
        let (gathered, observation, promotion) = self.look(session)?;
        Ok(Explanation {
            session: gathered.tree.session,
            verdict: observation.verdict.told(),
            complexity: observation.complexity,
            concluded: false,
            considered: promotion.trace,
        })
    }

    /// The sessions in which something last happened, and what became of them.
    pub fn observed_sessions(
        &self,
        limit: usize,
    ) -> EngineResult<Vec<(Session, Option<ObservedState>)>> {
        let store = self.store(Shelf::Project).ok_or_else(|| self.not_initialised())?;
        Ok(store.latest_sessions(limit)?)
    }

    fn look(&self, session: &SessionId) -> EngineResult<(Gathered, Observation, Promotion)> {
        let gathered = self.gather(session)?;
        let past = self.digests(&gathered)?;
        let recipes = apply::known_recipes(self)?;
        let now = self.clock.now();
        let observation = observe(&gathered.tree, &past, &recipes, now);
        let near = self.near_all(&observation.candidates)?;
        let promotion = promote(&observation, &near, now);
        Ok((gathered, observation, promotion))
    }

    fn observe_tree(
        &mut self,
        session: &SessionId,
        observed: &mut Observed,
    ) -> EngineResult<Vec<Session>> {
        let (gathered, observation, mut promotion) = self.look(session)?;
        for (about, why) in self.conclude(&gathered, &observation, &promotion, observed)? {
            let kept =
                promotion.trace.iter_mut().find(|one| one.fate == Fate::Kept && one.about == about);
            if let Some(considered) = kept {
                considered.fate = Fate::Dropped;
                considered.why = format!("the write gate refused it: {why}");
            }
        }
        let waits = matches!(observation.release, Release::Wait(_));
        observed.sessions += 1;
        observed.waiting += usize::from(waits);
        let state = if waits { ObservedState::Waits } else { ObservedState::Done };
        let kept = kept(&gathered, &observation, &promotion, state);
        self.store_mut(Shelf::Project)?.keep_observed(&kept)?;
        Ok(gathered.sessions)
    }

    /// What is kept of earlier trees, the newest first.
    fn digests(&self, gathered: &Gathered) -> EngineResult<Vec<Digest>> {
        let store = self.store(Shelf::Project).ok_or_else(|| self.not_initialised())?;
        let read = store.digests(PAST)?;
        let own = |digest: &Digest| gathered.sessions.iter().any(|own| own.id == digest.session);
        // One that another version wrote and cannot be read is as if it had not been kept.
        let digests = read.iter().filter_map(|json| serde_json::from_str::<Digest>(json).ok());
        Ok(digests.filter(|digest| !own(digest)).collect())
    }
}

/// The kind of the signal that says what came of a tree as a whole.
const SUMMARY: &str = "summary";

/// What came of a tree as a whole.
#[derive(Serialize, Deserialize)]
struct Summary {
    verdict: String,
    complexity: Complexity,
}

fn kept(
    gathered: &Gathered,
    observation: &Observation,
    promotion: &Promotion,
    state: ObservedState,
) -> ObservedTree {
    let digest = &observation.digest;
    let (verdict, complexity) = (observation.verdict.told(), observation.complexity);
    let summary = LoggedSignal {
        kind: SUMMARY.to_owned(),
        body: serde_json::to_string(&Summary { verdict, complexity }).unwrap_or_default(),
        score: None,
    };
    let signals = promotion.trace.iter().map(|considered| LoggedSignal {
        kind: considered.basis.as_str().to_owned(),
        body: serde_json::to_string(considered).unwrap_or_default(),
        score: considered.score,
    });
    let signals = std::iter::once(summary).chain(signals);
    ObservedTree {
        tree: gathered.tree.session.clone(),
        sessions: gathered.sessions.iter().map(|one| (one.id.clone(), one.last_at)).collect(),
        at: digest.at,
        state,
        digest: serde_json::to_string(digest).unwrap_or_default(),
        signals: signals.collect(),
        uses: uses(digest),
    }
}

fn uses(digest: &Digest) -> Uses {
    Uses {
        files: digest
            .files
            .iter()
            .map(|used| (used.file.clone(), used.reads + used.changes))
            .collect(),
        pairs: digest
            .pairs
            .iter()
            .map(|pair| PairUse {
                a: pair.a.clone(),
                b: pair.b.clone(),
                a_first: pair.a_first,
                delta_ms: pair.time_delta_ms as f64,
            })
            .collect(),
        errors: digest
            .errors
            .iter()
            .map(|error| ErrorUse {
                fingerprint: error.fingerprint.clone(),
                tool: error.tool.clone(),
                message: error.message.clone(),
                count: error.count,
                resolved_how: error.resolved_how.clone(),
            })
            .collect(),
    }
}
