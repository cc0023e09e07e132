//! The commands that a memory names.

use tacit_observer::runs_command;

use super::prefix::{INTERPRETERS, MULTI, is_assignment, is_plain, is_trivial};

/// The longest form, in words. The rest of a quoted command is an example.
const MAX_WORDS: usize = 4;
/// A quoted command with at most this many words is about its options, too.
const SHORT: usize = 3;
/// The longest form, in bytes. What comes after is an example.
const MAX_FORM: usize = 200;
/// The most commands taken from one text.
const MAX_COMMANDS: usize = 8;

/// Returns the commands that a text names, as forms (see [`tacit_observer::runs_command`]): in
/// backticks, or a known tool with its subcommand in a sentence.
///
/// ```
/// use tacit_app::topics::command_forms;
/// assert_eq!(command_forms("`make migrate` needs the VPN"), ["make migrate"]);
/// assert_eq!(command_forms("Run docker compose up before the tests"), ["docker compose up"]);
/// ```
pub fn command_forms(text: &str) -> Vec<String> {
    let mut forms: Vec<String> = Vec::new();
    for (index, part) in text.split('`').enumerate() {
        let is_quoted = index % 2 == 1;
        let found = if is_quoted { quoted(part).into_iter().collect() } else { in_prose(part) };
        for form in found {
            if !forms.contains(&form) {
                forms.push(form);
            }
        }
    }
    forms.truncate(MAX_COMMANDS);
    forms
}

/// Words that make a warning of a sentence that would recommend a command.
const WARNING: [&str; 11] = [
    "not", "never", "avoid", "cannot", "no", "nobody", "none", "longer", "stop", "without",
    "neither",
];
/// Words before a command in backticks that recommend it.
const RECOMMENDING: [&str; 3] = ["use", "prefer", "instead"];

/// Returns the commands that the text of a warning names in backticks, as forms for [`runs_danger`].
/// Unlike [`command_forms`], it includes trivial programs, and the whole of each command. A command
/// that the text recommends is left out.
///
/// ```
/// use tacit_app::topics::danger_forms;
/// let text = "Never run `sudo chmod -R 777 data <path>`; use `make reset` instead";
/// assert_eq!(danger_forms(text), ["chmod -R 777 data"]);
/// ```
pub fn danger_forms(text: &str) -> Vec<String> {
    let parts: Vec<&str> = text.split('`').collect();
    let mut forms: Vec<String> = Vec::new();
    // The last part is not closed.
    for pair in parts[..parts.len() - 1].chunks_exact(2) {
        let [before, quoted] = pair else { continue };
        if let Some(form) = danger_form(quoted)
            && !is_recommended(before)
            && !forms.contains(&form)
        {
            forms.push(form);
        }
    }
    forms.truncate(MAX_COMMANDS);
    forms
}

fn danger_form(quoted: &str) -> Option<String> {
    let skipped = |word: &&str| is_assignment(word) || *word == "sudo";
    let words: Vec<&str> = quoted.split_whitespace().skip_while(skipped).collect();
    let (first, rest) = words.split_first()?;
    let program = first.rsplit('/').next().unwrap_or(first);
    if !is_plain(program) || (rest.is_empty() && !is_program(program, true)) {
        return None;
    }
    let mut form = program.to_owned();
    for word in rest.iter().take_while(|word| !is_placeholder(word)) {
        if form.len() + 1 + word.len() > MAX_FORM {
            break;
        }
        form.push(' ');
        form.push_str(word);
    }
    (form.len() <= MAX_FORM).then_some(form)
}

/// Returns true if the words before a command recommend it, and do not warn of it.
fn is_recommended(before: &str) -> bool {
    let sentence = before.rsplit(['.', ';', '!', '\n']).next().unwrap_or(before);
    let words: Vec<String> = sentence
        .split_whitespace()
        .map(|word| word.trim_end_matches([':', ',']).replace('’', "'").to_lowercase())
        .collect();
    let warns = |word: &String| WARNING.contains(&word.as_str()) || word.ends_with("n't");
    words.last().is_some_and(|last| RECOMMENDING.contains(&last.as_str()))
        && !words.iter().any(warns)
}

