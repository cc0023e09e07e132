//! Reads the record of an architecture decision, in the forms of Nygard (sections Status, Context,
//! Decision) and MADR (front matter or a list with the status, sections Context and Problem Statement,
//! Decision Outcome). Its memory is the decision and its reason, not the whole record.

use tacit_core::{BuiltinType, markdown_blocks, sentences, shorten_at_sentence};

use super::{WrittenFile, WrittenRule};
use crate::ImportContent;
use crate::blocks::{TextBlock, blocks};
use crate::draft::{Attribution, Statement, named_paths};
use crate::front_matter::FrontMatter;

/// The longest decision, in characters.
const MAX_DECISION: usize = 420;
/// The longest reason, in characters.
const MAX_REASON: usize = 300;
/// The shortest decision that stands without what follows, in characters.
const SHORT: usize = 60;

/// The status of a decision record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AdrStatus {
    /// In force.
    Accepted,
    /// Not decided yet, or decided against.
    NotInForce,
    /// No longer in force.
    Deprecated,
    /// Replaced by another record: its file name or its number, if the record names it.
    Superseded(Option<String>),
}

/// Headings of the sections that are read.
const DECISION: &[&str] = &["decision", "decision outcome", "the decision", "decisions"];
const CONTEXT: &[&str] =
    &["context", "context and problem statement", "problem statement", "problem", "motivation"];
const STATUS: &[&str] = &["status"];
/// Titles of records about keeping records.
const ABOUT_RECORDS: &[&str] = &["architecture decisions", "decision records", "adrs"];

/// Returns true if a text is a decision record by its form.
pub fn is_decision_record(text: &str) -> bool {
    let (_, body, line) = FrontMatter::split_any(text);
    let blocks = blocks(body, line);
    let has = |names: &[&str]| blocks.iter().any(|block| is_in(block, names));
    has(DECISION) && (has(CONTEXT) || has(STATUS))
}

/// Reads a record. Without a status it is in force if it has a decision.
pub(super) fn read(path: &str, text: &str) -> WrittenFile {
    let (front, body, line) = FrontMatter::split_any(text);
    let blocks = blocks(body, line);
    let status = status(&front, &blocks);
    let mut file = WrittenFile { status: Some(status.clone()), ..WrittenFile::default() };
    let title = title(&front, body).filter(|title| !is_about_records(title));
    let (AdrStatus::Accepted, Some(title)) = (&status, title) else { return file };
    let Some((line, decision)) = decision(&blocks) else { return file };
    let reasoning = if gives_reason(&decision) { None } else { reason(&blocks) };
    let statement = Statement {
        line,
        title: Some(title),
        reasoning,
        kind: Some(BuiltinType::Decision),
        reference: format!("{path}:{line}"),
        paths: named_paths(&decision),
        content: decision,
        ..Statement::default()
    };
    let item = statement.items(Attribution::FILE).into_iter().next();
    if let Some((ImportContent::Draft(draft), paths)) = item.map(|item| (item.content, item.paths))
    {
        file.rules.push(WrittenRule { line, draft: *draft, paths });
    }
    file
}

/// Returns true if a block belongs to a section: its nearest known heading has one of the names.
fn is_in(block: &TextBlock, names: &[&str]) -> bool {
    let last = block.headings.iter().rev().map(|heading| plain(heading));
    // An introduction of a list counts as a heading; it is no section.
    let mut sections = last.skip(usize::from(block.has_intro));
    sections.next().is_some_and(|section| names.contains(&section.as_str()))
}

fn plain(heading: &str) -> String {
    let text = heading.trim().trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    text.trim().trim_end_matches(':').to_lowercase()
}

/// Returns the title without its number, such as `Use PostgreSQL` for `# ADR-0003: Use PostgreSQL`.
fn title(front: &FrontMatter, body: &str) -> Option<String> {
    let heading = markdown_blocks(body)
        .into_iter()
        .find(|block| matches!(block.kind, tacit_core::BlockKind::Heading(1)));
    let heading = heading.map(|block| body[block.content.clone()].trim().to_owned());
    let text = heading.or_else(|| front.one("title").map(str::to_owned))?;
    let mut rest = text.trim();
    if rest.contains(['{', '}']) || rest.starts_with("[short") || rest.starts_with('<') {
        return None;
    }
    rest = rest.trim_start_matches(['[', '(']);
    let upper = rest.to_ascii_uppercase();
    for word in ["ADR", "DECISION RECORD"] {
        if upper.starts_with(word) {
            rest = rest[word.len()..].trim_start_matches(['-', ' ', '#', ':', '_']);
        }
    }
    let unnumbered = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    if unnumbered.len() < rest.len() {
        rest = unnumbered.trim_start_matches([']', ')', '.', ':', '-', '–', '—', ' ']);
    }
    let title = rest.trim();
    (!title.is_empty()).then(|| title.to_owned())
}

