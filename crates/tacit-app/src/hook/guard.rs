//! Keeps an agent from writing records past the commands that check what they write.

use std::path::Path;

use tacit_core::{AgentEvent, EventKind};
use tacit_records::RecordCategory;
use tacit_records::files::{MAX_BYTES, is_of_records};

use crate::inject::changed_files;

/// Why a tool must not run: it would write a record. Nothing is said against resolving a conflict,
/// which no command can do.
pub(super) fn denial(event: &AgentEvent, root: &Path) -> Option<String> {
    let EventKind::ToolStarting { tool } = &event.kind else { return None };
    let files = changed_files(event, tool, root);
    let file = files.iter().find(|file| is_of_records(file))?;
    let there = root.join(file);
    if tacit_fs::read_text_linked(&there, MAX_BYTES)
        .is_ok_and(|text| text.starts_with("<<<<<<< ") || text.contains("\n<<<<<<< "))
    {
        return None;
    }
    let name = file.file_stem().and_then(|name| name.to_str()).unwrap_or("NAME");
    let folder = file.parent().and_then(|folder| folder.file_name()?.to_str());
    let advice = match folder.and_then(RecordCategory::of_folder) {
        Some(category) if there.is_file() => format!(
            "`tacit records show {name}` prints it with its hash; `tacit records update {name} \
             --note TEXT` takes the fields that change as JSON on standard input ({category}); \
             `retire`, `archive` and `restore` change its state."
        ),
        Some(category) => format!(
            "`tacit records candidate --category {category} --new-info TEXT` tells whether there \
             is a record for it; `tacit records create {category}` takes the JSON on standard \
             input, and `tacit records schema {category}` tells its form."
        ),
        None => "`tacit records --help` lists the commands that write there.".to_owned(),
    };
    Some(format!("`{}` is not written by hand. {advice}", file.display()))
}
