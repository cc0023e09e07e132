//! Passwords of `htpasswd -b FILE USER PASSWORD` and `htpasswd -nb USER PASSWORD`.

use super::command::{PASSWORD, argument};
use crate::scan::{Detection, KeywordMatch, SecretHit, with_token_rule};
use crate::value::is_certain_password;

pub(super) fn find(matched: &KeywordMatch<'_>) -> Detection {
    let bytes = matched.bytes;
    let mut at = matched.at + matched.keyword.len();
    let (mut batch, mut prints, mut names) = (false, false, 0);
    while let Some((start, end)) = argument(bytes, at) {
        at = end + usize::from(matches!(bytes.get(end), Some(b'"' | b'\'')));
        let word = &bytes[start..end];
        if names == 0
            && let Some(flags) = word.strip_prefix(b"-")
        {
            batch |= flags.contains(&b'b');
            prints |= flags.contains(&b'n');
            continue;
        }
        names += 1;
        if names == if prints { 2 } else { 3 } {
            let found = batch && is_certain_password(word);
            let hit = SecretHit { start, end, rule: PASSWORD };
            return if found {
                Detection::Found(with_token_rule(bytes, matched.floor, hit))
            } else {
                Detection::No
            };
        }
    }
    Detection::No
}
