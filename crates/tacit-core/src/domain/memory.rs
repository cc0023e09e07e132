//! Memories and their parts.

use serde::{Deserialize, Serialize};

use super::category::Category;
use super::cue::Cues;
use super::identity::ContentHash;
use super::kind::{BuiltinType, MemoryType};
use super::placement::{Subject, Visibility};
use super::relation::Relations;
use super::status::{Review, StaleKind, Status};
use super::values::{
    Author, Citation, CommitSha, Confidence, Content, Files, Generator, HalfLife, Modules, NodeRef,
    Reasoning, References, Sessions, Source, Symbols, Tags, Title, UniversalPhase,
};
use crate::clock::Timestamp;
use crate::id::MemoryId;

/// The checked content of a memory, without identifier, status and history.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryBody {
    /// The type, its details, and where the memory applies.
    pub subject: Subject,
    /// The people who see it; not part of the identity.
    pub visibility: Visibility,
    /// An optional heading.
    pub title: Option<Title>,
    /// The text of the memory.
    pub content: Content,
    /// The reason why it matters.
    pub reasoning: Option<Reasoning>,
    /// The category in another tool's vocabulary.
    pub category: Option<Category>,
    /// The confidence that the memory is true, by what is known of it alone.
    pub confidence: Confidence,
    /// The confidence in the light of related memories, which maintenance computes; `None` if it
    /// does not differ noticeably.
    pub derived_confidence: Option<Confidence>,
    /// Tags for filtering.
    pub tags: Tags,
    /// Situations in which it helps. They lead to the memory and are not part of its text.
    pub cues: Cues,
    /// The files it is about.
    pub files: Files,
    /// The symbols that its author named; their files are included in `files`.
    pub symbols: Symbols,
    /// The modules it is about.
    pub modules: Modules,
    /// Links to further reading.
    pub references: References,
    /// The source of the memory.
    pub origin: Origin,
    /// Relations to other memories and to files.
    pub relations: Relations,
    /// The node of the code graph it is about.
    pub target_node: Option<NodeRef>,
    /// A half-life that overrides the type's default.
    pub half_life: Option<HalfLife>,
    /// The review state and staleness.
    pub trust: Trust,
}

/// The source of a memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Origin {
    /// The way it entered the store.
    pub source: Source,
    /// The person who stated it.
    pub author: Option<Author>,
    /// The author of its wording, such as a model.
    pub generator: Option<Generator>,
    /// The commit that produced it.
    pub commit: Option<CommitSha>,
    /// The phase of work in which it was learnt.
    pub phase: Option<UniversalPhase>,
    /// The sessions that stated or confirmed it.
    pub sessions: Sessions,
}

/// The trust in a memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Trust {
    /// The state of review by a person.
    pub review: Review,
    /// The short form for citations.
    pub citation: Option<Citation>,
    /// The time since which the code it is about is gone or changed.
    pub stale_at: Option<Timestamp>,
    /// The cause of the staleness. Rows of earlier versions have none; see [`Trust::stale_cause`].
    pub stale_kind: Option<StaleKind>,
    /// The event that made it stale, in words. `None` if the memory is not stale, or was reported
    /// as outdated.
    pub stale_why: Option<Reasoning>,
}

impl Trust {
    /// Returns the cause of the staleness; `None` if the memory is not stale.
    pub fn stale_cause(&self) -> Option<StaleKind> {
        self.stale_at?;
        let earlier = match self.stale_why {
            Some(_) => StaleKind::CodeChanged,
            None => StaleKind::Reported,
        };
        Some(self.stale_kind.unwrap_or(earlier))
    }

    /// Returns the code change that made the memory stale, if it is stale because of one.
    pub fn stale_reason(&self) -> Option<&Reasoning> {
        self.stale_why.as_ref().filter(|_| self.stale_cause() == Some(StaleKind::CodeChanged))
    }

    /// Returns the warning to put before the text of a stale memory; `None` if it is not stale.
    pub fn stale_marker(&self) -> Option<String> {
        let why = self.stale_why.as_ref().map(Reasoning::as_str);
        let reason = match self.stale_cause()? {
            StaleKind::FileMissing => "file no longer exists",
            StaleKind::CodeChanged => why.unwrap_or("the code changed"),
            StaleKind::RecipeDoubtful => why.unwrap_or("its steps may no longer hold"),
            StaleKind::Reported => "reported as outdated",
        };
        Some(format!("[STALE — {reason}]"))
    }

    /// Marks the memory as stale.
    pub fn mark_stale(&mut self, at: Timestamp, kind: StaleKind, why: Option<Reasoning>) {
        (self.stale_at, self.stale_kind, self.stale_why) = (Some(at), Some(kind), why);
    }

    /// Clears the staleness.
    pub fn clear_stale(&mut self) {
        (self.stale_at, self.stale_kind, self.stale_why) = (None, None, None);
    }
}

/// Usage counters. They are not part of the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// The number of times the memory was shown.
    pub access_count: u64,
    /// The time it was last shown, or its creation time.
    pub last_accessed_at: Timestamp,
}

/// A stored memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Memory {
    /// The unique identifier.
    pub id: MemoryId,
    /// The content and its metadata.
    pub body: MemoryBody,
    /// The lifecycle status.
    pub status: Status,
    /// The number of times it was observed.
    pub observations: u32,
    /// The creation time.
    pub created_at: Timestamp,
    /// The time of the last change, usage excluded.
    pub updated_at: Timestamp,
    /// Usage counters.
    pub usage: Usage,
}