fn is_about_records(title: &str) -> bool {
    let title = title.to_lowercase();
    ABOUT_RECORDS.iter().any(|subject| title.ends_with(subject))
}

/// Returns the decision in a sentence or two, and its line.
fn decision(blocks: &[TextBlock]) -> Option<(usize, String)> {
    let own: Vec<&TextBlock> = blocks.iter().filter(|block| is_in(block, DECISION)).collect();
    let first = own.first()?;
    let is_example = first.text.starts_with("```") || first.text.starts_with('|');
    let is_placeholder = first.text.contains('{') && first.text.contains('}');
    if is_example || is_placeholder {
        return None;
    }
    let mut text = match first.headings.last().filter(|_| first.has_intro) {
        Some(intro) => format!("{intro}: {}", first.text),
        None => first.text.clone(),
    };
    for block in own.iter().skip(1) {
        if text.chars().count() >= SHORT || block.has_intro != first.has_intro {
            break;
        }
        // Of an item only its own line, without those below it.
        let more =
            if block.is_item { block.text.lines().next().unwrap_or_default() } else { &block.text };
        text = format!("{text}\n{more}");
        if block.is_item {
            break;
        }
    }
    let two: Vec<&str> = sentences(&text).into_iter().take(2).collect();
    let text = shorten_at_sentence(&two.join(" "), MAX_DECISION);
    let is_whole = text.split_whitespace().count() >= 4 && !text.ends_with(':');
    is_whole.then_some((first.line, text))
}

fn gives_reason(decision: &str) -> bool {
    let text = decision.to_lowercase();
    ["because", "since ", "so that", "in order to", "due to"].iter().any(|word| text.contains(word))
}

