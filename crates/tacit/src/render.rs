//! Renders memories as text and as JSON.

use tacit_app::human_time::ago;
use tacit_core::{Memory, StatusKind, Timestamp};
use tacit_engine::{StoreScope, StoredMemory};
use tacit_store::CodeLink;

use crate::ui::{Tone, Ui};

pub(crate) use tacit_app::show::{all_to_json, to_json};
pub(crate) use tacit_core::{visible, visible_line};

/// Renders a memory in one line.
pub(crate) fn summary(ui: &Ui, found: &StoredMemory, now: Timestamp) -> String {
    summary_within(ui, found, now, ui.width())
}

/// A memory in one line of at most `width` columns.
pub(crate) fn summary_within(
    ui: &Ui,
    found: &StoredMemory,
    now: Timestamp,
    width: usize,
) -> String {
    let memory = &found.memory;
    let id = memory.id.short().to_string();
    let kind = memory.memory_type().to_string();
    let mut rest = Vec::new();
    // In a narrow terminal, the text matters more than the time.
    if width >= ROOMY {
        rest.push((Tone::Dim, ago(memory.created_at, now)));
    }
    let mut marks = marks(found);
    if memory.is_unconfirmed_claim() && marks.is_empty() {
        marks.push_str("unconfirmed");
    }
    if !marks.is_empty() {
        rest.push((Tone::Warn, marks));
    }
    let behind: usize = rest.iter().map(|(_, text)| text.chars().count() + 2).sum();
    // A column of the same width in every row, so that the texts are aligned.
    let kind_width =
        if width >= ROOMY { kind.chars().count().max(WIDEST_KIND) } else { NARROW_KIND };
    let taken = id.len() + kind_width + 4 + behind;
    let room = width.saturating_sub(taken).max(SHORTEST_TEXT);
    let headline = match memory.body.trust.stale_marker() {
        // In a narrow terminal, the beginning of the text matters more than the reason.
        Some(marker) if marker.chars().count() + LEGIBLE <= room => {
            format!("{marker} {}", name(memory))
        }
        Some(_) => format!("[STALE] {}", name(memory)),
        None => name(memory).to_owned(),
    };
    let headline = cut(&visible(&headline), room);
    let kind = cut(&kind, kind_width);
    let mut line = format!(
        "{}  {}  {headline}",
        ui.paint(Tone::Id, &id),
        ui.paint(Tone::Kind, &format!("{kind:<kind_width$}")),
    );
    if !rest.is_empty() {
        line.push_str(&" ".repeat(room.saturating_sub(headline.chars().count())));
    }
    for (tone, text) in rest {
        line.push_str("  ");
        line.push_str(&ui.paint(tone, &text));
    }
    line
}

/// The minimum width for a line with all columns.
pub(crate) const ROOMY: usize = 72;
/// The length of the longest built-in type.
const WIDEST_KIND: usize = 17;
/// The length to which types are cut where there is little room.
const NARROW_KIND: usize = 14;
/// The fewest columns of a text beside the reason for which it is stale.
const LEGIBLE: usize = 16;
/// The fewest columns of a text: with less room, the marks go to the next row.
const SHORTEST_TEXT: usize = 8;

/// Returns the title of a memory, else its first line.
fn name(memory: &Memory) -> &str {
    match &memory.body.title {
        Some(title) => title.as_str(),
        None => memory.body.content.as_str().lines().next().unwrap_or_default(),
    }
}

/// Renders a memory as a search result: a heading, then its text.
pub(crate) fn answer(ui: &Ui, found: &StoredMemory, now: Timestamp) -> Vec<String> {
    let memory = &found.memory;
    let mut heading = format!(
        "{}  {}  {}",
        ui.paint(Tone::Id, &memory.id.short().to_string()),
        ui.paint(Tone::Kind, memory.memory_type().as_str()),
        ui.paint(Tone::Dim, &provenance(memory, now)),
    );
    let marks = marks(found);
    if !marks.is_empty() {
        heading.push_str("  ");
        heading.push_str(&ui.paint(Tone::Warn, &marks));
    }
    let mut lines = vec![heading];
    if let Some(marker) = memory.body.trust.stale_marker() {
        lines.extend(
            wrap(&visible(&marker), ui.width().saturating_sub(2))
                .map(|row| format!("  {}", ui.paint(Tone::Warn, &row))),
        );
    }
    if let Some(title) = &memory.body.title {
        lines.push(format!("  {}", ui.paint(Tone::Strong, &visible(title.as_str()))));
    }
    for line in visible(memory.body.content.as_str()).lines() {
        let rows = wrap(line, ui.width().saturating_sub(2));
        lines.extend(rows.map(|row| if row.is_empty() { row } else { format!("  {row}") }));
    }
    if !memory.body.files.is_empty() {
        let files: Vec<&str> = memory.body.files.iter().map(|file| file.as_str()).collect();
        lines.push(format!("  {}", ui.paint(Tone::Dim, &visible(&files.join(", ")))));
    }
    lines
}