impl Memory {
    /// Creates an active memory.
    pub fn new(id: MemoryId, body: MemoryBody, now: Timestamp) -> Memory {
        Memory {
            id,
            body,
            status: Status::Active,
            observations: 1,
            created_at: now,
            updated_at: now,
            usage: Usage { access_count: 0, last_accessed_at: now },
        }
    }

    /// Returns the type.
    pub fn memory_type(&self) -> MemoryType {
        self.body.subject.memory_type()
    }

    /// Returns the identity hash of the content.
    pub fn content_hash(&self) -> ContentHash {
        self.body.content_hash()
    }

    /// Returns the half-life; `None` if the memory does not decay.
    pub fn half_life(&self) -> Option<HalfLife> {
        self.body.half_life.or_else(|| self.memory_type().default_half_life())
    }

    /// Returns the decay factor at `now`, from 1 towards 0, counted from the last change.
    pub fn decay(&self, now: Timestamp) -> f64 {
        match self.half_life() {
            None => 1.0,
            Some(half) => 0.5_f64.powf(now.days_since(self.updated_at).max(0.0) / half.days()),
        }
    }

    /// Returns true if the memory is an unverified claim of an agent or a file: no person confirmed
    /// or committed it, and no session was observed to support it.
    pub fn is_unconfirmed_claim(&self) -> bool {
        !self.body.trust.review.is_confirmed() && self.body.origin.source.is_claim()
    }

    /// Returns true for a description of a module that Tacit wrote from the code and keeps up to date.
    pub fn is_module_card(&self) -> bool {
        let origin = &self.body.origin;
        self.memory_type() == BuiltinType::ModuleInsight.into()
            && origin.source == Source::ObserverInferred
            && origin.generator.is_some()
    }

    /// Returns true if a person should look at the memory, because a machine concluded it or somebody
    /// flagged it. Descriptions of modules follow the code by themselves, and measurements are counted,
    /// not believed.
    pub fn awaits_review(&self) -> bool {
        self.body.trust.review == Review::Needed
            && !self.is_module_card()
            && !self.body.is_measurement()
    }

    /// Returns a short label of the trust in the memory.
    pub fn trust_label(&self) -> &'static str {
        match (self.body.trust.review, self.body.origin.source) {
            (Review::Verified, _) => "verified",
            (Review::Committed, _) => "committed by the team",
            (_, Source::AgentExplicit) => "told by an agent, not confirmed",
            (_, Source::Imported) => "imported, not confirmed",
            (_, Source::File) => "from a file, not confirmed",
            (_, Source::GitHistory) => "from the git history, not confirmed",
            (Review::Needed, _) => "needs review",
            (Review::None, _) => "not verified",
        }
    }

    /// Returns a one-line name: the title, or the start of the first line.
    pub fn headline(&self) -> String {
        const SHOWN: usize = 60;
        if let Some(title) = &self.body.title {
            return title.as_str().to_owned();
        }
        let first = self.body.content.as_str().lines().next().unwrap_or_default();
        if first.chars().count() <= SHOWN {
            first.to_owned()
        } else {
            first.chars().take(SHOWN - 3).chain("...".chars()).collect()
        }
    }
}

impl MemoryBody {
    /// Returns the confidence in the light of related memories.
    pub fn effective_confidence(&self) -> Confidence {
        self.derived_confidence.unwrap_or(self.confidence)
    }

    /// Returns true for the outcome of a unit of work or a cost: numerous, counted as a whole, and not
    /// searched by meaning.
    pub fn is_measurement(&self) -> bool {
        let memory_type = self.subject.memory_type();
        [BuiltinType::WorkUnitOutcome, BuiltinType::ContextCost]
            .into_iter()
            .any(|measurement| memory_type == measurement.into())
    }

    /// Returns the identity hash of the content.
    pub fn content_hash(&self) -> ContentHash {
        ContentHash::of(&self.subject, &self.content)
    }

    /// Returns the title and the content without repeating text: a title is often the cut start of
    /// the content, sometimes after a heading.
    pub fn titled(&self) -> String {
        let content = self.content.as_str();
        self.title
            .as_ref()
            .map_or_else(|| content.to_owned(), |title| titled(title.as_str(), content))
    }
}

fn titled(title: &str, content: &str) -> String {
    let begins = |part: &str| {
        let part = part.trim_end_matches("...").trim_end_matches('…').trim();
        !part.is_empty() && content.starts_with(part)
    };
    if begins(title) {
        return content.to_owned();
    }
    let headed = title.match_indices(": ").find(|(at, mark)| begins(&title[at + mark.len()..]));
    match headed {
        Some((at, _)) => format!("{}: {content}", &title[..at]),
        None => format!("{title}: {content}"),
    }
}

#[cfg(test)]
mod tests {
    use super::titled;

    #[test]
    fn titles_do_not_repeat_the_content() {
        for (title, content, expected) in [
            ("Pools", "close them before the fork", "Pools: close them before the fork"),
            ("close them...", "close them before the fork", "close them before the fork"),
            ("close them…", "close them before the fork", "close them before the fork"),
            ("Rules: close them", "close them", "Rules: close them"),
            ("Rules: Pools: close...", "close them", "Rules: Pools: close them"),
            ("Rules: open", "close them", "Rules: open: close them"),
            ("...", "close them", "...: close them"),
            ("Rules: ", "close them", "Rules: : close them"),
        ] {
            assert_eq!(titled(title, content), expected);
        }
    }
}
