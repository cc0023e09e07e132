//! Finds the sentence of an agent's last message that says what is left to do.

use super::markdown::lines_outside_fences;
use super::prompt::is_client_note;
use super::sentences::{end_sentence, sentences, shorten_at_sentence};

/// Maximum length of the quoted text, in characters.
const MAX_QUOTE: usize = 240;
/// Maximum number of list items that are quoted.
const MAX_ITEMS: usize = 5;
/// Maximum length of a label, in characters.
const MAX_LABEL: usize = 60;

/// Beginnings of labels and headings above what is left.
const LABELS: [&str; 43] = [
    "remaining",
    "what remains",
    "what's left",
    "what is left",
    "still open",
    "still to do",
    "still missing",
    "still needed",
    "left to do",
    "left undone",
    "next step",
    "next steps",
    "next",
    "todo",
    "to do",
    "to-do",
    "not done",
    "not yet",
    "not included",
    "not covered",
    "pending",
    "open point",
    "open item",
    "open issue",
    "follow-up",
    "follow up",
    "required setup",
    "required manual steps",
    "manual step",
    "known issue",
    "known limitation",
    "blocked",
    "blocker",
    "deferred",
    "noch offen",
    "nächste schritte",
    "reste à faire",
    "prochaines étapes",
    "pendiente",
    "próximos pasos",
    "남은 작업",
    "下一步",
    "残り",
];

/// Phrases of sentences about what is left.
const PHRASES: [&str; 39] = [
    "not yet",
    "isn't done",
    "is not done",
    "still fail",
    "still need",
    "still has to",
    "still have to",
    "still open",
    "still missing",
    "still broken",
    "still to be",
    "remains to be",
    "remain to be",
    "remaining work",
    "left to do",
    "left for later",
    "left for a follow-up",
    "in a follow-up",
    "hasn't been tested",
    "haven't been tested",
    "has not been tested",
    "haven't tested",
    "didn't get to",
    "did not get to",
    "blocked by",
    "blocked on",
    "waiting for",
    "waiting on",
    "you'll need to",
    "you will need to",
    "not implemented",
    "does not pass",
    "doesn't pass",
    "noch nicht",
    "pas encore",
    "todavía no",
    "대기 중",
    "尚未",
    "まだ",
];

/// Words that turn such a sentence into its opposite, or into something else.
const DENIALS: [&str; 12] = [
    "nothing",
    "no remaining",
    "none of",
    "no longer",
    "not needed",
    "no open",
    "no pending",
    "all remaining",
    "would you like",
    "want me to",
    "let me",
    "should i",
];

/// Returns what a message says is left to do, in its own words; `None` if it does not say.
pub fn open_points(message: &str) -> Option<String> {
    let lines: Vec<&str> = lines_outside_fences(message)
        .into_iter()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !is_client_note(line))
        .collect();
    let labelled = lines.iter().enumerate().find_map(|(at, line)| labelled(line, &lines[at + 1..]));
    let text = match labelled {
        Some(text) => text,
        None => lines.iter().find_map(|line| stated(line)).or_else(|| unchecked(&lines))?,
    };
    Some(end_sentence(&shorten_at_sentence(&text, MAX_QUOTE)))
}

/// Reads `Remaining: the docs`, or a label with the list below it.
fn labelled(line: &str, below: &[&str]) -> Option<String> {
    let is_heading = line.starts_with('#') || (line.starts_with("**") && line.ends_with("**"));
    let line = plain(line);
    let lower = line.to_lowercase();
    let is_label = |label: &&&str| {
        lower
            .strip_prefix(**label)
            .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric) || rest.starts_with('s'))
    };
    LABELS.iter().find(is_label)?;
    if DENIALS.iter().any(|word| lower.contains(word)) {
        return None;
    }
    let (label, value) = match line.split_once([':', '：']) {
        Some((label, value)) => (label, value.trim()),
        None if is_heading => (line.as_str(), ""),
        None => return None,
    };
    if label.chars().count() > MAX_LABEL {
        return None;
    }
    if !value.is_empty() {
        let empty = ["none", "nothing", "n/a", "-"];
        let value_word = value.trim_end_matches('.').to_lowercase();
        return (!empty.contains(&value_word.as_str())).then(|| format!("{label}: {value}"));
    }
    let items: Vec<String> = below
        .iter()
        .map_while(|line| list_item(line))
        .filter(|(done, _)| !done)
        .map(|(_, item)| item)
        .collect();
    listed(label, &items)
}

