//! What a session that is over taught, told by what happened in it alone: a command that failed, the
//! files that were changed then, and the same command passing.
//!
//! Nothing else is concluded. What is learnt this way waits for somebody to confirm it, or for
//! another session to learn the same, before it is shown to anybody who did not ask.

use tacit_core::{
    AgentEvent, Draft, FailureCause, Happening, Moment, RepoPath, SessionId, Source, ToolUse,
    error_fingerprint,
};
use tacit_store::{ActionKind, Event, EventQuery};

use crate::engine::{Engine, Shelf};
use crate::error::EngineResult;
use crate::remember::Gate;

/// How many sessions that ended are looked at.
const SESSIONS: usize = 50;
/// How many events of a session are looked through.
const EVENTS: usize = 5_000;
/// How many lessons a session can teach.
const LESSONS: usize = 10;
/// A change of more files than this tells nothing about one command.
const MOST_FILES: usize = 5;
/// The longest command that is worth quoting.
const LONGEST_COMMAND: usize = 200;
/// What is written in a memory as who wrote it.
const GENERATOR: &str = "rules";
/// What marks a memory as worth seeing when a session starts, once it is confirmed.
const CHEAT_SHEET: &str = "cheat-sheet";

impl Engine<'_> {
    /// Draws lessons from the sessions that are over, each once. Returns how many memories came of
    /// it.
    pub fn extract_ended(&mut self) -> EngineResult<usize> {
        let ended = EventQuery {
            kinds: vec![Moment::SessionEnded.to_string()],
            limit: SESSIONS,
            ..EventQuery::default()
        };
        let mut learnt = 0;
        for end in self.events(&ended)?.into_iter().rev() {
            let all = EventQuery {
                session: Some(end.session.clone()),
                limit: EVENTS,
                ..EventQuery::default()
            };
            let mut events = self.events(&all)?;
            events.reverse();
            learnt += self.learn_once(&end, &events)?;
        }
        Ok(learnt)
    }

    /// Takes something on, by a name that nobody has taken before; whether it was free.
    pub fn claim(&mut self, name: &str) -> EngineResult<bool> {
        let action = self.action(ActionKind::Remember, None);
        let mut transaction = self.store_mut(Shelf::Project)?.begin(action)?;
        let free = transaction.claim_request(name)?;
        transaction.commit()?;
        Ok(free)
    }

    fn learn_once(&mut self, end: &Event, events: &[Event]) -> EngineResult<usize> {
        let drafts = lessons(&end.session, events);
        let prepared = drafts
            .into_iter()
            .map(|draft| self.prepare(Shelf::Project, draft))
            .collect::<EngineResult<Vec<_>>>()?;
        if prepared.is_empty() {
            return Ok(0);
        }
        let action = self.action(ActionKind::Remember, None);
        let (now, ids, config) = (action.at, self.ids, self.config.clone());
        let mut transaction = self.store_mut(Shelf::Project)?.begin(action)?;
        if !transaction.claim_request(&format!("extract {}", end.id))? {
            return Ok(0);
        }
        let mut learnt = 0;
        for prepared in prepared {
            // What was forgotten stays forgotten.
            let gate = Gate { now, ids, config: &config };
            learnt += usize::from(gate.pass(transaction.as_mut(), prepared).is_ok());
        }
        transaction.commit()?;
        Ok(learnt)
    }
}

/// A command that failed and has not passed since.
struct Failed {
    command: String,
    error: String,
    files: Vec<RepoPath>,
}

/// What a session teaches.
fn lessons(session: &SessionId, events: &[Event]) -> Vec<Draft> {
    let mut open: Vec<Failed> = Vec::new();
    let mut drafts: Vec<Draft> = Vec::new();
    for event in events {
        let Ok(told) = serde_json::from_str::<AgentEvent>(&event.body) else { continue };
        match told.what {
            Happening::ToolFailed { tool, failure, .. } if failure.cause == FailureCause::Ran => {
                if let (Some(command), Some(print)) =
                    (short_command(&tool), error_fingerprint(&tool.name, &failure.error))
                {
                    open.retain(|failed| failed.command != command);
                    let error = print.text().lines().next().unwrap_or_default().to_owned();
                    open.push(Failed { command, error, files: Vec::new() });
                }
            }
            Happening::ToolFinished { tool, .. } if tool.kind.changes_files() => {
                let file = event.subject.as_deref().and_then(|file| RepoPath::new(file).ok());
                if let Some(file) = file {
                    for failed in open.iter_mut().filter(|failed| !failed.files.contains(&file)) {
                        failed.files.push(file.clone());
                    }
                }
            }
            Happening::ToolFinished { tool, outcome, .. } => {
                let passed = !outcome.interrupted && outcome.exit_code.is_none_or(|code| code == 0);
                let Some(command) = short_command(&tool).filter(|_| passed) else { continue };
                if let Some(at) = open.iter().position(|failed| failed.command == command) {
                    drafts.extend(open.remove(at).lesson(session));
                }
            }
            _ => {}
        }
    }
    drafts.truncate(LESSONS);
    drafts
}

