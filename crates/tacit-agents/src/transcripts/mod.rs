//! Transcripts: the files in which clients keep past sessions, read back into the events that their
//! hooks report.
//!
//! One file per client turns lines into payloads, which `Client::parse` reads like those of hooks,
//! so that a transcript teaches what its session would have taught. Text that the client or Tacit
//! added to the conversation is left out, because hooks do not report it either. Transcripts are
//! untrusted: lines that cannot be read are counted and skipped.

mod claude;
mod codex;
mod copilot;
mod gemini;
mod head;
mod injected;
mod lines;
mod past_session;
mod recorded;

use std::path::Path;

use tacit_core::ClientName;

pub use head::{TranscriptHead, TranscriptPlace};
pub use past_session::{PastSessionEvent, TranscriptSession};

/// The form of a transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TranscriptForm {
    /// Lines of Claude Code.
    Claude,
    /// A rollout of Codex.
    Codex,
    /// A chat of Gemini CLI: lines, or one JSON document.
    Gemini,
    /// Events of Copilot CLI.
    Copilot,
    /// Payloads of hooks with their times, as orchestrators record them; of any number of sessions.
    Recorded,
}

/// A file of a session.
#[derive(Debug, Clone, Copy)]
pub struct TranscriptText<'t> {
    /// The path, if the session's client would name it in its payloads.
    pub path: Option<&'t Path>,
    /// The content.
    pub text: &'t str,
}

impl TranscriptForm {
    /// Reads the sessions of a transcript. `helpers` are the transcripts of its subagents, which Claude Code
    /// and Codex keep in files of their own. `root` is the working directory of transcripts that name none.
    pub fn read(
        self,
        main: TranscriptText<'_>,
        helpers: &[TranscriptText<'_>],
        root: &Path,
    ) -> Vec<TranscriptSession> {
        let sessions = match self {
            TranscriptForm::Claude => claude::read(main, helpers).into_iter().collect(),
            TranscriptForm::Codex => codex::read(main, helpers).into_iter().collect(),
            TranscriptForm::Gemini => gemini::read(main, root).into_iter().collect(),
            TranscriptForm::Copilot => copilot::read(main).into_iter().collect(),
            TranscriptForm::Recorded => recorded::read(main.text),
        };
        sessions.into_iter().filter(|session: &TranscriptSession| session.has_work()).collect()
    }

    /// Returns the client that writes this form; `None` for recorded payloads of any client.
    pub fn client(self) -> Option<ClientName> {
        match self {
            TranscriptForm::Claude => Some(ClientName::Claude),
            TranscriptForm::Codex => Some(ClientName::Codex),
            TranscriptForm::Gemini => Some(ClientName::Gemini),
            TranscriptForm::Copilot => Some(ClientName::Copilot),
            TranscriptForm::Recorded => None,
        }
    }
}
