//! The word index, the graph and the history.

use std::fs;

use super::search::Needles;
use super::{Cargo, beginning, planted};

#[test]
fn files_of_the_project() {
    let env = super::without_vectors();
    env.git(&env.project(), &["init", "-q"]);
    let cargo = Cargo::secret();
    let mut python = String::new();
    for (number, name) in cargo.names.iter().enumerate() {
        let quoted = name.replace(['\\', '"'], "");
        python += &format!(
            "import {quoted}\ndef f{number}():\n    \"\"\"{quoted}\"\"\"\n    g(\"{quoted}\")\n\n"
        );
    }
    let mut script = String::new();
    for (number, quoted) in cargo.names.iter().enumerate() {
        script += &format!("test(\"works with {quoted}\", () => {{ f{number}(\"{quoted}\") }})\n");
    }
    let notes = cargo.chunks.join("\n\n").replace("<private>", "<x>");
    let files = [
        ("keys.py", &python),
        ("keys.test.js", &script),
        ("notes.md", &notes),
        ("deploy.sh", &notes),
    ];
    for (name, text) in files {
        fs::write(env.project().join(name), text).expect("a file");
    }
    let message = beginning(&cargo.chunks[0], 1_900);
    env.git(&env.project(), &["add", "-A", "*.py", "*.js", "*.md", "*.sh"]);
    env.git(&env.project(), &["commit", "-q", "-m", message]);
    env.run(["code", "index"]);
    env.run(["code", "locate", "where is f12 called with a key"]).succeeded();
    env.run(["code", "cochange", "keys.py"]);
    env.run(["code", "map"]);
    env.run(["maintain"]);
    let all = planted();
    // A tag in a file is no word of its author on what to keep.
    let secrets = all.iter().map(|one| one.secret.as_str()).filter(|one| !one.contains("bluebird"));
    let needles = Needles::of(secrets);
    let found = needles.search(&env);
    assert!(found.is_empty(), "{}", found.join("\n"));
}
