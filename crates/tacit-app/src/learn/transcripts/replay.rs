//! The replay: events of all sessions in the order of time, each session observed when it ended, with
//! the clock at that time. So later sessions are compared with earlier ones, as hooks would have done.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::vec::IntoIter;

use tacit_agents::transcripts::{PastSessionEvent, TranscriptSession};
use tacit_core::{Clock, EventKind, SessionId, Timestamp};
use tacit_engine::{CaptureState, Engine, PastSessionState};
use tacit_store::{ActivityBatch, EventQuery};

use super::candidate::{Candidate, ProjectRoots};
use super::{SkippedTranscript, TranscriptCounts};
use crate::app::App;
use crate::environment::ProgressKind;
use crate::error::AppResult;
use crate::hook::past::{PastEvent, PastEvents, stored_session};
use crate::project::Project;

/// The number of events that are written together.
const TOGETHER: usize = 256;
/// The days without activity after which a session without an end counts as over.
const SILENT_DAYS: f64 = 0.125;

/// A clock that shows the time of the events that are replayed.
pub(super) struct PastClock(AtomicI64);

impl PastClock {
    pub(super) fn at(time: Timestamp) -> PastClock {
        PastClock(AtomicI64::new(time.as_millis()))
    }

    fn set(&self, time: Timestamp) {
        self.0.store(time.as_millis(), Ordering::Relaxed);
    }
}

impl Clock for PastClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::Relaxed)).unwrap_or(Timestamp::MIN)
    }
}

/// A session whose events are being replayed.
struct ActiveSession {
    session: SessionId,
    branch: Option<String>,
    /// The directory whose project the events belong to.
    directory: PathBuf,
    /// The identifier of the last event.
    end: String,
    next: PastSessionEvent,
    rest: IntoIter<PastSessionEvent>,
}

/// The replay of chosen transcripts.
pub(super) struct Replay<'r, 'e> {
    pub(super) app: &'r App,
    pub(super) engine: &'r mut Engine<'e>,
    pub(super) clock: &'r PastClock,
    pub(super) roots: &'r ProjectRoots,
    /// Sessions that ended before are left out.
    pub(super) since: Option<Timestamp>,
    /// True if nothing is written.
    pub(super) dry_run: bool,
    pub(super) counts: TranscriptCounts,
    pub(super) skipped: Vec<SkippedTranscript>,
    /// The sessions that were taken over.
    pub(super) taken: BTreeSet<SessionId>,
    past: PastEvents,
    active: Vec<ActiveSession>,
    batches: Vec<ActivityBatch>,
    projects: BTreeMap<PathBuf, Project>,
}

impl<'r, 'e> Replay<'r, 'e> {
    pub(super) fn new(
        app: &'r App,
        engine: &'r mut Engine<'e>,
        clock: &'r PastClock,
        roots: &'r ProjectRoots,
        since: Option<Timestamp>,
        dry_run: bool,
    ) -> Replay<'r, 'e> {
        Replay {
            app,
            engine,
            clock,
            roots,
            since,
            dry_run,
            counts: TranscriptCounts::default(),
            skipped: Vec::new(),
            taken: BTreeSet::new(),
            past: PastEvents::default(),
            active: Vec::new(),
            batches: Vec::new(),
            projects: BTreeMap::new(),
        }
    }

    /// Replays transcripts, given oldest first.
    pub(super) fn run(&mut self, candidates: &[Candidate]) -> AppResult<()> {
        let total = candidates.len() as u64;
        let mut waiting = candidates.iter().peekable();
        let mut begun = 0;
        loop {
            let first = self.first_active();
            let next = first.map(|place| self.active[place].next.at);
            if let Some(candidate) = waiting.next_if(|it| next.is_none_or(|next| it.at <= next)) {
                self.app.watcher.progress(ProgressKind::Sessions, begun, total);
                begun += 1;
                self.open(candidate)?;
            } else if let Some(place) = first {
                self.step(place)?;
            } else {
                break;
            }
        }
        self.app.watcher.progress(ProgressKind::Sessions, total, total);
        Ok(())
    }

    /// Returns the active session with the earliest event; of the same time, that which began first.
    fn first_active(&self) -> Option<usize> {
        (0..self.active.len()).min_by_key(|place| self.active[*place].next.at)
    }

