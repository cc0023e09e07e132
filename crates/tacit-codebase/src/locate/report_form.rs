//! What a report has besides what it says: headings and boxes of the form that was filled in, what
//! is told about the machine, references to other places.

use tacit_graph::is_listed;

/// The words of headings that forms have, whatever is reported.
const FORM_WORDS: &str = "a actual additional an and any are behavior behaviour bug can checklist checks code \
    complete context current describe description details did do does error example expect \
    expected for happen happened happens how i in info information is issue it log logs \
    message minimal of or other output possible problem question report reproduce reproduction \
    result results sample solution steps summary the this to what with you your";

/// The words of headings under which a machine is described, and those beside them.
const ENVIRONMENT_WORDS: &str = "dependencies diagnostic environment installed platform setup specifications system version \
    versions";
const ENVIRONMENT_CONTEXT: &str = "command my os package packages python show software";

/// What a heading says of the lines below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FormHeading {
    /// The form asks for them, and says nothing itself.
    Prompt,
    /// They describe a machine.
    Environment,
    /// Somebody wrote it.
    Written,
}

/// What a line says as a heading: `## Steps`, `**Steps**`, or `Steps:` on a line of its own; none if
/// it is not one.
pub(crate) fn heading(line: &str) -> Option<FormHeading> {
    let title = title(line)?;
    let words: Vec<String> = title
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let asked = |word: &String| is_listed(FORM_WORDS, word);
    let machine = |word: &String| is_listed(ENVIRONMENT_WORDS, word);
    let beside = |word: &String| is_listed(ENVIRONMENT_CONTEXT, word);
    Some(if words.iter().all(asked) {
        FormHeading::Prompt
    } else if words.iter().any(machine)
        && words.iter().all(|word| machine(word) || asked(word) || beside(word))
    {
        FormHeading::Environment
    } else {
        FormHeading::Written
    })
}

fn title(line: &str) -> Option<&str> {
    let marked = line.trim_start_matches('#');
    if marked.len() < line.len() && marked.starts_with(' ') {
        return Some(marked);
    }
    let bold = line.trim_end_matches(':').strip_prefix("**");
    if let Some(bold) = bold.and_then(|rest| rest.strip_suffix("**")) {
        return Some(bold);
    }
    if let Some(summary) = line.strip_prefix("<details>") {
        let summary = summary.trim().trim_start_matches("<summary>");
        return Some(summary.trim_end_matches("</summary>"));
    }
    let few = line.split_whitespace().count() <= 4;
    (few && line.ends_with([':', '?'])).then_some(line)
}

/// A box that was ticked, or not.
pub(crate) fn is_box(line: &str) -> bool {
    let item = line.trim_start_matches(['-', '*', '+', ' ']);
    item.len() < line.len() && ["[x]", "[X]", "[ ]", "[]"].iter().any(|mark| item.starts_with(mark))
}

/// Roles of documents whose text is a number or a person.
const REFERENCE_ROLES: [&str; 9] =
    [":bug:", ":cve:", ":gh:", ":ghsa:", ":issue:", ":pr:", ":pull:", ":ticket:", ":user:"];

/// A line without what points elsewhere: addresses, numbers of issues, people.
pub(crate) fn without_references(line: &str) -> String {
    let mut kept = String::with_capacity(line.len());
    for piece in line.split(' ') {
        let bare = piece.trim_matches(|c: char| "()[]<>,.;`_*".contains(c));
        let numbered = bare.strip_prefix(['#', '!']);
        let is_number = numbered.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        let opened = piece.trim_start_matches(['(', '[']);
        let is_role = REFERENCE_ROLES.iter().any(|role| opened.starts_with(role));
        if !(bare.contains("://") || bare.starts_with('@') || is_number || is_role) {
            kept.push_str(piece);
            kept.push(' ');
        }
    }
    kept.truncate(kept.trim_end().len());
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_classify_what_follows() {
        use FormHeading::{Environment, Prompt, Written};
        for (line, says) in [
            ("### Describe the bug", Some(Prompt)),
            ("**Expected behavior**", Some(Prompt)),
            ("**To Reproduce:**", Some(Prompt)),
            ("Steps to reproduce:", Some(Prompt)),
            ("What happened?", Some(Prompt)),
            ("## Environment", Some(Environment)),
            ("#### Output of `show_versions()`", Some(Environment)),
            ("System information:", Some(Environment)),
            ("<details><summary>Installed versions</summary>", Some(Environment)),
            ("## Sockets leak when a pool is closed", Some(Written)),
            ("### Version of a template is lost", Some(Written)),
            ("#123 is related", None),
            ("The pool leaks sockets.", None),
            ("**Pool** leaks", None),
        ] {
            assert_eq!(heading(line), says, "{line}");
        }
    }

    #[test]
    fn check_boxes_differ_from_list_items() {
        for (line, is) in [
            ("- [x] I have searched", true),
            ("* [ ] I would like to help", true),
            ("- pool[x] is wrong", false),
            ("[x] in a list", false),
        ] {
            assert_eq!(is_box(line), is, "{line}");
        }
    }

    #[test]
    fn references_are_removed() {
        for (line, left) in [
            ("Fix a leak (#123) by @ada", "Fix a leak by"),
            ("Fix :issue:`3889`, :user:`ada`", "Fix"),
            ("See [it](https://example.org/pool/issues/3) first", "See first"),
            ("`#8494 <https://example.org/x>`_: supported", "supported"),
            ("`Pool#close` and # are kept", "`Pool#close` and # are kept"),
        ] {
            assert_eq!(without_references(line), left, "{line}");
        }
    }
}
