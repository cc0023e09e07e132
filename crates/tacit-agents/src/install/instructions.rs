//! The section about memory in the file with instructions that a client reads.

use super::{Change, InstallError, utf8};

const BEGIN: &str = "<!-- tacit:begin -->";
const END: &str = "<!-- tacit:end -->";

/// What the section says.
pub const SECTION: &str = "\
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
pub fn plan_instructions(current: Option<&[u8]>) -> Result<Change, InstallError> {
    let text = current.map(utf8).transpose()?;
    let nl = if text.is_some_and(|text| text.contains("\r\n")) { "\r\n" } else { "\n" };
    let section = format!("{BEGIN}\n{SECTION}{END}").replace('\n', nl);
    let after = match text {
        None => format!("{section}{nl}"),
        Some(text) => match find(text)? {
            Some(place) => format!("{}{section}{}", &text[..place.0], &text[place.1..]),
            // A file that does not end its last line still does not when the section is taken out:
            // that the section does not either tells the one case from the other.
            None if text.ends_with('\n') => format!("{text}{nl}{section}{nl}"),
            None => format!("{text}{nl}{nl}{section}"),
        },
    };
    Ok(Change { before: current.map(<[u8]>::to_vec), after: Some(after.into_bytes()) })
}

/// Plans to take the section out again. A file in which nothing else was goes with it.
pub fn plan_instructions_removal(current: Option<&[u8]>) -> Result<Change, InstallError> {
    let before = current.map(<[u8]>::to_vec);
    let Some(bytes) = current else { return Ok(Change { before, after: None }) };
    let text = utf8(bytes)?;
    let Some((start, end)) = find(text)? else {
        return Ok(Change { after: before.clone(), before });
    };
    let (head, tail) = (&text[..start], &text[end..]);
    let after = if tail.is_empty() {
        without_newline(without_newline(head)).to_owned()
    } else {
        let tail = tail.strip_prefix("\r\n").or(tail.strip_prefix('\n')).unwrap_or(tail);
        if head.is_empty() && tail.is_empty() {
            return Ok(Change { before, after: None });
        }
        format!("{}{tail}", without_newline(head))
    };
    Ok(Change { before, after: Some(after.into_bytes()) })
}

fn without_newline(text: &str) -> &str {
    text.strip_suffix("\r\n").or(text.strip_suffix('\n')).unwrap_or(text)
}

/// Where the section is, from its first marker to behind its last.
fn find(text: &str) -> Result<Option<(usize, usize)>, InstallError> {
    let mut open: Option<(usize, usize)> = None;
    let mut found = None;
    let mut at = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let unbalanced = |line: usize, marker: &str| InstallError::Unbalanced {
            line,
            marker: marker.to_owned(),
        };
        let start = at + (line.len() - line.trim_start().len());
        match line.trim() {
            BEGIN if open.is_some() || found.is_some() => {
                return Err(unbalanced(number + 1, BEGIN));
            }
            BEGIN => open = Some((start, number + 1)),
            END => {
                let (begin, _) = open.take().ok_or_else(|| unbalanced(number + 1, END))?;
                found = Some((begin, start + END.len()));
            }
            _ => {}
        }
        at += line.len();
    }
    match open {
        Some((_, line)) => Err(InstallError::Unbalanced { line, marker: BEGIN.to_owned() }),
        None => Ok(found),
    }
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
