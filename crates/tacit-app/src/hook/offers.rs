//! Entries of the trigger index that an event calls for.

use std::path::Path;

use tacit_core::{AgentEvent, Config, EventKind};
use tacit_triggers::files::is_inside;
use tacit_triggers::index::parse_index;
use tacit_triggers::offer::Offers;

/// An index longer than this is read so far.
const MOST_BYTES: u64 = 256 * 1024;
/// How many entries are offered.
const MOST: usize = 2;

/// The lines that offer entries for what was said, is about to run, or went wrong.
pub(super) fn lines(event: &AgentEvent, config: &Config, root: &Path) -> Vec<String> {
    let text = match &event.kind {
        EventKind::PromptSubmitted { prompt, automatic: false, .. } => prompt.as_str(),
        EventKind::ToolStarting { tool } => tool.kind.command().unwrap_or_default(),
        EventKind::ToolFailed { failure, .. } if !failure.is_interrupt => failure.error.as_str(),
        _ => return Vec::new(),
    };
    let mut lines = Vec::new();
    for index in config.triggers_index.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        let file = root.join(index);
        if is_inside(root, &file)
            && let Ok(bytes) = tacit_fs::read_start_linked(&file, MOST_BYTES)
        {
            let index = parse_index(&bytes);
            let offers = Offers::of(&index.entries).matching(text, MOST);
            lines.extend(offers.iter().map(|offer| offer.entry.to_string()));
        }
    }
    lines.truncate(MOST);
    lines
}
