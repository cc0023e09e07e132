//! Finds the sentences of a message that state a cause, a rule or a lesson.
//!
//! A sentence is scored by its label ("Root cause: …"), by how it connects things ("because",
//! "doesn't …, so …", "must"), and by what it names. Reports of what was done, offers, questions and
//! sentences that need the conversation lose.

use tacit_core::lines_outside_fences;

/// Score from which on a sentence is an account.
const MIN_SCORE: f64 = 2.0;
/// Bounds on the number of words in a sentence.
const MIN_WORDS: usize = 10;
const MIN_LABELLED_WORDS: usize = 5;
const MIN_EXPLAINED_WORDS: usize = 7;
const MAX_WORDS: usize = 60;
/// Maximum length of the whole account, in characters.
const MAX_ACCOUNT: usize = 420;
/// Maximum length of a label, in bytes.
const MAX_LABEL: usize = 60;
/// Longer messages are read at the end only, in bytes.
const MAX_MESSAGE: usize = 16 * 1024;

/// The meaning of the label before a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Label {
    Lesson,
    Cause,
    Fix,
    Note,
}

const LABELS: [(Label, &[&str]); 4] = [
    (
        Label::Lesson,
        &[
            "lesson",
            "lessons",
            "lesson learned",
            "lesson learnt",
            "lessons learned",
            "learning",
            "takeaway",
            "key takeaway",
            "gotcha",
            "caveat",
            "key insight",
            "insight",
            "lehre",
            "leçon",
            "lección",
            "lição",
            "lezione",
            "вывод",
            "教训",
            "教訓",
            "교훈",
        ],
    ),
    (
        Label::Cause,
        &[
            "root cause",
            "the root cause",
            "cause",
            "the cause",
            "problem",
            "the problem",
            "root problem",
            "issue",
            "the issue",
            "bug",
            "the bug",
            "why",
            "reason",
            "the reason",
            "what happened",
            "here's what happened",
            "what was wrong",
            "diagnosis",
            "explanation",
            "what went wrong",
            "why it failed",
            "why this happened",
            "ursache",
            "problème",
            "causa",
            "причина",
            "原因",
            "원인",
            "문제",
        ],
    ),
    (
        Label::Fix,
        &["fix", "fixed", "the fix", "solution", "the solution", "resolution", "lösung", "해결"],
    ),
    (
        Label::Note,
        &[
            "note",
            "important",
            "worth noting",
            "tl;dr",
            "in short",
            "short version",
            "the short version",
            "the one-sentence version",
            "heads up",
            "hinweis",
            "주의",
        ],
    ),
];

/// Phrases that connect a cause and its effect.
const CAUSES: [&str; 26] = [
    " because ",
    "turns out",
    "turned out",
    "caused by ",
    " due to ",
    "the reason ",
    "which is why",
    "that's why",
    "root cause",
    "the issue was",
    "the issue is",
    "the problem was",
    "the problem is",
    "the bug was",
    "the bug is",
    "the cause was",
    "the cause is",
    "the failure was",
    "the failure is",
    "the failures were",
    "the error was",
    "the culprit",
    "this happened when",
    "this happens when",
    "only happens when",
    " silently ",
];
/// Phrases with which an agent names the cause of a problem as such.
const NAMED_CAUSES: [&str; 7] = [
    "root cause",
    "the issue was",
    "the problem was",
    "the bug was",
    "the cause was",
    "turns out",
    "turned out",
];
/// Words that state a rule.
const RULES: [&str; 9] = [
    " must ",
    " has to ",
    " have to ",
    " needs to ",
    " requires ",
    " cannot ",
    " can't ",
    " no longer ",
    " unless ",
];
/// Words that deny or limit something: with a consequence they explain it.
const DENIALS: [&str; 16] = [
    " never ",
    " always ",
    " cannot ",
    " can't ",
    " won't ",
    " doesn't ",
    " does not ",
    " don't ",
    " isn't ",
    " aren't ",
    " wasn't ",
    " weren't ",
    " didn't ",
    " couldn't ",
    " only ",
    " without ",
];
/// First words of sentences that report what was done or announce something.
const REPORTS: [&str; 56] = [
    "i",
    "i've",
    "i'm",
    "i'll",
    "we've",
    "added",
    "adds",
    "updated",
    "updates",
    "removed",
    "removes",
    "changed",
    "changes",
    "created",
    "creates",
    "replaced",
    "renamed",
    "moved",
    "moves",
    "fixed",
    "fixes",
    "refactored",
    "implemented",
    "extracted",
    "switched",
    "wrapped",
    "bumped",
    "reverted",
    "converted",
    "introduced",
    "now",
    "here's",
    "here",
    "done",
    "all",
    "both",
    "let",
    "next",
    "ready",
    "want",
    "should",
    "would",
    "committed",
    "pushed",
    "verified",
    "everything",
    "nothing",
    "good",
    "great",
    "yes",
    "ok",
    "perfect",
    "called",
    "made",
    "uses",
    "previously",
];
/// Phrases about the result of a run, which says nothing about the next one.
const RESULTS: [&str; 10] = [
    "lint pass",
    "tests pass",
    "all pass",
    "0 issues",
    "build pass",
    "passes without",
    "is not new",
    "are not new",
    "pre-existing",
    "preexisting",
];
/// Words that speak to the user.
const ADDRESSES: [&str; 13] = [
    "you", "your", "you're", "you'd", "you'll", "i", "i'll", "i'd", "i've", "my", "me", "let's",
    "we'll",
];
/// Words that refer to the conversation or to the work of the day.
const CONVERSATION: [&str; 8] =
    ["above", "below", "reviewer", "pr", "todo", "phase", "prior", "plan"];