/// Returns true if a line runs a command of [`danger_forms`]. SQL and other statements count wherever
/// they stand in the line.
pub fn runs_danger(line: &str, form: &str) -> bool {
    let first = form.split(' ').next().unwrap_or_default();
    let is_statement = first.len() > 1 && first.chars().all(|c| c.is_ascii_uppercase());
    if !is_statement {
        return runs_command(line, form);
    }
    let words = |text: &str| -> Vec<String> {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '*');
        let words = text.split(move |c: char| !is_part(c)).filter(|word| !word.is_empty());
        words.map(str::to_ascii_lowercase).collect()
    };
    let form = words(form);
    words(line).windows(form.len()).any(|window| window == form)
}

/// Returns the form of a command in backticks.
fn quoted(text: &str) -> Option<String> {
    let words: Vec<&str> =
        text.split_whitespace().skip_while(|word| is_assignment(word) || *word == "sudo").collect();
    let (first, rest) = words.split_first()?;
    let program = first.rsplit('/').next().unwrap_or(first);
    if !is_program(program, rest.is_empty()) {
        return None;
    }
    let is_short = words.len() <= SHORT;
    let rest = rest
        .iter()
        .take(MAX_WORDS - 1)
        .take_while(|word| !is_placeholder(word) && (is_short || !word.starts_with('-')));
    let form = [program].into_iter().chain(rest.copied()).collect::<Vec<_>>().join(" ");
    (form.len() <= MAX_FORM).then_some(form)
}

/// Returns true if a word may be a program: alone in backticks, most words are names in the code.
fn is_program(word: &str, is_alone: bool) -> bool {
    let is_name = is_plain(word) && !is_trivial(word) && word.starts_with(char::is_lowercase);
    let is_code = word.contains([':', '_', '@']) || word.contains(char::is_uppercase);
    // A tool with many uses is not a command without one of them.
    let is_broad = MULTI.contains(&word) || INTERPRETERS.contains(&word);
    is_name && !(is_alone && (is_code || is_broad))
}

/// Returns true for a word that stands for something else.
fn is_placeholder(word: &str) -> bool {
    word.contains(['<', '>', '$', '{', '*', '…', '|', '&', ';'])
        || word == "..."
        || (word.len() == 1 && word.contains(char::is_uppercase))
}

/// Returns the forms of known tools in a sentence.
fn in_prose(text: &str) -> Vec<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let clean = |word: &'_ str| word.trim_matches(|c: char| ",;:()'\"".contains(c)).to_owned();
    let is_word = |word: &str| is_plain(word) && word.chars().all(|c| !c.is_uppercase());
    let mut forms = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let program = clean(word);
        if !MULTI.contains(&program.as_str()) {
            continue;
        }
        let mut parts = vec![program];
        for next in words[at + 1..].iter().take(2) {
            let is_nested = parts.last().is_some_and(|last| NESTED.contains(&last.as_str()));
            let part = clean(next.trim_end_matches('.'));
            if (parts.len() > 1 && !is_nested) || !is_word(&part) {
                break;
            }
            parts.push(part);
        }
        if parts.len() > 1 {
            forms.push(parts.join(" "));
        }
    }
    forms
}

