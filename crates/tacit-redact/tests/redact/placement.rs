//! What stays around a secret, how findings are counted, and that size does not hurt.

use tacit_redact::{SecretFinding, redact};
use tacit_testkit::secrets::fill;

#[test]
fn findings_are_counted_by_rule() {
    let text = fill("A=AKIA{U16} B=AKIA{U16} password=\"hunter22\"", 3);
    let redacted = redact(&text);
    assert_eq!(redacted.count(), 3);
    assert_eq!(
        redacted.findings(),
        [
            SecretFinding { rule: "aws-access-key-id", count: 2 },
            SecretFinding { rule: "generic-secret", count: 1 }
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
        "<private>",
        "<private",
        "<private a=",
        "mysql -p",
        "sshpass -p a",
        "htpasswd -b ",
        "bindpw ",
        "Private-Lines: 1\n",
        "client-key-data: ",
        "variable \"a_password\" {",
        "passphrase: a b ",
        "passphrase: able baker ",
        "contraseña: ",
        "пароль",
        "\\\n",
        "a\u{200b}",
        "password=a\\\n",
        "ghp_\u{2060}",
    ];
    for piece in pieces {
        let text = piece.repeat((1 << 18) / piece.len());
        let redacted = redact(&text).text.into_owned();
        assert_eq!(redact(&redacted).text, redacted, "{piece:?}");
    }
}

#[test]
fn masking_keeps_every_place() {
    let text = fill("a = \"ghp_{A36}\"\n-----BEGIN PRIVATE KEY-----\n{b64}\n{b64}\n", 3);
    let masked = tacit_redact::mask(text.as_bytes(), b'x');
    assert_eq!(masked.len(), text.len());
    let ends = |bytes: &[u8]| -> Vec<usize> {
        bytes.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(at, _)| at).collect()
    };
    assert_eq!(ends(&masked), ends(text.as_bytes()));
    assert!(redact(std::str::from_utf8(&masked).unwrap()).is_clean());
    // In code a tag is a tag, and what follows it is still looked at.
    let code = fill("Vec<private>; t = \"ghp_{A36}\" \u{fc}", 3);
    let masked = tacit_redact::mask(code.as_bytes(), b'x');
    let hidden = format!("Vec<private>; t = \"xxx_{}\" \u{fc}", "x".repeat(36));
    assert_eq!(std::str::from_utf8(&masked), Ok(hidden.as_str()));
}

#[test]
fn private_text_leaves_nothing_behind() {
    for (said, kept) in [
        ("a <private>b</private> c", "a  c"),
        ("a <PRIVATE why=\"x\">b <private>c</private> d</Private > e", "a  e"),
        ("a <private>b\nc", "a \n"),
        ("a </private> b", "a </private> b"),
        ("a <private key> b", "a <private key> b"),
        ("a <pri\u{200b}vate>b</private>c", "a c"),
        ("<private\n>b</ private\n>\u{fc}", "\n\n\u{fc}"),
        ("a < b", "a < b"),
    ] {
        assert_eq!(tacit_redact::without_private(said), kept, "{said:?}");
    }
}

#[test]
fn identifiers_with_secrets_stay_apart() {
    let name = |seed| fill("session-ghp_{A36}", seed);
    let hidden = |seed| tacit_redact::identifier(&name(seed)).into_owned();
    assert_eq!(hidden(1), hidden(1));
    assert_ne!(hidden(1), hidden(2));
    assert_eq!(tacit_redact::identifier(&hidden(1)), hidden(1));
    assert_eq!(tacit_redact::identifier("7d4f-3a"), "7d4f-3a");
}