/// A sentence with the label of its line.
struct Statement<'a> {
    label: Option<Label>,
    /// True if the label stands right before the sentence.
    is_labelled: bool,
    line: usize,
    text: &'a str,
}

/// An account of a cause, a rule or a lesson.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Account {
    /// The account as a text that stands alone.
    pub(super) text: String,
    /// The sentence it rests on, as the agent wrote it.
    pub(super) quote: String,
    /// True if the agent called it a lesson.
    pub(super) is_lesson: bool,
    /// True if the agent named the cause of a problem as such.
    pub(super) names_cause: bool,
    /// True if it describes a problem that the agent was about to solve.
    pub(super) is_problem: bool,
}

/// Returns the best account in a message.
pub(super) fn account(message: &str) -> Option<Account> {
    let start = message.len().saturating_sub(MAX_MESSAGE);
    let message = &message[message.ceil_char_boundary(start)..];
    let lines = labelled_lines(message);
    let statements = statements(&lines);
    let (best, _) = statements
        .iter()
        .enumerate()
        .map(|(index, statement)| (index, score(statement)))
        .filter(|(_, score)| *score >= MIN_SCORE)
        .fold(None, |best: Option<(usize, f64)>, (index, score)| match best {
            Some((_, most)) if most >= score => best,
            _ => Some((index, score)),
        })?;
    let main = &statements[best];
    let text = compose(&statements, best);
    let names_cause = main.label == Some(Label::Cause) || contains_any(main.text, &NAMED_CAUSES);
    let is_problem = main.label == Some(Label::Cause) || contains_any(main.text, &CAUSES);
    Some(Account {
        // A failed attempt solves nothing.
        is_problem: is_problem && !text.contains(" Fix: ") && !text.starts_with("Tried "),
        is_lesson: main.label == Some(Label::Lesson),
        names_cause,
        quote: main.text.to_owned(),
        text,
    })
}

/// Returns the sentences of a message, without markup, headings and code.
pub(crate) fn message_sentences(message: &str) -> Vec<String> {
    let start = message.len().saturating_sub(MAX_MESSAGE);
    let lines = labelled_lines(&message[message.ceil_char_boundary(start)..]);
    lines.iter().flat_map(|line| sentences(&line.text)).map(str::to_owned).collect()
}

