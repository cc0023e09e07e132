//! Any bytes at every parser of outside text: an error with a message, never a panic.

use std::fs;

use proptest::prelude::*;
use serde_json::Value;
use tacit_core::Memory;
use tacit_engine::{ImportLine, LoadedConfig};
use tacit_testkit::arbitrary;

use crate::{World, state};

/// Text that is almost what a parser wants: a true record with something put in its middle.
fn almost(whole: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        any::<String>(),
        "[\\[\\]{}\",:0-9eE.+-]{0,8}",
        Just("\u{0}\u{202e}".to_owned()),
        Just("[".repeat(10_000)),
        Just("{\"a\":".repeat(10_000)),
        Just(r#""id":1,"#.to_owned()),
        Just("1e999".to_owned()),
        Just("99999999999999999999999999".to_owned()),
        Just(r#""\ud800""#.to_owned()),
    ];
    (whole, any::<prop::sample::Index>(), 0..12_usize, piece).prop_map(|(text, at, gone, piece)| {
        let chars: Vec<char> = text.chars().collect();
        let at = at.index(chars.len() + 1);
        let rest = chars.iter().skip(at + gone);
        chars[..at].iter().chain(&piece.chars().collect::<Vec<_>>()).chain(rest).collect()
    })
}

fn record() -> impl Strategy<Value = String> {
    arbitrary::memory().prop_map(|memory| memory.to_json().to_string())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_text_is_a_line_or_an_error(text in prop_oneof![any::<String>(), almost(record())]) {
        match ImportLine::parse(&text) {
            Ok(_) => {}
            Err(message) => prop_assert!(!message.is_empty()),
        }
        if let Ok(memory) = Memory::from_json_str(&text) {
            // What is accepted is kept without loss.
            let again = Memory::from_json_str(&memory.to_json().to_string());
            prop_assert_eq!(again, Ok(memory));
        }
    }

    #[test]
    fn any_field_can_hold_anything(memory in arbitrary::memory(), field in any::<prop::sample::Index>(), text in any::<String>()) {
        let Value::Object(fields) = memory.to_json() else { unreachable!("a record") };
        let name = fields.keys().nth(field.index(fields.len())).cloned().unwrap_or_default();
        for value in [Value::Null, text.clone().into(), (-1).into(), 1e300.into(), vec![text.clone()].into(), serde_json::json!({text.clone(): 1})] {
            let mut wrong = fields.clone();
            wrong.insert(name.clone(), value);
            let wrong = Value::Object(wrong).to_string();
            if let Err(error) = Memory::from_json_str(&wrong) {
                prop_assert!(error.to_string().contains(':'), "{}", error);
            }
        }
    }

    #[test]
    fn any_bytes_are_a_configuration_or_an_error(
        bytes in prop_oneof![
            any::<Vec<u8>>(),
            almost(Just("[recall]\nlimit = 3\nglobal = true\n[ui]\ncolor = \"never\"\n".to_owned())).prop_map(String::into_bytes),
        ]
    ) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("config.toml");
        fs::write(&path, &bytes).unwrap();
        if let Err(error) = LoadedConfig::default().add(&path) {
            prop_assert!(error.to_string().contains("config.toml"), "{}", error);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_bytes_in_the_spool_are_stored_or_set_aside(
        files in prop::collection::vec(
            prop_oneof![
                any::<Vec<u8>>(),
                almost(Just(
                    r#"{"draft":{"content":"fact","tags":["a"]},"reason":null,"actor":"me","treatment":{"removed_controls":0,"redacted":[]}}"#.to_owned()
                )).prop_map(String::into_bytes),
            ],
            1..6,
        )
    ) {
        let world = World::new();
        let spool = world.places().project.join("spool");
        fs::create_dir(&spool).unwrap();
        for (number, bytes) in files.iter().enumerate() {
            fs::write(spool.join(format!("{number}.json")), bytes).unwrap();
        }
        let engine = world.engine();
        let health = engine.health(tacit_engine::StoreScope::Project, true).unwrap();
        prop_assert_eq!(health.waiting, 0);
        prop_assert!(health.set_aside + state(&engine).len() <= files.len());
        prop_assert_eq!(health.check.problems, Vec::<String>::new());
    }
}
