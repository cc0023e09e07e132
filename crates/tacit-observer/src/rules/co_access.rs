//! Learns pairs of files that are used together in several sessions.

use tacit_core::{FileRole, RelationKind, RepoPath};

use super::{RuleInput, RuleOutput};
use crate::digest::SessionDigest;
use crate::files::{role, source_language};
use crate::promotion::Basis;
use crate::signals::CoAccess;
use crate::text::{counted, stable_key};

/// Minimum number of sessions that use both files.
const CAUSAL_SESSIONS: u32 = 3;
/// Minimum share of these among the sessions that use either file.
const CAUSAL_SHARE: f64 = 0.6;
/// Maximum number of pairs learnt from one tree.
const MAX_PAIRS: usize = 3;
const CONFIDENCE: f64 = 0.7;

pub(super) fn infer(input: &RuleInput<'_>, results: &mut RuleOutput) {
    let mut pairs: Vec<(u32, u32, &CoAccess)> = Vec::new();
    for pair in &input.digest.pairs {
        let mut both = 1;
        let mut either = 1;
        for digest in input.passed_digests() {
            let uses = |digest: &SessionDigest, file: &RepoPath| {
                digest.files.iter().any(|used| used.file == *file)
            };
            both +=
                u32::from(digest.pairs.iter().any(|other| other.a == pair.a && other.b == pair.b));
            either += u32::from(uses(digest, &pair.a) || uses(digest, &pair.b));
        }
        pairs.push((both, either, pair));
    }
    pairs.sort_by(|x, y| (y.0, &x.2.a, &x.2.b).cmp(&(x.0, &y.2.a, &y.2.b)));
    let mut kept = 0;
    for (both, either, pair) in pairs.into_iter().filter(|(both, ..)| *both > 1) {
        let about = format!("`{}` and `{}`", pair.a, pair.b);
        let why = if both < CAUSAL_SESSIONS {
            Some(format!("{both} of {CAUSAL_SESSIONS} sessions"))
        } else if f64::from(both) < CAUSAL_SHARE * f64::from(either) {
            Some(format!("often used separately: together in only {both} of {either} sessions"))
        } else if is_obvious_pair(&pair.a, &pair.b) {
            Some("their names, places or imports show that they belong together".to_owned())
        } else if !changed(input, pair) {
            Some("they are read together, but neither was changed".to_owned())
        } else {
            (kept == MAX_PAIRS).then(|| "other pairs are used together more often".to_owned())
        };
        if let Some(why) = why {
            results.reject(Basis::CoAccess, about, both, why);
            continue;
        }
        kept += 1;
        let files = [pair.a.clone(), pair.b.clone()];
        let content = format!(
            "`{}` and `{}` are used together: a change to one usually needs the other as well.",
            pair.a, pair.b
        );
        let mut draft = input.draft("causal_dependency", content, &files, CONFIDENCE);
        draft.reasoning = Some(format!(
            "Both were used within a few steps in {} of the {either} in which either was.",
            counted(both as usize, "session", "sessions")
        ));
        draft.relations = files
            .iter()
            .map(|file| tacit_core::DraftRelation {
                kind: RelationKind::RequiredWith.to_string(),
                memory: None,
                file: Some(file.to_string()),
                confidence: Some(f64::from(both) / f64::from(either)),
                auto_extracted: true,
            })
            .collect();
        let key = stable_key(&["together", pair.a.as_str(), pair.b.as_str()]);
        results.candidates.push(input.candidate_at_end(Basis::CoAccess, key, about, both, draft));
    }
}

/// Returns true if a reader of one file looks at the other anyway, or need not: both are in one
/// directory, they share their name, they are sources of one language, whose imports and calls show
/// the link, or one is a test or documentation.
pub fn is_obvious_pair(a: &RepoPath, b: &RepoPath) -> bool {
    let split = |file: &RepoPath| -> (String, String) {
        let (directory, name) = file.as_str().rsplit_once('/').unwrap_or(("", file.as_str()));
        let stem = name.split('.').next().unwrap_or(name).to_ascii_lowercase();
        (directory.to_owned(), stem)
    };
    let ((place, name), (other_place, other_name)) = (split(a), split(b));
    let supports = |file: &RepoPath| matches!(role(file), FileRole::Test | FileRole::Docs);
    let language = source_language(a);
    place == other_place
        || name == other_name
        || (language.is_some() && language == source_language(b))
        || supports(a)
        || supports(b)
}

fn changed(input: &RuleInput<'_>, pair: &CoAccess) -> bool {
    std::iter::once(input.digest)
        .chain(input.passed_digests())
        .filter(|digest| digest.changed().any(|file| *file == pair.a || *file == pair.b))
        .count()
        >= CAUSAL_SESSIONS as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_obvious_if_its_names_places_or_language_show_the_link() {
        for (a, b, expected) in [
            ("src/a.rs", "src/b.rs", true),
            ("src/order.rs", "sql/order.sql", true),
            ("cmd/session.go", "internal/store/committed.go", true),
            ("web/app.tsx", "shared/api.ts", true),
            ("include/ring.h", "src/queue.cpp", true),
            ("src/order.rs", "tests/all.rs", true),
            ("src/order.rs", "docs/guide.md", true),
            ("src/version.py", "deploy/chart.yaml", false),
            ("api/routes.go", "web/client.ts", false),
            ("a/one.yaml", "b/two.yaml", false),
        ] {
            let path = |text| RepoPath::new(text).expect("a path");
            assert_eq!(is_obvious_pair(&path(a), &path(b)), expected, "{a} {b}");
        }
    }
}