/// Joins the sentence with those that complete it: the rest of a labelled line, a consequence, and
/// the fix.
fn compose(statements: &[Statement<'_>], best: usize) -> String {
    let main = &statements[best];
    let mut text = sentence(without_lead_in(main.text));
    for next in &statements[best + 1..] {
        let continues = next.line == main.line
            && (main.label.is_some() || begins_with_any(next.text, &["so ", "this ", "that "]))
            && !is_report(next.text)
            && !speaks_to_user(next.text);
        if !continues || text.chars().count() + next.text.chars().count() > MAX_ACCOUNT {
            break;
        }
        text.push(' ');
        text.push_str(&sentence(next.text));
    }
    let fix = statements.iter().skip(best + 1).find(|other| {
        other.is_labelled && other.label == Some(Label::Fix) && !speaks_to_user(other.text)
    });
    if let Some(fix) = fix.filter(|_| main.label != Some(Label::Fix))
        && text.chars().count() + fix.text.chars().count() + 5 <= MAX_ACCOUNT
    {
        text.push_str(" Fix: ");
        text.push_str(&sentence(fix.text));
    }
    text
}

fn begins_with_any(text: &str, starts: &[&str]) -> bool {
    let lower = text[..text.floor_char_boundary(20)].to_lowercase();
    starts.iter().any(|start| lower.starts_with(start))
}

/// Removes the words that only announce the cause.
fn without_lead_in(text: &str) -> &str {
    const LEAD_INS: [&str; 22] = [
        "the issue was that ",
        "the issue is that ",
        "the problem was that ",
        "the problem is that ",
        "the root cause was that ",
        "the root cause is that ",
        "the root cause was ",
        "the root cause is ",
        "the bug was that ",
        "the bug is that ",
        "the cause was that ",
        "the cause is that ",
        "the reason is that ",
        "the reason was that ",
        "it turns out that ",
        "it turns out ",
        "turns out that ",
        "turns out ",
        "root cause: ",
        "the root cause: ",
        "the problem: ",
        "the issue: ",
    ];
    let lower = text.to_lowercase();
    LEAD_INS
        .iter()
        .find(|lead| lower.starts_with(*lead))
        .and_then(|lead| text.get(lead.len()..))
        .unwrap_or(text)
}

/// Capitalises a sentence and ends it with a full stop.
fn sentence(text: &str) -> String {
    let text = text.trim().trim_end_matches([':', ';', ',']);
    let mut chars = text.chars();
    let mut whole: String =
        chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect());
    if !whole.ends_with(['.', '!', '?', '。', '…']) {
        whole.push('.');
    }
    whole
}

/// A line without its markup.
struct Line {
    label: Option<Label>,
    /// True if the line itself has the label; otherwise it stands in the heading above.
    is_labelled: bool,
    text: String,
}

/// Returns the lines of a message with their labels. Headings label the lines below them; tables,
/// quotes and code are skipped.
fn labelled_lines(message: &str) -> Vec<Line> {
    let mut heading = None;
    let mut lines = Vec::new();
    for line in lines_outside_fences(message) {
        let line = line.trim();
        if line.is_empty() || line.starts_with(['|', '>', '$']) {
            continue;
        }
        let plain = without_emphasis(without_bullet(line));
        let plain = plain.trim().trim_start_matches('#').trim();
        if line.starts_with('#') || (line.len() < 80 && plain.ends_with([':', '：'])) {
            let title = plain.trim_end_matches([':', '：']);
            heading = label(title.split([':', '—', '–']).next().unwrap_or(title));
            continue;
        }
        let (head, rest) = match plain.find([':', '：', '—', '–']) {
            Some(at) if at <= MAX_LABEL => {
                let width = plain[at..].chars().next().map_or(1, char::len_utf8);
                (&plain[..at], plain[at + width..].trim())
            }
            _ => ("", plain),
        };
        let own = label(head).filter(|_| !rest.is_empty());
        let is_entry = own.is_some() || is_path(head);
        let text = if is_entry { rest } else { plain }.to_owned();
        lines.push(Line { label: own.or(heading), is_labelled: own.is_some(), text });
    }
    lines
}

/// Returns true if a text is the path of a file, as it begins the entries in a list of changes.
fn is_path(text: &str) -> bool {
    let path = text.trim().trim_matches('`');
    !path.contains(char::is_whitespace)
        && path.rsplit_once('.').is_some_and(|(stem, ending)| {
            !stem.is_empty() && (1..=5).contains(&ending.len()) && !ending.contains('/')
        })
}

