//! The edge of a hook: private text and secrets in names are removed before anything else sees an
//! event.

use std::borrow::Cow;

use tacit_core::{AgentEvent, EventLimits, SessionId, VisitText};
use tacit_redact::{identifier, redact, redact_field, without_private};

/// Bytes scanned for secrets beyond the part that is kept: a secret cut in half is not recognised.
const MARGIN: usize = 32 * 1024;

/// Takes out what its author marked as private, and secrets from the names of things. Both may stand
/// anywhere, so that this comes before anything is cut.
pub(super) fn enter(event: &mut AgentEvent) {
    if let Cow::Owned(hidden) = identifier(event.session.as_str())
        && let Ok(session) = SessionId::new(hidden)
    {
        event.session = session;
    }
    event.visit_names(&mut |name| put(name, identifier));
    event.visit_texts(&mut |_, text| put(text, without_private));
}

/// Takes out what nobody needs of large texts, and then every secret.
pub(super) fn clean(event: &mut AgentEvent) {
    event.shorten(&wider_by(MARGIN));
    let clean: &mut VisitText<'_> = &mut |field, text| {
        put(text, |text| match field {
            Some(name) => redact_field(name, text).text,
            None => redact(text).text,
        });
    };
    event.visit_texts(clean);
    // Whatever was halved by the first cut is taken off by this one.
    event.shorten(&wider_by(MARGIN / 2));
}

/// More than is kept, by so many bytes at each end.
fn wider_by(margin: usize) -> EventLimits {
    let limits = EventLimits::default();
    EventLimits {
        output_head: limits.output_head + margin,
        output_tail: limits.output_tail + margin,
        content: limits.content + 2 * margin,
    }
}

/// A path without secrets, and as text, to be kept: what is read is read by the path as it is.
pub(super) fn path(path: &std::path::Path) -> std::path::PathBuf {
    redact(&path.to_string_lossy()).text.into_owned().into()
}

fn put(text: &mut String, change: impl FnOnce(&str) -> Cow<'_, str>) {
    if let Cow::Owned(changed) = change(text) {
        *text = changed;
    }
}
