//! The plugin's commands and skills name commands, options and keys that are there.

use std::fs;
use std::path::{Path, PathBuf};

use crate::initialised;

fn plugin() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugin")
}

/// Every page of the plugin, by its path.
fn pages() -> Vec<(String, String)> {
    let mut pages = Vec::new();
    let mut folders = vec![plugin().join("commands"), plugin().join("skills")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let text = fs::read_to_string(&path).expect("a page");
                pages.push((path.display().to_string(), text));
            }
        }
    }
    pages.sort();
    pages
}

/// The commands in backticks, on one line or wrapped.
fn commands(text: &str) -> Vec<Vec<String>> {
    text.split('`')
        .skip(1)
        .step_by(2)
        .filter(|quoted| quoted.trim_start_matches(['"', '(']).starts_with("tacit "))
        .map(|quoted| quoted.split_whitespace().map(str::to_owned).collect())
        .collect()
}

#[test]
fn pages_name_what_is_there() {
    let env = initialised();
    let pages = pages();
    let mut checked = 0;
    for (path, text) in &pages {
        assert!(text.starts_with("---\n") && text.contains("\ndescription: "), "{path}: no head");
        for words in commands(text) {
            let plain = |word: &&String| word.chars().all(|c| c.is_ascii_lowercase() || c == '-');
            let group = ["records", "config"].contains(&words[1].as_str());
            let command: Vec<&String> =
                words[1..].iter().take(if group { 2 } else { 1 }).take_while(plain).collect();
            let help = env.run(command.iter().map(|word| word.as_str()).chain(["--help"]));
            let help = help.succeeded().stdout;
            for option in words.iter().filter(|word| word.starts_with("--")) {
                assert!(help.contains(option.as_str()), "{path}: {}: {option}", words.join(" "));
            }
            checked += 1;
        }
    }
    assert!(pages.len() >= 10 && checked >= 40, "{} pages, {checked} commands", pages.len());
}

#[test]
fn the_task_of_the_hook_names_the_skill_that_is_there() {
    let task = include_str!("../../../tacit-app/src/hook/records_task.md");
    assert!(task.contains("`keeping-records`"));
    assert!(plugin().join("skills/keeping-records/SKILL.md").exists());
    let env = initialised();
    for words in commands(task) {
        let help = env.run([words[1].as_str(), words[2].as_str(), "--help"]).succeeded().stdout;
        for option in words.iter().filter(|word| word.starts_with("--")) {
            assert!(help.contains(option.as_str()), "{}: {option}", words.join(" "));
        }
    }
}
