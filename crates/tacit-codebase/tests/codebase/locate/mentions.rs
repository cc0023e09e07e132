//! What a text names, and what that says of files.

use tacit_codebase::locate::{FileKind, LocateAnswer, LocatedFile, Pointer, PointerSource};

use super::project::{File, locate_in};

const FILES: [File; 8] = [
    ("examples/app/pyproject.toml", "[project]\nname = 'app'\nrequires-python = '3'\n"),
    ("pyproject.toml", "[project]\nname = 'net'\n"),
    ("src/net/adapters.py", "class Adapter:\n    def send(self, request):\n        return 1\n"),
    ("src/net/cookies.py", "class Jar:\n    def merge(self, cookies):\n        return cookies\n"),
    ("src/net/packed/api.py", "class Searcher:\n    def find(self):\n        return 1\n"),
    ("src/net/packed/teddy.py", "class Searcher:\n    def find(self):\n        return 2\n"),
    (
        "src/net/sessions.py",
        "class Session:\n    def send(self, request, cookies):\n        python = 'version'\n        return cookies\n",
    ),
    (
        "tests/test_net.py",
        "class TestNet:\n    def test_cookie_parameters(self):\n        assert Session().send(1)\n",
    ),
];

fn ask(text: &str) -> LocateAnswer {
    locate_in(&FILES, text, 3)
}

fn first(answer: &LocateAnswer) -> &str {
    answer.files.first().map_or("", |file| file.path.as_str())
}

#[test]
fn named_tests_come_first() {
    for text in [
        "TestNet.test_cookie_parameters fails on CI",
        "test_cookie_parameters is flaky",
        "FAILED tests/test_net.py::TestNet::test_cookie_parameters[a-1] - AssertionError",
    ] {
        let answer = ask(text);
        assert_eq!(first(&answer), "tests/test_net.py", "{text}");
        assert!(answer.is_confident(), "{text}: {:?}", answer.files[0]);
    }
}

#[test]
fn mentioned_tests_are_listed_once() {
    for text in [
        "the test for cookies is flaky",
        "cookies are lost\n\nIt is seen in test_cookie_parameters.",
    ] {
        let answer = locate_in(&FILES, text, 1);
        let told = answer.files.iter().chain(&answer.tests);
        assert_eq!(told.filter(|file| file.path == "tests/test_net.py").count(), 1, "{text}");
    }
}

/// What a file is said to define.
fn defines(answer: &LocateAnswer, path: &str) -> Option<String> {
    let file = answer.files.iter().find(|file| file.path == path)?;
    let pointer =
        file.pointers.iter().find(|pointer| pointer.source == PointerSource::Definition)?;
    Some(pointer.what.clone())
}

#[test]
fn definitions_match_their_qualified_name() {
    for (text, path, what) in [
        ("Session.send fails", "src/net/sessions.py", Some("Session.send")),
        ("Session.send fails", "src/net/adapters.py", None),
        (
            "net.sessions.Session.send fails",
            "src/net/sessions.py",
            Some("net.sessions.Session.send"),
        ),
        ("net.Session.send fails", "src/net/sessions.py", Some("net.Session.send")),
        ("sessions.send fails", "src/net/sessions.py", Some("send")),
        ("Banana.send fails", "src/net/sessions.py", Some("send")),
        ("Banana.send fails", "src/net/adapters.py", Some("send")),
        ("os.path.send fails", "src/net/adapters.py", Some("send")),
        (
            "crate.packed.teddy.Searcher.find fails",
            "src/net/packed/teddy.py",
            Some("packed.teddy.Searcher.find"),
        ),
        ("crate.packed.teddy.Searcher.find fails", "src/net/packed/api.py", None),
    ] {
        assert_eq!(defines(&ask(text), path).as_deref(), what, "{text} in {path}");
    }
}

#[test]
fn names_with_a_foreign_owner_are_weaker_evidence() {
    let strength = |text: &str| {
        let answer = ask(text);
        let file = answer.files.iter().find(|file| file.path == "src/net/cookies.py").unwrap();
        let of = |source| file.pointers.iter().find(|pointer| pointer.source == source);
        of(PointerSource::Definition).map_or(0.0, |pointer| pointer.strength)
    };
    assert!(strength("Banana.merge is slow") < strength("Jar.merge is slow"));
    assert!(strength("os.path.merge is slow") < strength("Jar.merge is slow"));
}

