//! What an agent client tells while an agent works: one model for all clients.
//!
//! The forms in which clients say it are not known here; neither is what is done about it. An event
//! can be written as one compact line of JSON and read again, and [`AgentEvent::shorten`] takes from
//! it what nobody needs who looks at it later.

mod commit;
mod shell;
mod shorten;
mod tool;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub use commit::{CommitCommand, GitCommit, commit_commands, git_commits};
pub use shell::simple_commands;
pub use shorten::{Limits, shorten_text};
pub use tool::{BatchCall, FailureCause, ToolFailure, ToolKind, ToolOutcome, ToolUse};

use crate::domain::values::SessionId;
use crate::domain::words::word_enum;

word_enum! {
    /// The agent clients that are understood.
    ClientName, "an agent client" {
        /// Claude Code.
        Claude = "claude",
        /// Codex CLI.
        Codex = "codex",
        /// Gemini CLI.
        Gemini = "gemini",
        /// Cursor.
        Cursor = "cursor",
        /// Copilot CLI.
        Copilot = "copilot",
        /// OpenCode.
        OpenCode = "opencode",
    }
}

word_enum! {
    /// What kind of event it is, without what it says.
    Moment, "a kind of event" {
        /// A session started or went on.
        SessionStarted = "session_started",
        /// The user said something.
        PromptSubmitted = "prompt_submitted",
        /// A tool is about to run.
        ToolStarting = "tool_starting",
        /// A tool did what it was asked.
        ToolFinished = "tool_finished",
        /// A tool failed.
        ToolFailed = "tool_failed",
        /// All tools of one answer are done.
        BatchFinished = "batch_finished",
        /// The agent has nothing more to do.
        TurnStopped = "turn_stopped",
        /// A subagent started.
        SubagentStarted = "subagent_started",
        /// A subagent is done.
        SubagentStopped = "subagent_stopped",
        /// The conversation is about to be summarised.
        Compacting = "compacting",
        /// The conversation was summarised.
        Compacted = "compacted",
        /// A session ended.
        SessionEnded = "session_ended",
    }
}

/// Something that happened in a session of an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentEvent {
    /// The client that told it.
    pub client: ClientName,
    /// The client's name for the session.
    pub session: SessionId,
    /// The directory the agent works in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<PathBuf>,
    /// The file in which the client keeps the conversation; it need not be there yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript: Option<PathBuf>,
    /// The subagent in which it happened; none in the main conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Subagent>,
    /// What happened.
    pub what: Happening,
}

impl AgentEvent {
    /// What kind of event it is.
    pub fn moment(&self) -> Moment {
        self.what.moment()
    }

    /// Takes from large texts what goes beyond `limits`, and says how much that was.
    pub fn shorten(&mut self, limits: &Limits) {
        shorten::shorten_happening(&mut self.what, limits);
    }
}

/// A helper that the agent started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subagent {
    /// The client's name for this one.
    pub id: String,
    /// What sort of helper it is, such as `general-purpose`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Happening {
    /// A session started or went on.
    SessionStarted {
        /// Why.
        source: StartSource,
        /// The model, where it is told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
    },
    /// The user said something.
    PromptSubmitted {
        /// What.
        prompt: String,
        /// Whether the client wrote it and not the user, such as news of a background command.
        #[serde(default, skip_serializing_if = "is_false")]
        automatic: bool,
    },
    /// A tool is about to run.
    ToolStarting {
        /// The call.
        tool: ToolUse,
    },
    /// A tool did what it was asked.
    ToolFinished {
        /// The call.
        tool: ToolUse,
        /// What came of it.
        #[serde(default, skip_serializing_if = "ToolOutcome::is_empty")]
        outcome: ToolOutcome,
        /// How long it took.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        duration_ms: Option<u64>,
    },
    /// A tool failed.
    ToolFailed {
        /// The call.
        tool: ToolUse,
        /// What went wrong.
        failure: ToolFailure,
        /// How long it took.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        duration_ms: Option<u64>,
    },
    /// All tools of one answer are done.
    BatchFinished {
        /// The calls, each with what the model was told.
        calls: Vec<BatchCall>,
    },
    /// The agent has nothing more to do.
    TurnStopped {
        /// Whether it goes on only because a hook would not let it stop before.
        #[serde(default, skip_serializing_if = "is_false")]
        stop_hook_active: bool,
        /// What it said last.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        last_message: Option<String>,
    },
    /// A subagent started.
    SubagentStarted,
    /// A subagent is done.
    SubagentStopped {
        /// Whether it goes on only because a hook would not let it stop before.
        #[serde(default, skip_serializing_if = "is_false")]
        stop_hook_active: bool,
        /// What it said last.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        last_message: Option<String>,
        /// The file in which the client keeps the subagent's conversation.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        transcript: Option<PathBuf>,
    },
    /// The conversation is about to be summarised.
    Compacting {
        /// Who asked for it, where it is told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        trigger: Option<CompactTrigger>,
        /// What the summary should keep.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        instructions: Option<String>,
    },
    /// The conversation was summarised.
    Compacted {
        /// Who asked for it, where it is told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        trigger: Option<CompactTrigger>,
        /// The summary, where it is told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        summary: Option<String>,
    },
    /// A session ended.
    SessionEnded {
        /// Why, in the client's word.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
}

