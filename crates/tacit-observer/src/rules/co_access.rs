//! Files that are used together in session after session.

use tacit_core::{RelationKind, RepoPath};

use super::{RuleInput, RuleOutput};
use crate::digest::SessionDigest;
use crate::promotion::Basis;
use crate::signals::CoAccess;
use crate::text::{counted, stable_key};

/// In so many sessions two files must be used together.
const CAUSAL_SESSIONS: u32 = 3;
/// And in so large a share of the sessions in which either is used.
const CAUSAL_SHARE: f64 = 0.6;
/// How many pairs a tree may tell of.
const MOST: usize = 3;
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
            Some(format!("each is used without the other: {both} of {either} sessions"))
        } else if !changed(input, pair) {
            Some("they are looked at together, but neither was changed".to_owned())
        } else {
            (kept == MOST).then(|| "others are used together more often".to_owned())
        };
        if let Some(why) = why {
            results.reject(Basis::CoAccess, about, both, why);
            continue;
        }
        kept += 1;
        let files = [pair.a.clone(), pair.b.clone()];
        let content = format!(
            "`{}` and `{}` are used together: whoever changes one of them usually needs the other as well.",
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

fn changed(input: &RuleInput<'_>, pair: &CoAccess) -> bool {
    std::iter::once(input.digest)
        .chain(input.passed_digests())
        .filter(|digest| digest.changed().any(|file| *file == pair.a || *file == pair.b))
        .count()
        >= CAUSAL_SESSIONS as usize
}
