//! From the transcript of a client to a session as triage takes it.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, BufReader};

use tacit_records::triage::{Session, Speaker};
use tacit_triggers::transcript::{What, read_steps};

use crate::app::App;
use crate::error::{CliError, CliResult, Code};

/// The most characters of one message that are looked at.
const MAX_MESSAGE: usize = 64 * 1024;
/// How many files that were changed are kept.
const MAX_FILES: usize = 64;

/// Reads the transcript at a path; `-` is standard input.
pub(crate) fn read_session(app: &App, path: &str) -> CliResult<Session> {
    let mut session = Session::default();
    let mut tools = BTreeSet::new();
    let reader: Box<dyn BufRead> = if path == "-" {
        Box::new(BufReader::new(std::io::stdin()))
    } else {
        let file = File::open(app.directory.join(path)).map_err(|error| {
            CliError::new(Code::Failure, format!("cannot read `{path}`: {error}"))
                .hint("name the transcript of a session, one JSON object a line")
        })?;
        Box::new(BufReader::new(file))
    };
    read_steps(reader, &mut |step| match step.what {
        What::Prompt(text) => {
            session.activity.exchanges += 1;
            if session.activity.goal.is_none() {
                session.activity.goal = text.lines().find(|l| !l.trim().is_empty()).map(Into::into);
            }
            session.say(Speaker::User, start(&text));
        }
        What::Said(text) => {
            session.say(Speaker::Agent, start(&text));
        }
        What::Tool { name, input } => {
            session.activity.tool_uses += 1;
            session.activity.ends_in_failure = false;
            let changes = matches!(name.as_str(), "Edit" | "Write" | "MultiEdit" | "NotebookEdit");
            tools.insert(name);
            let changed = input["file_path"].as_str().filter(|_| changes);
            let inside = changed.and_then(|file| app.repo_path(file).ok());
            if let Some(file) = inside.map(|file| file.to_string())
                && session.activity.files.len() < MAX_FILES
                && !session.activity.files.contains(&file)
            {
                session.activity.files.push(file);
            }
        }
        What::Failed(text) => {
            session.activity.ends_in_failure = true;
            session.say(Speaker::Tool, start(&text));
        }
        What::Injected(_) => {}
    })?;
    session.activity.distinct_tools = tools.len();
    Ok(session)
}

fn start(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_MESSAGE)]
}
