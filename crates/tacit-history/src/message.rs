//! The prose of a commit message: without trailers, templates, quoted messages and links.

/// The most lines of a message that are read.
const MAX_LINES: usize = 60;

/// Keys of trailers, besides those that end in `-by`.
const TRAILERS: &[&str] = &[
    "bug",
    "bugzilla",
    "bz",
    "cc",
    "change-id",
    "cherry-picked from",
    "closes",
    "commit-queue",
    "cq-depend",
    "differential revision",
    "fix",
    "fixes",
    "git-svn-id",
    "github-issue",
    "issue",
    "link",
    "part-of",
    "pr",
    "ref",
    "references",
    "refs",
    "related",
    "resolves",
    "reviewed-on",
    "see",
    "see-also",
    "x-original-commit",
];

/// Beginnings of lines after which another message is quoted.
const QUOTES: [&str; 5] = [
    "original change's description",
    "original commit message",
    "original message",
    "original commit log",
    "conflicts:",
];

/// Returns the paragraphs of prose in the body of a message, each on one line.
pub(crate) fn paragraphs(body: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut open = false;
    for line in body.lines().take(MAX_LINES) {
        let line = line.trim_start_matches(['#', '*', '|']).trim();
        let lower = line.to_lowercase();
        if QUOTES.iter().any(|start| lower.trim_start_matches(['>', ' ']).starts_with(start)) {
            break;
        }
        let is_prose = !line.is_empty() && !is_noise(line, &lower);
        match (is_prose, open) {
            (true, true) => {
                if let Some(last) = found.last_mut() {
                    last.push(' ');
                    last.push_str(line);
                }
            }
            (true, false) => found.push(line.to_owned()),
            (false, _) => {}
        }
        open = is_prose;
    }
    found.iter().map(|paragraph| without_links(paragraph)).filter(|text| !text.is_empty()).collect()
}

/// Returns true for lines that are no prose.
fn is_noise(line: &str, lower: &str) -> bool {
    if line.starts_with('>') || lower.starts_with("(cherry picked") || lower.starts_with("diff --")
    {
        return true;
    }
    if line.bytes().all(|byte| byte.is_ascii_punctuation()) || is_link(line) {
        return true;
    }
    let Some((key, value)) = lower.split_once(':') else { return false };
    let key = key.trim();
    // `Fix: it was too slow to start` may be a sentence, `Fixes: …` is a trailer.
    let is_short = value.split_whitespace().count() <= 4 || value.contains("://");
    let may_be_prose = ["bug", "fix", "issue", "link", "see"].contains(&key);
    (key.ends_with("-by") && !key.contains(' '))
        || (TRAILERS.contains(&key) && (is_short || !may_be_prose))
}

fn is_link(word: &str) -> bool {
    !word.contains(char::is_whitespace) && word.contains("://")
}

/// Removes links and what only introduces them, such as `(see …)`.
fn without_links(paragraph: &str) -> String {
    let words: Vec<&str> =
        paragraph.split_whitespace().filter(|word| !word.contains("://")).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::paragraphs;

    #[test]
    fn trailers_templates_and_quotes_are_left_out() {
        let body = "\nIt breaks\nthe clock.\n\nSecond https://x.org/1 one.\n\n> quoted\n-----\n\
                    Signed-off-by: A <a@example.com>\nFixes: #12\nChange-Id: I123\n\
                    https://x.org/2\n(cherry picked from commit abc)\n\
                    Original change's description:\n> more\nBecause of this.";
        assert_eq!(paragraphs(body), ["It breaks the clock.", "Second one."]);
        assert_eq!(
            paragraphs("Fix: the cache was never emptied here"),
            ["Fix: the cache was never emptied here"]
        );
    }

    proptest! {
        #[test]
        fn any_body_is_read(body in "\\PC{0,400}") {
            for paragraph in paragraphs(&body) {
                prop_assert!(!paragraph.contains('\n'));
            }
        }
    }
}
