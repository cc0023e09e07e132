//! Stories: text files of one step per line, for people to read and tests to play.
//!
//! A step is a word and the rest of its line. Lines that begin with `|` belong to the step above
//! them; lines that begin with `#` are comments.

/// A step of a story.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoryStep {
    /// The number of its line, from 1.
    pub line: usize,
    /// The first word of the line.
    pub word: String,
    /// The rest of the line.
    pub rest: String,
    /// The lines below it, each with its line break.
    pub body: String,
}

impl StoryStep {
    /// Returns the rest of the line and the lines below it as one text.
    pub fn text(&self) -> String {
        format!("{}\n{}", self.rest, self.body).trim().to_owned()
    }
}

/// Reads the steps of a story.
///
/// # Panics
///
/// If the story begins with a line that belongs to a step.
pub fn steps(story: &str) -> Vec<StoryStep> {
    let mut steps: Vec<StoryStep> = Vec::new();
    for (index, line) in story.lines().enumerate() {
        if let Some(body) = line.strip_prefix('|') {
            let step = steps.last_mut().expect("a step before its body");
            step.body.push_str(body.strip_prefix(' ').unwrap_or(body));
            step.body.push('\n');
        } else if !line.trim().is_empty() && !line.starts_with('#') {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            let (word, rest) = (word.to_owned(), rest.trim().to_owned());
            steps.push(StoryStep { line: index + 1, word, rest, body: String::new() });
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_below_belong_to_their_step() {
        let story =
            "# A comment.\nfile a.txt\n| one\n|\n|  two\n\nprompt Say it\n| twice.\nsilent\n";
        let steps = steps(story);
        let seen: Vec<_> = steps.iter().map(|s| (s.line, &*s.word, &*s.rest, &*s.body)).collect();
        assert_eq!(
            seen,
            [
                (2, "file", "a.txt", "one\n\n two\n"),
                (7, "prompt", "Say it", "twice.\n"),
                (9, "silent", "", ""),
            ]
        );
        assert_eq!(steps[1].text(), "Say it\ntwice.");
    }
}
