//! A builder for session logs that reads like a story.

use std::convert::Infallible;

use serde_json::{Value, json};
use tacit_core::log::{AgentNote, CheckRecord, CommitNote, NoteRecord, UnitStatus, WorkUnitRecord};
use tacit_core::{AgentEvent, RepoPath, SessionId, Timestamp, WorkUnitRef};
use tacit_observer::application::AppTools;
use tacit_observer::log::{LogEntry, LogEvent, SessionNote};
use tacit_observer::promotion::{Fate, MemoryCandidate, NearestMemory, PromotionDecision};
use tacit_observer::recipes::KnownRecipe;
use tacit_observer::rules::KnownObservation;
use tacit_observer::session_tree::SessionTree;
use tacit_observer::{Conclusions, KnownMemories, SessionDigest, TaskDefinitions, learn};

const START: i64 = 1_794_738_600_000;
const STEP_MS: i64 = 10_000;

pub(crate) fn at(step: i64) -> Timestamp {
    Timestamp::from_millis(START + step * STEP_MS).expect("a valid script")
}

pub(crate) fn path(text: &str) -> RepoPath {
    RepoPath::new(text).expect("a valid script")
}

/// A session under construction.
#[derive(Clone)]
pub(crate) struct Script {
    pub(crate) session: String,
    agent: Option<String>,
    clock: i64,
    pub(crate) log: Vec<LogEntry>,
    pub(crate) notes: Vec<SessionNote>,
    context_tokens: Option<u64>,
    tasks: TaskDefinitions,
}

impl Script {
    pub(crate) fn new(session: &str) -> Script {
        Script {
            session: session.into(),
            agent: None,
            clock: 0,
            log: vec![],
            notes: vec![],
            context_tokens: None,
            tasks: TaskDefinitions::default(),
        }
    }

    /// Creates a session that begins this many days earlier.
    pub(crate) fn days_ago(session: &str, days: i64) -> Script {
        Script { clock: -days * 86_400_000 / STEP_MS, ..Script::new(session) }
    }

    fn push(mut self, subject: Option<&str>, event: LogEvent) -> Script {
        self.clock += 1;
        let agent = self.agent.clone().unwrap_or_default();
        self.log.push(LogEntry {
            id: format!("{}-{agent}-{:06}", self.session, self.log.len()),
            session: self.session.parse().expect("a valid script"),
            at: at(self.clock),
            order: self.log.len(),
            subject: subject.map(str::to_owned),
            event,
        });
        self
    }

    fn client_event(self, subject: Option<&str>, what: &Value) -> Script {
        let mut event =
            json!({"client": "claude", "session": self.session, "cwd": "/p", "what": what});
        if let Some(agent) = &self.agent {
            event["agent"] = json!({"id": agent});
        }
        let event: AgentEvent = serde_json::from_value(event).expect("a valid script");
        self.push(subject, LogEvent::Client(Box::new(event)))
    }

    /// Sets the context tokens that the client reports.
    pub(crate) fn reports_tokens(mut self, tokens: u64) -> Script {
        self.context_tokens = Some(tokens);
        self
    }

    /// Sets the files in which the project defines its tasks.
    pub(crate) fn defines_tasks(mut self, file: &str, text: &str) -> Script {
        self.tasks = TaskDefinitions::from_files("/p", [(file, text)]);
        self
    }

    /// Continues in a subagent, or in the main conversation again.
    pub(crate) fn in_subagent(mut self, agent: Option<&str>) -> Script {
        self.agent = agent.map(str::to_owned);
        self
    }

    /// Moves the clock back by this many steps.
    pub(crate) fn rewind(mut self, steps: i64) -> Script {
        self.clock -= steps;
        self
    }

    pub(crate) fn says(self, prompt: &str) -> Script {
        self.client_event(None, &json!({"prompt_submitted": {"prompt": prompt}}))
    }

    pub(crate) fn says_automatically(self, prompt: &str) -> Script {
        self.client_event(None, &json!({"prompt_submitted": {"prompt": prompt, "automatic": true}}))
    }

    fn tool(self, name: &str, subject: &str, kind: &Value, text: &str) -> Script {
        let tool = json!({"name": name, "kind": kind});
        self.client_event(
            Some(subject),
            &json!({"tool_finished": {"tool": tool, "outcome": {"text": text}}}),
        )
    }

