//! Invalid definitions and their error messages.

use proptest::prelude::*;
use tacit_work::{DefinitionError, MAX_DEFINITION_BYTES, Methodology, SHIPPED};

/// A minimal definition.
const LEAST: &str = "schema = 1\nid = \"own\"\nname = \"Own\"\n[phases]\nbuild = \"implement\"\n\
                     [[work_unit.level]]\nname = \"ticket\"\n";

fn error_text(text: &str) -> String {
    Methodology::parse(text).unwrap_err().to_string()
}

#[test]
fn a_minimal_definition_is_valid() {
    let own = Methodology::parse(LEAST).unwrap();
    assert_eq!(own.unit("A-1").unwrap().label(), "A-1");
    assert_eq!(own.map_phase("anything").as_str(), "explore");
    assert!(own.relays().is_empty() && own.types().is_empty());
    assert!(own.extract_work_state("done: x").is_empty());
}

#[test]
fn the_dropped_field_for_unknown_phases_is_ignored() {
    let old = LEAST.replace("[phases]", "unknown_phase = \"implement\"\n[phases]");
    assert!(Methodology::parse(&old).is_ok());
}

#[test]
fn errors_name_the_field() {
    for (add, expected) in [
        (
            "[[relay]]\nfrom = \"a\"\nto = \"b\"\n",
            "relay[0].from: `a` is not a stage of `stages` ()\n\
             relay[0].to: `b` is not a stage of `stages` ()",
        ),
        ("[stages]\ndev = \"bulid\"\n", "stages.dev: `bulid` is not a phase of `phases` (build)"),
        (
            "[[memory_type]]\nname = \"x\"\n[memory_type.weights]\nimplement = 2.5\nlater = 1\n",
            "memory_type[0].weights.implement: `2.5` is not a weight from 0.1 to 2; 1 changes nothing\n\
             memory_type[0].weights.later: `later` is not a phase (define, implement, validate, refine, \
             explore, reflect)",
        ),
        (
            "[[memory_type]]\nname = \"Not This\"\n",
            "memory_type[0].name: `own:Not This` is not a methodology's own type, such as \
             `bmad:acceptance_criterion`",
        ),
        (
            "[[work_state.field]]\nname = \"n\"\nlabel = \"N\"\nkind = \"number\"\npatterns = [\"n: {}\", \"{n}\"]\n",
            "work_state.field[0].patterns[0]: must use `{n}` in a field of kind `number`, and `{}` in others\n\
             work_state.field[0].patterns[1]: has no literal text; add words around the placeholder",
        ),
        (
            "[[work_state.field]]\nname = \"n\"\nlabel = \"N\"\nkind = \"date\"\npatterns = []\n",
            "work_state.field[0].kind: `date` is not a kind of field (list, text, number)",
        ),
        (
            "[completion]\ntext = \"{lable} is done\"\nnext_phase = \"rest\"\n",
            "completion.text: `{lable}` is not a known placeholder ({label}, {outcome}, {steps}, \
             {files}, {retries}, {reason})\ncompletion.next_phase: `rest` is not a phase of `phases` (build)",
        ),
        ("[relay_format]\nitem = \"{\"\n", "relay_format.item: has a `{` without a `}` after it"),
        (
            "[colour]\n",
            "colour: unknown field `colour`, expected one of `schema`, `id`, `name`, \
          `description`, `phases`, `stages`, `work_unit`, `relay`, `relay_format`, `work_state`, \
          `memory_type`, `completion`",
        ),
        ("[[relay]]\nfrom = 1\n", "relay[0].from: invalid type: integer `1`, expected a string"),
    ] {
        assert_eq!(error_text(&format!("{LEAST}{add}")), expected, "{add}");
    }
    for (from, to, expected) in [
        ("schema = 1", "schema = 2", "schema: is 2, but only 1 is supported"),
        (
            "\"implement\"",
            "\"implment\"",
            "phases.build: `implment` is not a phase (define, implement, validate, refine, explore, reflect)",
        ),
        (
            "build = \"implement\"",
            "",
            "phases: is empty; map each of your phases to a universal phase",
        ),
        ("build = \"implement\"", "build = 3", "phases.build: `3` is not a string"),
        (
            "id = \"own\"",
            "id = \"My Own\"",
            "id: `My Own` is not a name of lower-case letters, digits and `_`, beginning with a letter",
        ),
        ("name = \"Own\"", "name = \" \"", "name: is empty"),
        (
            "name = \"ticket\"",
            "name = \"ticket\"\nlabel = \"Ticket\"",
            "work_unit.level[0].label: must have exactly one `{}`, for the unit's name",
        ),
        (
            "[[work_unit.level]]",
            "[work_unit]\ndotted_parent = \"ticket\"\nnamed_by_branch = \"story\"\n[[work_unit.level]]",
            "work_unit.named_by_branch: `story` is not a level of `work_unit.level` (ticket)\n\
          work_unit.dotted_parent: must be a level outside `named_by_branch`",
        ),
    ] {
        assert_eq!(error_text(&LEAST.replace(from, to)), expected, "{to}");
    }
}

#[test]
fn invalid_text_is_rejected() {
    assert!(error_text("id = ").starts_with("it is not valid TOML: TOML parse error at line 1"));
    assert_eq!(error_text(""), "the file: missing field `schema`");
    let large = format!("{LEAST}# {}", "x".repeat(MAX_DEFINITION_BYTES));
    assert!(matches!(Methodology::parse(&large), Err(DefinitionError::TooLarge(_))));
    let deep = format!("{LEAST}x = {}{}", "[".repeat(20_000), "]".repeat(20_000));
    assert!(Methodology::parse(&deep).is_err());
}

/// Generates a built-in definition with a few pieces replaced.
fn mutated() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "{",
        "}",
        "{}",
        "{n}",
        "*",
        "\"\"",
        "[[relay]]",
        "[phases]",
        "= 1",
        "= []",
        "= \"define\"",
        "\n",
        "'''",
        "x = 1.5\n",
        "inf",
        "nan",
        "1979-05-27",
        "\u{0}",
        "é",
        "label",
        "[a.b]\n",
    ]);
    let cut = (any::<prop::sample::Index>(), 0..40_usize, piece);
    (0..SHIPPED.len(), prop::collection::vec(cut, 1..6)).prop_map(|(which, cuts)| {
        let mut text = SHIPPED[which].text.to_owned();
        for (at, length, piece) in cuts {
            let from = text.floor_char_boundary(at.index(text.len()));
            let to = text.floor_char_boundary((from + length).min(text.len()));
            text.replace_range(from..to, piece);
        }
        text
    })
}

proptest! {
    #[test]
    fn any_text_is_parsed_or_rejected(text in prop_oneof![mutated(), "\\PC{0,200}"], said in "(\\PC{0,60}\n){0,6}") {
        match Methodology::parse(&text) {
            Err(error) => prop_assert!(!error.to_string().trim().is_empty()),
            Ok(read) => {
                let state = read.extract_work_state(&said);
                let _ = read.format_work_state(&state);
                let _ = (read.unit(&said), read.infer(Some(&said), None), read.map_phase(&said));
                for relay in read.relays() {
                    prop_assert!(read.format_relay(relay, &[]).is_none());
                }
            }
        }
    }
}