/// Removes the marks of emphasis outside code.
fn without_emphasis(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    for (index, part) in line.split('`').enumerate() {
        if index > 0 {
            plain.push('`');
        }
        if index % 2 == 0 {
            plain.push_str(&part.replace("**", "").replace("__", "").replace('*', ""));
        } else {
            plain.push_str(part);
        }
    }
    plain
}

/// Reads a label: `Bug 1`, `Root cause (confirmed)`.
fn label(head: &str) -> Option<Label> {
    let head = head.split('(').next().unwrap_or_default().trim().to_lowercase();
    let head = head.trim_end_matches(|c: char| c.is_ascii_digit() || c == '#' || c == ' ');
    let head = head.split_once(" of the ").map_or(head, |(name, _)| name);
    LABELS.iter().find(|(_, names)| names.contains(&head)).map(|(label, _)| *label)
}

fn without_bullet(line: &str) -> &str {
    let bullet = ["- ", "* ", "+ ", "• "].iter().find_map(|mark| line.strip_prefix(mark));
    let numbered = || {
        let (number, rest) = line.split_once(['.', ')'])?;
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        rest.strip_prefix(' ').filter(|_| is_number)
    };
    bullet.or_else(numbered).unwrap_or(line).trim_start()
}

fn statements(lines: &[Line]) -> Vec<Statement<'_>> {
    let mut all = Vec::new();
    for (line, Line { label, is_labelled, text }) in lines.iter().enumerate() {
        for (index, text) in sentences(text).into_iter().enumerate() {
            let is_labelled = *is_labelled && index == 0;
            let text = without_own_action(attempt(text).unwrap_or(text));
            all.push(Statement { label: *label, is_labelled, line, text });
        }
    }
    all
}

/// Returns an attempt that failed without the agent: "I tried `x`, but …", "I tried `x` … because …".
fn attempt(text: &str) -> Option<&str> {
    let fails = [" because ", ", but ", " since "].iter().any(|word| text.contains(word));
    let own = text.strip_prefix("I ").filter(|rest| fails && rest.starts_with("tried "));
    own.or_else(|| text.strip_prefix("I first ").filter(|rest| fails && rest.starts_with("tried ")))
}

/// Removes the clause at the end of a sentence in which the agent says what it did about the matter.
fn without_own_action(text: &str) -> &str {
    const CLAUSES: [&str; 8] =
        [", so I ", ", so I've ", "; I ", "; I've ", " — I ", " – I ", ", and I ", ", which I "];
    let end = CLAUSES.iter().filter_map(|clause| text.find(clause)).min();
    text[..end.unwrap_or(text.len())].trim_end()
}

/// Splits a line into sentences: a full stop, a space, and a capital, a digit or a quote.
fn sentences(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut in_code = false;
    for (at, c) in line.char_indices() {
        in_code ^= c == '`';
        let next = at + c.len_utf8();
        let ends = match c {
            '.' | '!' | '?' if !in_code => {
                let mut rest = line[next..].chars();
                rest.next().is_some_and(char::is_whitespace)
                    && rest.next().is_some_and(|c| c.is_uppercase() || "`\"(“".contains(c))
            }
            '。' | '！' | '？' => true,
            _ => false,
        };
        if ends {
            found.push(line[start..next].trim());
            start = next;
        }
    }
    found.push(line[start..].trim());
    found.retain(|sentence| !sentence.is_empty());
    found
}

