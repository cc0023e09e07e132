//! Every secret in the table is found by its rule.

use tacit_redact::{redact, rule_ids};
use tacit_testkit::secrets::{fill, secret_cases};

#[test]
fn every_secret_is_replaced_by_its_rule() {
    assert!(secret_cases().count() >= 200);
    let mut wrong = Vec::new();
    for (rule, before, secret, after) in secret_cases() {
        for seed in 1..40 {
            let (secret, before) = (fill(secret, seed), fill(before, seed));
            let text = format!("{before}{secret}{after}");
            let redacted = redact(&text).text.into_owned();
            if redacted != format!("{before}[redacted:{rule}]{after}") {
                wrong.push(format!("{rule}: {text:?}\n    became {redacted:?}"));
                break;
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_rule_has_a_case() {
    let missing: Vec<_> =
        rule_ids().into_iter().filter(|id| !secret_cases().any(|row| row.0 == *id)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn tokens_that_are_too_short_are_kept() {
    // Exact lengths protect ordinary identifiers with the same start.
    for template in
        ["npm_{A35}", "AKIA{U15}", "dapi{h31}", "SK{h31}", "hf_{A30}", "cio{A31}", "key-{h31}"]
    {
        let text = fill(template, 7);
        assert_eq!(redact(&text).text, text);
    }
}

#[test]
fn a_token_of_another_form_after_a_key_is_removed_completely() {
    let parts =
        ["eyJhbGciOiJIUzI1NiIsInR5cCI6", "eyJzdWIiOiIxMjM0NTY3ODkwIn0", "dBjftJeZ4CVP_mB92K"];
    let text = format!("client-key-data: {}", parts.join("."));
    let redacted = redact(&text).text;
    for part in parts {
        assert!(!redacted.contains(part), "{redacted}");
    }
}
