//! Replaces secrets by markers, and maps positions in the marked text to the original.

use crate::scan::{MARKER_START, SecretHit};

fn marker_length(hit: &SecretHit) -> usize {
    MARKER_START.len() + hit.rule.len() + 1
}

/// Replaces each hit by its marker. Hits are in order and do not overlap.
pub(crate) fn render(text: &str, hits: &[SecretHit]) -> String {
    let mut out = String::with_capacity(text.len() + hits.len() * 8);
    let mut copied = 0;
    for hit in hits {
        out.push_str(&text[copied..hit.start]);
        out.push_str(MARKER_START);
        out.push_str(hit.rule);
        out.push(']');
        copied = hit.end;
    }
    out.push_str(&text[copied..]);
    out
}

/// Adds the hits of a second scan, whose positions refer to the rendered text, to the first, with
/// positions in the original. A second hit that touches a marker includes it.
pub(crate) fn merge(first: &[SecretHit], second: &[SecretHit]) -> Vec<SecretHit> {
    let mut merged = Vec::with_capacity(first.len() + second.len());
    let mut pending = first.iter().peekable();
    // The positions in both texts after the last marker passed.
    let (mut original, mut rendered) = (0, 0);
    for hit in second {
        while let Some(old) = pending
            .next_if(|old| rendered + (old.start - original) + marker_length(old) <= hit.start)
        {
            rendered += old.start - original + marker_length(old);
            original = old.end;
            merged.push(*old);
        }
        let mut start = original + (hit.start - rendered);
        let mut end = original + hit.end.saturating_sub(rendered);
        while let Some(old) = pending.next_if(|old| rendered + (old.start - original) < hit.end) {
            start = start.min(old.start);
            rendered += old.start - original + marker_length(old);
            original = old.end;
            end = original + hit.end.saturating_sub(rendered);
        }
        merged.push(SecretHit { start, end, rule: hit.rule });
    }
    merged.extend(pending);
    merged
}

/// Merges overlapping hits of two scans of the same text; the longest gives the rule.
pub(crate) fn merge_overlapping(mut hits: Vec<SecretHit>) -> Vec<SecretHit> {
    hits.sort_by_key(|hit| (hit.start, hit.end));
    let mut merged: Vec<SecretHit> = Vec::with_capacity(hits.len());
    for hit in hits {
        match merged.last_mut() {
            Some(last) if hit.start < last.end => {
                if hit.end - hit.start > last.end - last.start {
                    last.rule = hit.rule;
                }
                last.end = last.end.max(hit.end);
            }
            _ => merged.push(hit),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn second_hits_are_mapped_to_the_original_text() {
        let hit = |start, end, rule| SecretHit { start, end, rule };
        let text = "0123456789abcdef";
        let first = [hit(2, 4, "a"), hit(8, 12, "b")];
        let rendered = render(text, &first);
        assert_eq!(rendered, "01[redacted:a]4567[redacted:b]cdef");
        let cases: [(SecretHit, &str); 4] = [
            (hit(0, 2, "c"), "[redacted:c][redacted:a]4567[redacted:b]cdef"),
            (hit(15, 17, "c"), "01[redacted:a]4[redacted:c]7[redacted:b]cdef"),
            (hit(1, 15, "c"), "0[redacted:c]567[redacted:b]cdef"),
            (hit(16, 34, "c"), "01[redacted:a]45[redacted:c]"),
        ];
        for (second, expected) in cases {
            assert_eq!(render(text, &merge(&first, &[second])), expected);
        }
    }
}
