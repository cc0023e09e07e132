//! Stops agents from writing record files directly: only the commands check what they write.

use std::path::Path;

use tacit_core::{AgentEvent, EventKind};
use tacit_records::RecordCategory;
use tacit_records::files::{MAX_RECORD_BYTES, is_record_path};

use crate::inject::changed_files;

/// Returns why a tool must not run, if it would write a record file. Files with merge conflicts may
/// be edited, because no command can resolve those.
pub(super) fn denial(event: &AgentEvent, root: &Path) -> Option<String> {
    let EventKind::ToolStarting { tool, .. } = &event.kind else { return None };
    let files = changed_files(event, tool, root);
    let file = files.iter().find(|file| is_record_path(file))?;
    let path = root.join(file);
    if tacit_fs::read_text_following(&path, MAX_RECORD_BYTES)
        .is_ok_and(|text| text.starts_with("<<<<<<< ") || text.contains("\n<<<<<<< "))
    {
        return None;
    }
    let name = file.file_stem().and_then(|name| name.to_str()).unwrap_or("NAME");
    let folder = file.parent().and_then(|folder| folder.file_name()?.to_str());
    let advice = match folder.and_then(RecordCategory::of_folder) {
        Some(category) if path.is_file() => format!(
            "Read it with `tacit records show {name}` (which prints its hash), then pass the changed \
             fields as JSON on standard input to `tacit records update {name} --note TEXT` \
             ({category}). `tacit records retire`, `archive` and `restore` change its status."
        ),
        Some(category) => format!(
            "Run `tacit records candidate --category {category} --new-info TEXT` to see if a record \
             for it exists. If not, pass the JSON on standard input to `tacit records create \
             {category}`; `tacit records schema {category}` shows the format."
        ),
        None => "`tacit records --help` lists the commands that write it.".to_owned(),
    };
    Some(format!("Do not edit `{}` directly. {advice}", file.display()))
}