fn score(statement: &Statement<'_>) -> f64 {
    let text = statement.text;
    let words = text.split_whitespace().count();
    let is_wide = text.chars().filter(|c| *c >= '\u{2e80}').count() > 8;
    let has = |phrases: &[&str]| contains_any(text, phrases);
    let has_consequence =
        has(&[", so ", " — so ", "; so ", " since ", ", which means ", " means that "]);
    let least = match statement.is_labelled {
        true => MIN_LABELLED_WORDS,
        // A limit with its consequence is an explanation, however short.
        false if has_consequence && has(&RULES) => MIN_EXPLAINED_WORDS,
        false => MIN_WORDS,
    };
    let is_lesson = statement.is_labelled && statement.label == Some(Label::Lesson);
    if (words < least && !is_wide)
        || words > MAX_WORDS
        || text.ends_with(['?', ':', '？', '：'])
        || !(names_something(text) || statement.label == Some(Label::Lesson))
        // A lesson may speak to the next agent.
        || (speaks_to_user(text) && !is_lesson)
    {
        return 0.0;
    }
    let share = if statement.is_labelled { 1.0 } else { 0.6 };
    let mut score = match statement.label {
        Some(Label::Lesson) => 4.0 * share,
        Some(Label::Cause) => 3.0 * share,
        Some(Label::Note) => 2.0 * share,
        Some(Label::Fix) => share,
        None => 0.0,
    };
    if has(&CAUSES) {
        score += 2.0;
    }
    if has(&RULES) {
        score += 2.0;
    } else if has(&DENIALS) {
        score += 1.0;
    }
    if has(&DENIALS) && has_consequence {
        score += 1.5;
    }
    if is_report(text) || has(&RESULTS) {
        score -= 2.5;
    }
    if uses_word(text, &CONVERSATION) {
        score -= 0.5;
    }
    score
}

fn contains_any(text: &str, phrases: &[&str]) -> bool {
    let lower = format!(" {} ", text.to_lowercase().replace('’', "'"));
    phrases.iter().any(|phrase| lower.contains(phrase))
}

fn is_report(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    let first = first.trim_matches(|c: char| !c.is_alphanumeric() && c != '`');
    let first = first.to_lowercase().replace('’', "'");
    let lower = text[..text.floor_char_boundary(60)].to_lowercase();
    let passes = ["tests pass", "lint pass", "is complete", "are green", "all pass", "no issues"];
    REPORTS.contains(&first.as_str()) || passes.iter().any(|phrase| lower.contains(phrase))
}

fn speaks_to_user(text: &str) -> bool {
    let text =
        &if states_duty(text) { text.replacen(" you ", " one ", 1) } else { text.to_owned() };
    uses_word(text, &ADDRESSES)
}

/// Returns true if a sentence says what anybody has to do, and when: "you have to run it before …".
fn states_duty(text: &str) -> bool {
    contains_any(
        text,
        &[" you have to ", " you need to ", " you must ", " you can't ", " you cannot "],
    ) && contains_any(
        text,
        &[
            " otherwise ",
            " or else ",
            " unless ",
            " every time ",
            " each time ",
            " whenever ",
            " after changing ",
            " after every ",
            " after each ",
            " after adding ",
            " before ",
        ],
    )
}

fn uses_word(text: &str, words: &[&str]) -> bool {
    outside_code(text)
        .to_lowercase()
        .replace('’', "'")
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .any(|word| words.contains(&word))
}

fn outside_code(text: &str) -> String {
    text.split('`').step_by(2).collect::<Vec<_>>().join(" ")
}

/// Returns true if a text names code: in backticks, or an identifier, a flag, a file or a constant.
fn names_something(text: &str) -> bool {
    let in_code = text.split('`').nth(1).is_some_and(|code| code.trim().len() > 1);
    in_code || text.split_whitespace().any(is_name)
}