/// Subcommands that mean nothing without the word after them.
const NESTED: [&str; 4] = ["compose", "exec", "run", "task"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_name_commands_and_recommendations_do_not() {
        let long = format!("`make wipe {}`", "customer ".repeat(100));
        let cut = format!("make wipe{}", " customer".repeat(21));
        let cases: [(&str, &[&str]); 14] = [
            ("Never run `make wipe` here: it deletes `customers`", &["make wipe", "customers"]),
            ("`terraform destroy` hits production. Use `terraform plan`", &["terraform destroy"]),
            ("Do not use `rm -rf data`", &["rm -rf data"]),
            ("`/usr/bin/find . -delete` removes the cache", &["find . -delete"]),
            ("`AWS_PROFILE=prod sudo ./scripts/wipe.sh --all $NAME`", &["wipe.sh --all"]),
            ("`DROP TABLE customers` is never right", &["DROP TABLE customers"]),
            ("`git` and `ls` and `Config` are words", &[]),
            ("never `git push --force`, prefer `git push`", &["git push --force"]),
            ("an unclosed ` mark", &[]),
            ("Don’t use `make purge`", &["make purge"]),
            ("We no longer use `make raze`", &["make raze"]),
            ("No one may use `make burn`", &["make burn"]),
            (&long, &[&cut]),
            (&format!("`{}`", "x".repeat(300)), &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(danger_forms(text), expected, "{text}");
        }
    }

    #[test]
    fn dangers_are_found_behind_what_starts_them() {
        for (line, form, expected) in [
            ("make wipe", "make wipe", true),
            ("make -C db wipe", "make wipe", true),
            ("cd web && make  wipe --now", "make wipe", true),
            ("(make wipe); echo", "make wipe", true),
            ("CONFIRM=1 make wipe", "make wipe", true),
            ("env CONFIRM=1 make wipe", "make wipe", true),
            ("/usr/bin/env -i A=1 make wipe", "make wipe", true),
            ("sudo -u root env A=1 make wipe", "make wipe", true),
            ("sh -c 'make wipe'&", "make wipe", true),
            ("bash -lc \"cd x && make wipe\"", "make wipe", true),
            ("timeout 5 make wipe", "make wipe", true),
            ("timeout -k 1 5 nice -n 5 make wipe", "make wipe", true),
            ("nohup setsid make wipe &", "make wipe", true),
            ("echo db | xargs -n1 make wipe", "make wipe", true),
            ("find . -name x | xargs -I {} rm -rf data", "rm -rf data", true),
            ("rm -fr ./data/", "rm -rf data", true),
            ("rm -r data", "rm -rf data", false),
            ("/usr/bin/terraform destroy -auto-approve", "terraform destroy", true),
            ("terraform -chdir=prod destroy", "terraform destroy", true),
            ("npx wipe-db --all", "wipe-db", true),
            ("pnpm exec wipe-db", "wipe-db", true),
            ("uv run --with x wipe-db", "wipe-db", true),
            ("docker compose exec -T web make wipe", "make wipe", true),
            ("bash scripts/wipe.sh --all", "wipe.sh --all", true),
            ("./scripts/wipe.sh --all", "wipe.sh --all", true),
            ("eval 'make wipe'", "make wipe", true),
            ("eval make wipe", "make wipe", true),
            ("su postgres -c 'make wipe'", "make wipe", true),
            ("bash --norc -c 'make wipe'", "make wipe", true),
            ("psql -c \"drop  table customers;\"", "DROP TABLE customers", true),
            ("psql -c 'drop table orders'", "DROP TABLE customers", false),
            ("make", "make wipe", false),
            ("make wiper", "make wipe", false),
            ("make wipe-2", "make wipe", false),
            ("echo make wipe", "make wipe", false),
            ("git commit -m 'make wipe safer'", "make wipe", false),
            ("grep -rn 'make wipe' docs", "make wipe", false),
            ("cat <<E > notes\nmake wipe\nE", "make wipe", false),
        ] {
            assert_eq!(runs_danger(line, form), expected, "{line}");
        }
    }

    #[test]
    fn commands_are_named_in_backticks_or_by_a_known_tool() {
        let cases: [(&str, &[&str]); 13] = [
            ("`cargo flamegraph` needs root", &["cargo flamegraph"]),
            ("Never `git push --force` on main", &["git push --force"]),
            (
                "run `ledgerctl dlq replay --topic X --since 2h` and check",
                &["ledgerctl dlq replay"],
            ),
            ("`./scripts/deploy.sh staging` needs a token", &["deploy.sh staging"]),
            ("`AWS_PROFILE=dev terraform apply` is slow", &["terraform apply"]),
            ("`psql` must use the socket", &["psql"]),
            ("`git` is old here, and `python` too", &[]),
            ("`createPaymentIntent` and `FORMAT_VERSION` and `ls`", &[]),
            ("the flag `--no-verify` is off, see `src/Pool.rs`", &[]),
            (
                "Start it with docker compose up, then npm run seed.",
                &["docker compose up", "npm run seed"],
            ),
            ("terraform apply fails without the lock", &["terraform apply"]),
            ("`pytest <path>` and `pytest -n auto`", &["pytest", "pytest -n auto"]),
            ("Invoices are rounded half to even", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(command_forms(text), expected, "{text}");
        }
    }
}
