//! Telling formats apart, by what is in a file before what it is called.

use serde_json::Value;

use crate::front_matter::FrontMatter;
use crate::{Format, auto_memory, basic_memory, settings, tacit_markdown};

/// What a file is; none if nothing tells. `name` is its path, with forward slashes.
pub fn detect(name: &str, bytes: &[u8]) -> Option<Format> {
    if bytes.starts_with(b"SQLite format 3\0") {
        return Some(Format::ClaudeMem);
    }
    let text = std::str::from_utf8(bytes).ok()?;
    let text = text.trim_start_matches('\u{feff}');
    if text.starts_with(tacit_markdown::HEADER) {
        return Some(Format::TacitMarkdown);
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
    // Text that nobody can tell apart from prose is not taken for rules.
    if file.ends_with(".md") || file.ends_with(".mdc") { Some(Format::Rules) } else { None }
}

/// Files that clients read as instructions.
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

/// What JSON is; drafts of ours, unless something says otherwise.
fn json(text: &str) -> Format {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let value = serde_json::from_str::<Value>(first)
        .or_else(|_| serde_json::from_str(text))
        .unwrap_or(Value::Null);
    let is_graph = matches!(value["type"].as_str(), Some("entity" | "relation"))
        && value.get("content").is_none();
    if is_graph || value["entities"].is_array() {
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
    fn content_before_name() {
        let rows: [(&str, &[u8], Option<Format>); 21] = [
            ("x.db", b"SQLite format 3\0....", Some(Format::ClaudeMem)),
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
            ("n/a.md", b"- [ ] a task", Some(Format::Rules)),
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