/// Describes the source and the confidence of a memory in a few words.
fn provenance(memory: &Memory, now: Timestamp) -> String {
    let mut parts = if memory.is_unconfirmed_claim() {
        vec![memory.trust_label().to_owned()]
    } else {
        vec![memory.body.origin.source.to_string()]
    };
    if memory.body.trust.review.is_confirmed() {
        parts.push(memory.trust_label().to_owned());
    }
    parts.push(format!("{:.0}%", memory.body.effective_confidence().value() * 100.0));
    if memory.observations > 1 {
        parts.push(format!("seen {} times", memory.observations));
    }
    parts.push(ago(memory.created_at, now));
    parts.join(" · ")
}

/// Lists what is unusual about a memory: its store, who sees it, and reasons for caution such as
/// `stale` or `needs review`.
fn marks(found: &StoredMemory) -> String {
    let memory = &found.memory;
    let mut marks = Vec::new();
    if found.store == StoreScope::Global {
        marks.push("global");
    }
    if !memory.body.visibility.is_team() {
        marks.push(memory.body.visibility.as_str());
    }
    match memory.status.kind() {
        StatusKind::Active => {}
        gone @ (StatusKind::Retired | StatusKind::Archived) => marks.push(gone.as_str()),
    }
    if memory.body.trust.stale_reason().is_some() {
        marks.push("verify");
    } else if memory.body.trust.stale_at.is_some() {
        marks.push("stale");
    }
    if memory.awaits_review() {
        marks.push("needs review");
    }
    marks.join(", ")
}

/// Renders all fields of a memory.
pub(crate) fn full(
    ui: &Ui,
    found: &StoredMemory,
    links: &[CodeLink],
    now: Timestamp,
) -> Vec<String> {
    let memory = &found.memory;
    let body = &memory.body;
    let mut lines = answer(ui, found, now);
    let mut field = |name: &str, value: String| {
        if !value.is_empty() {
            let width = ui.width().saturating_sub(15);
            let mut name = ui.paint(Tone::Dim, &format!("{name:<12}"));
            for row in visible(&value).lines().flat_map(|line| wrap(line, width)) {
                lines.push(format!("  {name} {row}"));
                name = " ".repeat(12);
            }
        }
    };
    let join = |items: Vec<String>| items.join(", ");
    field("id", memory.id.to_string());
    field("why", body.reasoning.as_ref().map(ToString::to_string).unwrap_or_default());
    field("category", body.category.map(|c| c.to_string()).unwrap_or_default());
    field("tags", join(body.tags.iter().map(ToString::to_string).collect()));
    let cues: Vec<&str> = body.cues.iter().map(|cue| cue.as_str()).collect();
    field("helps when", cues.join("\n"));
    field("symbols", join(symbols(memory, links)));
    field("modules", join(body.modules.iter().map(ToString::to_string).collect()));
    field("references", join(body.references.iter().map(ToString::to_string).collect()));
    field("scope", body.subject.placement().scope().to_string());
    if !body.visibility.is_team() {
        field("visibility", body.visibility.to_string());
    }
    let unit = body.subject.placement().work_unit();
    field(
        "work unit",
        unit.map(|unit| format!("{} ({})", unit.label(), unit.methodology())).unwrap_or_default(),
    );
    field("author", body.origin.author.as_ref().map(ToString::to_string).unwrap_or_default());
    field(
        "written by",
        body.origin.generator.as_ref().map(ToString::to_string).unwrap_or_default(),
    );
    field("commit", body.origin.commit.as_ref().map(ToString::to_string).unwrap_or_default());
    field("phase", body.origin.phase.map(|phase| phase.to_string()).unwrap_or_default());
    field("sessions", join(body.origin.sessions.iter().map(ToString::to_string).collect()));
    let relations = body.relations.iter().map(|relation| {
        let target = match &relation.target {
            tacit_core::RelationTarget::Memory(id) => id.short().to_string(),
            tacit_core::RelationTarget::File(path) => path.to_string(),
        };
        let proposed = if relation.auto_extracted { " (proposed)" } else { "" };
        format!("{} {target}{proposed}", relation.kind)
    });
    field("links", join(relations.collect()));
    field(
        "half-life",
        memory.half_life().map(|half| format!("{} days", half.days())).unwrap_or_default(),
    );
    if let Some(at) = body.trust.stale_at {
        let why = body.trust.stale_why.as_ref().map(|why| format!(" ({why})"));
        field("stale", format!("{at}{}", why.unwrap_or_default()));
    }
    if let Some((at, reason)) = memory.status.inactive_since() {
        field(memory.status.kind().as_str(), format!("{at} ({reason})"));
    }
    field("created", memory.created_at.to_string());
    if memory.updated_at != memory.created_at {
        field("changed", memory.updated_at.to_string());
    }
    if memory.usage.access_count > 0 {
        let last = ago(memory.usage.last_accessed_at, now);
        field(
            "recalled",
            match memory.usage.access_count {
                1 => format!("once, {last}"),
                times => format!("{times} times, last {last}"),
            },
        );
    }
    if let Some(details) = body.subject.details().to_json() {
        field("details", details.to_string());
    }
    lines
}

