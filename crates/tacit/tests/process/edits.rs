//! Queries right after an edit get the same answers as from a new graph.

use std::fs::{self, File};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, UNIX_EPOCH};

use tacit_testkit::env::TestEnv;

use super::bare;

/// Writes a file, later than any graph was built.
fn write(project: &Path, path: &str, text: &str) {
    let path = project.join(path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(&path, text).expect("a file");
    let late = UNIX_EPOCH + Duration::from_secs(4_000_000_000);
    let file = File::options().write(true).open(&path).expect("a file");
    file.set_modified(late).expect("a time");
}

fn shop(files: &[(&str, &str)]) -> TestEnv {
    let env = bare();
    env.git(&env.project(), &["init", "-q"]);
    files.iter().for_each(|(path, text)| write(&env.project(), path, text));
    env.run(["init", "--no-hooks", "--no-scan"]).succeeded();
    env
}

fn answers(env: &TestEnv) -> Vec<String> {
    let questions: [&[&str]; 9] = [
        &["code", "impact", "src/pool.ts"],
        &["code", "impact", "lib/Cart.java"],
        &["code", "impact", "src/pool.ts::open", "--json"],
        &["code", "deps", "src/main.ts", "--json"],
        &["code", "path", "src/main.ts", "src/pool.ts", "--json"],
        &["code", "index", "--stats"],
        &["code", "export", "--format", "graphml"],
        &["code", "export", "--format", "dot"],
        &["code", "map"],
    ];
    questions.map(|question| env.run(question).succeeded().stdout).into()
}

#[test]
fn an_answer_after_an_edit_is_that_of_a_new_graph() {
    let before = [
        ("src/pool.ts", "export function open() {}\nexport class Pool { close() {} }\n"),
        ("src/server.ts", "import { open } from './pool';\nexport function serve() { open(); }\n"),
        ("src/main.ts", "import { serve } from './server';\nserve();\n"),
        ("lib/Cart.java", "package shop;\nclass Cart { void add() { total(); } }\n"),
    ];
    let env = shop(&before);
    env.run(["code", "index"]).succeeded();
    let mut files = before.to_vec();
    for (path, text) in [
        // Inside, one more symbol, one less, another import, and in an open namespace.
        ("src/pool.ts", "\nexport function open() { open(); }\nexport class Pool { close() {} }\n"),
        ("src/pool.ts", "export function first() {}\nexport function open() { first(); }\n"),
        ("src/pool.ts", "export function open() {}\n"),
        ("src/main.ts", "import { open } from './pool';\nexport function main() { open(); }\n"),
        (
            "lib/Cart.java",
            "package shop;\nclass Cart { void total() {} void add() { total(); } }\n",
        ),
    ] {
        write(&env.project(), path, text);
        files.retain(|(known, _)| *known != path);
        files.push((path, text));
        let anew = shop(&files);
        anew.run(["code", "index"]).succeeded();
        assert_eq!(answers(&env), answers(&anew), "after {path}\n{text}");
    }
}

#[test]
fn those_who_ask_at_once_are_told_how_it_was_or_is() {
    let pool = |symbols: usize| -> String {
        (0..symbols).map(|symbol| format!("export function f{symbol}() {{}}\n")).collect()
    };
    let user = "import { f0 } from './pool';\nexport function use() { f0(); }\n";
    let env = shop(&[("src/pool.ts", &pool(1)), ("src/user.ts", user)]);
    env.run(["code", "index"]).succeeded();
    for symbols in 2..8 {
        write(&env.project(), "src/pool.ts", &pool(symbols));
        let last = format!("src/pool.ts::f{}", symbols - 1);
        let ask = || {
            let mut command = env.command();
            command.args(["code", "impact", "src/pool.ts", "--json"]).current_dir(env.project());
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a process")
        };
        let asking: Vec<_> = (0..4).map(|_| ask()).collect();
        for one in asking {
            let output = one.wait_with_output().expect("an answer");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            let answer: serde_json::Value =
                serde_json::from_slice(&output.stdout).expect("an answer");
            assert_eq!(answer["affected"].as_array().map(Vec::len), Some(1), "{answer}");
        }
        // The next query finds the new code.
        env.run(["code", "impact", &last]).succeeded();
    }
}
