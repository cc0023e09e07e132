//! What is found in small projects, and that nothing that comes from outside breaks anything.

mod descriptions;
mod mentions;
mod project;

use proptest::prelude::*;
use tacit_codebase::locate::{
    Callbacks, Description, FileWords, LocateAnswer, PastText, Pointer, PointerSource, WordIndex,
    locate, similar,
};

use project::packed;

const POOL: &str = "
class Pool:
    \"\"\"Keeps sockets open.\"\"\"

    def close(self):
        raise PoolError('sockets are still in use')

    def acquire(self, timeout):
        return self.sockets.pop()
";
const QUERY: &str = "
from shop.db.pool import Pool

DEFAULT_LIMIT = 10

def run(pool, statement):
    return pool.acquire(1).send(statement)

def explain_plan(statement):
    return 'explain ' + statement
";

/// The index of a project in Python, with a few files that are none.
fn project() -> Vec<u8> {
    let files = [
        ("CHANGELOG.md", "Pool.close waits for sockets that are in use. explain_plan was added."),
        ("docs/pool.md", "How to close a pool: call Pool.close and wait for sockets."),
        ("shop/db/pool.py", POOL),
        ("shop/db/query.py", QUERY),
        ("shop/mail/send.py", "def send(message):\n    return deliver(message)\n"),
        ("shop/web/send.py", "def send(response):\n    return write(response)\n"),
        (
            "tests/test_pool.py",
            "from shop.db.pool import Pool\n\ndef test_close():\n    Pool().close()\n",
        ),
    ];
    packed(&files)
}

fn ask(text: &str) -> LocateAnswer {
    ask_with(text, &[])
}

fn ask_with(text: &str, elsewhere: &[(String, Pointer)]) -> LocateAnswer {
    let bytes = project();
    let read = |path: &str| path.ends_with("pool.py").then(|| POOL.to_owned());
    let callbacks = Callbacks { read: &read, neighbours: &|_| Vec::new() };
    locate(WordIndex::new(&bytes).unwrap(), &Description::read(text), elsewhere, &callbacks, 10)
}

fn first(text: &str) -> String {
    ask(text).files.first().map(|file| file.path.clone()).unwrap_or_default()
}

#[test]
fn files_are_found_by_path_symbol_module_trace_and_message() {
    for (text, path) in [
        ("`Pool.close` hangs", "shop/db/pool.py"),
        ("Pool.acquire never gives up", "shop/db/pool.py"),
        ("explain_plan() is slow", "shop/db/query.py"),
        ("it fails in shop/mail/send.py", "shop/mail/send.py"),
        ("see https://example.org/a/blob/main/shop/web/send.py#L1", "shop/web/send.py"),
        ("shop.web.send drops what it is given", "shop/web/send.py"),
        ("DEFAULT_LIMIT is too low", "shop/db/query.py"),
        ("a message is delivered twice", "shop/mail/send.py"),
        (
            "It fails\n\nTraceback (most recent call last):\n  File \"/usr/lib/python3/shop/db/query.py\", line 7, in run\n    x()\nValueError: bad",
            "shop/db/query.py",
        ),
        ("It fails\n\n    PoolError: sockets are still in use", "shop/db/pool.py"),
        ("update the changelog: CHANGELOG.md lacks the last release", "CHANGELOG.md"),
    ] {
        assert_eq!(first(text), path, "{text}");
    }
}

#[test]
fn tests_are_listed_separately_unless_asked_for() {
    let apart = ask("Pool.close hangs");
    assert!(apart.files.iter().all(|file| file.path != "tests/test_pool.py"));
    assert_eq!(apart.tests[0].path, "tests/test_pool.py");
    let among = ask("The test of close for the pool fails: test_close");
    assert!(among.tests.is_empty());
    assert!(among.files.iter().any(|file| file.path == "tests/test_pool.py"));
}

#[test]
fn named_symbols_are_listed_first() {
    let answer = ask("Pool.close hangs when sockets are in use");
    assert_eq!(answer.files[0].symbols[0].name, "Pool.close");
    assert_eq!((answer.files[0].symbols[0].line, answer.files[0].symbols[0].end_line), (5, 6));
}

#[test]
fn ambiguous_names_are_weaker_evidence() {
    let answer = ask("`send` and `explain_plan` are both slow");
    assert_eq!(answer.files[0].path, "shop/db/query.py");
}

#[test]
fn names_defined_in_the_description_are_ignored() {
    let text = "Something about mail\n\n```\ndef explain_plan(x):\n    pass\n```";
    let read = Description::read(text);
    assert!(read.names.iter().all(|name| name.parts != ["explain_plan"]), "{:?}", read.names);
}

#[test]
fn proactive_files_are_named_in_the_text() {
    let proactive =
        |text: &str| ask(text).proactive_files().map(|file| file.path.clone()).collect::<Vec<_>>();
    assert_eq!(proactive("`Pool.close` in shop/db/pool.py hangs")[0], "shop/db/pool.py");
    for silent in
        ["please go on", "thank you, that is what I meant", "write a poem about the sea", ""]
    {
        assert!(proactive(silent).is_empty(), "{silent}");
    }
}

#[test]
fn no_match_is_reported_plainly() {
    let nothing = ask("zebra quagga");
    assert!(nothing.files.is_empty() && !nothing.is_confident());
    assert_eq!(nothing.lines(false), ["Nothing here has to do with it, among 7 files."]);
}

