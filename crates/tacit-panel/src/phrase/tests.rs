use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{Phrase, TEMPLATES, module, pieces};

/// Sentences that the sources put together from parts.
const COMPOSED: [&str; 24] = [
    "shown.likely",
    "shown.likely_cosine",
    "change.user_wrong",
    "change.user_outdated",
    "change.agent_wrong",
    "change.agent_outdated",
    "change.wrong",
    "change.duplicate_why",
    "change.corrected_why",
    "change.generalised_why",
    "problem.maintenance_project",
    "problem.maintenance_global",
    "error.taken_back",
    "fate.opened_next",
    "fate.changed_next",
    "fate.run_next",
    "fate.opened_later",
    "fate.changed_later",
    "fate.run_later",
    "fate.no_sign",
    "about.then",
    "error.empty",
    "error.too_long",
    "error.too_many",
];

fn phrase(text: &str) -> Value {
    serde_json::to_value(Phrase::parse(text)).expect("JSON")
}

/// Writes a sentence of a template, with a value for each parameter.
fn sentence(template: &'static str) -> String {
    let mut text = String::new();
    for (literal, parameter) in pieces(template) {
        text.push_str(literal);
        let value = match parameter {
            Some(number) if number.starts_with('#') => "7",
            Some(known) if known.starts_with('!') => "needs review",
            Some(_) => "x9",
            None => "",
        };
        text.push_str(value);
    }
    text
}

#[test]
fn every_template_is_parsed_back_into_its_code() {
    for (code, template) in TEMPLATES {
        let parsed = Phrase::parse(&sentence(template)).map(|phrase| phrase.code);
        assert_eq!(parsed, Some(*code), "{template}");
    }
}

#[test]
fn forms_of_a_sentence_stand_together_and_have_the_same_parameters() {
    let mut seen = BTreeSet::new();
    for pair in TEMPLATES.windows(2) {
        let [(before, first), (code, form)] = pair else { panic!("a pair") };
        if before == code {
            let names =
                |template| pieces(template).filter_map(|(_, name)| name).collect::<Vec<_>>();
            assert_eq!(names(first), names(form), "{code}");
        } else {
            assert!(seen.insert(before), "{before} twice");
        }
    }
}

#[test]
fn values_keep_their_kinds() {
    let rows = [
        (
            "no sign of it in the 12 calls that followed",
            json!({"code": "fate.no_sign", "values": {"count": 12.0}}),
        ),
        (
            "the agent wrote `a`, `b` and `c`",
            json!({"code": "fate.wrote", "values": {"words": ["`a`", "`b`", "`c`"]}}),
        ),
        (
            "failed: it broke the build",
            json!({"code": "learn.failed", "values": {"why": {"text": "it broke the build", "phrase": null}}}),
        ),
        (
            "failed: no check passed after it",
            json!({"code": "learn.failed", "values": {"why": {"text": "no check passed after it",
                "phrase": {"code": "learn.no_check", "values": {}}}}}),
        ),
        (
            "cannot read the history: no space",
            json!({"code": "problem.cannot", "values": {
                "step": {"text": "read the history", "phrase": {"code": "step.history", "values": {}}},
                "why": {"text": "no space", "phrase": null}}}),
        ),
        (
            "cannot read `a.toml`: no such file",
            json!({"code": "error.cannot_read", "values": {"path": "a.toml", "detail": "no such file"}}),
        ),
        ("cannot fly: no wings", Value::Null),
        ("seen many of 3 times", Value::Null),
        ("", Value::Null),
        ("a sentence of another version", Value::Null),
    ];
    for (text, expected) in rows {
        assert_eq!(phrase(text), expected, "{text}");
    }
}

#[test]
fn nesting_depth_is_bounded() {
    let long = "failed: ".repeat(10_000);
    let parsed = Phrase::parse(&long).expect("it begins as one");
    assert_eq!(parsed.code, "learn.failed");
}

/// Returns a source or a template without the names of parameters and without line breaks.
fn normalised(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let end = after.find(['{', '}', '"', '\n']).filter(|end| after[*end..].starts_with('}'));
        out.push('{');
        rest = end.map_or(after, |end| &after[end..]);
    }
    out.push_str(rest);
    let words = out.replace("\\n", " ");
    words.split_whitespace().filter(|word| *word != "\\").collect::<Vec<_>>().join(" ")
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() && !path.ends_with("phrase") {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs" || ending == "toml") {
            found.push(path);
        }
    }
}

#[test]
fn every_template_matches_a_source_string() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crates");
    let mut files = Vec::new();
    for entry in std::fs::read_dir(crates).expect("the crates").flatten() {
        for folder in ["src", "definitions"].map(|name| entry.path().join(name)) {
            sources(&folder, &mut files);
        }
    }
    let said: Vec<String> = files
        .iter()
        .map(|path| normalised(&std::fs::read_to_string(path).expect("a source")))
        .collect();
    let unsaid: Vec<_> = TEMPLATES
        .iter()
        .filter(|(code, _)| !COMPOSED.contains(code))
        .filter(|(_, template)| {
            let template = normalised(template);
            !said.iter().any(|source| source.contains(&template))
        })
        .collect();
    assert!(unsaid.is_empty(), "no source says these any more: {unsaid:#?}");
}

#[test]
fn the_module_of_the_page_names_every_sentence_and_key() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../panel/ui/src/lib/i18n/server.ts");
    let committed = std::fs::read_to_string(path).expect("the module");
    assert!(
        committed == module(),
        "run `cargo run -p tacit-panel --example phrases > panel/ui/src/lib/i18n/server.ts`"
    );
}
