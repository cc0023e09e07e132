//! Searches in a form that cannot work: they find nothing and say nothing.

use super::pair::VariantLesson;
use crate::command_form::CommandCall;

const ALTERNATIVES: &str = "rg writes alternatives as `|`: `rg \"a\\|b\"` finds nothing and says \
                            nothing. Use `rg \"a|b\"` or `grep \"a\\|b\"`.";

/// Returns the lesson of a search that found nothing because of its form, if a search for the same
/// found something soon after.
pub(super) fn silent_misuse<'c, 'a: 'c, I>(
    calls: &[CommandCall<'_>],
    output: &str,
    later: impl Fn() -> I,
) -> Option<VariantLesson>
where
    I: Iterator<Item = (&'c CommandCall<'a>, &'c str)>,
{
    if !output.trim().is_empty() && output.trim() != "Exit code 1" {
        return None;
    }
    let search = calls.iter().find(|call| is_misused(call))?;
    let words = alternatives(search);
    let finds = later().any(|(call, output)| {
        matches!(call.program_name(), "rg" | "grep" | "egrep" | "git")
            && !is_misused(call)
            && !output.trim().is_empty()
            && call.arguments().iter().any(|word| words.iter().any(|part| word.contains(part)))
    });
    finds.then(|| VariantLesson {
        failing: "rg …\\|…".to_owned(),
        working: None,
        error: "no match".to_owned(),
        text: ALTERNATIVES.to_owned(),
    })
}

fn is_misused(call: &CommandCall<'_>) -> bool {
    let is_literal = |word: &String| matches!(word.as_str(), "-F" | "--fixed-strings");
    call.program_name() == "rg"
        && !call.arguments().iter().any(is_literal)
        && call.arguments().iter().any(|word| word.contains("\\|"))
}

/// Returns the alternatives that a search is for.
fn alternatives<'c>(call: &'c CommandCall<'_>) -> Vec<&'c str> {
    let patterns = call.arguments().iter().filter(|word| word.contains("\\|"));
    patterns.flat_map(|word| word.split("\\|")).filter(|part| part.len() >= 3).collect()
}