#[test]
fn external_evidence_ranks_files() {
    let pointer = Pointer { source: PointerSource::Memory, strength: 1.0, what: "12ab".into() };
    let answer = ask_with("zebra quagga", &[("shop/mail/send.py".into(), pointer)]);
    assert_eq!(answer.files[0].path, "shop/mail/send.py");
    assert_eq!(answer.files[0].reasons(), ["memory 12ab"]);
}

#[test]
fn texts_about_many_files_are_weaker_evidence() {
    let read = Description::read("sockets leak when the pool is closed");
    let proactive = [
        PastText { text: "Close sockets of the pool", files: 50 },
        PastText { text: "Close the sockets of a pool", files: 1 },
        PastText { text: "Translate the manual", files: 1 },
    ];
    let like = similar(&read, &proactive, 10);
    assert_eq!(like.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [1, 0]);
}

#[test]
fn long_reports_do_not_drown_the_title() {
    let mut text = "Pool.close hangs\n\n".to_owned();
    for line in 0..2_000 {
        text.push_str(&format!("numpy {line}.1.2\nsome words about nothing {line}\n"));
    }
    assert_eq!(first(&text), "shop/db/pool.py");
}

/// What is around a question does not drown it.
#[test]
fn issue_form_boilerplate_is_ignored() {
    let around = "
### Describe the bug
Hello, thank you for this project. We send many messages and explain the plan to our users, who write
a response. %
### Code to reproduce
```python
import smtplib
from flask import send
smtplib.send(message)
send(response)
```
### Environment
- mail: send 1.2
- web server that sends a response: nginx
";
    for (about, path) in [
        ("Sockets leak when a pool is closed.", "shop/db/pool.py"),
        ("`explain_plan` forgets the statement.", "shop/db/query.py"),
    ] {
        let text = format!("{about}\n{}", around.replace('%', about));
        assert_eq!(first(&text), path, "{about}");
    }
}

#[test]
fn imported_names_resolve_to_their_module() {
    for (code, path) in [
        ("from shop.mail.send import send as s\ns(1)", "shop/mail/send.py"),
        ("import shop.web.send as web\nweb.send(1)", "shop/web/send.py"),
    ] {
        assert_eq!(first(&format!("It fails\n```\n{code}\n```\n")), path, "{code}");
    }
    let named = |text: &str| {
        let answer = ask(text);
        let by_name = |file: &&tacit_codebase::locate::LocatedFile| {
            file.pointers.iter().any(|pointer| pointer.source == PointerSource::Definition)
        };
        answer.files.iter().filter(by_name).count()
    };
    assert_eq!(named("It fails\n```\nthing.explain_plan(1)\n```\n"), 1);
    assert_eq!(named("It fails\n```\nimport thing\nthing.explain_plan(1)\n```\n"), 0);
}

/// Calls in other projects do not make the last call of this one look like an early one.
#[test]
fn the_last_project_frame_of_a_trace_is_strongest() {
    let foreign: String =
        (0..9).map(|n| format!("  File \"/usr/lib/other{n}.py\", line 3, in f\n")).collect();
    let text = format!(
        "It fails\n\nTraceback (most recent call last):\n  File \"shop/db/query.py\", line 7, in run\n  \
         File \"shop/mail/send.py\", line 2, in send\n{foreign}ValueError: no\n"
    );
    let answer = ask(&text);
    let traced = |file: &tacit_codebase::locate::LocatedFile| {
        let traces = file.pointers.iter().filter(|pointer| pointer.source == PointerSource::Trace);
        traces.map(|pointer| pointer.strength).sum::<f32>()
    };
    let strength = |path: &str| answer.files.iter().find(|file| file.path == path).map(traced);
    assert!(strength("shop/mail/send.py") > strength("shop/db/query.py"));
    assert!(strength("shop/mail/send.py") > Some(0.6));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_is_accepted(text in any::<String>()) {
        prop_assert!(!ask(&text).lines(true).is_empty());
    }

    #[test]
    fn report_like_texts_are_accepted(text in "([`'\"#:/.()<>_ \na-zA-Z0-9é-]|File \"|Traceback|, line |```|https://|def |\\\\){0,80}") {
        let answer = ask(&text);
        prop_assert!(answer.files.iter().all(|file| (0.0..=1.0).contains(&file.probability)));
        prop_assert!(answer.to_json(true)["files"].is_array());
    }

    #[test]
    fn any_bytes_are_an_index_or_rejected(
        at in 0_usize..4_000,
        with in any::<[u8; 8]>(),
        cut in 0_usize..4_000,
    ) {
        let mut bytes = project();
        let length = bytes.len();
        for (offset, byte) in with.iter().enumerate() {
            bytes[(at + offset) % length] = *byte;
        }
        bytes.truncate(length - cut % 16);
        if let Some(index) = WordIndex::new(&bytes) {
            let callbacks = Callbacks { read: &|_| None, neighbours: &|_| Vec::new() };
            let read = Description::read("Pool.close sockets send");
            prop_assert!(locate(index, &read, &[], &callbacks, 5).files.len() <= 5);
        }
    }

    #[test]
    fn any_bytes_are_file_words_or_rejected(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Some(words) = FileWords::from_bytes(&bytes) {
            prop_assert!(FileWords::from_bytes(&words.to_bytes()).is_some());
        }
    }
}
