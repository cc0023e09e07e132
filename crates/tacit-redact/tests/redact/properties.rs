//! Properties of redaction for any text.

use proptest::prelude::*;
use tacit_redact::{Span, redact};
use tacit_testkit::secrets::{TOKENS, fill};

/// Generates texts from the fragments that rules look for, in any order. They test the edges of the
/// rules better than random characters.
fn crafted() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "password",
        "PASSWORD",
        "token",
        "api_key",
        "auth",
        "secret_",
        "key",
        "=",
        ": ",
        ":",
        " = ",
        "=>",
        "\"",
        "'",
        "\\\"",
        " ",
        "\n",
        "\\n",
        ";",
        "&",
        "@",
        "://",
        "/",
        "-",
        "_",
        ".",
        "--",
        "<",
        ">",
        "</",
        "[",
        "]",
        "(",
        "{",
        "}",
        "$",
        "%3D",
        "hunter2",
        "a1b2c3d4e5f6a7b8",
        "xyzzy",
        "é",
        "\u{0}",
        "[redacted:jwt]",
        "[redacted:",
        "Bearer ",
        "Basic ",
        "Authorization: ",
        "Cookie: ",
        "sid=",
        "curl -u a:",
        "machine m login l ",
        "Server=x;",
        "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY-----",
        "MIIEvQIBADANBgkqhkiG9w0B",
        "eyJ",
        "sk-",
        "xoxb-",
        "ghp_",
        "AKIA",
        ":AA",
        "-us1",
        " is ",
        "bot",
        "private_key",
        ", ",
        "str",
        "://u:",
        "<private>",
        "</private>",
        "\u{200b}",
        "\u{ad}",
        "\\\n",
        "mysql -p",
        "sshpass -p ",
        "htpasswd -b f u ",
        "bindpw ",
        "client-key-data: ",
        "Private-Lines: 2\n",
        "variable \"db_password\" {",
        "default = \"",
        "passphrase: ",
        "correct horse battery staple",
        "contraseña: ",
        "密码：",
    ])
    .prop_map(str::to_owned);
    let tokens = (0..TOKENS.len(), 1..9u64).prop_map(|(row, seed)| fill(TOKENS[row].2, seed));
    let runs = "[A-Za-z0-9]{1,40}";
    prop::collection::vec(prop_oneof![6 => pieces, 2 => tokens, 1 => runs], 0..14)
        .prop_map(|parts| parts.concat())
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![3 => crafted(), 1 => any::<String>(), 1 => "(?s).{0,200}"]
}

fn check_invariants(text: &str) -> Result<(), TestCaseError> {
    let redacted = redact(text);
    let mut rebuilt = String::new();
    let mut at = 0;
    for span in &redacted.spans {
        prop_assert!(span.range.start >= at && span.range.end > span.range.start);
        rebuilt += &text[at..span.range.start];
        rebuilt += &format!("[redacted:{}]", span.rule);
        at = span.range.end;
    }
    rebuilt += &text[at..];
    prop_assert_eq!(&redacted.text, &rebuilt, "text outside the findings is unchanged");
    let again = redact(&redacted.text);
    prop_assert_eq!(&again.text, &redacted.text, "redacting twice changes nothing more");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn redaction_is_idempotent_and_local(text in any_text()) {
        check_invariants(&text)?;
    }

    #[test]
    fn a_token_in_any_text_is_removed(
        before in any_text(), after in any_text(), row in 0..TOKENS.len(), seed in 1..1000u64,
        left in prop::sample::select(vec![" ", "\n", "=", "\"", "(", "\\n", "\t"]),
        right in prop::sample::select(vec![" ", "\n", "\"", ")", ",", "\\n"]),
    ) {
        let (_, lead, secret, _) = TOKENS[row];
        let secret = fill(secret, seed);
        let text = format!("{before}{left}{lead}{secret}{right}{after}");
        let at = before.len() + left.len() + lead.len();
        let redacted = redact(&text);
        let covers = |span: &Span| span.range.start <= at && at + secret.len() <= span.range.end;
        prop_assert!(redacted.spans.iter().any(covers), "{:?}", redacted.text);
        check_invariants(&text)?;
    }

    #[test]
    fn random_bytes_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        check_invariants(&String::from_utf8_lossy(&bytes))?;
    }
}
