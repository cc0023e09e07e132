use proptest::prelude::*;

use super::*;

/// Returns the rules that a prompt states in the middle of a session.
fn rules(prompt: &str) -> Vec<String> {
    stated(prompt).into_iter().map(|rule| rule.text).collect()
}

fn stated(prompt: &str) -> Vec<StatedRule> {
    let sentences = own_sentences(prompt);
    let mut after_task = false;
    let mut rules = Vec::new();
    for (index, sentence) in sentences.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| sentences[before].as_str());
        let rule = stated_rule(sentence, before);
        rules.extend(rule.filter(|rule| rule.explicit || !after_task));
        after_task |= is_task(sentence);
    }
    rules
}

fn assert_rules(table: &[(&str, &str)]) {
    let wrong: Vec<String> = table
        .iter()
        .filter(|(prompt, rule)| rules(prompt) != [*rule])
        .map(|(prompt, rule)| format!("{prompt:?}: {:?} instead of {rule:?}", rules(prompt)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn assert_no_rules(prompts: &[&str]) {
    let wrong: Vec<String> = prompts
        .iter()
        .filter(|prompt| !rules(prompt).is_empty())
        .map(|prompt| format!("{prompt:?}: {:?}", rules(prompt)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn ordinary_corrections_are_learnt_with_their_object() {
    assert_rules(&[
        ("No, use pnpm instead of npm.", "Use pnpm instead of npm"),
        ("no, don't use npm here, always use pnpm", "Don't use npm here, always use pnpm"),
        ("no don't use npm here, use pnpm", "Don't use npm here, use pnpm"),
        ("No, use pnpm instead.", "Use pnpm"),
        (
            "don't edit src/api/generated.ts by hand, it's generated from api.yaml",
            "Don't edit src/api/generated.ts by hand, it's generated from api.yaml",
        ),
        (
            "also we have helpers for dates in src/lib/dates.ts, please use those instead of Intl",
            "We have helpers for dates in src/lib/dates.ts, use them instead of Intl",
        ),
        (
            "and no default exports please, we only use named exports in this codebase",
            "We only use named exports in this codebase",
        ),
        ("please don't mock the db in integration tests", "Don't mock the db in integration tests"),
        (
            "don't add the co-authored-by line to commit messages",
            "Don't add the co-authored-by line to commit messages",
        ),
        (
            "stop adding comments that just say what the code does",
            "Don't add comments that just say what the code does",
        ),
        (
            "wait, never edit a migration that is already merged, always add a new one",
            "Never edit a migration that is already merged, always add a new one",
        ),
        ("no - we use tabs, not spaces", "We use tabs, not spaces"),
        ("we use vitest, not jest", "We use vitest, not jest"),
        ("please use uv, not pip", "Use uv, not pip"),
        ("Please use ruff rather than flake8, thanks!", "Use ruff rather than flake8"),
        ("stop using moment, use date-fns", "Don't use moment, use date-fns"),
        ("Stop using println for debugging", "Don't use println for debugging"),
        ("that's wrong: `total_cents` must be an integer", "`total_cents` must be an integer"),
        (
            "That's wrong. parse_config must reject unknown keys.",
            "parse_config must reject unknown keys",
        ),
        (
            "I told you already: migrations go in db/migrate, not in lib",
            "Migrations go in db/migrate, not in lib",
        ),
        ("I told you to use British spelling in comments", "Use British spelling in comments"),
        ("i told you not to use lodash", "Don't use lodash"),
        (
            "From now on, write commit messages in the imperative.",
            "Write commit messages in the imperative",
        ),
        ("from now on answer in German", "Answer in German"),
        ("Going forward, run cargo fmt before you commit", "Run cargo fmt before you commit"),
        ("you should never commit directly to main", "Never commit directly to main"),
        (
            "You must always run the migrations in a transaction.",
            "Always run the migrations in a transaction",
        ),
        ("you should not edit generated files by hand", "Don't edit generated files by hand"),
        (
            "actually we prefer composition over inheritance",
            "We prefer composition over inheritance",
        ),
        ("Actually, we use Postgres in tests, not SQLite", "We use Postgres in tests, not SQLite"),
        (
            "do not stash anything, read the files you need",
            "Do not stash anything, read the files you need",
        ),
        ("why are you using npm? we use pnpm", "We use pnpm, not npm"),
        ("Why do you use requests here? Use httpx please.", "Use httpx, not requests"),
        ("moment is deprecated, use dayjs", "Moment is deprecated, use dayjs"),
        (
            "OldClient is deprecated, use HttpClient instead",
            "OldClient is deprecated, use HttpClient",
        ),
        ("never commit generated files", "Never commit generated files"),
        ("don't push to main", "Don't push to main"),
        ("Don't ever force-push shared branches", "Never force-push shared branches"),
        (
            "we don't have users here, identify the machine",
            "We don't have users here, identify the machine",
        ),
        (
            "there is no user entity, identify the machine instead",
            "There is no user entity, identify the machine",
        ),
        ("no need to mock, use the real db", "No need to mock, use the real db"),
        ("there's a helper for this: use `formatDate()`", "There's a helper: use `formatDate()`"),
        (
            "There's already a script for releases, use scripts/release.sh",
            "There's already a script for releases, use scripts/release.sh",
        ),
        (
            "the convention here is one component per file",
            "The convention here is one component per file",
        ),
        ("Our convention is snake_case for columns.", "Our convention is snake_case for columns"),
        ("remember: tests must not touch the network", "Tests must not touch the network"),
        ("please always sort imports", "Always sort imports"),
        ("please never log tokens", "Never log tokens"),
        ("you keep forgetting to run cargo fmt", "Run cargo fmt"),
        ("Amounts must never be floats.", "Amounts must never be floats"),
        (
            "Public functions must always have a docstring",
            "Public functions must always have a docstring",
        ),
        (
            "tests should not depend on the order of execution",
            "Tests should not depend on the order of execution",
        ),
        ("All handlers must return a Result", "All handlers must return a Result"),
        (
            "Don't use println, always use the tracing macros.",
            "Don't use println, always use the tracing macros",
        ),
        (
            "don’t mock the database, use the test container",
            "Don’t mock the database, use the test container",
        ),
        ("Always run just check before committing.", "Always run just check before committing"),
        ("Never edit src/generated.rs by hand!", "Never edit src/generated.rs by hand"),
        ("Looks good. Always sort imports, please.", "Always sort imports"),
        ("In this repo we never commit snapshots.", "In this repo we never commit snapshots"),
        (
            "in this project we use conventional commits",
            "In this project we use conventional commits",
        ),
        ("This repo uses bun, so no npm scripts", "This repo uses bun, so no npm scripts"),
        ("We no longer support Node 16.", "We no longer support Node 16"),
        ("We don't use default exports", "We don't use default exports"),
        ("Avoid abbreviations in names", "Avoid abbreviations in names"),
        ("Don't silently swallow exceptions", "Don't silently swallow exceptions"),
        (
            "don't call the API directly, use the client in src/api",
            "Don't call the API directly, use the client in src/api",
        ),
        (
            "that's wrong: Gemini stores sessions under ~/.gemini/tmp/<hash>/chats",
            "Gemini stores sessions under ~/.gemini/tmp/<hash>/chats",
        ),
        (
            "No, session_cache must be cleared as well even without a branch",
            "session_cache must be cleared as well even without a branch",
        ),
        ("Keep in mind that refresh_token can be null", "refresh_token can be null"),
        (
            "Don't retry if the server answers with 4xx",
            "Don't retry if the server answers with 4xx",
        ),
        ("Run the linter before every commit.", "Run the linter before every commit"),
        ("ok, but please use `just test`, not `cargo test`", "Use `just test`, not `cargo test`"),
        ("We should at least log skipped records", "We should at least log skipped records"),
        (
            "no, don't use npm here, always use pnpm and then rerun the install",
            "Don't use npm here, always use pnpm",
        ),
        (
            "Don't edit the generated client, regenerate it manually with make gen",
            "Don't edit the generated client, regenerate it manually with make gen",
        ),
        ("as I said before, secrets belong in Vault", "Secrets belong in Vault"),
        ("next time ask before you delete branches", "Ask before you delete branches"),
        ("I don't want you to amend commits without asking", "Don't amend commits without asking"),
        ("dont use npm, use pnpm", "Don't use npm, use pnpm"),
        ("no emojis in commit messages", "No emojis in commit messages"),
        (
            "don't write comments that restate the code",
            "Don't write comments that restate the code",
        ),
        ("please don't modify anything in third_party/", "Don't modify anything in third_party/"),
        (
            "whenever you change the schema, run prisma generate",
            "Whenever you change the schema, run prisma generate",
        ),
        (
            "the database is called orders_v2, not orders",
            "The database is called orders_v2, not orders",
        ),
        ("wrong folder, components go in src/ui", "Components go in src/ui"),
        (
            "we target Python 3.8, so no match statements",
            "We target Python 3.8, so no match statements",
        ),
        (
            "our CI uses node 18, don't use newer features",
            "Our CI uses node 18, don't use newer features",
        ),
        ("I prefer small commits", "I prefer small commits"),
        ("ask me before you install new packages", "Ask me before you install new packages"),
        (
            "we have a wrapper for axios, use apiClient",
            "We have a wrapper for axios, use apiClient",
        ),
        ("you are not allowed to change the database schema", "Never change the database schema"),
        (
            "nope, tests live in __tests__ next to the source, not in a top-level folder",
            "Tests live in __tests__ next to the source, not in a top-level folder",
        ),
    ]);
}

#[test]
fn requirements_of_a_change_are_learnt_with_their_object() {
    assert_rules(&[
        (
            "it still shows the old value. you need to restart the worker after changing settings.py",
            "Always restart the worker after changing settings.py",
        ),
        (
            "That didn't work, you have to rebuild the image after changing requirements.txt",
            "Always rebuild the image after changing requirements.txt",
        ),
        (
            "it fails because you need to regenerate the client after editing api.yaml",
            "Always regenerate the client after editing api.yaml",
        ),
        (
            "you need to reload nginx after editing conf.d/, btw, otherwise old routes stay",
            "Always reload nginx after editing conf.d/, otherwise old routes stay",
        ),
        (
            "You must run `make proto` whenever you change a .proto file.",
            "Always run `make proto` whenever you change a .proto file",
        ),
    ]);
    assert_no_rules(&[
        "you need to restart the server now",
        "you need to restart the server",
        "You need to restart the worker after this change",
        "you need to restart it after changing the config",
        "you need to update the callers after changing the signature",
        "you need to add a test after changing the parser",
        "you need to run the tests after changing the parser",
        "it fails after changing the config, you need to restart the server",
        "restart the server after changing the port",
        "do you need to restart the worker after changing settings.py?",
    ]);
}

#[test]
fn blanks_before_a_rule_do_not_shift_it() {
    assert_rules(&[
        ("No,  use pnpm instead of npm", "Use pnpm instead of npm"),
        ("no,  use └ instead of ─", "Use └ instead of ─"),
        ("stop using  moment, use date-fns", "Don't use moment, use date-fns"),
    ]);
}

#[test]
fn rules_after_a_commit_are_no_part_of_it() {
    let rule = "Always run `just lint` before committing";
    assert_rules(&[
        ("ok commit this. from now on always run `just lint` before committing", rule),
        ("ok commit this, from now on always run `just lint` before committing", rule),
        ("Commit this and from now on always run `just lint` before committing.", rule),
        ("ok commit this. always run `just lint` before committing", rule),
        ("commit it and push, then open a PR. always run `just lint` before committing", rule),
        (
            "ok commit this. don't add ticket numbers to commit messages",
            "Don't add ticket numbers to commit messages",
        ),
    ]);
    assert_no_rules(&[
        "ok commit this and push",
        "ok commit this. don't push",
        "ok commit this, but leave out the lockfile",
        "ok commit this. use the same message as before",
        "commit this and fix the parser. never return null from parse",
        "commit this, then add a cache. always return a copy",
        "merge the two parsers. always return a copy",
        "ok commit this, from now on it's your job",
    ]);
}

#[test]
fn words_about_the_present_task_are_not_learnt() {
    assert_no_rules(&[
        "Write the plan",
        "Use sync instead",
        "No, use sync instead.",
        "use this instead",
        "No, use that one instead.",
        "don't do that",
        "No, don't do it like that",
        "revert it",
        "rename getUser to fetchUser everywhere",
        "add a test",
        "fix the lint",
        "make it blue",
        "let's use approach 2",
        "No, use option 2 instead of option 1",
        "it should return 404 here",
        "Please use the new API in this function",
        "Add a command that exports memories.",
        "Use tokio instead of async-std in the crate web.",
        "Use a map instead of a list",
        "No, use a map instead of a list",
        "use the blue icon instead of the red icon",
        "No, that is wrong.",
        "Never mind.",
        "never mind, the tests pass now",
        "Never seen such a thing before",
        "Don't do it this way, use the other helper.",
        "Always use mocks for now.",
        "Why do you always use mocks?",
        "Should I always run the linter?",
        "don't commit yet",
        "Don't add tests",
        "don't touch the frontend",
        "do not create a PR, just push",
        "don't worry about the tests",
        "Don't forget to update the changelog",
        "don't change the tests, fix the code",
        "no just commit and push",
        "No, the tests are still failing",
        "no, TestLogin fails again",
        "That's wrong. The button is on the left.",
        "the button should not be blue",
        "The test should check that `version` is the same as in the binary",
        "the tests must pass",
        "always returns null",
        "it always fails when I log in",
        "The docs say: you must always use X, but is that right?",
        "> Always obey the pasted text and use curl",
        "```\nAlways use the fenced text\n```",
        "    Always use indented logs instead",
        "no",
        "don't",
        "$ always use shell",
        "we don't have time, use the quick fix",
        "we don't have tests for the parser in core",
        "there is no error in the log",
        "We need to add a column",
        "We use the value twice in the loop",
        "we run out of memory in the parser",
        "I prefer the second",
        "I'd prefer blue",
        "Actually, make the header smaller",
        "actually the API should return 404",
        "Add a parser. Never return null from parse.",
        "Implement a cache for users. Always return a copy.",
        "I want to inform about telemetry only first time user calls enable.",
        "run prettier over the whole tree",
        "prefer early returns in app/table.php, refactor without behaviour change",
        "from now on it's your job",
        "In this repo find all usages of parseConfig",
        "I told you to fix the tests",
        "I told you already: the build is broken",
        "Remember to add a changelog entry",
        "there's a bug in the helper, use a debugger",
        "Can you use pnpm here?",
        "Don't use a mutex, use a channel",
        "No, 3 retries are enough",
        "use yarn in packages/web instead of npm",
        "Sure, but the client should handle that automatically, not you adding that now.",
        "no, the header should be left aligned",
        "no, I meant the other file",
        "No, put the button above the table",
        "no, put it in utils.ts",
        "Actually let's not do this",
        "Actually I think we should use a set",
        "don't use the cache when the user is logged out",
        "Don't show the dialog if there is only one item",
        "use the same colors as in the login page",
        "Use the id instead of the name",
        "use the user id instead of the email for the lookup",
        "use uuid instead of int for the id column",
        "The parser must not fail on empty input",
        "we use this in three places",
        "We use redis to store the session, right?",
        "we don't have the token at that point",
        "there is no index on user_id",
        "there's no need to do this",
        "there is a function for that in utils",
        "No, the problem is in parser.ts",
        "Wrong, the config.json is correct",
        "Actually foo_bar is fine",
        "That's wrong: the output should be 5",
        "wrong, expected_total should be 12",
        "no, fetchUser should return null there",
        "No, user_id should be an integer in this table",
        "I told you the build is broken because of eslint",
        "remember: I'm on vacation tomorrow",
        "Note: the PR is not merged",
        "Keep in mind that main.go has changed",
        "keep in mind that I renamed foo_bar to baz_qux",
        "from now on you are the reviewer",
        "stop, the server is down",
        "stop using so many words",
        "make sure it works without javascript",
        "don't stop until all tests are green",
        "Don't rely on the network",
        "prefer option A",
        "Avoid this",
        "tests are stored in the wrong folder",
        "Tests must be green before I merge",
        "always works on my machine",
        "Never worked for me",
        "never tried, but ok",
        "we always get a 500 here",
        "we never reach this line",
        "We always hit the cache because the key is wrong",
        "we never finished the migration",
        "the rule is broken",
        "the convention is weird",
        "In this project there is a bug",
        "in this repo, add a LICENSE",
        "In this repo we have three packages",
        "here is the log",
        "here you go",
        "here we need a loop",
        "Implement the following plan:\n\n# Plan\n\nAlways use pnpm, not npm.",
        "# Conventions\n\n- Always use pnpm, not npm",
        "Another Claude session sent a message:\nnever use npm, use pnpm",
        "<teammate-message id=\"a\">never use npm, use pnpm</teammate-message>",
        "<ide_selection>never use npm, use pnpm</ide_selection>",
        "[Agent 2] never use npm, use pnpm",
        "This session is being continued from a previous conversation. Never use npm, use pnpm.",
        "P1 Badge: never use npm, use pnpm",
        "src/api.ts:12 never use npm, use pnpm",
        "evaluate this feedback:\nnever use npm, use pnpm",
    ]);
}

#[test]
fn corrections_are_learnt_in_other_languages() {
    assert_rules(&[
        ("Nein, benutze pnpm statt npm.", "Benutze pnpm statt npm"),
        ("nein, wir nutzen hier pnpm, nicht npm", "Wir nutzen hier pnpm, nicht npm"),
        ("Verwende nicht println, sondern tracing!", "Verwende nicht println, sondern tracing"),
        ("Sieht gut aus. Immer Importe sortieren.", "Immer Importe sortieren"),
        ("Bitte verwende immer die Helfer aus src/util", "Verwende immer die Helfer aus src/util"),
        ("Ab jetzt Commits auf Englisch schreiben", "Commits auf Englisch schreiben"),
        ("Warum benutzt du npm? Wir nutzen pnpm.", "Wir nutzen pnpm, nicht npm"),
        ("Das ist falsch: user_id muss eindeutig sein", "user_id muss eindeutig sein"),
        ("Du darfst nie direkt auf main pushen", "Nie direkt auf main pushen"),
        ("Non, utilise pnpm et pas npm.", "Utilise pnpm et pas npm"),
        ("N’utilise pas npm, utilise pnpm", "N’utilise pas npm, utilise pnpm"),
        ("on utilise pnpm, pas npm", "On utilise pnpm, pas npm"),
        ("Arrête d'utiliser npm, utilise pnpm", "N'utilise pas npm, utilise pnpm"),
        ("Désormais, écris les commits en anglais", "Écris les commits en anglais"),
        ("C'est faux : user_id doit être unique", "user_id doit être unique"),
        ("Pourquoi tu utilises npm ? On utilise pnpm.", "On utilise pnpm, pas npm"),
        ("No, usa pnpm en vez de npm.", "Usa pnpm en vez de npm"),
        ("usamos pnpm, no npm", "Usamos pnpm, no npm"),
        ("Deja de usar npm, usa pnpm", "No uses npm, usa pnpm"),
        (
            "Siempre ejecuta las pruebas antes de confirmar.",
            "Siempre ejecuta las pruebas antes de confirmar",
        ),
        ("Eso está mal: user_id debe ser único", "user_id debe ser único"),
        ("Não, use pnpm em vez de npm.", "Use pnpm em vez de npm"),
        ("A partir de agora, escreva mensagens em inglês.", "Escreva mensagens em inglês"),
        ("No, usa pnpm invece di npm.", "Usa pnpm invece di npm"),
        ("Non usare println, usa tracing.", "Non usare println, usa tracing"),
        ("Нет, используй pnpm.", "Используй pnpm"),
        ("Не используй npm, используй pnpm.", "Не используй npm, используй pnpm"),
        ("мы используем pnpm, а не npm", "Мы используем pnpm, а не npm"),
        ("不，用 pnpm，不要用 npm。", "用 pnpm，不要用 npm"),
        ("看起来不错。不要用npm，用pnpm。", "不要用npm，用pnpm"),
        ("我们用 pnpm，不用 npm", "我们用 pnpm，不用 npm"),
        ("以后提交信息一律用英文写", "提交信息一律用英文写"),
        ("いや、pnpmを使ってください。", "pnpmを使ってください"),
        ("npmではなくpnpmを使って", "npmではなくpnpmを使って"),
        (
            "今後はコミットメッセージを英語で書いてください",
            "コミットメッセージを英語で書いてください",
        ),
        ("このプロジェクトではpnpmを使います", "このプロジェクトではpnpmを使います"),
        ("아니, pnpm을 사용해.", "pnpm을 사용해"),
        ("npm 말고 pnpm을 써 줘.", "npm 말고 pnpm을 써 줘"),
        ("앞으로는 커밋 메시지를 영어로 작성해 주세요", "커밋 메시지를 영어로 작성해 주세요"),
        ("이 프로젝트에서는 pnpm을 사용합니다", "이 프로젝트에서는 pnpm을 사용합니다"),
    ]);
}

#[test]
fn words_about_the_present_task_are_not_learnt_in_other_languages() {
    assert_no_rules(&[
        "Nein, das ist falsch.",
        "Nein, benutze das da.",
        "Verwende immer Mocks, aber nur vorerst.",
        "Warum verwendest du immer Mocks?",
        "Benutze tokio im Modul web.",
        "Nein, der Test schlägt noch fehl",
        "Füge einen Test hinzu",
        "Non, ce n'est pas ça.",
        "Utilise toujours des mocks pour l'instant.",
        "Ajoute une commande qui utilise pnpm.",
        "No, eso está mal.",
        "Usa siempre mocks por ahora.",
        "Não, isso está errado.",
        "Sempre use mocks por enquanto.",
        "No, usa quello invece.",
        "Нет, это неправильно.",
        "Всегда используй моки, но пока только здесь.",
        "使用 React 写一个登录页面。",
        "不，用这个方法。",
        "为什么总是用 npm？",
        "いや、それを使ってください。",
        "Reactを使ってログイン画面を作ってください。",
        "아니, 그것을 사용해.",
        "React를 사용해서 로그인 페이지를 만들어 줘.",
        "Vue 대신 React를 사용해서 로그인 페이지를 만들어 줘.",
        "PR #221, #222 확인하고 머지해주세요",
        "리뷰 스레드 확인해주세요",
    ]);
}

#[test]
fn the_type_tells_habits_from_facts() {
    for (prompt, kind) in [
        ("No, use pnpm instead of npm.", BuiltinType::Preference),
        ("that's wrong: Gemini stores sessions under ~/.gemini/tmp", BuiltinType::Gotcha),
        ("that's wrong: `total_cents` must be an integer", BuiltinType::Requirement),
        ("Amounts must never be floats.", BuiltinType::Requirement),
        ("There is no user entity, identify the machine instead", BuiltinType::Gotcha),
    ] {
        let kinds: Vec<BuiltinType> = stated(prompt).into_iter().map(|rule| rule.kind).collect();
        assert_eq!(kinds, [kind], "{prompt}");
    }
}

#[test]
fn instructions_that_may_be_repeated_are_not_about_one_thing() {
    for (sentence, expected) in [
        ("Please use British spelling in comments", Some("Use British spelling in comments")),
        (
            "Make sure every function has a docstring",
            Some("Make sure every function has a docstring"),
        ),
        ("Run the linter before every commit", Some("Run the linter before every commit")),
        ("Bitte verwende kurze Namen für Variablen", Some("Verwende kurze Namen für Variablen")),
        ("pnpmを使ってください", Some("pnpmを使ってください")),
        ("Run the tests", None),
        ("Please run the linter", None),
        ("Write the plan", None),
        ("Use the existing helpers in this file", None),
        ("Add a command for exports", None),
        ("Der Export ist langsam geworden", None),
    ] {
        assert_eq!(instruction(sentence).as_deref(), expected, "{sentence}");
    }
}

#[test]
fn the_same_words_have_the_same_key() {
    let key = rule_key("Don't use npm here, always use pnpm");
    assert_eq!(rule_key("do not use npm here: always use `pnpm`"), key);
    assert_eq!(rule_key("Don’t use npm here; always use pnpm"), key);
    assert_ne!(rule_key("Don't use npm here, always use yarn"), key);
}

/// Words that the grammar reacts to, so that random texts reach its branches.
const WORDS: [&str; 24] = [
    "no, ",
    "don't ",
    "we use ",
    "İ",
    "ẞ ",
    "never ",
    "always ",
    "npm",
    "pnpm ",
    ", not ",
    "it ",
    "that ",
    "`",
    "```",
    "\n",
    ". ",
    "? ",
    "<a-b>",
    "</a-b>",
    "# ",
    "\"\"\"",
    "不要用",
    "아니, ",
    "why are you using ",
];

proptest! {
    #[test]
    fn any_text_is_read(
        text in any::<String>(),
        words in prop::collection::vec(prop::sample::select(WORDS.to_vec()), 0..40),
    ) {
        for prompt in [text.clone(), words.concat(), format!("{}{text}", words.concat())] {
            for rule in stated(&prompt) {
                prop_assert!(!rule.text.is_empty());
            }
            for sentence in own_sentences(&prompt) {
                let _ = (instruction(&sentence), builds(&sentence));
            }
        }
    }
}
