//! What holds for any output.

use proptest::prelude::*;
use tacit_observer::error_fingerprint;

/// Outputs with a directory, two numbers and a name to be filled in.
const FORMS: [&str; 7] = [
    "error[E0308]: mismatched types\n --> DIR/src/a.rs:N1:N2",
    "DIR/src/a.ts(N1,N2): error TS2304: Cannot find name 'NAME'.",
    "Traceback (most recent call last):\n  File \"DIR/a.py\", line N1, in f\nOSError: [Errno 28] No space left on device: 'DIR/NAME'",
    "DIR/main.go:N1:N2: undefined: NAME",
    "failed to copy N1 files to DIR/out after N2ms",
    "Error: EACCES: permission denied, mkdir 'DIR/NAME'\n    at f (DIR/x.js:N1:N2)",
    "unexpected NAME-N1 items in 'DIR' (N2 seen)",
];

fn fill(form: &str, directory: &str, first: u32, second: u32, name: &str) -> String {
    form.replace("DIR", directory)
        .replace("N1", &first.to_string())
        .replace("N2", &second.to_string())
        .replace("NAME", name)
}

proptest! {
    #[test]
    fn any_output_is_accepted(text in r#"(error|Error: |\[|\]|'|"|`|/|<|>|:|[a-z0-9 .é\n\r\t]|\x1b\[|://|0x|E0308|panicked at|\* What went wrong:|FAILED a::b - ){0,80}"#) {
        if let Some(fingerprint) = error_fingerprint("x", &text) {
            prop_assert!(fingerprint.text().len() <= 500);
            prop_assert!(!fingerprint.text().is_empty());
            prop_assert_eq!(fingerprint.digest().as_str().len(), 16);
            prop_assert_eq!(error_fingerprint("x", &text), Some(fingerprint));
        }
    }

    #[test]
    fn arbitrary_text_is_accepted(text in any::<String>()) {
        let _ = error_fingerprint(&text, &text);
    }

    #[test]
    fn paths_and_numbers_do_not_matter(
        form in prop::sample::select(&FORMS[..]),
        directories in ("/tmp/[a-zA-Z0-9._]{1,12}", "/(home|var|private)/[a-z]{1,8}/[a-z0-9-]{1,8}"),
        numbers in any::<[u32; 4]>(),
    ) {
        let [a, b, c, d] = numbers;
        let one = error_fingerprint("x", &fill(form, &directories.0, a, b, "item")).expect("said");
        let two = error_fingerprint("x", &fill(form, &directories.1, c, d, "item")).expect("said");
        prop_assert_eq!(one.digest(), two.digest(), "{}\n{}", one.text(), two.text());
    }

    #[test]
    fn quoted_names_and_colours_do_not_matter(name in "[a-z_]{3,12}", other in "[a-zA-Z]{3,12}") {
        let one = error_fingerprint("x", &format!("error: no value `{name}` here")).expect("said");
        let two = format!("\u{1b}[31merror:\u{1b}[0m no value \u{1b}[1m`{other}x`\u{1b}[0m here");
        let two = error_fingerprint("x", &two).expect("said");
        // Words of a language, such as `str`, are not names.
        prop_assume!(one.text().contains("<name>") && two.text().contains("<name>"));
        prop_assert_eq!(one.digest(), two.digest());
    }
}
