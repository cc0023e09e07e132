//! A memory.

use serde::{Deserialize, Serialize};

use super::category::Category;
use super::identity::ContentHash;
use super::kind::MemoryType;
use super::placement::Subject;
use super::relation::Relations;
use super::status::{Review, Status};
use super::values::{
    Author, Citation, CommitSha, Confidence, Content, Files, Generator, HalfLife, Modules, NodeRef,
    Reasoning, References, Sessions, Source, Symbols, Tags, Title,
};
use crate::clock::Timestamp;
use crate::id::MemoryId;

/// What is said by whoever has something to remember, checked and complete, before it has an
/// identifier and a history.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryBody {
    /// What kind of thing it is and where it applies.
    pub subject: Subject,
    /// A heading.
    pub title: Option<Title>,
    /// What was learnt.
    pub content: Content,
    /// Why it matters.
    pub reasoning: Option<Reasoning>,
    /// The category another vocabulary gave it.
    pub category: Option<Category>,
    /// How sure we are.
    pub confidence: Confidence,
    /// Labels.
    pub tags: Tags,
    /// The files it is about.
    pub files: Files,
    /// The symbols it was said to be about; their files are among its files.
    pub symbols: Symbols,
    /// The modules it is about.
    pub modules: Modules,
    /// Where more can be read.
    pub references: References,
    /// Where it came from.
    pub origin: Origin,
    /// How it relates to other memories and files.
    pub relations: Relations,
    /// The node of the code graph it is about.
    pub target_node: Option<NodeRef>,
    /// How fast it fades, if not as its type does.
    pub half_life: Option<HalfLife>,
    /// Whether it can be trusted.
    pub trust: Trust,
}

/// Where a memory came from.
#[derive(Debug, Clone, PartialEq)]
pub struct Origin {
    /// By which way.
    pub source: Source,
    /// Who said it.
    pub author: Option<Author>,
    /// What put it into words.
    pub generator: Option<Generator>,
    /// The commit that produced it.
    pub commit: Option<CommitSha>,
    /// The sessions that said or confirmed it.
    pub sessions: Sessions,
}

/// Whether a memory can be trusted.
#[derive(Debug, Clone, PartialEq)]
pub struct Trust {
    /// Whether a person has looked at it.
    pub review: Review,
    /// Its short form in a citation.
    pub citation: Option<Citation>,
    /// Since when what it is about is gone, or no longer what it was.
    pub stale_at: Option<Timestamp>,
    /// What changed in the code, where that made it stale: it may still hold, and should be
    /// verified. Nothing where it is not stale.
    pub stale_why: Option<Reasoning>,
}

impl Trust {
    /// Whether it should be compared with the code before it is relied on, and why.
    pub fn doubt(&self) -> Option<&Reasoning> {
        self.stale_why.as_ref().filter(|_| self.stale_at.is_some())
    }

    /// It holds for things as they are.
    pub fn settle(&mut self) {
        (self.stale_at, self.stale_why) = (None, None);
    }
}

/// How often and when a memory was last shown. Counted, not recorded in the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// How often.
    pub access_count: u64,
    /// When last; the moment of birth if never.
    pub last_accessed_at: Timestamp,
}

/// A memory as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Memory {
    /// Its identifier.
    pub id: MemoryId,
    /// What it says.
    pub body: MemoryBody,
    /// Whether it is in use.
    pub status: Status,
    /// How often the same was learnt.
    pub observations: u32,
    /// When it was first learnt.
    pub created_at: Timestamp,
    /// When anything but its usage last changed.
    pub updated_at: Timestamp,
    /// How often it was shown.
    pub usage: Usage,
}

impl Memory {
    /// A memory that begins now.
    pub fn begin(id: MemoryId, body: MemoryBody, now: Timestamp) -> Memory {
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

    /// Its type.
    pub fn memory_type(&self) -> MemoryType {
        self.body.subject.memory_type()
    }

    /// The identity of what it says.
    pub fn content_hash(&self) -> ContentHash {
        self.body.content_hash()
    }

    /// How fast it fades; `None` is never.
    pub fn half_life(&self) -> Option<HalfLife> {
        self.body.half_life.or_else(|| self.memory_type().default_half_life())
    }

    /// What is left of it at `now`, from 1 down towards 0, counted from its last change.
    pub fn decay(&self, now: Timestamp) -> f64 {
        match self.half_life() {
            None => 1.0,
            Some(half) => 0.5_f64.powf(now.days_since(self.updated_at).max(0.0) / half.days()),
        }
    }

    /// Returns whether nobody but an agent or a file vouches for it: no person confirmed it, and
    /// no session was seen to bear it out.
    pub fn is_only_told(&self) -> bool {
        self.body.trust.review != Review::Verified && self.body.origin.source.is_told()
    }

    /// Says in a few words who vouches for it.
    pub fn vouched(&self) -> &'static str {
        match (self.body.trust.review, self.body.origin.source) {
            (Review::Verified, _) => "verified",
            (_, Source::AgentExplicit) => "told by an agent, not confirmed",
            (_, Source::Imported) => "imported, not confirmed",
            (Review::Needed, _) => "needs review",
            (Review::None, _) => "not verified",
        }
    }

    /// A line that names it: its title, else the beginning of its first line.
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
    /// The identity of what it says.
    pub fn content_hash(&self) -> ContentHash {
        ContentHash::of(&self.subject, &self.content)
    }

    /// Its title and what it says, without saying the same twice: titles are often the beginning of
    /// the text, cut short, perhaps behind a heading.
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
    fn nothing_is_said_twice() {
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
