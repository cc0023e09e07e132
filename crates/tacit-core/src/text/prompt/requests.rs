//! The requests of a session, and the one that its work was for.

use super::task_of_prompt;

/// Words that many requests consist of, which name no subject.
const CHORE_WORDS: [&str; 79] = [
    "a",
    "add",
    "again",
    "all",
    "and",
    "another",
    "build",
    "can",
    "changes",
    "check",
    "checks",
    "ci",
    "code",
    "comment",
    "comments",
    "commit",
    "compile",
    "create",
    "error",
    "errors",
    "fail",
    "failing",
    "fails",
    "failure",
    "failures",
    "feedback",
    "fix",
    "fmt",
    "for",
    "format",
    "formatting",
    "ignore",
    "implement",
    "in",
    "into",
    "is",
    "issue",
    "issues",
    "it",
    "let",
    "lint",
    "linter",
    "linting",
    "make",
    "merge",
    "message",
    "more",
    "my",
    "new",
    "now",
    "of",
    "option",
    "options",
    "other",
    "pass",
    "passing",
    "please",
    "pr",
    "pull",
    "push",
    "request",
    "review",
    "reviews",
    "run",
    "s",
    "some",
    "still",
    "test",
    "tests",
    "that",
    "the",
    "then",
    "these",
    "this",
    "those",
    "to",
    "warnings",
    "with",
    "you",
];
/// The number of other words from which on a request has a subject.
const MIN_SUBJECT_WORDS: usize = 2;

/// The share of the most changes for one request that makes an earlier request the task: a quarter.
const GOOD_PART: u32 = 4;

/// The requests of a session, with the number of changes that followed each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserRequests {
    requests: Vec<Request>,
}

/// A task that the user set, and the work on it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Request {
    task: String,
    edits: u32,
}

impl Request {
    /// Returns true if the task names a subject: more than "fix the tests".
    fn has_subject(&self) -> bool {
        let words = self.task.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        let other = words.filter(|word| {
            word.contains(char::is_alphabetic)
                && !CHORE_WORDS.contains(&word.to_lowercase().as_str())
        });
        // Scripts without spaces put a whole request into one word.
        other.map(|word| if word.is_ascii() { 1 } else { word.chars().count() }).sum::<usize>()
            >= MIN_SUBJECT_WORDS
    }

    /// Returns true if the user remarks something about the code, as reviewers do, and does not say
    /// what the work is for.
    fn is_remark(&self) -> bool {
        let lower = self.task.to_lowercase();
        let starts = [
            "all ",
            "are ",
            "fix this",
            "here ",
            "i'm getting",
            "including ",
            "is ",
            "it ",
            "it's ",
            "not ",
            "that ",
            "the ",
            "there ",
            "these ",
            "they ",
            "this ",
            "those ",
        ];
        let asks =
            ["want", "need", "should", "please", "let's", "must", "can you", "could you", "how "];
        // "`load` returns nothing" states something, and "I need …" asks for it.
        let states =
            ["is", "are", "was", "has", "does", "doesn't", "isn't", "lacks", "returns", "calls"];
        let statement = lower.split_whitespace().skip(1).take(3).any(|word| states.contains(&word));
        (statement || starts.iter().any(|start| lower.starts_with(start)))
            && !asks.iter().any(|word| lower.contains(word))
    }

    /// Returns true if the request says what the work is for.
    fn is_telling(&self) -> bool {
        self.has_subject() && !self.is_remark() && !self.is_question()
    }

    /// Returns true if the user only asks something.
    fn is_question(&self) -> bool {
        let lower = self.task.to_lowercase();
        let asks =
            ["can you", "could you", "would you", "will you", "can we", "could we", "please"];
        self.task.ends_with(['?', '？']) && !asks.iter().any(|start| lower.contains(start))
    }
}

impl UserRequests {
    /// Adds a prompt. A prompt that sets no task goes on with the one before.
    pub fn add_prompt(&mut self, prompt: &str) {
        let Some(task) = task_of_prompt(prompt) else { return };
        if let Some(at) = self.requests.iter().position(|known| known.task == task) {
            let known = self.requests.remove(at);
            self.requests.push(known);
        } else {
            self.requests.push(Request { task, edits: 0 });
        }
    }

    /// Counts a change for the current request. A question in between does not change the task.
    pub fn count_change(&mut self) {
        let at = self.requests.iter().rposition(|request| !request.is_question());
        let at = at.or_else(|| self.requests.len().checked_sub(1));
        if let Some(request) = at.and_then(|at| self.requests.get_mut(at)) {
            request.edits = request.edits.saturating_add(1);
        }
    }

    /// Returns the task that the work was for: the first that says so and took a good part of the
    /// changes.
    pub fn main_task(&self) -> Option<&str> {
        self.main_request().map(|request| request.task.as_str())
    }

    /// Returns true if the main task says what the work was for: it is neither a chore such as "fix
    /// the tests" nor a remark or a question.
    pub fn tell_the_task(&self) -> bool {
        self.main_request().is_some_and(Request::is_telling)
    }

    fn main_request(&self) -> Option<&Request> {
        let most = |meant: fn(&&Request) -> bool| {
            let requests = || self.requests.iter().filter(meant).filter(|one| one.edits > 0);
            let most = requests().map(|request| request.edits).max()?;
            requests().find(|request| request.edits.saturating_mul(GOOD_PART) >= most)
        };
        most(|request| request.is_telling())
            .or_else(|| most(|request| !request.is_question()))
            .or_else(|| most(|_| true))
            .or_else(|| self.requests.iter().find(|request| !request.is_question()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_of_the_work_names_the_task() {
        for (name, prompts, task, telling) in [
            ("nothing", &[] as &[(&str, u32)], None, false),
            (
                "one",
                &[("Add a login page to the shop", 3)],
                Some("Add a login page to the shop"),
                true,
            ),
            (
                "assent",
                &[("Add a login page to the shop", 0), ("yes, go on", 3)],
                Some("Add a login page to the shop"),
                true,
            ),
            (
                "question",
                &[("Add a login page", 0), ("where is it used?", 3)],
                Some("Add a login page"),
                true,
            ),
            (
                "chore",
                &[("Rename the cart module", 1), ("fix lint errors", 3)],
                Some("Rename the cart module"),
                true,
            ),
            ("only a chore", &[("fix tests", 3)], Some("fix tests"), false),
            ("vague", &[("more reviews!", 3)], Some("more reviews!"), false),
            (
                "most",
                &[("Rename the cart module", 1), ("Move the store to Redux", 5)],
                Some("Move the store to Redux"),
                true,
            ),
            (
                "first",
                &[("Rename the cart module", 2), ("Add a test for the cart", 3)],
                Some("Rename the cart module"),
                true,
            ),
            (
                "remark",
                &[("The comment on line 3 of the cart is outdated", 4)],
                Some("The comment on line 3 of the cart is outdated"),
                false,
            ),
            (
                "statement",
                &[("`load` unconditionally calls `save`, which is wrong", 4)],
                Some("`load` unconditionally calls `save`, which is wrong"),
                false,
            ),
            ("only asked", &[("what does it print?", 0)], None, false),
            (
                "korean",
                &[("로그인 페이지를 추가해 주세요", 3)],
                Some("로그인 페이지를 추가해 주세요"),
                true,
            ),
        ] {
            let mut requests = UserRequests::default();
            for (prompt, changes) in prompts {
                requests.add_prompt(prompt);
                (0..*changes).for_each(|_| requests.count_change());
            }
            assert_eq!((requests.main_task(), requests.tell_the_task()), (task, telling), "{name}");
        }
    }
}
