//! The pages that teach an agent our commands, each in the form of its client.
//!
//! The plugin for Claude Code has the same pages; its files are the source. A page that we write ends
//! with a comment that contains a checksum, so that a page of any version is known to be ours as long
//! as nobody edits it.

use super::{FileChange, InstallError};

/// The form in which a client reads pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PageForm {
    /// A folder per page with a `SKILL.md`: a command, and a skill that the agent uses by itself.
    Skill,
    /// A Markdown file per command.
    Markdown,
    /// A TOML file per command.
    Toml,
}

/// The folders and the form of a client's pages.
#[derive(Debug)]
pub(crate) struct PageFolders {
    /// The folder in the project.
    pub(crate) project: &'static str,
    /// The folder of the user, relative to the home directory.
    pub(crate) user: &'static str,
    pub(crate) form: PageForm,
    /// The names of the pages.
    pub(crate) pages: &'static [&'static str],
}

/// The command that stores a memory.
pub(crate) const REMEMBER: &str = "remember";
/// The skill that reads the capture mode and the budget.
pub(crate) const CAPTURE: &str = "capturing-learnings";

/// The pages by name, as the plugin has them.
static PAGES: [(&str, &str); 6] = [
    (REMEMBER, include_str!("../../../../plugin/skills/remember/SKILL.md")),
    ("when", include_str!("../../../../plugin/skills/when/SKILL.md")),
    ("how", include_str!("../../../../plugin/skills/how/SKILL.md")),
    ("memory", include_str!("../../../../plugin/commands/memory.md")),
    (CAPTURE, include_str!("../../../../plugin/skills/capturing-learnings/SKILL.md")),
    ("keeping-records", include_str!("../../../../plugin/skills/keeping-records/SKILL.md")),
];

/// The start of the comment at the end of a page, before the checksum.
const MARK: &str = "written by tacit ";

/// Returns true if a file is a page that Tacit wrote, edited or not.
pub fn is_own_page(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    text.lines().next_back().is_some_and(|line| line.contains(MARK))
}

/// A page for a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The name of the command or skill.
    pub name: &'static str,
    /// The path, relative to the folder of pages.
    pub(crate) path: String,
    text: String,
}

impl PageFolders {
    /// Returns the pages of the client.
    pub(crate) fn pages(&self) -> impl Iterator<Item = Page> {
        let known = move |(name, _): &&(&str, &str)| self.pages.contains(name);
        let pages = PAGES.iter().filter(known);
        pages.map(move |(name, source)| Page::new(name, source, self.form))
    }
}

impl PageForm {
    /// Returns the path of a page, relative to the folder of pages.
    pub(crate) fn path(self, name: &str) -> String {
        match self {
            PageForm::Skill => format!("{name}/SKILL.md"),
            PageForm::Markdown => format!("{name}.md"),
            PageForm::Toml => format!("{name}.toml"),
        }
    }
}

impl Page {
    fn new(name: &'static str, source: &str, form: PageForm) -> Page {
        let (head, body) = split(source);
        let description = head.lines().find_map(|line| line.strip_prefix("description: "));
        let description = description.unwrap_or_default();
        let text = match form {
            PageForm::Skill if head.starts_with("name: ") => source.to_owned(),
            PageForm::Skill => format!("---\nname: {name}\n{head}---\n{body}"),
            PageForm::Markdown => format!("---\ndescription: {description}\n---\n{body}"),
            PageForm::Toml => {
                let body = body.trim_start().replace("$ARGUMENTS", "{{args}}");
                let description = serde_json::Value::from(description);
                format!("description = {description}\nprompt = '''\n{body}'''\n")
            }
        };
        let comment = match form {
            PageForm::Toml => format!("# {MARK}{}\n", checksum(&text)),
            _ => format!("<!-- {MARK}{} -->\n", checksum(&text)),
        };
        Page { name, path: form.path(name), text: text + &comment }
    }

    /// Plans to write the page. A page that the user edited, or of somebody else, stays.
    pub fn plan(&self, current: Option<&[u8]>) -> Result<FileChange, InstallError> {
        let after = match current {
            Some(bytes) if !self.is_ours(bytes) => bytes.to_vec(),
            _ => self.text.clone().into_bytes(),
        };
        Ok(FileChange { before: current.map(<[u8]>::to_vec), after: Some(after) })
    }

    /// Plans to remove the page, unless the user edited it.
    pub fn plan_removal(&self, current: Option<&[u8]>) -> Result<FileChange, InstallError> {
        let after = current.filter(|bytes| !self.is_ours(bytes)).map(<[u8]>::to_vec);
        Ok(FileChange { before: current.map(<[u8]>::to_vec), after })
    }