impl Happening {
    /// What kind of event it is.
    pub fn moment(&self) -> Moment {
        match self {
            Happening::SessionStarted { .. } => Moment::SessionStarted,
            Happening::PromptSubmitted { .. } => Moment::PromptSubmitted,
            Happening::ToolStarting { .. } => Moment::ToolStarting,
            Happening::ToolFinished { .. } => Moment::ToolFinished,
            Happening::ToolFailed { .. } => Moment::ToolFailed,
            Happening::BatchFinished { .. } => Moment::BatchFinished,
            Happening::TurnStopped { .. } => Moment::TurnStopped,
            Happening::SubagentStarted => Moment::SubagentStarted,
            Happening::SubagentStopped { .. } => Moment::SubagentStopped,
            Happening::Compacting { .. } => Moment::Compacting,
            Happening::Compacted { .. } => Moment::Compacted,
            Happening::SessionEnded { .. } => Moment::SessionEnded,
        }
    }
}

word_enum! {
    /// Why a session started.
    StartSource, "a way to start a session" {
        /// It is new.
        Startup = "startup",
        /// An earlier one goes on.
        Resume = "resume",
        /// The conversation was cleared.
        Clear = "clear",
        /// The conversation was summarised, and what was injected before is gone.
        Compact = "compact",
        /// It is a branch of another.
        Fork = "fork",
        /// For a reason that has no word here.
        Other = "other",
    }
}

