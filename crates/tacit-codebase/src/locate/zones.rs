//! The parts of a description: its title, prose, code, and what a program printed when it failed.
//! They are told apart by how people write reports; any text is taken.

use super::report_form::{FormHeading, heading, is_box};

/// What sort of text a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Zone {
    /// The first line.
    Title,
    Prose,
    Code,
    /// Lines of a stack trace.
    Trace,
}

/// The lines of a description with what they are; what says nothing is left out.
pub(crate) fn zones(text: &str) -> Vec<(Zone, &str)> {
    let mut found: Vec<(Zone, &str)> = Vec::new();
    let (mut in_fence, mut in_trace, mut in_comment, mut in_environment) =
        (false, false, false, false);
    for line in text.lines() {
        let trimmed = line.trim();
        // What forms ask of those who fill them in.
        if trimmed.starts_with("<!--") {
            in_comment = true;
        }
        if in_comment {
            in_comment = !trimmed.contains("-->");
            continue;
        }
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            in_fence = !in_fence;
            in_trace = false;
            continue;
        }
        if trimmed.is_empty() {
            continue;
        }
        // The title may look like a heading; what a program printed has none.
        let heading = heading(trimmed).filter(|_| !in_fence && !in_trace && !found.is_empty());
        if let Some(heading) = heading {
            let listed = in_environment
                && heading == FormHeading::Written
                && !trimmed.starts_with(['#', '*']);
            in_environment = listed || heading == FormHeading::Environment;
            if heading == FormHeading::Prompt {
                continue;
            }
        }
        in_environment &= !is_sentence(trimmed) && !trimmed.starts_with("Traceback");
        if in_environment || is_listing(trimmed) || is_box(trimmed) {
            continue;
        }
        if found.is_empty() && !in_fence {
            found.push((Zone::Title, trimmed.trim_start_matches(['#', ' '])));
            continue;
        }
        if trimmed.starts_with("Traceback (most recent call last)") {
            in_trace = true;
        }
        let zone = if in_trace || is_frame(trimmed) {
            // What was raised ends a trace; frames and their sources are indented.
            let frame = line.starts_with([' ', '\t']) || is_frame(trimmed);
            if in_trace && !frame && is_raised(trimmed) {
                in_trace = false;
            }
            Zone::Trace
        } else if in_fence
            || line.starts_with("    ")
            || line.starts_with('\t')
            || is_prompt(trimmed)
        {
            Zone::Code
        } else {
            Zone::Prose
        };
        found.push((zone, trimmed));
    }
    found
}

/// Whole sentences do not describe a machine.
fn is_sentence(line: &str) -> bool {
    line.ends_with(['.', '!', '?']) && line.split_whitespace().nth(5).is_some()
}

/// A line of a list of versions: `numpy 1.20.1`, `python: 3.8.2.final.0`, `pytest==6.2`.
fn is_listing(line: &str) -> bool {
    let mut parts = line.split(|c: char| c.is_whitespace() || c == ':' || c == '=' || c == '|');
    let name = parts.next().unwrap_or("");
    let rest: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    let version = |part: &str| {
        let part = part.trim_start_matches(['v', '>', '<', '~']);
        part.starts_with(|c: char| c.is_ascii_digit()) && part.contains('.')
    };
    !name.is_empty() && (1..=2).contains(&rest.len()) && version(rest[0])
}

/// `File "a.py", line 3`, `at a.b(C.java:12)`, `--> src/a.rs:3:4`.
pub(crate) fn is_frame(line: &str) -> bool {
    (line.starts_with("File \"") && line.contains("line "))
        || (line.starts_with("at ") && line.contains(':') && line.ends_with(')'))
        || line.starts_with("--> ")
}

fn is_prompt(line: &str) -> bool {
    line.starts_with(">>>")
        || line.starts_with("... ")
        || line.starts_with("$ ")
        || line.starts_with("In [")
}

/// `SomeError: it went wrong`, `pkg.SomeException`.
pub(crate) fn is_raised(line: &str) -> bool {
    let name = line.split([':', ' ']).next().unwrap_or("");
    (line.contains(':') || line == name) && is_error(name)
}

/// What a line says went wrong: `E  pkg.Invalid: no such pool`, `error: no such pool`.
pub(crate) fn message(line: &str) -> Option<&str> {
    let mut rest = line;
    while let Some((before, after)) = rest.split_once(": ") {
        let name = before.rsplit(char::is_whitespace).next().unwrap_or("");
        let printed = ["error", "Error", "ERROR", "fatal", "panic"].contains(&name)
            || (name.starts_with("error[") && name.ends_with(']'));
        if printed || is_error(name) || is_type(name) {
            return Some(after);
        }
        rest = after;
    }
    None
}

/// Whether a name is one of an error.
fn is_error(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or("");
    let ends = "Error Exception Warning Exit Interrupt Failure DoesNotExist Invalid";
    last.starts_with(|c: char| c.is_ascii_uppercase())
        && last.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && ends.split(' ').any(|end| last.ends_with(end))
}

/// Whether a name can only be one of a type: `InvalidSchema`, `pool.Closed`.
fn is_type(name: &str) -> bool {
    let (module, last) = name.rsplit_once('.').unwrap_or(("", name));
    let mut letters = last.chars();
    let is_named = letters.next().is_some_and(|c| c.is_ascii_uppercase())
        && last.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && last.contains(|c: char| c.is_ascii_lowercase());
    let is_module = module.chars().all(|c| c.is_ascii_alphanumeric() || "._".contains(c));
    let two_words = letters.as_str().contains(|c: char| c.is_ascii_uppercase());
    is_named && is_module && (two_words || !module.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A report, with what is read of it.
    #[test]
    fn form_boilerplate_is_skipped() {
        let report = "\
Pool.close hangs
<!-- Please search first.
     Thank you. -->
- [x] I have searched
### Describe the bug
Sockets are still in use.
**To reproduce**
```python
pool.close()
```
Traceback (most recent call last):
  File \"shop/pool.py\", line 3, in close
PoolError: in use
#### Versions
numpy: 1.2.3
machine: Linux
Settings: none
### Anything about the pool
It is a small one.
Environment:
OS: Linux
I use the pool of the shop, with ten sockets.
";
        let read = [
            (Zone::Title, "Pool.close hangs"),
            (Zone::Prose, "Sockets are still in use."),
            (Zone::Code, "pool.close()"),
            (Zone::Trace, "Traceback (most recent call last):"),
            (Zone::Trace, "File \"shop/pool.py\", line 3, in close"),
            (Zone::Trace, "PoolError: in use"),
            (Zone::Prose, "### Anything about the pool"),
            (Zone::Prose, "It is a small one."),
            (Zone::Prose, "I use the pool of the shop, with ten sockets."),
        ];
        assert_eq!(zones(report), read);
    }

    #[test]
    fn the_first_line_is_always_the_title() {
        for title in ["Expected behaviour:", "What happened?", "Version:"] {
            assert_eq!(zones(title), [(Zone::Title, title)]);
        }
    }
}
