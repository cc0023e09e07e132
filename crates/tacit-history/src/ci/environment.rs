//! Variables to which a workflow gives a plain word, filled in where its scripts use them.

use super::yaml::Yaml;

/// The longest value that is filled in, in bytes.
const MAX_VALUE: usize = 100;

/// The variables of a workflow, a job and a step, the innermost last.
#[derive(Debug, Clone, Default)]
pub(super) struct WorkflowVariables<'y> {
    /// The names with their values; `None` if the value is no plain word.
    values: Vec<(&'y str, Option<&'y str>)>,
}

impl<'y> WorkflowVariables<'y> {
    /// Adds the variables of an inner level, which hide those of the outer ones.
    pub(super) fn and(mut self, variables: Option<&'y Yaml>) -> WorkflowVariables<'y> {
        for (name, value) in variables.map(Yaml::entries).unwrap_or_default() {
            self.values.push((name, value.text().filter(|value| is_plain(value))));
        }
        self
    }

    /// Forgets the variables that a script hands to the steps after it.
    pub(super) fn forget_changed(&mut self, script: &str) {
        if script.contains("GITHUB_ENV") {
            for (name, value) in &mut self.values {
                if is_assigned(script, name) {
                    *value = None;
                }
            }
        }
    }

    /// Fills in `${{ env.NAME }}`, `$NAME` and `${NAME}`. Variables that the script sets itself stay.
    pub(super) fn filled(&self, script: &str) -> String {
        let mut text = String::new();
        let mut rest = script;
        while let Some(at) = rest.find('$') {
            text.push_str(&rest[..at]);
            rest = &rest[at..];
            // A shell fills in nothing between single quotes.
            let line = text.rsplit('\n').next().unwrap_or_default();
            let is_literal = line.matches('\'').count() % 2 == 1;
            let found = reference(rest).filter(|used| used.by_service || !is_literal);
            let value = found.as_ref().and_then(|used| self.value(used.name, script));
            match (found, value) {
                // In quotes, nothing is still an argument.
                (Some(used), Some(value)) if !(value.is_empty() && text.ends_with('"')) => {
                    text.push_str(value);
                    rest = &rest[used.length..];
                }
                _ => {
                    text.push('$');
                    rest = &rest[1..];
                }
            }
        }
        text + rest
    }

    fn value(&self, name: &str, script: &str) -> Option<&'y str> {
        let (_, value) = self.values.iter().rev().find(|(known, _)| *known == name)?;
        value.filter(|_| !is_assigned(script, name))
    }
}

/// The use of a variable at the start of a text.
struct Reference<'t> {
    name: &'t str,
    length: usize,
    /// True if the service fills it in, before a shell sees the script.
    by_service: bool,
}

fn reference(text: &str) -> Option<Reference<'_>> {
    if let Some(inner) = text.strip_prefix("${{") {
        let (expression, _) = inner.split_once("}}")?;
        let name = expression.trim().strip_prefix("env.")?;
        return Some(Reference { name, length: expression.len() + 5, by_service: true });
    }
    if let Some(inner) = text.strip_prefix("${") {
        let (name, _) = inner.split_once('}')?;
        return Some(Reference { name, length: name.len() + 3, by_service: false });
    }
    let after = text.strip_prefix('$')?;
    let end = after.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let name = &after[..end.unwrap_or(after.len())];
    Some(Reference { name, length: name.len() + 1, by_service: false })
}

/// Returns true if a script sets a variable.
fn is_assigned(script: &str, name: &str) -> bool {
    script.match_indices(name).any(|(at, _)| {
        let before = script[..at].chars().next_back();
        script[at + name.len()..].starts_with('=')
            && before.is_none_or(|c| !(c.is_ascii_alphanumeric() || c == '_'))
    })
}

/// Returns true for values that are one word to every shell, or nothing.
fn is_plain(value: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./=,:+@".contains(&byte);
    value.len() <= MAX_VALUE && value.bytes().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::super::yaml::parse;
    use super::*;

    #[test]
    fn plain_words_are_filled_in() {
        let workflow = parse("env:\n  TOOL: cargo\n  NONE:\n  MANY: a b\n  TOOLS: x\n");
        let environment = WorkflowVariables::default().and(workflow.get("env"));
        for (script, expected) in [
            ("${{ env.TOOL }} test $NONE", "cargo test "),
            ("${TOOL} test --x=$TOOLS", "cargo test --x=x"),
            (
                "$TOOL test $MANY $OTHER ${{ secrets.A }}",
                "cargo test $MANY $OTHER ${{ secrets.A }}",
            ),
            ("echo '$TOOL' $TOOL", "echo '$TOOL' cargo"),
            ("test \"$NONE\"", "test \"$NONE\""),
            ("TOOL=cross\n$TOOL test", "TOOL=cross\n$TOOL test"),
            ("a $", "a $"),
            ("a ${", "a ${"),
            ("a ${{ env.TOOL", "a ${{ env.TOOL"),
        ] {
            assert_eq!(environment.filled(script), expected, "{script}");
        }
    }

    #[test]
    fn inner_values_hide_outer_ones_and_changed_ones_are_unknown() {
        let workflow = parse("a:\n  TOOL: cargo\n  TARGET: x\nb:\n  TOOL: cross\n");
        let environment = WorkflowVariables::default().and(workflow.get("a"));
        assert_eq!(environment.clone().and(workflow.get("b")).filled("$TOOL"), "cross");
        let mut changed = environment;
        changed.forget_changed("echo TOOL=cross >> $GITHUB_ENV");
        assert_eq!(changed.filled("$TOOL $TARGET"), "$TOOL x");
    }

    proptest::proptest! {
        #[test]
        fn any_script_is_read(script in "[$a-zA-Z{} \"'=.\n\u{e9}]{0,60}") {
            let workflow = parse("env:\n  a: b\n");
            WorkflowVariables::default().and(workflow.get("env")).filled(&script);
        }
    }
}