    /// Reads a transcript, and makes its new sessions active.
    fn open(&mut self, candidate: &Candidate) -> AppResult<()> {
        let read = match candidate.read(self.app.worktree()) {
            Ok(read) => read,
            Err(why) => {
                let name = candidate.name.clone();
                self.skipped.push(SkippedTranscript { name, why });
                return Ok(());
            }
        };
        for session in read {
            self.counts.unread_lines += session.unread;
            self.take(session)?;
        }
        Ok(())
    }

    /// Makes a session active, unless it is known, goes on, or is of another project.
    fn take(&mut self, mut read: TranscriptSession) -> AppResult<()> {
        let session = stored_session(&read.session);
        let Some((_, last)) = read.span() else { return Ok(()) };
        let root = self.app.worktree().to_owned();
        let directory = read.directory().cloned().unwrap_or_else(|| root.clone());
        if !self.roots.contain(&directory) || self.taken.contains(&session) {
            return Ok(());
        }
        if self.since.is_some_and(|since| last < since) {
            self.counts.before += 1;
            return Ok(());
        }
        if last > self.app.now()
            || (!read.is_ended && self.app.now().days_since(last) < SILENT_DAYS)
        {
            self.counts.open += 1;
            return Ok(());
        }
        // A transcript also has what was said while Tacit was off in the session.
        if self.app.places.capture_switch(&session).state() != CaptureState::On {
            self.counts.known += 1;
            return Ok(());
        }
        match self.engine.past_session(&session)? {
            PastSessionState::Live => {
                self.counts.known += 1;
                return Ok(());
            }
            PastSessionState::TakenOver(until) => {
                if last <= until {
                    self.counts.unchanged += 1;
                    return Ok(());
                }
                // The beginning is needed again if its events were deleted meanwhile.
                let query = EventQuery {
                    session: Some(session.clone()),
                    limit: 1,
                    ..EventQuery::default()
                };
                if self.engine.count_events(&query)? > 0 {
                    read.events.retain(|event| event.at > until);
                }
                self.counts.continued += 1;
            }
            PastSessionState::New | PastSessionState::Interrupted => self.counts.new += 1,
        }
        self.counts.events += read.events.len();
        self.taken.insert(session.clone());
        let end = read.events.last().map(PastSessionEvent::id).unwrap_or_default();
        let mut rest = read.events.into_iter();
        if self.dry_run {
            return Ok(());
        }
        self.engine.begin_past_session(&session)?;
        if let Some(next) = rest.next() {
            let branch = read.branch;
            self.active.push(ActiveSession { session, branch, directory, end, next, rest });
        }
        Ok(())
    }

    /// Replays the next event of a session, and observes the session after its last one.
    fn step(&mut self, place: usize) -> AppResult<()> {
        let active = &mut self.active[place];
        let next = active.rest.next();
        let is_last = next.is_none();
        let event = match next {
            Some(next) => std::mem::replace(&mut active.next, next),
            None => active.next.clone(),
        };
        let at = event.at;
        let project = self
            .projects
            .entry(active.directory.clone())
            .or_insert_with(|| project_of(self.app, &active.directory));
        let id = event.id();
        let ends = matches!(event.event.kind, EventKind::SessionEnded { .. });
        let branch = active.branch.as_deref();
        let past = PastEvent { id, at, event: event.event, project, branch };
        match self.past.record(past) {
            Ok(batch) => self.batches.extend(batch),
            Err(_) => self.counts.unread_lines += 1,
        }
        if self.batches.len() >= TOGETHER || is_last || ends {
            self.clock.set(at);
            self.engine.record_past(&self.batches)?;
            self.batches.clear();
        }
        if ends || is_last {
            self.engine.observe_past(&self.taken)?;
        }
        if is_last {
            let done = self.active.remove(place);
            self.engine.finish_past_session(&done.session, &done.end, at)?;
        }
        Ok(())
    }
}

/// Returns the project of a session's directory, which may be gone.
fn project_of(app: &App, directory: &Path) -> Project {
    let exists = directory.ancestors().find(|folder| folder.is_dir());
    let project = Project::at(exists.unwrap_or(app.worktree()), &app.environment.data_home);
    if project.places.project == app.places.project {
        return project;
    }
    Project::at(app.worktree(), &app.environment.data_home)
}
