//! Detects the format of a file, by its content before its name.

use serde_json::Value;

use crate::front_matter::FrontMatter;
use crate::{Format, auto_memory, basic_memory, beads, settings, tacit_markdown, wt_memory};

/// Detects the format of a file; `None` if it is unknown. `name` is its path, with forward slashes.
pub fn detect(name: &str, bytes: &[u8]) -> Option<Format> {
    if bytes.starts_with(b"SQLite format 3\0") {
        let is_iflow = name.ends_with("/memory/memory.db") || has_iflow_table(bytes);
        return Some(if is_iflow { Format::Iflow } else { Format::ClaudeMem });
    }
    let text = std::str::from_utf8(bytes).ok()?;
    let text = text.trim_start_matches('\u{feff}');
    if text.starts_with(tacit_markdown::HEADER) {
        return Some(Format::TacitMarkdown);
    }
    if name.contains(".beads/") && name.ends_with(".jsonl") {
        return Some(Format::Beads);
    }
    if text.trim_start().starts_with(['{', '[']) && !name.ends_with(".md") {
        return Some(json(text));
    }
    let unix = text.replace("\r\n", "\n");
    let file = name.rsplit('/').next().unwrap_or(name);
    let (front, body, _) = FrontMatter::split_any(&unix);
    if settings::is_local(&front) {
        return Some(Format::Settings);
    }
    if is_rules(name, file, &front) {
        return Some(Format::Rules);
    }
    if name.contains(".serena/memories/") {
        return Some(Format::Serena);
    }
    let in_memory = name.contains("/projects/") && name.contains("/memory/");
    if auto_memory::is_fact(&front) || in_memory || file == "MEMORY.md" {
        return Some(Format::AutoMemory);
    }
    if front.has("permalink")
        || (front.has("title") && front.has("type"))
        || basic_memory::has_marked_lines(body)
    {
        return Some(Format::BasicMemory);
    }
    // Other markdown is prose, such as a README: nothing says that it is rules.
    None
}

/// Returns true if the beginning of a database defines the table of iflow's learnings.
fn has_iflow_table(bytes: &[u8]) -> bool {
    const SEARCHED: usize = 64 * 1024;
    const TABLE: &[u8] = b"entries_fts";
    bytes[..bytes.len().min(SEARCHED)].windows(TABLE.len()).any(|window| window == TABLE)
}

/// Returns true for files that clients read as instructions.
fn is_rules(name: &str, file: &str, front: &FrontMatter) -> bool {
    const NAMES: [&str; 8] = [
        "CLAUDE.md",
        "CLAUDE.local.md",
        "AGENTS.md",
        "AGENT.md",
        "GEMINI.md",
        "copilot-instructions.md",
        ".cursorrules",
        ".windsurfrules",
    ];
    NAMES.contains(&file)
        || file.ends_with(".mdc")
        || file.ends_with(".instructions.md")
        || name.contains(".claude/rules/")
        || front.has("alwaysApply")
        || front.has("applyTo")
        || front.has("globs")
}

/// Detects the format of JSON; our own drafts unless another format is recognised.
fn json(text: &str) -> Format {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let value = serde_json::from_str::<Value>(first)
        .or_else(|_| serde_json::from_str(text))
        .unwrap_or(Value::Null);
    let is_graph = matches!(value["type"].as_str(), Some("entity" | "relation"))
        && value.get("content").is_none();
    if value["format"] == wt_memory::FORMAT {
        Format::WtMemory
    } else if beads::is_line(&value) {
        Format::Beads
    } else if is_graph || value["entities"].is_array() {
        Format::McpMemory
    } else if settings::is_config(&value) {
        Format::Settings
    } else {
        Format::Tacit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_decides_before_the_name() {
        let rows: [(&str, &[u8], Option<Format>); 29] = [
            ("x.db", b"SQLite format 3\0....", Some(Format::ClaudeMem)),
            ("x.db", b"SQLite format 3\0.. entries_fts ..", Some(Format::Iflow)),
            ("/h/.claude/iflow/memory/memory.db", b"SQLite format 3\0....", Some(Format::Iflow)),
            ("x.json", b"{\"format\": \"wt-memory-export\"}", Some(Format::WtMemory)),
            (
                "x.jsonl",
                b"{\"_type\":\"memory\",\"key\":\"k\",\"value\":\"v\"}",
                Some(Format::Beads),
            ),
            (
                ".beads/issues.jsonl",
                b"{\"id\":\"a-1\",\"title\":\"t\",\"issue_type\":\"task\"}",
                Some(Format::Beads),
            ),
            ("x.jsonl", b"{\"id\":\"a-1\",\"title\":\"t\",\"content\":\"c\"}", Some(Format::Tacit)),
            ("/p/.serena/memories/style.md", b"# Style", Some(Format::Serena)),
            ("x.jsonl", br#"{"format":"tacit-export","version":1}"#, Some(Format::Tacit)),
            ("-", br#"{"content":"a draft"}"#, Some(Format::Tacit)),
            ("-", br#"{"content":"a draft","type":"entity"}"#, Some(Format::Tacit)),
            ("memory.json", br#"{"type":"entity","name":"a"}"#, Some(Format::McpMemory)),
            ("graph.json", b"{\n \"entities\": []\n}", Some(Format::McpMemory)),
            ("c.json", br#"{"triage": {"parallel": {}}}"#, Some(Format::Settings)),
            ("-", br#"{"content": "a draft", "delete": {}}"#, Some(Format::Tacit)),
            ("x.local.md", b"---\nmemory_model_capture_mode: off\n---\n", Some(Format::Settings)),
            ("x.md", b"<!-- tacit-export 1 -->\n", Some(Format::TacitMarkdown)),
            ("a/CLAUDE.md", b"- [decision] still rules", Some(Format::Rules)),
            (".cursor/rules/a.mdc", b"---\nglobs: a\n---\nx y", Some(Format::Rules)),
            (".github/copilot-instructions.md", b"x", Some(Format::Rules)),
            ("x/notes.md", b"---\nname: a\ndescription: b\n---\nc", Some(Format::AutoMemory)),
            ("/h/.claude/projects/-p/memory/old.md", b"- a note", Some(Format::AutoMemory)),
            ("n/a.md", b"---\r\ntitle: a\r\ntype: note\r\n---\r\nc", Some(Format::BasicMemory)),
            ("n/a.md", b"- [tip] grind fresh #beans", Some(Format::BasicMemory)),
            ("n/a.md", b"- [ ] a task", None),
            ("README.md", b"# Shop\n\nAlways run the linter", None),
            ("readme.txt", b"plain", None),
            ("x.bin", b"\xff\xfe", None),
            ("-", b"", None),
        ];
        for (name, bytes, expected) in rows {
            assert_eq!(
                detect(name, bytes),
                expected,
                "{name} {:?}",
                String::from_utf8_lossy(bytes)
            );
        }
    }
}