    pub(crate) fn reads(self, file: &str) -> Script {
        self.tool("Read", file, &json!({"read": {"file": format!("/p/{file}")}}), "content")
    }

    pub(crate) fn edits(self, file: &str, old: &str, new: &str) -> Script {
        let kind = json!({"edit": {"file": format!("/p/{file}"), "old": old, "new": new}});
        self.tool("Edit", file, &kind, "")
    }

    pub(crate) fn writes(self, file: &str, content: &str) -> Script {
        let kind = json!({"write": {"file": format!("/p/{file}"), "content": content}});
        self.tool("Write", file, &kind, "")
    }

    pub(crate) fn runs(self, command: &str, output: &str) -> Script {
        self.tool("Bash", command, &json!({"shell": {"command": command}}), output)
    }

    pub(crate) fn fails(self, command: &str, error: &str) -> Script {
        let tool = json!({"name": "Bash", "kind": {"shell": {"command": command}}});
        let failure =
            json!({"error": format!("Exit code 1\n{error}"), "exit_code": 1, "cause": "ran"});
        self.client_event(
            Some(command),
            &json!({"tool_failed": {"tool": tool, "failure": failure}}),
        )
    }

    /// Is about to run a command.
    pub(crate) fn about_to_run(self, command: &str) -> Script {
        let tool = json!({"name": "Bash", "kind": {"other": {}}});
        self.client_event(Some(command), &json!({"tool_starting": {"tool": tool}}))
    }

    /// Searches the code.
    pub(crate) fn searches(self, pattern: &str, found: &str) -> Script {
        self.tool("Grep", "", &json!({"search": {"pattern": pattern}}), found)
    }

    /// Gives a task to a subagent.
    pub(crate) fn delegates(self, task: &str) -> Script {
        self.tool("Task", "", &json!({"agent": {"prompt": task}}), "done")
    }

    /// Ends the subagent with its last message.
    pub(crate) fn reports(self, message: &str) -> Script {
        self.client_event(None, &json!({"subagent_stopped": {"last_message": message}}))
    }

    /// Begins the session.
    pub(crate) fn starts(self) -> Script {
        self.client_event(None, &json!({"session_started": {"source": "startup"}}))
    }

    /// Calls a tool of the running application.
    pub(crate) fn calls_app(self, tool: &str, target: &str, answer: &str) -> Script {
        let input = json!({"text": target});
        let kind = json!({"mcp": {"server": "electron", "tool": tool, "input": input}});
        self.tool(&format!("mcp__electron__{tool}"), "", &kind, answer)
    }

    pub(crate) fn interrupts(self, command: &str) -> Script {
        let tool = json!({"name": "Bash", "kind": {"shell": {"command": command}}});
        let failure = json!({"error": "interrupted", "is_interrupt": true, "cause": "interrupted"});
        self.client_event(
            Some(command),
            &json!({"tool_failed": {"tool": tool, "failure": failure}}),
        )
    }

    pub(crate) fn plans(self, items: usize) -> Script {
        let todos: Vec<Value> = (0..items).map(|number| json!({"content": number})).collect();
        self.tool("TodoWrite", "", &json!({"other": {"input": {"todos": todos}}}), "")
    }

    pub(crate) fn compacts(self) -> Script {
        self.client_event(None, &json!({"compacted": {"summary": "what happened so far"}}))
            .client_event(None, &json!({"session_started": {"source": "compact"}}))
    }

    /// Ends a turn with this message of the agent.
    pub(crate) fn answers(self, message: &str) -> Script {
        self.client_event(None, &json!({"turn_stopped": {"last_message": message}}))
    }

    pub(crate) fn ends(self) -> Script {
        self.client_event(None, &json!({"session_ended": {"reason": "other"}}))
    }

    pub(crate) fn reports_check(self, passed: bool) -> Script {
        let check = CheckRecord { passed, summary: Some("QA".into()), ..CheckRecord::default() };
        self.push(None, LogEvent::Check(check))
    }

    /// Reports the status of a unit of the spec, or of the whole spec.
    pub(crate) fn reports_unit(self, name: Option<&str>, status: UnitStatus) -> Script {
        let hierarchy = ["spec"].into_iter().chain(name).map(str::to_owned).collect();
        let reports_unit =
            WorkUnitRef::new("native", hierarchy, name.unwrap_or("spec")).expect("a valid script");
        self.push(None, LogEvent::Unit(WorkUnitRecord::new(reports_unit, status)))
    }