/// Returns true if a word looks like a name from code.
pub(crate) fn is_name(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '-' && c != '/');
    let inner_capital = word
        .chars()
        .skip(1)
        .zip(word.chars())
        .any(|(c, before)| c.is_ascii_uppercase() && before.is_ascii_lowercase());
    let is_constant = word.len() >= 3
        && word.chars().all(|c| c.is_ascii_uppercase() || c == '_')
        && word.chars().any(|c| c.is_ascii_uppercase());
    let is_file = word.rsplit_once('.').is_some_and(|(stem, ending)| {
        stem.len() > 1
            && (1..=5).contains(&ending.len())
            && ending.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
            && !ending.bytes().all(|byte| byte.is_ascii_digit())
    });
    inner_capital
        || is_constant
        || is_file
        || (word.starts_with("--") && word.len() > 3)
        || (word.contains('_') && word.len() > 3)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn causes_rules_and_lessons_are_found() {
        for (message, expected) in [
            (
                "Fixed!\n\nThe issue was that `loadConfig` resolved paths against the current directory.",
                "`loadConfig` resolved paths against the current directory.",
            ),
            (
                "All tests pass.\n\n**Root cause:** `jest` hoists `vi.mock` calls above imports. The \
                 factory ran before `API_URL` was set.\n\n**Fix:** Read `API_URL` inside the factory.",
                "`jest` hoists `vi.mock` calls above imports. The factory ran before `API_URL` was set. \
                 Fix: Read `API_URL` inside the factory.",
            ),
            (
                "Done. Serde doesn't apply `rename_all` to nested enums, so the field was silently dropped.",
                "Serde doesn't apply `rename_all` to nested enums, so the field was silently dropped.",
            ),
            (
                "## What was wrong\n\n`HikariCP` never returned connections because the test held a \
                 transaction open.",
                "`HikariCP` never returned connections because the test held a transaction open.",
            ),
            (
                "Found it.\n\n**Root cause of the failure:** Next.js inlines `NEXT_PUBLIC_*` variables at \
                 build time.",
                "Next.js inlines `NEXT_PUBLIC_*` variables at build time.",
            ),
            (
                "Changes:\n- `tests/test_a.py`: `TestCase` never commits, so callbacks of `on_commit` don't run \
                 in tests.",
                "`TestCase` never commits, so callbacks of `on_commit` don't run in tests.",
            ),
            (
                "ESLint 9 only reads `eslint.config.js`; a `.eslintrc.json` is silently ignored, so I moved it.",
                "ESLint 9 only reads `eslint.config.js`; a `.eslintrc.json` is silently ignored.",
            ),
            (
                "**Note:** after changing `packages/ui` you have to run `pnpm build`; otherwise the other \
                 packages see the old types.",
                "After changing `packages/ui` you have to run `pnpm build`; otherwise the other packages see \
                 the old types.",
            ),
            (
                "- I tried `sqlite:///:memory:` first and dropped it because `JSONB` columns cannot be rendered.",
                "Tried `sqlite:///:memory:` first and dropped it because `JSONB` columns cannot be rendered.",
            ),
            (
                "1. `Gateway` is `final`, so PHPUnit cannot double it. I extracted `Charges`.",
                "`Gateway` is `final`, so PHPUnit cannot double it.",
            ),
            (
                "Lesson: push the tag only after `main` has the release commit.",
                "Push the tag only after `main` has the release commit.",
            ),
            (
                "**교훈:** 릴리즈 커밋을 `main`에 먼저 머지해야 합니다.",
                "릴리즈 커밋을 `main`에 먼저 머지해야 합니다.",
            ),
        ] {
            let found = account(message).map(|account| account.text);
            assert_eq!(found.as_deref(), Some(expected), "{message}");
        }
    }

    #[test]
    fn reports_offers_and_talk_are_no_accounts() {
        for message in [
            "All tests pass. Added `foo` to `bar.rs` and updated `baz.rs`.",
            "I changed `a.py` because you asked for it, and it must stay there.",
            "**Next steps:** you'll need to pass `--build-arg` in the deploy workflow before the release.",
            "- `vitest.config.ts` – switched the environment to `jsdom`, because a DOM is needed there.",
            "The failure of `wide` is not new: it was introduced in `5512abc`, which has no test.",
            "Want me to also fix `b.ts` because it has the same problem?",
            "Here's a summary:\n- `x.go` — uses `y` instead of `z`\n- `q.go` — renamed",
            "The build never worked before and it is always slow for everybody in the team.",
            "```\nroot cause: `x` must never be `y` in this place because of that\n```",
            "| cause | `x` must never be used here because it breaks the whole thing |",
            "",
        ] {
            assert_eq!(account(message), None, "{message}");
        }
    }

    #[test]
    fn problems_are_told_from_rules() {
        let is_problem = |message| account(message).map(|account| account.is_problem);
        assert_eq!(
            is_problem("The problem is that `poll` drops the first event of each batch."),
            Some(true)
        );
        assert_eq!(
            is_problem("Handlers of `on_exit` must not allocate, or the signal arrives twice."),
            Some(false)
        );
    }

    proptest! {
        #[test]
        fn any_message_is_accepted(message in r"([a-zA-Z `*#:.\n|>é—-]|because|must|Fix: |원인){0,200}") {
            if let Some(found) = account(&message) {
                prop_assert!(!found.text.is_empty());
            }
        }
    }
}
