//! Every secret of the table is found, and named by its rule.

use tacit_redact::{redact, rule_ids};
use tacit_testkit::secrets::{fill, secret_cases};

#[test]
fn every_secret_is_replaced_and_named() {
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
fn every_rule_has_a_sample() {
    let missing: Vec<_> =
        rule_ids().into_iter().filter(|id| !secret_cases().any(|row| row.0 == *id)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn one_character_less_is_no_longer_a_token() {
    // Exact lengths keep ordinary identifiers with the same start alive.
    for template in
        ["npm_{A35}", "AKIA{U15}", "dapi{h31}", "SK{h31}", "hf_{A30}", "cio{A31}", "key-{h31}"]
    {
        let text = fill(template, 7);
        assert_eq!(redact(&text).text, text);
    }
}

#[test]
fn a_token_of_another_form_behind_a_key_goes_as_a_whole() {
    let parts =
        ["eyJhbGciOiJIUzI1NiIsInR5cCI6", "eyJzdWIiOiIxMjM0NTY3ODkwIn0", "dBjftJeZ4CVP_mB92K"];
    let text = format!("client-key-data: {}", parts.join("."));
    let redacted = redact(&text).text;
    for part in parts {
        assert!(!redacted.contains(part), "{redacted}");
    }
}
