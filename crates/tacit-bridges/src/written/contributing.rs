//! Decides which passages of a guide for contributors are worth a memory: rules and commands for
//! those who change the code. Welcomes, licences, reports and the path of a pull request are not.

use super::words::{ELSEWHERE, PATH_OF_A_CHANGE, has};
use super::worth::{has_heading, is_imperative, is_passage, is_task, lowered, obliges};
use crate::blocks::TextBlock;

/// The longest paragraph that is one rule, in bytes.
const MAX_PARAGRAPH: usize = 500;

/// Returns true if a passage is a rule for changes to the code.
pub(super) fn is_rule(block: &TextBlock) -> bool {
    if !is_passage(block) || has_heading(block, ELSEWHERE) {
        return false;
    }
    if !block.is_item && block.text.len() > MAX_PARAGRAPH {
        return false;
    }
    let words = lowered(&block.text);
    if words.iter().any(|word| has(PATH_OF_A_CHANGE, word)) {
        return false;
    }
    let is_concrete = block.text.contains('`');
    is_task(block)
        || (is_concrete && (obliges(&words) || is_imperative(&block.text)))
        || (block.is_item && obliges(&words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_rules_about_the_code_are_kept() {
        for (heading, text, expected) in [
            ("Style", "Run `cargo fmt` before each commit", true),
            ("Tests", "`make test` runs all of them", true),
            ("Style", "Every public function must have a doc comment", true),
            ("Commits", "Prefix subjects with the crate, as in `core: fix it`", true),
            (
                "English",
                "An engineer reads it once. `cargo xtask lint-words` is a step of CI",
                false,
            ),
            ("Code of conduct", "You must be kind to others", false),
            ("License", "You must sign the CLA with `git commit -s`", false),
            ("Reporting bugs", "Always include the output of `tool --version`", false),
            ("Pull requests", "Fork the repository and run `git clone`", false),
            ("Pull requests", "Please be patient while we look at it", false),
            ("Contributing", "We love contributions of all kinds", false),
        ] {
            let block = TextBlock {
                line: 1,
                headings: vec![heading.into()],
                text: text.into(),
                is_item: true,
                has_intro: false,
            };
            assert_eq!(is_rule(&block), expected, "{heading}: {text}");
        }
    }
}