word_enum! {
    /// Who asked for a summary.
    CompactTrigger, "a reason to summarise" {
        /// The user.
        Manual = "manual",
        /// The client, because the conversation grew too long.
        Auto = "auto",
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn maybe_text() -> impl Strategy<Value = Option<String>> {
        prop::option::of(".{0,40}")
    }

    fn kind() -> impl Strategy<Value = ToolKind> {
        let input = prop::sample::select(vec![
            json!(null),
            json!({"a": [1, -2.5, "x"], "b": {"c": null}}),
            json!("text"),
            json!([]),
        ]);
        prop_oneof![
            (".{0,40}", any::<bool>())
                .prop_map(|(command, background)| ToolKind::Shell { command, background }),
            ".{0,40}".prop_map(|file| ToolKind::Read { file }),
            (".{0,9}", ".{0,40}", ".{0,40}").prop_map(|(file, old, new)| ToolKind::Edit {
                file,
                old,
                new
            }),
            (".{0,9}", ".{0,40}").prop_map(|(file, content)| ToolKind::Write { file, content }),
            (prop::collection::vec(".{0,9}", 0..3), ".{0,40}")
                .prop_map(|(files, patch)| ToolKind::Patch { files, patch }),
            (".{0,9}", maybe_text()).prop_map(|(pattern, path)| ToolKind::Search { pattern, path }),
            ("[a-z]{1,9}", "[a-z]{1,9}", input.clone())
                .prop_map(|(server, tool, input)| ToolKind::Mcp { server, tool, input }),
            (maybe_text(), ".{0,40}").prop_map(|(kind, prompt)| ToolKind::Agent { kind, prompt }),
            (".{0,9}", maybe_text()).prop_map(|(name, args)| ToolKind::Skill { name, args }),
            input.prop_map(|input| ToolKind::Other { input }),
        ]
    }

    fn tool() -> impl Strategy<Value = ToolUse> {
        (maybe_text(), "[A-Za-z_]{1,12}", kind()).prop_map(|(id, name, kind)| ToolUse {
            id,
            name,
            kind,
        })
    }

    fn failure() -> impl Strategy<Value = ToolFailure> {
        let cause = prop::sample::select(vec![
            FailureCause::Ran,
            FailureCause::Rejected,
            FailureCause::UnknownTool,
            FailureCause::BadInput,
            FailureCause::Denied,
            FailureCause::Interrupted,
        ]);
        (".{0,40}", any::<Option<i32>>(), any::<bool>(), cause).prop_map(
            |(error, exit_code, is_interrupt, cause)| ToolFailure {
                error,
                exit_code,
                is_interrupt,
                cause,
            },
        )
    }

    fn what() -> impl Strategy<Value = Happening> {
        let source = prop::sample::select(StartSource::ALL);
        let trigger = prop::option::of(prop::sample::select(CompactTrigger::ALL));
        let outcome = (maybe_text(), any::<Option<i32>>(), any::<bool>()).prop_map(
            |(text, exit_code, interrupted)| ToolOutcome { text, exit_code, interrupted },
        );
        let call = (tool(), maybe_text(), prop::option::of(failure()))
            .prop_map(|(tool, result, failure)| BatchCall { tool, result, failure });
        prop_oneof![
            (source, maybe_text())
                .prop_map(|(source, model)| Happening::SessionStarted { source, model }),
            (".{0,40}", any::<bool>())
                .prop_map(|(prompt, automatic)| Happening::PromptSubmitted { prompt, automatic }),
            tool().prop_map(|tool| Happening::ToolStarting { tool }),
            (tool(), outcome, any::<Option<u64>>()).prop_map(|(tool, outcome, duration_ms)| {
                Happening::ToolFinished { tool, outcome, duration_ms }
            }),
            (tool(), failure(), any::<Option<u64>>()).prop_map(|(tool, failure, duration_ms)| {
                Happening::ToolFailed { tool, failure, duration_ms }
            }),
            prop::collection::vec(call, 0..3).prop_map(|calls| Happening::BatchFinished { calls }),
            (any::<bool>(), maybe_text()).prop_map(|(stop_hook_active, last_message)| {
                Happening::TurnStopped { stop_hook_active, last_message }
            }),
            Just(Happening::SubagentStarted),
            (any::<bool>(), maybe_text(), maybe_text()).prop_map(|(active, last_message, path)| {
                Happening::SubagentStopped {
                    stop_hook_active: active,
                    last_message,
                    transcript: path.map(PathBuf::from),
                }
            }),
            (trigger.clone(), maybe_text()).prop_map(|(trigger, instructions)| {
                Happening::Compacting { trigger, instructions }
            }),
            (trigger, maybe_text())
                .prop_map(|(trigger, summary)| Happening::Compacted { trigger, summary }),
            maybe_text().prop_map(|reason| Happening::SessionEnded { reason }),
        ]
    }

    fn event() -> impl Strategy<Value = AgentEvent> {
        let agent = (".{0,9}", maybe_text()).prop_map(|(id, kind)| Subagent { id, kind });
        (
            prop::sample::select(ClientName::ALL),
            "[a-z0-9-]{1,36}",
            maybe_text(),
            maybe_text(),
            prop::option::of(agent),
            what(),
        )
            .prop_map(|(client, session, cwd, transcript, agent, what)| AgentEvent {
                client,
                session: SessionId::new(session).expect("a session id"),
                cwd: cwd.map(PathBuf::from),
                transcript: transcript.map(PathBuf::from),
                agent,
                what,
            })
    }

    proptest! {
        #[test]
        fn written_and_read_again(event in event()) {
            let line = serde_json::to_string(&event).expect("JSON");
            prop_assert!(!line.contains('\n'));
            prop_assert_eq!(serde_json::from_str::<AgentEvent>(&line).expect("an event"), event);
        }

        #[test]
        fn small_events_are_not_shortened_and_none_twice(event in event(), tight in 0..64_usize) {
            let mut same = event.clone();
            same.shorten(&Limits::default());
            prop_assert_eq!(&same, &event);
            let limits = Limits { output_head: tight, output_tail: tight, content: tight };
            let mut once = event;
            once.shorten(&limits);
            let mut twice = once.clone();
            twice.shorten(&limits);
            prop_assert_eq!(twice, once);
        }
    }

    #[test]
    fn a_line_says_only_what_is_known() {
        let event = AgentEvent {
            client: ClientName::Claude,
            session: SessionId::new("s-1").expect("a session id"),
            cwd: Some(PathBuf::from("/srv/app")),
            transcript: None,
            agent: None,
            what: Happening::ToolFinished {
                tool: ToolUse {
                    id: Some("t1".into()),
                    name: "Bash".into(),
                    kind: ToolKind::Shell { command: "make".into(), background: false },
                },
                outcome: ToolOutcome { text: Some("ok".into()), ..ToolOutcome::default() },
                duration_ms: Some(12),
            },
        };
        assert_eq!(
            serde_json::to_string(&event).expect("JSON"),
            concat!(
                r#"{"client":"claude","session":"s-1","cwd":"/srv/app","what":{"tool_finished":"#,
                r#"{"tool":{"id":"t1","name":"Bash","kind":{"shell":{"command":"make"}}},"#,
                r#""outcome":{"text":"ok"},"duration_ms":12}}}"#,
            )
        );
    }
}
