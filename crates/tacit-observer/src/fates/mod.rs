//! Judges what followed from showing memories to agents: one fate for each injection, with the reason.
//!
//! A fate is evidence about the memory, so it is given only if the log shows it: an agent that would
//! have opened a file, run a command or used a word anyway proves nothing. Where the log cannot tell,
//! there is no fate. The functions are pure; the same log gives the same fates.

mod acted;
mod cited;
mod contradicted;
mod guidance;
mod helped;
mod session;

use tacit_core::{BuiltinType, Fate, Memory, MemoryId, MemoryType, Timestamp};

use crate::application::AppTools;
use crate::log::LogEntry;
use crate::rules::{CHECKER_TAG, VARIANT_TAG};
use crate::tasks::TaskDefinitions;
use crate::text::{counted, one_line};
use guidance::Guidance;
pub use session::MAX_GUIDED_FILES;
use session::{JudgedSession, Window};

/// The tool calls after an injection within which opening its file counts.
pub const FILE_CALLS: usize = 5;
/// The tool calls after an injection within which running its command counts.
pub const COMMAND_CALLS: usize = 30;
/// The tool calls after an injection within which the next try of a failed check counts.
pub const RETRY_CALLS: usize = 20;
/// The distinctive words that a text must share with a memory to cite it.
pub const CITED_WORDS: usize = 4;
/// The tool calls after an injection from which on a memory without a sign of use was ignored.
pub const OPPORTUNITY_CALLS: usize = 5;
/// The hours after an injection within which a flag is about it.
pub const FLAG_HOURS: f64 = 24.0;
/// The longest reason, in characters.
const MAX_WHY: usize = 160;

/// The layers of injections with which the guard stopped a command, or asked a person about it.
pub const GUARD_LAYERS: [&str; 2] = ["guard", "guard_asked"];
/// The tags of memories that warn of a command.
const DANGER_TAGS: [&str; 3] = ["danger", "dangerous", "destructive"];

/// A memory that an agent was shown.
#[derive(Debug, Clone, Copy)]
pub struct ShownMemory<'s> {
    /// The identifier of the event that caused it.
    pub event: &'s str,
    /// The layer that showed it.
    pub layer: &'s str,
    /// The subagent that saw it; `None` for the main conversation.
    pub agent: Option<&'s str>,
    /// The time it was shown.
    pub at: Timestamp,
    /// The memory, as it is now.
    pub memory: &'s Memory,
}

/// Something that happened to a memory outside the log of client events.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryReport {
    /// The memory.
    pub memory: MemoryId,
    /// The time of the report.
    pub at: Timestamp,
    /// The kind of report.
    pub kind: ReportKind,
    /// The report in words.
    pub why: String,
}

/// The kind of a report about a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportKind {
    /// An agent said that it helped.
    Used,
    /// A person or an agent flagged it as wrong or outdated.
    Flagged,
    /// A memory learnt in the same session replaced it.
    Superseded,
}

/// A session whose injections are judged.
#[derive(Debug, Clone, Copy)]
pub struct SessionEvidence<'e> {
    /// The log of the session.
    pub log: &'e [LogEntry],
    /// The tasks that the project defines.
    pub tasks: &'e TaskDefinitions,
    /// Further tools that drive the application of the project.
    pub app_tools: &'e AppTools,
    /// Reports about the shown memories.
    pub reports: &'e [MemoryReport],
}

/// The fate of an injection, with the event that decided it in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// The fate.
    pub fate: Fate,
    /// The reason.
    pub why: String,
}

impl Judgement {
    fn new(fate: Fate, why: impl AsRef<str>) -> Judgement {
        Judgement { fate, why: one_line(why.as_ref(), MAX_WHY) }
    }
}

/// Judges the injections of a session. An injection has no judgement if the log does not tell what
/// followed: its event is gone, nothing followed, or the client does not report enough.
pub fn judge(evidence: &SessionEvidence<'_>, shown: &[ShownMemory<'_>]) -> Vec<Option<Judgement>> {
    let session = JudgedSession::read(evidence);
    shown.iter().map(|one| judge_one(&session, evidence.reports, one, shown)).collect()
}

