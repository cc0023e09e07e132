//! What stays around a secret, how findings are counted, and that size does not hurt.

use crate::template::fill;
use tacit_redact::{Finding, redact};

#[test]
fn findings_are_counted_by_rule() {
    let text = fill("A=AKIA{U16} B=AKIA{U16} password=\"hunter22\"", 3);
    let redacted = redact(&text);
    assert_eq!(redacted.count(), 3);
    assert_eq!(
        redacted.findings(),
        [
            Finding { rule: "aws-access-key-id", count: 2 },
            Finding { rule: "generic-secret", count: 1 }
        ]
    );
    assert_eq!(&text[redacted.spans[2].range.clone()], "hunter22");
}

#[test]
fn clean_text_is_borrowed() {
    assert!(matches!(redact("nothing to see").text, std::borrow::Cow::Borrowed(_)));
}

#[test]
fn neighbours_are_kept_apart() {
    let text = fill("é\u{0}ghp_{A36}\u{0}é postgres://ü:pä55wört@höst/ß", 5);
    assert_eq!(
        redact(&text).text,
        "é\u{0}[redacted:github-token]\u{0}é postgres://ü:[redacted:url-password]@höst/ß"
    );
}

#[test]
fn an_assignment_of_a_known_token_is_one_finding() {
    let text = fill("API_KEY=\"ghp_{A36}-and-more1\"", 1);
    assert_eq!(redact(&text).text, "API_KEY=\"[redacted:github-token]\"");
}

/// Repetitions of keywords that start long scans. Quadratic time would take minutes here.
#[test]
fn hostile_input_takes_linear_time() {
    let pieces = [
        "xoxb-",
        "eyJ",
        "eyJ-",
        "eyJa.eyJ",
        "password=",
        "password=\"",
        "password='a\"",
        "token:",
        "key ",
        "://a:",
        "://",
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\n",
        "Authorization: ",
        "Bearer ",
        "cookie:",
        "[redacted:",
        "PRIVATE KEY",
        " -u",
        "curl -u a:",
        "TOKEN=a1b2",
        "password=a\\",
        "token is ",
        "{",
        "\u{0}",
        "é",
        "sig=",
        "1//0",
        "secret\\\"",
        "--token ",
        "<password>",
        "login machine password ",
        "hooks.slack.com/services/",
    ];
    for piece in pieces {
        let text = piece.repeat((1 << 18) / piece.len());
        let redacted = redact(&text).text.into_owned();
        assert_eq!(redact(&redacted).text, redacted, "{piece:?}");
    }
}