#[test]
fn exact_paths_win_over_suffix_matches() {
    for text in ["pyproject.toml lists wrong python version", "fix ./pyproject.toml"] {
        let answer = ask(text);
        assert_eq!(first(&answer), "pyproject.toml", "{text}");
        assert!(answer.is_confident(), "{text}");
    }
    assert_eq!(first(&ask("app/pyproject.toml has no name")), "examples/app/pyproject.toml");
}

#[test]
fn paths_are_found_next_to_any_script_or_quote() {
    for text in [
        "文件src/net/cookies.py有问题",
        "src/net/cookies.pyの解決が壊れている",
        "请看：src/net/cookies.py，谢谢",
        "src/net/cookies.py를 고쳐 주세요",
        "look at “src/net/cookies.py”",
        "см. «src/net/cookies.py»",
        "open https://example.org/a/net/blob/main/src/net/cookies.py#L2",
        "fix src/net/cookies.py",
        "src/net/cookies.py",
    ] {
        let answer = ask(text);
        assert_eq!(first(&answer), "src/net/cookies.py", "{text}");
        assert!(answer.is_confident(), "{text}");
        assert!(answer.proactive_files().count() > 0, "{text}");
    }
}

#[test]
fn names_are_found_in_scripts_without_spaces() {
    assert_eq!(
        defines(&ask("当Jar.merge被调用时"), "src/net/cookies.py").as_deref(),
        Some("Jar.merge")
    );
}

/// Nobody asked for what is told beside the first file, so it must be named and likely as well.
#[test]
fn other_proactive_files_must_be_named_and_probable() {
    let answer = |probability: &[(f32, PointerSource)]| {
        let file = |(at, (probability, source)): (usize, &(f32, PointerSource))| LocatedFile {
            path: at.to_string(),
            kind: FileKind::Source,
            score: 1.0,
            kind_weight: 1.0,
            probability: *probability,
            pointers: vec![Pointer { source: *source, strength: 1.0, what: String::new() }],
            words: Vec::new(),
            symbols: Vec::new(),
        };
        LocateAnswer {
            files: probability.iter().enumerate().map(file).collect(),
            ..LocateAnswer::default()
        }
    };
    let (path, words) = (PointerSource::Path, PointerSource::Words);
    for (files, told) in [
        (&[(0.9, path), (0.6, path), (0.5, path), (0.5, path)][..], &["0", "1", "2"][..]),
        (&[(0.9, path), (0.6, words), (0.5, path)], &["0", "2"]),
        (&[(0.9, path), (0.49, path)], &["0"]),
        (&[(0.7, path), (0.6, path)], &[]),
        (&[(0.9, words), (0.8, path)], &[]),
    ] {
        let answer = answer(files);
        let proactive_files: Vec<&str> =
            answer.proactive_files().map(|file| file.path.as_str()).collect();
        assert_eq!(proactive_files, told, "{files:?}");
    }
}

/// What is explained is what a file has, whatever counts less of it.
#[test]
fn explanations_add_up_to_the_score() {
    for text in [
        "setup of pyproject.toml for cookies and python",
        "python version of a project",
        "Session.send loses cookies",
        "the test for cookies is flaky: test_cookie_parameters",
    ] {
        let answer = locate_in(&FILES, text, 10);
        for file in answer.files.iter().chain(&answer.tests) {
            let count = |line: &String| {
                let (_, counts) = line.split_once("= ").unwrap();
                counts.split(' ').next().unwrap().parse::<f32>().unwrap()
            };
            let sum: f32 = file.explain().iter().map(count).sum();
            assert!((sum - file.score).abs() < 0.05, "{text}: {} {:?}", file.score, file.explain());
            assert!(
                file.pointers.iter().all(|pointer| pointer.strength <= 1.0),
                "{text}: {file:?}"
            );
        }
    }
}
