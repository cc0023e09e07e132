//! What is read of a text, however long it is, and how it is told.

use tacit_codebase::locate::{Description, LocateAnswer};

use super::project::{File, locate_in};

const FILES: [File; 4] = [
    (
        "net/adapters.py",
        "def mount(prefix):\n    raise Schema('Missing dependencies for SOCKS support.')\n",
    ),
    ("net/cookies.py", "def merge_cookies(jar):\n    return insensitive(jar)\n"),
    ("net/exceptions.py", "class InvalidSchema(ValueError):\n    pass\n"),
    ("net/models.py", "def prepare(request):\n    return request\n"),
];

fn ask(text: &str) -> LocateAnswer {
    locate_in(&FILES, text, 10)
}

/// Lines of a log that name files and things of other projects, so many bytes of them.
fn log(bytes: usize) -> String {
    let line =
        |at: usize| format!("step {at}: copying other{at}/file{at}.txt, runStep{at}() done\n");
    (0..)
        .map(line)
        .scan(0, |sum, line| {
            *sum += line.len();
            (*sum <= bytes).then_some(line)
        })
        .collect()
}

const TRACE: &str = "Traceback (most recent call last):
  File \"/srv/net/models.py\", line 2, in prepare
    return request
ValueError: it is closed
";

#[test]
fn traces_are_found_anywhere_in_a_long_text() {
    for (before, after) in
        [(27_000, 0), (27_000, 100), (40_000, 40_000), (100, 60_000), (900_000, 0)]
    {
        let text = format!("The build fails\n{}{TRACE}{}", log(before), log(after));
        let answer = ask(&text);
        assert_eq!(answer.files[0].path, "net/models.py", "{before}, {after}");
        assert!(answer.is_confident(), "{before}, {after}");
    }
}

#[test]
fn long_texts_are_read_at_both_ends() {
    let text = format!("merge_cookies is slow\n{}\n`InvalidSchema` is raised", log(60_000));
    let read = Description::read(&text);
    for name in ["merge_cookies", "InvalidSchema"] {
        assert!(read.names.iter().any(|known| known.parts == [name]), "{name}");
    }
}

/// Code that is cut through stays code, and what is behind it does not become any.
#[test]
fn code_fences_survive_shortening() {
    let text =
        format!("It fails\n```\n{}\n```\nAll of it is about `merge_cookies`.\n", log(60_000));
    let read = Description::read(&text);
    let name = read.names.iter().find(|name| name.parts == ["merge_cookies"]);
    assert_eq!(name.map(|name| name.weight), Some(1.0));
}

#[test]
fn raised_errors_are_messages_with_and_without_quotes() {
    for text in [
        "net.exceptions.InvalidSchema: Missing dependencies for SOCKS support.",
        "InvalidSchema: Missing dependencies for SOCKS support.",
        "I get net.exceptions.InvalidSchema: Missing dependencies for SOCKS support.",
        "It stops\n\nerror: Missing dependencies for SOCKS support.",
        "It stops\n\nE   net.exceptions.InvalidSchema: Missing dependencies for SOCKS support.",
        "SocksError: Missing dependencies for SOCKS support.",
    ] {
        let read = Description::read(text);
        let message = "Missing dependencies for SOCKS support.";
        assert!(read.messages.iter().any(|known| known == message), "{text}: {:?}", read.messages);
    }
    for text in
        ["Note: this is not one of them", "TODO: this is not one of them", "see: this is not one"]
    {
        assert!(Description::read(text).messages.is_empty(), "{text}");
    }
}

/// What is told of the words of a file.
fn words(text: &str, path: &str) -> Vec<String> {
    let answer = ask(text);
    let mut words = answer.files.iter().find(|file| file.path == path).unwrap().words.clone();
    words.sort();
    words
}

#[test]
fn words_are_shown_as_the_user_wrote_them() {
    for (text, path, told) in [
        ("insensitive cookies", "net/cookies.py", &["cookies", "insensitive"][..]),
        ("it is mergeCookies", "net/cookies.py", &["cookies", "merge", "mergeCookies"]),
        ("merge_cookies is slow", "net/cookies.py", &["cookies", "merge", "merge_cookies"]),
        (
            "It fails\n```\nx.merge_cookies(insensitive)\n```",
            "net/cookies.py",
            &["cookies", "insensitive", "merge", "merge_cookies"],
        ),
        ("Insensitive COOKIES", "net/cookies.py", &["cookies", "insensitive"]),
    ] {
        assert_eq!(words(text, path), told, "{text}");
    }
}

#[test]
fn single_letters_are_not_words() {
    let read = Description::read("h m v g 7 数据 C\nx");
    assert!(read.words.iter().all(|(word, _)| word.chars().count() > 1), "{:?}", read.words);
    assert!(!read.words.is_empty());
}
