//! `htpasswd -b FILE USER PASSWORD`, and `htpasswd -nb USER PASSWORD`.

use super::command::{PASSWORD, argument};
use crate::scan::{Hit, Outcome, Place, named};
use crate::value::is_given_password;

pub(super) fn find(place: &Place<'_>) -> Outcome {
    let bytes = place.bytes;
    let mut at = place.at + place.keyword.len();
    let (mut batch, mut printed, mut names) = (false, false, 0);
    while let Some((start, end)) = argument(bytes, at) {
        at = end + usize::from(matches!(bytes.get(end), Some(b'"' | b'\'')));
        let word = &bytes[start..end];
        if names == 0
            && let Some(flags) = word.strip_prefix(b"-")
        {
            batch |= flags.contains(&b'b');
            printed |= flags.contains(&b'n');
            continue;
        }
        names += 1;
        if names == if printed { 2 } else { 3 } {
            let found = batch && is_given_password(word);
            let hit = Hit { start, end, rule: PASSWORD };
            return if found {
                Outcome::Found(named(bytes, place.floor, hit))
            } else {
                Outcome::No
            };
        }
    }
    Outcome::No
}