fn short_command(tool: &ToolUse) -> Option<String> {
    let command = tool.kind.command()?.trim();
    let whole = !command.is_empty() && command.len() <= LONGEST_COMMAND && !command.contains('\n');
    whole.then(|| command.to_owned())
}

impl Failed {
    /// The lesson, if a few files were changed between failing and passing.
    fn lesson(mut self, session: &SessionId) -> Option<Draft> {
        if self.files.is_empty() || self.files.len() > MOST_FILES || self.error.is_empty() {
            return None;
        }
        self.files.sort();
        let names: Vec<String> = self.files.iter().map(|file| format!("`{file}`")).collect();
        Some(Draft {
            content: format!(
                "`{}` failed: {}. It passed after {} {} changed.",
                self.command,
                self.error.trim_end_matches('.'),
                names.join(", "),
                if names.len() == 1 { "was" } else { "were" },
            ),
            kind: Some("error_pattern".into()),
            tags: vec![CHEAT_SHEET.into()],
            related_files: self.files.iter().map(ToString::to_string).collect(),
            session: Some(session.to_string()),
            source: Some(Source::ObserverInferred.to_string()),
            generator: Some(GENERATOR.into()),
            ..Draft::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use tacit_core::Timestamp;

    fn event(number: usize, subject: Option<&str>, what: &Value) -> Event {
        Event {
            id: number.to_string(),
            session: "s-1".parse().unwrap(),
            at: Timestamp::from_millis(number as i64).unwrap(),
            kind: String::new(),
            tool: None,
            subject: subject.map(str::to_owned),
            body: json!({"client": "claude", "session": "s-1", "what": what}).to_string(),
        }
    }

    fn shell(command: &str) -> Value {
        json!({"name": "Bash", "kind": {"shell": {"command": command}}})
    }

    fn fails(command: &str, error: &str) -> (Option<&'static str>, Value) {
        let failure =
            json!({"error": error, "exit_code": 1, "is_interrupt": false, "cause": "ran"});
        (None, json!({"tool_failed": {"tool": shell(command), "failure": failure}}))
    }

    fn passes(command: &str) -> (Option<&'static str>, Value) {
        (None, json!({"tool_finished": {"tool": shell(command)}}))
    }

    fn edits(file: &'static str) -> (Option<&'static str>, Value) {
        let tool =
            json!({"name": "Edit", "kind": {"edit": {"file": file, "old": "a", "new": "b"}}});
        (Some(file), json!({"tool_finished": {"tool": tool}}))
    }

    fn taught(happened: Vec<(Option<&'static str>, Value)>) -> Vec<String> {
        let events: Vec<Event> = happened
            .into_iter()
            .enumerate()
            .map(|(number, (subject, what))| event(number, subject, &what))
            .collect();
        let session = "s-1".parse().unwrap();
        lessons(&session, &events).into_iter().map(|draft| draft.content).collect()
    }

    const ERROR: &str = "Exit code 101\nerror[E0308]: mismatched types\n --> src/a.rs:3:5";

    #[test]
    fn a_failure_that_an_edit_ended_is_a_lesson() {
        let lessons = taught(vec![
            passes("cargo test"),
            fails("cargo test", ERROR),
            edits("src/a.rs"),
            fails("cargo test", ERROR),
            edits("src/b.rs"),
            passes("cargo test"),
        ]);
        assert_eq!(
            lessons,
            [
                "`cargo test` failed: error[E0308]: mismatched types. It passed after `src/b.rs` was \
              changed."
            ]
        );
    }

    #[test]
    fn anything_else_is_not() {
        for (what, happened) in [
            ("nothing was changed", vec![fails("make", ERROR), passes("make")]),
            ("it never passed", vec![fails("make", ERROR), edits("a.rs")]),
            ("another passed", vec![fails("make", ERROR), edits("a.rs"), passes("make check")]),
            ("changed before", vec![edits("a.rs"), fails("make", ERROR), passes("make")]),
        ] {
            assert_eq!(taught(happened), Vec::<String>::new(), "{what}");
        }
        let mut many = vec![fails("make", ERROR)];
        many.extend(["a", "b", "c", "d", "e", "f"].map(edits));
        many.push(passes("make"));
        assert_eq!(taught(many), Vec::<String>::new(), "too much was changed");
    }
}