    /// Returns true if a file is this page, as this version or another one wrote it.
    pub fn is_ours(&self, bytes: &[u8]) -> bool {
        let Ok(text) = str::from_utf8(bytes) else { return false };
        let Some((text, mark)) = text.trim_end().rsplit_once('\n') else { return false };
        let text = format!("{text}\n");
        let mark = mark.trim_start_matches("<!--").trim_start_matches('#').trim();
        match mark.strip_prefix(MARK) {
            Some(sum) => sum.trim_end_matches("-->").trim() == checksum(&text),
            // Earlier versions wrote some pages as they are in the plugin.
            None => PAGES.iter().any(|(name, page)| *name == self.name && page.as_bytes() == bytes),
        }
    }
}

/// Splits a page into its front matter and its body.
fn split(source: &str) -> (&str, &str) {
    let inside = source.strip_prefix("---\n").and_then(|rest| rest.split_once("---\n"));
    inside.unwrap_or(("", source))
}

/// Returns a short checksum (FNV-1a). It tells edited pages from others; it is no protection.
fn checksum(text: &str) -> String {
    let add = |sum: u64, byte: u8| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let sum = text.bytes().filter(|byte| *byte != b'\r').fold(0xcbf2_9ce4_8422_2325, add);
    format!("{sum:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMS: [PageForm; 3] = [PageForm::Skill, PageForm::Markdown, PageForm::Toml];

    fn pages(form: PageForm) -> Vec<Page> {
        PAGES.iter().map(|(name, source)| Page::new(name, source, form)).collect()
    }

    #[test]
    fn pages_have_a_description_and_the_words_after_the_command() {
        for page in FORMS.into_iter().flat_map(pages) {
            let text = &page.text;
            assert!(text.contains("description"), "{text}");
            assert!(!text.contains("description: \n") && !text.contains("= \"\""), "{text}");
            let (words, other) = match page.path.ends_with(".toml") {
                true => ("{{args}}", "$ARGUMENTS"),
                false => ("$ARGUMENTS", "{{args}}"),
            };
            assert!(!text.contains(other), "{text}");
            let takes_words = ["remember", "memory", "when", "how"].contains(&page.name);
            assert_eq!(text.contains(words), takes_words, "{}: {text}", page.path);
        }
        for page in pages(PageForm::Skill) {
            let head = format!("---\nname: {}\ndescription: ", page.name);
            assert!(page.text.starts_with(&head), "{}", page.text);
        }
        for page in pages(PageForm::Toml) {
            // Gemini CLI would replace these by the output of a command or by a file.
            assert!(!page.text.contains("!{") && !page.text.contains("@{"), "{}", page.text);
            assert_eq!(page.text.matches("'''").count(), 2, "{}", page.text);
        }
    }

    #[test]
    fn pages_are_written_replaced_and_removed() {
        for page in FORMS.into_iter().flat_map(pages) {
            let written = page.plan(None).expect("a plan").after.expect("a page");
            assert!(page.plan(Some(&written)).expect("a plan").is_empty());
            assert_eq!(page.plan_removal(Some(&written)).expect("a plan").after, None);
            // A page of another version differs, but its checksum is right.
            let old = Page::new(page.name, "---\nname: x\ndescription: y\n---\nold\n", FORMS[0]);
            let replaced = page.plan(Some(old.text.as_bytes())).expect("a plan").after;
            assert_eq!(replaced.as_deref(), Some(&*written));
            assert_eq!(page.plan_removal(Some(old.text.as_bytes())).expect("a plan").after, None);
        }
        let (name, source) = PAGES[1];
        let page = Page::new(name, source, PageForm::Skill);
        assert_eq!(page.plan_removal(Some(source.as_bytes())).expect("a plan").after, None);
    }

    #[test]
    fn edited_pages_and_those_of_others_stay() {
        for page in FORMS.into_iter().flat_map(pages) {
            let edited = page.text.replacen("description", "description ", 1);
            let more = format!("{}more\n", page.text);
            for theirs in [&*edited, &*more, "", "mine", "mine\n<!-- written by tacit 0 -->\n"] {
                let bytes = Some(theirs.as_bytes());
                assert!(page.plan(bytes).expect("a plan").is_empty(), "{theirs}");
                assert!(page.plan_removal(bytes).expect("a plan").is_empty(), "{theirs}");
            }
        }
    }
}
