//! Putting markers in the place of secrets, and finding the way back from a
//! place in the marked text to the place in the original.

use crate::scan::{Hit, MARKER_START};

fn marker_length(hit: &Hit) -> usize {
    MARKER_START.len() + hit.rule.len() + 1
}

/// Returns the text with each hit replaced by its marker. Hits are in order and apart.
pub(crate) fn render(text: &str, hits: &[Hit]) -> String {
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

/// Returns the hits of a second scan, which speak of the rendered text, added to the first, all in
/// terms of the original. A second hit that touches a marker swallows it.
pub(crate) fn merge(first: &[Hit], second: &[Hit]) -> Vec<Hit> {
    let mut merged = Vec::with_capacity(first.len() + second.len());
    let mut pending = first.iter().peekable();
    // Where the original and the rendered text stand, both behind the last marker passed.
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
        merged.push(Hit { start, end, rule: hit.rule });
    }
    merged.extend(pending);
    merged
}

/// Hits of two scans of the same text, in order and apart: of those that overlap, the longest names
/// what they cover together.
pub(crate) fn united(mut hits: Vec<Hit>) -> Vec<Hit> {
    hits.sort_by_key(|hit| (hit.start, hit.end));
    let mut apart: Vec<Hit> = Vec::with_capacity(hits.len());
    for hit in hits {
        match apart.last_mut() {
            Some(last) if hit.start < last.end => {
                if hit.end - hit.start > last.end - last.start {
                    last.rule = hit.rule;
                }
                last.end = last.end.max(hit.end);
            }
            _ => apart.push(hit),
        }
    }
    apart
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn second_hits_are_told_in_terms_of_the_original() {
        let hit = |start, end, rule| Hit { start, end, rule };
        let text = "0123456789abcdef";
        let first = [hit(2, 4, "a"), hit(8, 12, "b")];
        let rendered = render(text, &first);
        assert_eq!(rendered, "01[redacted:a]4567[redacted:b]cdef");
        let cases: [(Hit, &str); 4] = [
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
