//! The rows of a card: everything that a person needs to judge a memory, as text.

use tacit_app::human_time::ago;
use tacit_app::review::{ReviewCard, ReviewReason};
use tacit_core::{Timestamp, visible, visible_line};
use tacit_engine::{StoreScope, StoredMemory};

use crate::ui::Tone;

/// A line of a card, not wrapped yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CardLine {
    /// The name of a field in front of its first line, and nothing in front of its others; `None` for
    /// lines that are no field.
    pub(super) label: Option<&'static str>,
    pub(super) text: String,
    /// `None` for plain text.
    pub(super) tone: Option<CardTone>,
}

/// The role of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CardTone {
    /// The reason to look at the memory.
    Reason,
    /// A title.
    Title,
    /// Another memory.
    Other,
}

impl CardTone {
    /// Returns the tone of printed text.
    pub(super) fn tone(self) -> Tone {
        match self {
            CardTone::Reason => Tone::Warn,
            CardTone::Title => Tone::Strong,
            CardTone::Other => Tone::Dim,
        }
    }
}

/// Returns the lines of a card. Control characters in stored text are shown as code points.
pub(super) fn lines(card: &ReviewCard, now: Timestamp) -> Vec<CardLine> {
    let memory = &card.item.found.memory;
    let mut lines = vec![plain(Some(CardTone::Reason), visible_line(&card.why)), plain(None, "")];
    if let Some(title) = &memory.body.title {
        lines.push(plain(Some(CardTone::Title), visible_line(title.as_str())));
    }
    lines.extend(text(None, memory.body.content.as_str()));
    lines.push(plain(None, ""));
    for (label, value) in fields(card, now) {
        for (at, line) in visible(&value).lines().enumerate() {
            let label = if at == 0 { label } else { "" };
            lines.push(CardLine { label: Some(label), text: untabbed(line), tone: None });
        }
    }
    for other in &card.others {
        lines.push(plain(None, ""));
        lines.push(plain(Some(CardTone::Title), other_heading(card, other, now)));
        lines.extend(text(Some(CardTone::Other), &other.memory.body.titled()));
    }
    lines
}

/// Returns the fields that are set, with their names.
fn fields(card: &ReviewCard, now: Timestamp) -> Vec<(&'static str, String)> {
    let (memory, evidence) = (&card.item.found.memory, &card.evidence);
    let body = &memory.body;
    let join = |items: Vec<String>| items.join(", ");
    let mut source = format!("{}, {:.0}%", body.origin.source, body.confidence.value() * 100.0);
    if memory.observations > 1 {
        source += &format!(", seen {} times", memory.observations);
    }
    let mut learnt = ago(memory.created_at, now);
    if let Some(phase) = &card.phase {
        learnt += &format!(", phase {phase}");
    }
    if card.item.found.store == StoreScope::Global {
        learnt += ", in your global store";
    }
    let shown = match card.item.shown {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        times => format!("{times} times"),
    };
    let symbols = body.symbols.iter().map(ToString::to_string);
    let all = [
        ("id", memory.id.short().to_string()),
        ("type", memory.memory_type().to_string()),
        ("source", source),
        ("trust", memory.trust_label().to_owned()),
        ("learnt", learnt),
        ("sessions", join(body.origin.sessions.iter().map(ToString::to_string).collect())),
        ("author", body.origin.author.as_ref().map(ToString::to_string).unwrap_or_default()),
        ("written by", body.origin.generator.as_ref().map(ToString::to_string).unwrap_or_default()),
        ("because", evidence.reasoning.clone().unwrap_or_default()),
        ("commands", evidence.commands.join("\n")),
        ("error", evidence.error.clone().unwrap_or_default()),
        ("changes", evidence.changes.join("\n")),
        ("commit", evidence.commit.clone().unwrap_or_default()),
        ("files", body.files.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")),
        ("symbols", join(symbols.collect())),
        ("tags", join(body.tags.iter().map(ToString::to_string).collect())),
        ("helps when", body.cues.iter().map(|cue| cue.as_str()).collect::<Vec<_>>().join("\n")),
        ("shown", shown),
    ];
    all.into_iter().filter(|(_, value)| !value.is_empty()).collect()
}

/// Returns the lines of the memories that one may duplicate, with their numbers.
pub(super) fn choices(originals: &[StoredMemory], now: Timestamp) -> Vec<CardLine> {
    let mut lines = Vec::new();
    for (number, original) in (1..).zip(originals) {
        lines.push(plain(Some(CardTone::Title), format!("{number}  {}", heading(original, now))));
        lines.extend(text(None, &original.memory.body.titled()));
        lines.push(plain(None, ""));
    }
    lines
}

fn other_heading(card: &ReviewCard, other: &StoredMemory, now: Timestamp) -> String {
    let relation = match card.item.reason {
        ReviewReason::Replaces(_) => "May replace",
        _ => "Conflicts with",
    };
    format!("{relation} {}", heading(other, now))
}

fn heading(found: &StoredMemory, now: Timestamp) -> String {
    let memory = &found.memory;
    let (id, kind) = (memory.id.short(), memory.memory_type());
    let kind = visible_line(kind.as_str());
    format!("{id} ({kind}, {}, {})", memory.trust_label(), ago(memory.created_at, now))
}

fn plain(tone: Option<CardTone>, text: impl Into<String>) -> CardLine {
    CardLine { label: None, text: text.into(), tone }
}

fn text(tone: Option<CardTone>, stored: &str) -> Vec<CardLine> {
    visible(stored).lines().map(|line| plain(tone, untabbed(line))).collect()
}

/// Replaces tabs, whose width depends on the column.
fn untabbed(line: &str) -> String {
    line.replace('\t', "    ")
}