fn judge_one(
    session: &JudgedSession,
    reports: &[MemoryReport],
    shown: &ShownMemory<'_>,
    all: &[ShownMemory<'_>],
) -> Option<Judgement> {
    if let Some(report) = report_of(reports, shown, ReportKind::Flagged) {
        return Some(Judgement::new(Fate::Flagged, &report.why));
    }
    let window = session.window(shown, all)?;
    if let Some(report) = report_of(reports, shown, ReportKind::Superseded) {
        return Some(Judgement::new(Fate::Contradicted, &report.why));
    }
    let guidance = Guidance::of(shown.memory);
    let found = contradicted::contradicted(&window, shown, &guidance)
        .map(|why| Judgement::new(Fate::Contradicted, why))
        .or_else(|| {
            helped::helped(&window, shown, &guidance).map(|why| Judgement::new(Fate::Helped, why))
        })
        .or_else(|| acted::acted(&window, &guidance).map(|why| Judgement::new(Fate::ActedOn, why)))
        .or_else(|| {
            let report = report_of(reports, shown, ReportKind::Used);
            let cited = report.map(|report| report.why.clone());
            let cited = cited.or_else(|| cited::cited(&window, shown, all, &guidance));
            cited.map(|why| Judgement::new(Fate::Cited, why))
        });
    found.or_else(|| {
        ignored(&window, shown, &guidance).map(|why| Judgement::new(Fate::Ignored, why))
    })
}

/// Returns the first report of a kind about a memory since it was shown.
fn report_of<'r>(
    reports: &'r [MemoryReport],
    shown: &ShownMemory<'_>,
    kind: ReportKind,
) -> Option<&'r MemoryReport> {
    let last = shown.at.plus_days(FLAG_HOURS / 24.0);
    let fits = |report: &&MemoryReport| {
        report.memory == shown.memory.id
            && report.kind == kind
            && (shown.at..=last).contains(&report.at)
    };
    reports.iter().filter(fits).min_by_key(|report| report.at)
}

/// Returns the checker whose rules a memory tells.
fn checker(memory: &Memory) -> Option<&str> {
    memory.body.tags.iter().find_map(|tag| tag.as_str().strip_prefix(CHECKER_TAG))
}

/// Returns why a memory without a sign of use was ignored, if there was an opportunity to use it.
fn ignored(window: &Window<'_>, shown: &ShownMemory<'_>, guidance: &Guidance) -> Option<String> {
    let memory = shown.memory;
    let calls = window.calls();
    let tags = &memory.body.tags;
    let is_danger = tags.iter().any(|tag| DANGER_TAGS.contains(&tag.as_str()));
    if GUARD_LAYERS.contains(&shown.layer) || is_danger {
        // The success of a warning is that nothing happens.
        let ran = guidance.warned.iter().find(|form| window.ran(form))?;
        return Some(format!("`{ran}` was run anyway"));
    }
    if calls < OPPORTUNITY_CALLS || !session::could_show_use(window, guidance) {
        return None;
    }
    if let Some(tool) = checker(memory) {
        // A rule that is followed is not reported.
        let rule = session::violated_rule(window, memory.body.content.as_str(), tool)?;
        return Some(format!("{tool} reported {rule} anyway"));
    }
    match memory.memory_type() {
        // Following them leaves no trace.
        MemoryType::Builtin(BuiltinType::Preference | BuiltinType::DeadEnd) => return None,
        MemoryType::Builtin(BuiltinType::ErrorPattern) => {
            let is_variant = tags.iter().any(|tag| tag.as_str() == VARIANT_TAG);
            let had_failed = window.failure().is_some();
            let ran_denied = guidance.warned.iter().any(|form| window.ran(form));
            // Without the error there was nothing to fix.
            if !(had_failed || (is_variant && ran_denied)) {
                return None;
            }
        }
        _ => {}
    }
    Some(format!("no sign of it in the {} that followed", counted(calls, "call", "calls")))
}
