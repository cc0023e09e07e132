//! Texts that look like secrets must not change: a memory without hashes, names and messages is
//! useless.

use tacit_redact::redact;
use tacit_testkit::secrets::{fill, lookalikes};

#[test]
fn lookalikes_are_not_redacted() {
    assert!(lookalikes().count() >= 130);
    let mut wrong = Vec::new();
    for template in lookalikes() {
        for seed in 1..40 {
            let text = fill(template, seed);
            let redacted = redact(&text);
            if !redacted.is_clean() {
                wrong.push(format!("{text:?}\n    became {:?}", redacted.text));
                break;
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
