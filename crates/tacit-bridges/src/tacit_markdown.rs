//! Memories as markdown that people can read, and back without loss.
//!
//! A comment with everything that is not text begins each memory; its heading, its text and its
//! reasons follow. A line of the text that would pass for one of those marks gets a backslash in
//! front, which is taken off again.

use serde_json::Value;
use tacit_core::Memory;

use crate::{BridgeError, ImportContent, ImportItem};

/// How a file in this format begins.
pub const HEADER: &str = "<!-- tacit-export 1 -->";

const MEMORY: &str = "<!-- memory ";
const WHY: &str = "<!-- why -->";
const END: &str = " -->";
const HEADING: &str = "## ";

/// Returns one memory, to be written after [`HEADER`] and a line break.
pub fn write(memory: &Memory) -> String {
    let mut fields = memory.to_json();
    let mut take = |name: &str| match fields.as_object_mut().and_then(|map| map.shift_remove(name))
    {
        Some(Value::String(text)) => Some(text),
        _ => None,
    };
    let (title, content, reasoning) = (take("title"), take("content"), take("reasoning"));
    // Within JSON, two dashes and this character can only be part of a string.
    let fields = fields.to_string().replace("-->", "--\\u003e");
    let mut text = format!("\n{MEMORY}{fields}{END}\n");
    if let Some(title) = title {
        text.push_str(&format!("{HEADING}{title}\n"));
    }
    text.push('\n');
    text.push_str(&escaped(&content.unwrap_or_default()));
    text.push('\n');
    if let Some(reasoning) = reasoning {
        text.push_str(&format!("\n{WHY}\n{}\n", escaped(&reasoning)));
    }
    text
}

/// Returns every memory of a file, each with its line.
pub fn read(text: &str) -> Result<Vec<ImportItem>, BridgeError> {
    let text = text.trim_start_matches('\u{feff}');
    let mut lines = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).zip(1..);
    let first = lines.next().map(|(line, _)| line.trim_end());
    if first != Some(HEADER) {
        let newer = first.is_some_and(|line| line.starts_with("<!-- tacit-export "));
        return Err(BridgeError::Other(if newer {
            "this export was written by a newer version of tacit; install that".into()
        } else {
            format!("it does not begin with `{HEADER}`")
        }));
    }
    let mut items = Vec::new();
    let mut open: Option<Section> = None;
    for (line, number) in lines {
        if let Some(fields) = line.strip_prefix(MEMORY) {
            items.extend(open.take().map(Section::close).transpose()?);
            let fields = fields.trim_end().strip_suffix(END.trim_start()).unwrap_or(fields);
            let fields = serde_json::from_str(fields.trim()).map_err(|error| {
                let problem = format!("not the fields of a memory: {error}");
                BridgeError::Line { line: number, problem }
            })?;
            open = Some(Section { line: number, fields, ..Section::default() });
        } else if let Some(section) = &mut open {
            section.add(line);
        }
        // What stands before the first memory is for readers.
    }
    items.extend(open.map(Section::close).transpose()?);
    Ok(items)
}

/// A memory that is being read.
#[derive(Default)]
struct Section {
    line: usize,
    fields: Value,
    title: Option<String>,
    content: Vec<String>,
    reasoning: Option<Vec<String>>,
}

impl Section {
    fn add(&mut self, line: &str) {
        let begins = self.content.iter().all(|line| line.trim().is_empty());
        if let Some(reasoning) = &mut self.reasoning {
            reasoning.push(unescaped(line));
        } else if line == WHY {
            self.reasoning = Some(Vec::new());
        } else if let (true, None, Some(title)) = (begins, &self.title, line.strip_prefix(HEADING))
        {
            self.title = Some(title.trim().to_owned());
        } else {
            self.content.push(unescaped(line));
        }
    }

    fn close(self) -> Result<ImportItem, BridgeError> {
        let fail = |problem: String| BridgeError::Line { line: self.line, problem };
        let Value::Object(mut fields) = self.fields else {
            return Err(fail("not the fields of a memory".into()));
        };
        let block = |lines: Vec<String>| Value::String(lines.join("\n").trim().to_owned());
        fields.insert("content".into(), block(self.content));
        if let Some(title) = self.title {
            fields.insert("title".into(), Value::String(title));
        }
        if let Some(reasoning) = self.reasoning {
            fields.insert("reasoning".into(), block(reasoning));
        }
        let memory = Memory::from_json(Value::Object(fields)).map_err(|e| fail(e.to_string()))?;
        Ok(ImportItem {
            line: self.line,
            content: ImportContent::Memory(Box::new(memory)),
            paths: Vec::new(),
        })
    }
}

/// Returns true if a line, less its backslashes, would pass for a mark.
fn is_mark(line: &str) -> bool {
    let line = line.trim_start_matches('\\');
    line.starts_with(HEADING) || line.starts_with(MEMORY) || line.starts_with(WHY)
}

fn escaped(text: &str) -> String {
    let lines = text.split('\n').enumerate().map(|(index, line)| {
        // Only at the beginning would a heading be taken for the memory's own.
        let heading = line.trim_start_matches('\\').starts_with(HEADING);
        if is_mark(line) && (!heading || index == 0 || line.starts_with('\\')) {
            format!("\\{line}")
        } else {
            line.to_owned()
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn unescaped(line: &str) -> String {
    match line.strip_prefix('\\') {
        Some(rest) if is_mark(rest) => rest.to_owned(),
        _ => line.to_owned(),
    }
}
