//! Entries of the trigger index that match an event.

use std::path::Path;

use tacit_core::{AgentEvent, Config, EventKind};
use tacit_triggers::files::is_inside;
use tacit_triggers::index::{TriggerEntry, parse_index};
use tacit_triggers::offer::Offers;

use crate::inject::Occasion;

/// The number of bytes read of an index.
const MAX_BYTES: u64 = 256 * 1024;
/// The maximum number of entries offered.
const MAX_OFFERS: usize = 2;

/// Returns entries that match the prompt, the command about to run, or the error.
pub(super) fn lines(
    event: &AgentEvent,
    occasion: &Occasion,
    config: &Config,
    root: &Path,
) -> Vec<String> {
    let text = match &event.kind {
        EventKind::PromptSubmitted { prompt, automatic: false, .. } => prompt.as_str(),
        EventKind::ToolStarting { tool, .. } => tool.kind.command().unwrap_or_default(),
        EventKind::ToolFailed { failure, .. } if !failure.is_interrupt => failure.error.as_str(),
        EventKind::ToolFinished { outcome, .. } if *occasion == Occasion::FailedCheck => {
            outcome.text.as_deref().unwrap_or_default()
        }
        _ => return Vec::new(),
    };
    let mut lines = Vec::new();
    for index in config.triggers_index.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        let file = root.join(index);
        if is_inside(root, &file)
            && let Ok(bytes) = tacit_fs::read_start_following(&file, MAX_BYTES)
        {
            let index = parse_index(&bytes);
            let offers = Offers::of(&index.entries).matching(text, MAX_OFFERS);
            lines.extend(offers.iter().map(|offer| line(offer.entry)));
        }
    }
    lines.truncate(MAX_OFFERS);
    lines
}

/// Renders an entry with the command that opens it. A repository writes the triggers, so only plain
/// words are put into a command.
fn line(entry: &TriggerEntry) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || c == ' ' || "-_.,/".contains(c);
    match entry.trigger.chars().all(is_plain) && !entry.trigger.starts_with('-') {
        true => format!("{entry} (`tacit {} \"{}\"` opens it)", entry.operator, entry.trigger),
        false => entry.to_string(),
    }
}
