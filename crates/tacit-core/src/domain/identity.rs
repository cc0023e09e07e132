//! What makes two memories the same learning.

use std::fmt;

use sha2::{Digest, Sha256};

use super::details::Details;
use super::placement::{Scope, Subject};
use super::values::Content;

/// The hash of what a memory says and where it applies. Equal hashes are the same learning: it is
/// reinforced, not stored a second time.
///
/// White space does not count. The type does not count for types that are text alone (the same
/// sentence filed as a gotcha and as a pattern is one learning); details do. The unit of work and
/// the session count only where the memory is scoped to them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// The identity of a subject and what is said about it.
    pub fn of(subject: &Subject, content: &Content) -> ContentHash {
        let mut hasher = Sha256::new();
        for word in content.as_str().split_whitespace() {
            hasher.update(word.as_bytes());
            hasher.update([b' ']);
        }
        let placement = subject.placement();
        if placement.scope() == Scope::Session
            && let Some(session) = placement.session()
        {
            field(&mut hasher, "session", session.as_str());
        }
        if !is_text_alone(subject.details()) {
            field(&mut hasher, "type", subject.memory_type().as_str());
        }
        let about_unit = placement.scope() == Scope::WorkUnit
            || matches!(subject.details(), Details::WorkState(_) | Details::WorkUnitOutcome(_));
        if about_unit && let Some(unit) = placement.work_unit() {
            field(&mut hasher, "methodology", unit.methodology());
            for entry in unit.hierarchy() {
                field(&mut hasher, "unit", entry);
            }
        }
        if !is_text_alone(subject.details())
            && let Some(mut details) = subject.details().to_json()
        {
            details.sort_all_objects();
            field(&mut hasher, "details", &details.to_string());
        }
        ContentHash(hasher.finalize().into())
    }

    /// A hash from its bytes.
    pub fn from_bytes(bytes: [u8; 32]) -> ContentHash {
        ContentHash(bytes)
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContentHash({self})")
    }
}

/// Returns true if the text says all there is: fields of an error pattern say what its text does.
fn is_text_alone(details: &Details) -> bool {
    matches!(details, Details::Plain(_) | Details::ErrorPattern(_))
}

/// A named field, framed so that no two sequences of fields give the same bytes.
fn field(hasher: &mut Sha256, name: &str, value: &str) {
    for part in [name, value] {
        hasher.update([0]);
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::details::PlainType;
    use crate::domain::placement::Placement;
    use crate::domain::values::SessionId;
    use crate::domain::work_unit::WorkUnitRef;

    fn hash(details: Details, placement: Placement, text: &str) -> ContentHash {
        ContentHash::of(&Subject::new(details, placement).unwrap(), &Content::new(text).unwrap())
    }

    fn plain(kind: PlainType, text: &str) -> ContentHash {
        hash(Details::Plain(kind), Placement::global(), text)
    }

    #[test]
    fn white_space_and_plain_types_do_not_count() {
        let one = plain(PlainType::Gotcha, "never  hold\nthe lock");
        assert_eq!(one, plain(PlainType::Pattern, "never hold the lock"));
        assert_ne!(one, plain(PlainType::Gotcha, "never hold the locks"));
    }

    #[test]
    fn the_unit_of_work_counts_where_the_memory_is_about_it() {
        let unit = |name: &str| WorkUnitRef::new("native", vec![name.into()], name).unwrap();
        let state = |name: &str| {
            let placement = Placement::new(Scope::Global, Some(unit(name)), None).unwrap();
            hash(Details::WorkState(Default::default()), placement, "tests are red")
        };
        assert_ne!(state("spec_1"), state("spec_2"));

        let gotcha = |name: &str, scope| {
            let placement = Placement::new(scope, Some(unit(name)), None).unwrap();
            hash(Details::Plain(PlainType::Gotcha), placement, "tests are red")
        };
        assert_eq!(gotcha("spec_1", Scope::Module), gotcha("spec_2", Scope::Module));
        assert_ne!(gotcha("spec_1", Scope::WorkUnit), gotcha("spec_2", Scope::WorkUnit));
    }

    #[test]
    fn the_session_counts_in_session_scope() {
        let note = |session: &str, scope| {
            let session = SessionId::new(session).unwrap();
            let placement = Placement::new(scope, None, Some(session)).unwrap();
            hash(Details::Plain(PlainType::Gotcha), placement, "text")
        };
        assert_ne!(note("a", Scope::Session), note("b", Scope::Session));
        assert_eq!(note("a", Scope::Global), note("b", Scope::Global));
    }

    #[test]
    fn the_order_of_keys_in_details_does_not_count() {
        let state = |json: &str| {
            let fields = serde_json::from_str(json).unwrap();
            let unit = WorkUnitRef::new("native", vec!["s".into()], "s").unwrap();
            let placement = Placement::new(Scope::Global, Some(unit), None).unwrap();
            hash(Details::WorkState(fields), placement, "text")
        };
        assert_eq!(state(r#"{"a":1,"b":{"c":2,"d":3}}"#), state(r#"{"b":{"d":3,"c":2},"a":1}"#));
    }
}
