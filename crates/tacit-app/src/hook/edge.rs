//! Removes private text and secrets from an event before anything else sees it.

use std::borrow::Cow;

use tacit_core::{AgentEvent, EventLimits, SessionId, VisitText};
use tacit_redact::{identifier, redact, redact_field, without_private};

/// Bytes scanned beyond the part that is kept: a secret cut in half would not be recognised.
const MARGIN: usize = 32 * 1024;

/// Removes text marked as private, and secrets in names. Both can be anywhere, so this runs before
/// anything is cut.
pub(super) fn enter(event: &mut AgentEvent) {
    if let Cow::Owned(hidden) = identifier(event.session.as_str())
        && let Ok(session) = SessionId::new(hidden)
    {
        event.session = session;
    }
    event.visit_names(&mut |name| replace(name, identifier));
    event.visit_texts(&mut |_, text| replace(text, without_private));
}

/// Shortens large texts, then redacts every secret.
pub(super) fn clean(event: &mut AgentEvent) {
    event.shorten(&wider_by(MARGIN));
    let clean: &mut VisitText<'_> = &mut |field, text| {
        replace(text, |text| match field {
            Some(name) => redact_field(name, text).text,
            None => redact(text).text,
        });
    };
    event.visit_texts(clean);
    // Removes secrets that the first cut split at the ends.
    event.shorten(&wider_by(MARGIN / 2));
}

/// Returns the usual limits plus a margin at each end.
fn wider_by(margin: usize) -> EventLimits {
    let limits = EventLimits::default();
    EventLimits {
        output_head: limits.output_head + margin,
        output_tail: limits.output_tail + margin,
        content: limits.content + 2 * margin,
        found: limits.found + margin,
    }
}

/// Redacts a path for storage; files are opened by the original path.
pub(super) fn path(path: &std::path::Path) -> std::path::PathBuf {
    redact(&path.to_string_lossy()).text.into_owned().into()
}

fn replace(text: &mut String, change: impl FnOnce(&str) -> Cow<'_, str>) {
    if let Cow::Owned(changed) = change(text) {
        *text = changed;
    }
}