/// Returns the symbols that a memory is about; those that the code graph does not have are marked.
fn symbols(memory: &Memory, links: &[CodeLink]) -> Vec<String> {
    let linked = links.iter().map(|link| link.symbol.to_string());
    let missing = memory.body.symbols.iter().filter(|symbol| {
        let (path, name) = (symbol.path(), symbol.name());
        let ending = format!(".{name}");
        links.iter().all(|link| {
            link.symbol.path() != path
                || link.symbol.name() != name && !link.symbol.name().ends_with(&ending)
        })
    });
    linked.chain(missing.map(|symbol| format!("{symbol} (not linked)"))).collect()
}

/// Describes a changed memory, with a word for the change.
pub(crate) fn change_line(ui: &Ui, word: &str, memory: &Memory) -> String {
    let id = ui.paint(Tone::Id, &memory.id.short().to_string());
    format!("{word}: {} (id {id})", visible(&memory.headline()))
}

/// Cuts a text to at most `room` characters, with an ellipsis at the end.
pub(crate) fn cut(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    text.chars().take(room.saturating_sub(1)).chain(['…']).collect()
}

/// Breaks a line that is wider than `width` columns; a narrower one is returned unchanged.
pub(crate) fn wrap_wide(line: &str, width: usize) -> Vec<String> {
    if columns(line) <= width {
        return vec![line.to_owned()];
    }
    let (head, tail) = line.split_at(last_column(line, width));
    let indent = columns(head);
    let rows = wrap(tail, width - indent);
    let rows = rows.enumerate().map(|(index, row)| match index {
        0 => format!("{head}{row}").trim_end().to_owned(),
        _ => format!("{:indent$}{row}", "").trim_end().to_owned(),
    });
    rows.collect()
}

/// Returns the byte at which the text column of a table row begins: behind the last gap in the left
/// half. 0 for prose.
fn last_column(line: &str, width: usize) -> usize {
    let starts = line.char_indices().map(|(at, _)| at).filter(|at| {
        let (before, after) = line.split_at(*at);
        before.ends_with("  ") && !after.starts_with(' ') && !before.trim().is_empty()
    });
    starts.take_while(|start| columns(&line[..*start]) <= width / 2).last().unwrap_or(0)
}

/// Returns the number of columns that a text takes; colour codes take none.
fn columns(text: &str) -> usize {
    let mut in_code = false;
    let visible = text.chars().filter(|c| {
        let is_code = in_code || *c == '\u{1b}';
        in_code = is_code && *c != 'm';
        !is_code
    });
    visible.count()
}

/// Breaks a line at spaces and indents each part like the line. A word longer than the line stays
/// whole.
pub(crate) fn wrap(line: &str, width: usize) -> impl Iterator<Item = String> + use<> {
    let text = line.trim_start_matches(' ');
    let indent = line[..line.len() - text.len()].to_owned();
    let width = width.saturating_sub(indent.len());
    let mut rows = vec![String::new()];
    for word in text.split(' ') {
        let row = rows
            .last_mut()
            .filter(|row| row.is_empty() || columns(row) + 1 + columns(word) <= width);
        match row {
            Some(row) if row.is_empty() => row.push_str(word),
            Some(row) => {
                row.push(' ');
                row.push_str(word);
            }
            None => rows.push(word.to_owned()),
        }
    }
    rows.into_iter().map(move |row| format!("{indent}{row}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_spaces() {
        let rows: Vec<_> = wrap("one two three four", 9).collect();
        assert_eq!(rows, ["one two", "three", "four"]);
        assert_eq!(wrap("unbreakablylong x", 5).collect::<Vec<_>>(), ["unbreakablylong", "x"]);
        assert_eq!(wrap("", 5).collect::<Vec<_>>(), [""]);
        assert_eq!(wrap("  let a = b;", 9).collect::<Vec<_>>(), ["  let a =", "  b;"]);
    }

    #[test]
    fn only_wide_lines_are_broken_and_colours_take_no_columns() {
        assert_eq!(wrap_wide("a  table", 8), ["a  table"]);
        assert_eq!(wrap_wide("some prose", 8), ["some", "prose"]);
        let painted = "\u{1b}[36mab\u{1b}[0m cd ef";
        assert_eq!(wrap_wide(painted, 8), [painted]);
        assert_eq!(wrap_wide(painted, 5), ["\u{1b}[36mab\u{1b}[0m cd", "ef"]);
        assert_eq!(wrap_wide("key  two more words", 14), ["key  two more", "     words"]);
        assert_eq!(wrap_wide("key   two more words", 14), ["key   two more", "      words"]);
        assert_eq!(wrap_wide("  two more words", 10), ["  two more", "  words"]);
    }
}