/// Returns the first sentence of the context.
fn reason(blocks: &[TextBlock]) -> Option<String> {
    let block = blocks.iter().find(|block| is_in(block, CONTEXT))?;
    let is_prose = !block.text.starts_with(['`', '|', '{']) && !block.text.contains('{');
    let first = sentences(&block.text).into_iter().next().filter(|_| is_prose)?;
    let whole = !first.ends_with(':') && first.chars().count() <= MAX_REASON;
    whole.then(|| first.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Returns the status: of the front matter, of the section, or of a line before the first section.
fn status(front: &FrontMatter, blocks: &[TextBlock]) -> AdrStatus {
    let given = front.one("status").map(str::to_owned);
    let in_section = || {
        let own = blocks.iter().filter(|block| is_in(block, STATUS));
        let texts: Vec<&str> = own.map(|block| block.text.as_str()).collect();
        (!texts.is_empty()).then(|| texts.join("\n"))
    };
    let in_line = || {
        let head = blocks.iter().take_while(|block| block.headings.len() <= 1);
        let mut lines = head.flat_map(|block| block.text.lines());
        lines.find_map(|line| {
            let line = line.replace(['*', '_'], "");
            let (label, rest) = line.split_once(':')?;
            label.trim().eq_ignore_ascii_case("status").then(|| rest.trim().to_owned())
        })
    };
    given.or_else(in_section).or_else(in_line).map_or(AdrStatus::Accepted, |text| status_of(&text))
}

/// Reads a status. A record that was superseded may still say that it was accepted.
fn status_of(text: &str) -> AdrStatus {
    let lower = text.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if has(&["superseded", "superceded", "replaced by"]) {
        AdrStatus::Superseded(successor(text))
    } else if has(&["deprecated", "obsolete", "retired"]) {
        AdrStatus::Deprecated
    } else if has(&["reject", "declined", "withdrawn", "proposed", "draft", "pending", "abandon"])
        || has(&["under review", "in review", "in progress", "not accepted", "rfc", "wip", "{"])
    {
        AdrStatus::NotInForce
    } else {
        AdrStatus::Accepted
    }
}

/// Returns the file of a link after `superseded by`, or the number of the record.
fn successor(text: &str) -> Option<String> {
    let lower = text.to_lowercase();
    let at = lower.find("by")?;
    let rest = text.get(at..)?;
    let linked = rest.split_once("](").and_then(|(_, link)| link.split([')', '#']).next());
    if let Some(file) = linked.and_then(|link| link.rsplit('/').next()).filter(|it| !it.is_empty())
    {
        return Some(file.to_owned());
    }
    let digits: String =
        rest.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    (!digits.is_empty()).then_some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NYGARD: &str = "# 7. Store money as cents\n\nDate: 2024-03-01\n\n## Status\n\nSTATUS\n\n\
        ## Context\n\nInvoices were off by a cent. More text.\n\n## Decision\n\nWe will store all \
        amounts of money as integer cents. Conversions happen at the edge. A third sentence.\n\n\
        ## Consequences\n\nNothing.\n";
    const MADR: &str = "---\nstatus: STATUS\ndate: 2024-03-01\n---\n# Use PostgreSQL for orders\n\n\
        ## Context and Problem Statement\n\nWhere do orders go?\n\n## Considered Options\n\n* \
        PostgreSQL\n* SQLite\n\n## Decision Outcome\n\nChosen option: \"PostgreSQL\", because \
        several services write at once.\n\n### Consequences\n\n* Good, because backups are easy\n";

    /// A rule: its line, title, text and reason.
    type Row = (usize, String, String, Option<String>);

    fn row(form: &str, status: &str) -> (AdrStatus, Vec<Row>) {
        let read = read("docs/adr/7.md", &form.replace("STATUS", status));
        let rules = read.rules.into_iter().map(|rule| {
            let draft = rule.draft;
            (rule.line, draft.name.unwrap_or_default(), draft.content, draft.reasoning)
        });
        (read.status.expect("a status"), rules.collect())
    }

    #[test]
    fn a_decision_is_a_sentence_or_two_with_its_reason() {
        let (status, rules) = row(NYGARD, "Accepted");
        assert_eq!(status, AdrStatus::Accepted);
        let text =
            "We will store all amounts of money as integer cents. Conversions happen at the edge.";
        let reason = Some("Invoices were off by a cent.".to_owned());
        assert_eq!(rules, [(15, "Store money as cents".to_owned(), text.to_owned(), reason)]);
        let (_, rules) = row(MADR, "accepted");
        let text = "Chosen option: \"PostgreSQL\", because several services write at once.";
        assert_eq!(rules, [(18, "Use PostgreSQL for orders".to_owned(), text.to_owned(), None)]);
    }

    #[test]
    fn a_reason_in_a_list_continues_the_decision() {
        let text = "# Use dashes\n\n## Decision Outcome\n\nChosen option: `a-b.md`, because\n\n* it has \
                    a number\n  * nested\n* another\n";
        let rules = read("docs/adr/5.md", text).rules;
        assert_eq!(rules[0].draft.content, "Chosen option: `a-b.md`, because it has a number");
    }

    #[test]
    fn only_decisions_in_force_are_memories() {
        let by = |text: &str| AdrStatus::Superseded(Some(text.into()));
        for (text, expected) in [
            ("Accepted", AdrStatus::Accepted),
            ("accepted 2024-05-01, supersedes [2](0002-a.md)", AdrStatus::Accepted),
            ("Proposed", AdrStatus::NotInForce),
            ("rejected", AdrStatus::NotInForce),
            ("Deprecated", AdrStatus::Deprecated),
            ("Superseded by [9. Use floats](0009-use-floats.md)", by("0009-use-floats.md")),
            ("superseded by ADR-0123", by("0123")),
            ("Superceded by 12", by("12")),
            ("superseded", AdrStatus::Superseded(None)),
        ] {
            for form in [NYGARD, MADR] {
                let (status, rules) = row(form, text);
                assert_eq!(status, expected, "{text}");
                assert_eq!(rules.len(), usize::from(expected == AdrStatus::Accepted), "{text}");
            }
        }
        let listed = "# Use X here\n\n* Status: proposed\n\n## Decision\n\nWe use X here now.\n";
        assert_eq!(read("a.md", listed).status, Some(AdrStatus::NotInForce));
    }

    #[test]
    fn titles_lose_their_numbers() {
        for (heading, expected) in [
            ("1. Use X", Some("Use X")),
            ("ADR-0003: Use X", Some("Use X")),
            ("ADR 12 – Use X", Some("Use X")),
            ("0004 Use X", Some("Use X")),
            ("[ADR-5] Use X", Some("Use X")),
            ("Use X", Some("Use X")),
            ("{short title}", None),
            ("[short title of solved problem]", None),
        ] {
            let body = format!("# {heading}\n");
            assert_eq!(title(&FrontMatter::default(), &body).as_deref(), expected, "{heading}");
        }
    }

    #[test]
    fn records_about_records_and_templates_say_nothing() {
        for title in
            ["1. Record architecture decisions", "Use Markdown Architectural Decision Records"]
        {
            let text =
                NYGARD.replace("7. Store money as cents", title).replace("STATUS", "Accepted");
            assert_eq!(read("a.md", &text).rules, [], "{title}");
        }
        let text = MADR.replace("Chosen option: \"PostgreSQL\"", "Chosen option: \"{title}\"");
        assert_eq!(read("a.md", &text.replace("STATUS", "accepted")).rules, []);
        assert!(is_decision_record(NYGARD) && is_decision_record(MADR));
        assert!(!is_decision_record("# Rules\n\n## Decision\n\nNone.\n"));
    }
}