/// Returns the first sentence of a line that states what is left.
fn stated(line: &str) -> Option<String> {
    let line = plain(line);
    let is_open = |sentence: &&str| {
        let lower = sentence.to_lowercase().replace('’', "'");
        !lower.ends_with(['?', '？', ':'])
            && PHRASES.iter().any(|phrase| lower.contains(phrase))
            && !DENIALS.iter().any(|word| lower.contains(word))
    };
    sentences(&line).into_iter().find(is_open).map(str::to_owned)
}

/// Returns the items of a list that are not ticked off.
fn unchecked(lines: &[&str]) -> Option<String> {
    let open = lines.iter().filter(|line| line.contains("[ ] ")).filter_map(|line| list_item(line));
    listed("To do", &open.map(|(_, item)| item).collect::<Vec<_>>())
}

fn listed(label: &str, items: &[String]) -> Option<String> {
    let shown: Vec<&str> =
        items.iter().take(MAX_ITEMS).map(|item| item.trim_end_matches('.')).collect();
    (!shown.is_empty()).then(|| format!("{label}: {}", shown.join("; ")))
}

/// Reads an item of a list: whether it is ticked off, and its text.
fn list_item(line: &str) -> Option<(bool, String)> {
    let line = line.trim();
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let item = ["- ", "* ", "+ ", "• "]
        .iter()
        .find_map(|mark| line.strip_prefix(mark))
        .or_else(|| digits.strip_prefix(". ").or_else(|| digits.strip_prefix(") ")))?;
    let done = item.starts_with("[x]") || item.starts_with("[X]") || item.starts_with('✅');
    let item = item.strip_prefix("[ ]").unwrap_or(item);
    Some((done, plain(item)))
}

/// Removes the marks of headings, lists and emphasis, and symbols at the beginning.
fn plain(line: &str) -> String {
    let line = line.trim_start_matches(['#', '>', '-', '*', '•', '+', ' ']);
    let line =
        line.trim_start_matches(|c: char| !c.is_alphanumeric() && !"`\"'([<@/.$".contains(c));
    line.replace("**", "").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn messages_say_what_is_left() {
        for (message, expected) in [
            (
                "Both files are updated. Here's a summary:\n\n**Required setup (manual steps):**\n1. Create the app\n2. Add the secret `TOKEN`\n\nDone.",
                Some("Required setup (manual steps): Create the app; Add the secret `TOKEN`."),
            ),
            (
                "The form works.\n\nRemaining: hash the password",
                Some("Remaining: hash the password."),
            ),
            (
                "## What I did\n- the parser\n\n## Next steps\n- [x] read\n- [ ] write the docs\n- ship",
                Some("Next steps: write the docs; ship."),
            ),
            (
                "Pushed.\n\nStill open if you want them later: the denylist gap, and a reply to Ann.",
                Some("Still open if you want them later: the denylist gap, and a reply to Ann."),
            ),
            (
                "All done. `cart.test.ts` still fails because the server is not there.",
                Some("`cart.test.ts` still fails because the server is not there."),
            ),
            (
                "The migration is not yet run on staging.",
                Some("The migration is not yet run on staging."),
            ),
            (
                "## Test plan\n- [x] unit tests\n- [ ] try it by hand\n",
                Some("To do: try it by hand."),
            ),
            ("PR #234 CI 완료 대기 중. 통과하면 머지합니다.", Some("PR #234 CI 완료 대기 중.")),
            ("Both pass. Here's a summary of the changes:\n- a\n- b", None),
            ("All 7 pass. Nothing else to do here.", None),
            ("Remaining: none", None),
            ("No remaining issues. All remaining tests pass.", None),
            ("Next, let me run the tests:", None),
            ("Now I need to add this method to the `Store` interface:", None),
            ("Would you like me to do the remaining work?", None),
            ("```\nTODO: x\n```", None),
            ("", None),
        ] {
            assert_eq!(open_points(message).as_deref(), expected, "{message}");
        }
    }

    proptest! {
        #[test]
        fn any_message_is_read(message in "(\\PC|\n|- |\\*\\*|next|: |still ){0,80}") {
            open_points(&message);
        }
    }
}
