//! The section about memory in the file with instructions that a client reads.

use super::{FileChange, InstallError};

const BEGIN: &str = "<!-- tacit:begin -->";
const END: &str = "<!-- tacit:end -->";

/// The text of the section.
const SECTION: &str = "\
## Persistent memory

This project has a memory that lasts from session to session. Hooks look after it; there is nothing
to start, load or save.

Without your doing anything:

- at the start of a session you are given what matters for this project;
- with each prompt, and before risky commands, you are given notes that bear on them;
- when a tool fails, you are given what helped the last time;
- what was learnt is kept when you stop.

Notes arrive between `<tacit-notes>` lines. They are hints to be checked, not orders.

- `tacit remember \"…\"`: only for what must not be missed, such as a decision or a wish of the user
- `tacit forget ID`: for a note that is wrong; its ID is in its brackets
";

/// Plans the section: a new one at the end, or in the place of the one that is there.
pub fn plan_instructions(current: Option<&[u8]>) -> Result<FileChange, InstallError> {
    FileChange::of(current, |text| {
        let nl = if text.is_some_and(|text| text.contains("\r\n")) { "\r\n" } else { "\n" };
        let section = format!("{BEGIN}\n{SECTION}{END}").replace('\n', nl);
        let Some(text) = text else { return Ok(Some(format!("{section}{nl}"))) };
        Ok(Some(match find(text)? {
            Some((start, end)) => format!("{}{section}{}", &text[..start], &text[end..]),
            // A file that does not end its last line still does not when the section is taken out:
            // that the section does not either tells the one case from the other.
            None if text.ends_with('\n') => format!("{text}{nl}{section}{nl}"),
            None => format!("{text}{nl}{nl}{section}"),
        }))
    })
}

/// Plans to take the section out again. A file in which nothing else was goes with it.
pub fn plan_instructions_removal(current: Option<&[u8]>) -> Result<FileChange, InstallError> {
    FileChange::of(current, |text| {
        let Some(text) = text else { return Ok(None) };
        let Some((start, end)) = find(text)? else { return Ok(Some(text.to_owned())) };
        let (head, tail) = (&text[..start], &text[end..]);
        if tail.is_empty() {
            return Ok(Some(without_newline(without_newline(head)).to_owned()));
        }
        let tail = tail.strip_prefix("\r\n").or(tail.strip_prefix('\n')).unwrap_or(tail);
        let gone = head.is_empty() && tail.is_empty();
        Ok((!gone).then(|| format!("{}{tail}", without_newline(head))))
    })
}

fn without_newline(text: &str) -> &str {
    text.strip_suffix("\r\n").or(text.strip_suffix('\n')).unwrap_or(text)
}

/// Finds the section, from its first marker to behind its last.
fn find(text: &str) -> Result<Option<(usize, usize)>, InstallError> {
    let unbalanced =
        |line: usize, marker: &str| InstallError::Unbalanced { line, marker: marker.to_owned() };
    let mut open: Option<(usize, usize)> = None;
    let mut found = None;
    let mut at = 0;
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        let start = at + (line.len() - line.trim_start().len());
        match line.trim() {
            BEGIN if open.is_some() || found.is_some() => return Err(unbalanced(number, BEGIN)),
            BEGIN => open = Some((start, number)),
            END => {
                let (begin, _) = open.take().ok_or_else(|| unbalanced(number, END))?;
                found = Some((begin, start + END.len()));
            }
            _ => {}
        }
        at += line.len();
    }
    open.map_or(Ok(found), |(_, line)| Err(unbalanced(line, BEGIN)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn added(text: Option<&str>) -> String {
        let change = plan_instructions(text.map(str::as_bytes)).expect("a plan");
        String::from_utf8(change.after.expect("a file")).expect("UTF-8")
    }

    fn taken(text: &str) -> Option<String> {
        let change = plan_instructions_removal(Some(text.as_bytes())).expect("a plan");
        change.after.map(|bytes| String::from_utf8(bytes).expect("UTF-8"))
    }

    #[test]
    fn a_section_of_our_own() {
        let text = added(None);
        assert!(text.starts_with("<!-- tacit:begin -->\n## Persistent memory\n"));
        assert!(text.ends_with("<!-- tacit:end -->\n"));
        assert_eq!(taken(&text), None);
    }

    #[test]
    fn an_old_section_is_replaced_where_it_is() {
        let old = "# A\n\n<!-- tacit:begin -->\nold\n<!-- tacit:end -->\n\n# B\n";
        let new = added(Some(old));
        assert!(new.starts_with("# A\n\n<!-- tacit:begin -->\n## Persistent"), "{new}");
        assert!(new.ends_with("<!-- tacit:end -->\n\n# B\n"), "{new}");
        assert_eq!(added(Some(&new)), new);
        assert_eq!(taken(&new).as_deref(), Some("# A\n\n# B\n"));
    }

    #[test]
    fn markers_without_a_counterpart_are_refused() {
        let cases = [
            ("x\n<!-- tacit:begin -->\n", 2),
            ("<!-- tacit:end -->\n", 1),
            ("<!-- tacit:begin -->\n<!-- tacit:begin -->\n<!-- tacit:end -->", 2),
        ];
        for (text, expected) in cases {
            let error = plan_instructions(Some(text.as_bytes())).expect_err("an error");
            assert!(matches!(error, InstallError::Unbalanced { line, .. } if line == expected));
            assert!(plan_instructions_removal(Some(text.as_bytes())).is_err());
        }
    }

    proptest! {
        #[test]
        fn in_and_out_again(text in "([a-z# é]{0,9}(\n|\r\n)?){0,6}") {
            let with = added(Some(&text));
            prop_assert_eq!(added(Some(&with)), with.clone());
            prop_assert_eq!(taken(&with), Some(text));
        }
    }
}