    pub(crate) fn notes(mut self, kind: &str, text: &str, files: &[&str]) -> Script {
        self.notes.push(SessionNote {
            id: format!("{}-note-{}", self.session, self.notes.len()),
            at: at(self.clock),
            text: text.into(),
            files: files.iter().map(|file| path(file)).collect(),
            record: NoteRecord::Agent(AgentNote {
                memory_type: kind.parse().expect("a valid script"),
                by: None,
            }),
        });
        self
    }

    pub(crate) fn commits(mut self, sha: &str, files: &[&str]) -> Script {
        self = self.runs("git commit -am x", &format!("[main {sha}] x"));
        self.notes.push(SessionNote {
            id: format!("{}-commit-{}", self.session, self.notes.len()),
            at: at(self.clock),
            text: "x".into(),
            files: files.iter().map(|file| path(file)).collect(),
            record: NoteRecord::Commit(CommitNote {
                sha: sha.parse().expect("a valid script"),
                branch: None,
                dir: None,
                amend: false,
            }),
        });
        self
    }

    pub(crate) fn tree(&self) -> SessionTree {
        SessionTree {
            session: self.session.parse::<SessionId>().expect("a valid script"),
            log: self.log.clone(),
            notes: self.notes.clone(),
            siblings: vec![],
            tasks: self.tasks.clone(),
            app_tools: AppTools::default(),
            context_tokens: self.context_tokens,
        }
    }

    /// Learns from the session, given the digests of earlier ones.
    pub(crate) fn conclusions(&self, past_digests: &[SessionDigest]) -> Conclusions {
        conclusions(&self.tree(), past_digests, at(self.clock + 1))
    }

    /// Returns the learnt memories as `type: text`.
    pub(crate) fn memories(&self, past_digests: &[SessionDigest]) -> Vec<String> {
        memory_texts(&self.conclusions(past_digests))
    }
}

/// Learns from a tree, given the digests of earlier ones.
pub(crate) fn conclusions(
    tree: &SessionTree,
    past_digests: &[SessionDigest],
    now: Timestamp,
) -> Conclusions {
    struct Sessions<'a>(&'a [SessionDigest]);
    impl KnownMemories for Sessions<'_> {
        type Error = Infallible;

        fn past_digests(&self) -> Result<Vec<SessionDigest>, Infallible> {
            Ok(self.0.to_vec())
        }

        fn recipes(&self) -> Result<Vec<KnownRecipe>, Infallible> {
            Ok(Vec::new())
        }

        fn observations(&self) -> Result<Vec<KnownObservation>, Infallible> {
            Ok(Vec::new())
        }

        fn nearest(&self, _: &MemoryCandidate) -> Result<Option<NearestMemory>, Infallible> {
            Ok(None)
        }
    }
    let Ok(conclusions) = learn(tree, &Sessions(past_digests), now);
    conclusions
}

pub(crate) fn memory_texts(promotion: &Conclusions) -> Vec<String> {
    let mut memory_texts: Vec<String> = promotion
        .decisions
        .iter()
        .map(|decision| match decision {
            PromotionDecision::Keep(candidate) | PromotionDecision::Reinforce(_, candidate) => {
                format!(
                    "{}: {}",
                    candidate.draft.kind.as_deref().expect("a valid script"),
                    candidate.draft.content
                )
            }
        })
        .collect();
    memory_texts.sort();
    memory_texts
}

/// Output of passing tests.
pub(crate) const OK: &str = "test result: ok. 12 passed; 0 failed; 0 ignored";

/// Asserts that the trace has a dropped entry about this, for this reason.
#[track_caller]
pub(crate) fn assert_dropped(script: &Script, about: &str, why: &str) {
    let trace = script.conclusions(&[]).trace;
    assert!(
        trace.iter().any(|one| one.fate == Fate::Dropped
            && one.about.contains(about)
            && one.why.contains(why)),
        "nothing about `{about}` was dropped because `{why}`: {trace:#?}"
    );
}

/// Returns the only candidate that is kept.
#[track_caller]
pub(crate) fn only_kept(script: &Script) -> MemoryCandidate {
    match script.conclusions(&[]).decisions.as_slice() {
        [PromotionDecision::Keep(kept)] => MemoryCandidate::clone(kept),
        others => panic!("not one is kept: {others:#?}"),
    }
}

/// Returns the expected list when nothing is learnt.
pub(crate) fn no_memories() -> Vec<String> {
    Vec::new()
}
