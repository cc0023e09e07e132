//! Whether a prompt asks for a plan.

/// Words that come before what is asked for.
const POLITE: [&str; 14] = [
    "please", "first", "now", "then", "ok", "okay", "so", "let's", "lets", "can", "could", "would",
    "you", "us",
];
/// Phrases that ask for a plan wherever they stand.
const PHRASES: [&str; 25] = [
    "make a plan",
    "write a plan",
    "create a plan",
    "draft a plan",
    "propose a plan",
    "prepare a plan",
    "give me a plan",
    "need a plan",
    "want a plan",
    "come up with a plan",
    "implementation plan",
    "plan how",
    "plan out",
    "plan for",
    "outline the steps",
    "outline an approach",
    "propose an approach",
    "how should we implement",
    "how should i implement",
    "how would you implement",
    "break this down into",
    "don't implement anything yet",
    "don't write code yet",
    "don't write any code yet",
    "before writing any code",
];
/// Commands of planning, in any tool.
const COMMANDS: [&str; 3] = ["plan", "propose", "specify"];

/// Whether a prompt asks for a plan: by the command it is, by its first verb, or by a phrase.
pub(crate) fn asks_for_plan(prompt: &str) -> bool {
    let prompt = prompt.trim().replace('\u{2019}', "'").to_lowercase();
    if let Some(command) = prompt.strip_prefix('/') {
        let command = command.split_whitespace().next().unwrap_or_default();
        return command.split([':', '.', '-', '_']).any(|part| COMMANDS.contains(&part));
    }
    let words: Vec<&str> = prompt
        .split(|c: char| !(c.is_alphanumeric() || c == '\''))
        .filter(|word| !word.is_empty())
        .collect();
    let mut asked = words.iter().skip_while(|word| POLITE.contains(word));
    // `plan the move`, but not `plan B failed`.
    let verb = asked.next() == Some(&"plan") && asked.next().is_some_and(|next| next.len() > 1);
    verb || PHRASES.iter().any(|phrase| {
        let phrase: Vec<&str> = phrase.split(' ').collect();
        words.windows(phrase.len()).any(|found| found == phrase)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn who_asks_for_a_plan() {
        for (prompt, expected) in [
            ("Plan the move to the new API", true),
            ("Please plan how tokens are refreshed.", true),
            ("Let\u{2019}s plan the export", true),
            ("Can you make a plan for the login page?", true),
            ("I need an implementation plan: two-factor login", true),
            ("How should we implement retries?", true),
            ("Outline the steps first, then stop", true),
            ("Add a webhook. Don't write any code yet!", true),
            ("/plan add a webhook", true),
            ("/opsx:propose add-webhook", true),
            ("/speckit.specify a webhook", true),
            ("/explain planning", false),
            ("Explain the parser", false),
            ("Go on with the plan", false),
            ("According to the plan, step 3 is next", false),
            ("plan B failed", false),
            ("Fix the payment plan page", false),
            ("plan", false),
            ("", false),
        ] {
            assert_eq!(asks_for_plan(prompt), expected, "{prompt}");
        }
    }

    proptest! {
        #[test]
        fn no_prompt_is_too_strange(prompt in ".{0,80}") {
            asks_for_plan(&prompt);
        }
    }
}
