//! `tacit remember`

use std::io::{BufRead, Read};

use serde_json::{Value, json};
use tacit_app::code::unknown_references;
use tacit_app::remember::{
    Submission, SubmissionResult, check_custom_type, embed_recent, infer_type, link_to_code,
};
use tacit_app::{AppError, AppResult, ErrorCode};
use tacit_core::{BuiltinType, Category, Confidence, Draft, Scope, SessionId, Source, Visibility};
use tacit_engine::{
    Learning, RememberOutcome, RememberResult, Requester, StoreAccess, StoreScope, StoredMemory,
    confirmation, learning_name, single_line_error,
};

use crate::app::{CliApp, StoreScopeArg};
use crate::commands::{treatment_json, treatment_notes};
use crate::field_args::FieldArgs;
use crate::filter_args::trimmed;
use crate::render;
use crate::ui::Tone;

/// The most bytes of a text or a line: far larger than any memory, small enough not to exhaust
/// memory.
const MOST_BYTES: u64 = 64 << 20;

/// Keep something for the next session.
///
/// Without `--type` and `--category`, the type is guessed from the text: a warning (never, avoid) is
/// a gotcha, advice (always, prefer, use) a preference, everything else a module_insight.
///
/// A known memory is reinforced instead of stored twice; a similar one is stored and linked. Secrets are replaced by a marker before anything is written. If another process
/// holds the database for too long, the memory is spooled and stored by the next command.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit remember \"Close the pool before the fork\" --type gotcha --file src/pool.rs
  tacit remember \"Raise pool_size with the workers\" --when \"checkout times out under load\"
  tacit remember \"We chose SQLite over a server\" --type decision --why \"no service to run\"
  git log -1 --format=%B | tacit remember --tag release
  tacit remember --global \"I prefer kebab-case file names\" --type preference
  tacit remember --private \"Ask Mia before touching the billing tables\"
  tacit remember --jsonl < learnings.jsonl      one JSON object per line, all of them one change
  tacit remember --entry-json '{\"name\":\"…\",\"description\":\"…\",\"category\":\"patterns\"}'")]
pub(crate) struct RememberArgs {
    /// The text to remember; `-`, or no text after a pipe, reads it from standard input.
    #[arg(value_name = "TEXT", conflicts_with_all = ["stdin", "jsonl"])]
    text: Vec<String>,
    /// Read the text from standard input.
    #[arg(long, conflicts_with = "jsonl")]
    stdin: bool,
    /// Read one JSON object per line from standard input; answer each with one line, after the last
    /// is read. All are one change, which `tacit undo` undoes as one.
    #[arg(long)]
    jsonl: bool,
    /// A learning of an agent: a JSON object with description, name, reasoning, category (guessed
    /// from the text if left out), references, confidence, source, type, tags, cues and files; `-`
    /// reads it from standard input, where no shell can change it.
    #[arg(long, value_name = "JSON", conflicts_with_all = [
        "text", "stdin", "jsonl", "kind", "title", "reasoning", "category", "confidence", "source",
        "details", "references", "work_unit",
    ])]
    entry_json: Option<String>,
    #[command(flatten)]
    fields: FieldArgs,
    /// Category as other tools name it: patterns, anti-patterns, heuristics, runbook, …
    #[arg(long, value_name = "NAME", display_order = 13)]
    category: Option<String>,
    /// Labels, repeated or separated by commas (at most 12).
    #[arg(
        long = "tag",
        visible_alias = "tags",
        value_name = "TAG",
        value_delimiter = ',',
        value_parser = trimmed,
        display_order = 21
    )]
    tags: Vec<String>,
    /// A situation in which it helps, in the words that a user would type (repeat for several, at
    /// most 8). It leads to the memory and is not shown as its text.
    #[arg(long = "when", value_name = "TEXT", display_order = 22)]
    cues: Vec<String>,
    /// Make it private: only you see it once the project is shared on a server (no effect until then).
    /// Refused for agents.
    #[arg(long, conflicts_with = "jsonl", display_order = 35)]
    private: bool,
    /// The unit of work it belongs to, outermost level first, separated by slashes [default with
    /// `--scope work_unit`: the current one].
    #[arg(long, value_name = "PATH", display_order = 40)]
    work_unit: Option<String>,
    /// The methodology of the unit of work [default: the active one].
    #[arg(long, value_name = "NAME", requires = "work_unit", display_order = 41)]
    methodology: Option<String>,
    /// The session it was learnt in.
    #[arg(long, value_name = "ID", display_order = 42)]
    session: Option<String>,
    /// Store it without a request of the user. Refused unless `capture.mode` is `silent`, and once
    /// the session has used up `capture.silent_budget`. Needs no --session below a client that
    /// names the session in the environment, as Claude Code does.
    #[arg(long, conflicts_with_all = ["jsonl", "global"], display_order = 43)]
    silent: bool,
    /// The commit that produced it.
    #[arg(long, value_name = "SHA", display_order = 44)]
    commit: Option<String>,
    /// Source: user_taught (you, the default), agent_explicit (the default with --silent) and
    /// others. Below an agent it is agent_explicit, unless you typed the text after /remember.
    #[arg(long, value_name = "SOURCE", display_order = 45)]
    source: Option<String>,
    #[command(flatten, next_display_order = 51)]
    store_scope: StoreScopeArg,
}

impl RememberArgs {
    pub(crate) fn run(mut self, app: &CliApp) -> AppResult<()> {
        let asked_for = self.store_scope.scope();
        if self.jsonl {
            if asked_for == StoreScope::Global {
                app.person_only("store a global memory")?;
            }
            return remember_lines(app, asked_for);
        }
        let session = if self.silent { Some(self.counted_session(app)?) } else { None };
        let entry = self.entry_json.is_some();
        let visibility = self.private.then(|| Visibility::Private.to_string());
        let draft = if entry { self.entry(app)? } else { self.draft(app)? };
        let draft = Draft { visibility, ..draft };
        let name = draft.name.clone().unwrap_or_default();
        let (files, named) = (draft.related_files.clone(), draft.related_symbols.clone());
        let by_agent = app.voice() == Requester::Agent;
        let needed = if by_agent { StoreScope::Project } else { asked_for };
        let engine = app.engine_with_embedder(StoreAccess::Write(needed))?;
        let mut engine = engine.on_behalf_of(app.voice());
        let submission =
            Submission { draft, global: asked_for == StoreScope::Global, silent_session: session };
        let stored = tacit_app::remember::remember(app, &mut engine, app.session(), submission)?;
        drop(engine);
        if stored.needs_maintenance {
            app.maintain_in_background();
        }
        for unknown in unknown_references(app.worktree(), &[], &named) {
            app.watcher.note(&unknown);
        }
        let unknown = unknown_references(app.worktree(), &files, &[]);
        let SubmissionResult { scope: store_scope, remembered, .. } = &stored;
        if app.json {
            let mut value = to_json(*store_scope, remembered);
            if let Some((used, budget)) = stored.silent_captures {
                value["silent_captures"] = json!({"used": used, "budget": budget});
            }
            if !unknown.is_empty() {
                value["unknown_files"] = json!(unknown);
            }
            return app.ui.json(&value);
        }
        let first = if entry {
            // The given name: a reinforced memory may have another one.
            let name = learning_name(&tacit_redact::redact(&name).text);
            confirmation(&render::visible(&name), remembered)
        } else {
            in_a_line(app, remembered)
        };
        report(app, first, remembered)?;
        if let Some(line) = inferred_type(&stored) {
            app.ui.line(app.ui.paint(Tone::Dim, &format!("  {line}")))?;
        }
        for unknown in unknown {
            let note = format!("  note: {}", render::visible(&unknown));
            app.ui.line(app.ui.paint(Tone::Warn, &note))?;
        }
        if by_agent {
            app.ui.lines(
                who_said_it(&stored)
                    .iter()
                    .map(|line| app.ui.paint(Tone::Warn, &format!("  {line}"))),
            )?;
        }
        if let Some((used, budget)) = stored.silent_captures {
            app.ui.line(format!("  silent captures in this session: {used} of {budget}"))?;
        }
        Ok(())
    }

    /// Returns the session whose budget is used.
    fn counted_session(&mut self, app: &CliApp) -> AppResult<SessionId> {
        if self.session.is_none() {
            self.session.clone_from(&app.environment.agent_session);
        }
        let Some(session) = &self.session else {
            return Err(AppError::usage("--silent needs a session")
                .hint("name it with --session; some agent clients set it in the environment"));
        };
        let session = tacit_redact::identifier(session);
        session.parse().map_err(|problem| AppError::usage(format!("--session {problem}")))
    }

    /// Reads the learning of an agent, and adds the other arguments.
    fn entry(self, app: &CliApp) -> AppResult<Draft> {
        let json = match self.entry_json.as_deref() {
            Some("-") => read_text()?,
            given => given.unwrap_or_default().to_owned(),
        };
        let learning = Learning::parse(&json)
            .map_err(|message| AppError::verbatim(ErrorCode::Usage, message))?;
        let by_person = learning.source == Source::UserTaught && !self.silent;
        let mut draft = learning.into_draft();
        let files = draft.related_files.iter();
        draft.related_files =
            files.map(|path| app.repo_path(path).map(String::from)).collect::<AppResult<_>>()?;
        draft.related_files.extend(self.fields.files(app)?);
        draft.related_symbols = self.fields.symbols(app)?;
        draft.tags.extend(self.tags);
        draft.cues.extend(self.cues);
        draft.related_modules = self.fields.modules;
        draft.scope = self.fields.scope;
        draft.session = self.session;
        draft.commit = self.commit;
        if self.silent {
            draft.source = Some(Source::AgentExplicit.to_string());
        }
        draft.author = by_person.then(|| app.actor().to_string());
        Ok(draft)
    }

    fn draft(self, app: &CliApp) -> AppResult<Draft> {
        let piped = self.text.is_empty() && !app.terminal.stdin_is_terminal;
        let content = if self.stdin || piped || self.text == ["-"] {
            read_text()?
        } else {
            self.text.join(" ")
        };
        if content.trim().is_empty() {
            return Err(AppError::usage("the text is empty")
                .hint("tacit remember \"what you want the next agent to know\""));
        }
        let fields = self.fields;
        let (kind, details) = (fields.kind()?, fields.details()?);
        let category: Option<Category> = self
            .category
            .map(|text| text.parse())
            .transpose()
            .map_err(|problem| AppError::usage(format!("--category {problem}")))?;
        let work_unit = match &self.work_unit {
            Some(path) => Some(
                app.named_unit(path, self.methodology.as_deref())
                    .map_err(|problem| AppError::usage(format!("--work-unit {problem}")))?,
            ),
            // Without a name, the current unit is meant, if it is known.
            None if fields.scope.as_deref() == Some(Scope::WorkUnit.as_str()) => {
                let engine = app.engine(StoreAccess::Read(StoreScope::Project))?;
                engine.work(&app.here())?.unit().cloned()
            }
            None => None,
        };
        let usual = if self.silent { Source::AgentExplicit } else { Source::UserTaught };
        let source = self.source.unwrap_or_else(|| usual.to_string());
        let by_person = source == Source::UserTaught.as_str();
        Ok(Draft {
            content,
            kind: kind.map(String::from),
            details,
            related_files: fields.files(app)?,
            related_symbols: fields.symbols(app)?,
            title: fields.title,
            reasoning: fields.reasoning,
            category: category.map(|category| category.to_string()),
            confidence: fields.confidence.map(Confidence::value),
            tags: self.tags,
            cues: self.cues,
            related_modules: fields.modules,
            references: fields.references,
            scope: fields.scope,
            work_unit,
            session: self.session,
            source: Some(source),
            author: by_person.then(|| app.actor().to_string()),
            generator: by_person.then(|| "user".to_owned()),
            commit: self.commit,
            ..Draft::default()
        })
    }
}

/// Stores one draft per line as one change, and prints an answer for each line.
fn remember_lines(app: &CliApp, store_scope: StoreScope) -> AppResult<()> {
    let (mut numbers, mut drafts) = (Vec::new(), Vec::new());
    let mut unreadable = Ok(());
    for (number, line) in (1..).zip(lines(std::io::stdin().lock(), MOST_BYTES)) {
        match line {
            Ok(line) if line.trim().is_empty() => {}
            Ok(line) => {
                let draft = parse_draft(app, &line);
                numbers.push((number, draft.as_ref().err().cloned()));
                drafts.extend(draft);
            }
            // The lines before it are stored; where the next one begins is not known.
            Err(error) => {
                unreadable = Err(AppError::usage(format!("line {number}: {error}")));
                break;
            }
        }
    }
    let mut failed = false;
    let waiting = {
        let engine = app.engine_with_embedder(StoreAccess::Write(store_scope))?;
        let mut engine = engine.on_behalf_of(app.voice());
        let mut results = engine.remember_all(store_scope, drafts)?.into_iter();
        for (number, malformed) in numbers {
            let result = match malformed {
                Some(problem) => Err(problem),
                None => match results.next() {
                    Some(result) => result.map_err(|error| AppError::from(error).message),
                    None => break,
                },
            };
            let answer = match result {
                Ok(remembered) => {
                    link_to_code(app, &mut engine, store_scope, &remembered);
                    to_json(store_scope, &remembered)
                }
                Err(problem) => {
                    failed = true;
                    json!({"line": number, "error": problem})
                }
            };
            app.ui.json(&answer)?;
        }
        app.ui.flush()?;
        embed_recent(&mut engine, store_scope)
    };
    if waiting {
        app.maintain_in_background();
    }
    unreadable?;
    if failed { Err(AppError::already_printed()) } else { Ok(()) }
}

/// Reads the lines of a text; a line longer than `most` bytes is an error.
fn lines(mut from: impl BufRead, most: u64) -> impl Iterator<Item = std::io::Result<String>> {
    std::iter::from_fn(move || {
        let mut line = Vec::new();
        match from.by_ref().take(most).read_until(b'\n', &mut line) {
            Ok(0) => return None,
            Ok(read) if read as u64 == most && !line.ends_with(b"\n") => {
                let problem = format!("longer than {most} bytes");
                return Some(Err(std::io::Error::new(std::io::ErrorKind::InvalidData, problem)));
            }
            Ok(_) => {}
            Err(error) => return Some(Err(error)),
        }
        let text = String::from_utf8(line).map_err(|error| {
            std::io::Error::new(std::io::ErrorKind::InvalidData, error.utf8_error())
        });
        Some(text.map(|text| text.trim_end_matches(['\r', '\n']).to_owned()))
    })
}

/// Explains how to correct a guessed type; `None` for the default type.
fn inferred_type(stored: &SubmissionResult) -> Option<String> {
    let memory = stored.remembered.memory.as_ref()?;
    let kind = memory.memory_type();
    let is_remarkable = stored.is_type_inferred
        && stored.remembered.outcome == RememberOutcome::Stored
        && kind != BuiltinType::ModuleInsight.into();
    let id = memory.id.short();
    is_remarkable.then(|| {
        format!(
            "stored as a {kind}, guessed from the text; `tacit edit {id} --type TYPE` changes it"
        )
    })
}

/// Explains the source and the store that were used.
fn who_said_it(stored: &SubmissionResult) -> Vec<String> {
    let mut lines = Vec::new();
    if stored.typed_by_user {
        lines.push("stored in the user's own words, as typed after /remember".to_owned());
    } else if let Some(memory) = &stored.remembered.memory
        && memory.is_unconfirmed_claim()
    {
        let id = memory.id.short();
        lines.push(format!(
            "{}; a person confirms it with `tacit review confirm {id}`",
            memory.trust_label()
        ));
    }
    if stored.only_proposed && !stored.typed_by_user {
        lines.push(
            "stored for this project only; for all projects, the user must type \
             `/remember --global` or run `tacit remember --global`"
                .to_owned(),
        );
    }
    lines
}

fn parse_draft(app: &CliApp, line: &str) -> Result<Draft, String> {
    let mut draft: Draft =
        serde_json::from_str(line).map_err(|error| single_line_error("not a memory", &error))?;
    infer_type(&mut draft);
    check_custom_type(app, draft.kind.as_deref()).map_err(|error| error.to_string())?;
    Ok(draft)
}

fn read_text() -> AppResult<String> {
    // Far larger than any memory, small enough not to exhaust the machine.
    const MAX: usize = 16 << 20;
    let mut bytes = Vec::new();
    std::io::stdin().lock().take(MAX as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > MAX {
        let message = format!("standard input is larger than {} MiB", MAX >> 20);
        return Err(
            AppError::usage(message).hint("a memory holds at most 8 KiB: store only what matters")
        );
    }
    // A stray NUL is removed and reported; many mean UTF-16 or a binary file.
    if bytes.iter().filter(|byte| **byte == 0).count() * 4 > bytes.len() {
        return Err(AppError::usage("standard input is not text: much of it is NUL")
            .hint("convert it first, for example with iconv"));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        AppError::usage(format!("standard input is not valid UTF-8 (at byte {at})"))
            .hint("convert it first, for example with iconv")
    })
}

/// Describes the result in one line.
fn in_a_line(app: &CliApp, remembered: &RememberResult) -> String {
    let Some(memory) = &remembered.memory else {
        return match remembered.outcome {
            RememberOutcome::LeftInInbox => format!(
                "Left in {}: the store cannot be written from here. The next hook or command \
                 that can write to it stores this, with an agent as the source.",
                app.places.inbox().display()
            ),
            _ if app.places.is_in_team() => {
                "Spooled: the team's server cannot take it now; a later command delivers it."
                    .to_owned()
            }
            _ => "Spooled: the database is locked; the next command stores this.".to_owned(),
        };
    };
    let name = render::visible(&memory.headline());
    let kind = memory.memory_type();
    let id = app.ui.paint(Tone::Id, &memory.id.short().to_string());
    match remembered.outcome {
        RememberOutcome::Reinforced => format!(
            "{}: {name} ({kind}, id {id}, observations: {})",
            app.ui.paint(Tone::Good, "Reinforced"),
            memory.observations
        ),
        _ => format!("{}: {name} ({kind}, id {id})", app.ui.paint(Tone::Good, "Stored")),
    }
}

fn report(app: &CliApp, line: String, remembered: &RememberResult) -> AppResult<()> {
    app.ui.line(line)?;
    if let Some((other, similarity)) = &remembered.similar {
        let note = format!(
            "  resembles {} ({:.0}% of the words); both are kept, linked as `supersedes (proposed)`",
            other.short(),
            similarity * 100.0
        );
        app.ui.line(app.ui.paint(Tone::Warn, &note))?;
    }
    app.ui.lines(
        treatment_notes(&remembered.cleanup)
            .iter()
            .map(|note| app.ui.paint(Tone::Warn, &format!("  {note}"))),
    )?;
    app.ui.lines(
        remembered.left_out.iter().map(|label| format!("  no room for {}", render::visible(label))),
    )?;
    let note = seen_by(remembered, app.places.is_in_team());
    app.ui.lines(note.map(|note| app.ui.paint(Tone::Dim, &format!("  {note}"))))
}

/// Says who sees the memory, if that is not the whole team as usual, or not as the draft asked. What a server
/// has shown to a team cannot become private.
fn seen_by(remembered: &RememberResult, in_team: bool) -> Option<String> {
    let memory = remembered.memory.as_ref()?;
    let id = memory.id.short();
    let is_private = !memory.body.visibility.is_team();
    Some(match (remembered.stays_team, in_team) {
        (true, true) => "the team has seen it already, so it cannot become private".to_owned(),
        (true, false) => {
            format!(
                "this memory is for the team; `tacit edit {id} --visibility private` makes it private"
            )
        }
        (false, _) if !is_private => return None,
        (false, true) => "private: only you see it".to_owned(),
        (false, false) => "private: only you see it once the project is shared".to_owned(),
    })
}

fn to_json(store_scope: StoreScope, remembered: &RememberResult) -> Value {
    let outcome = match remembered.outcome {
        RememberOutcome::Stored => "stored",
        RememberOutcome::Reinforced => "reinforced",
        RememberOutcome::Spooled => "spooled",
        RememberOutcome::LeftInInbox => "left_in_inbox",
    };
    let memory = remembered
        .memory
        .clone()
        .map(|memory| render::to_json(&StoredMemory { store: store_scope, memory }));
    let near =
        remembered.similar.map(|(id, similarity)| json!({"id": id, "similarity": similarity}));
    let mut value = json!({
        "outcome": outcome, "memory": memory, "resembles": near, "left_out": remembered.left_out,
    });
    if remembered.stays_team {
        value["stays_team"] = json!(true);
    }
    for (name, part) in treatment_json(&remembered.cleanup) {
        value[name] = part;
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_without_end_is_refused() {
        let read = |text: &[u8]| -> Vec<Result<String, String>> {
            let lines = lines(text, 8).take(4);
            lines.map(|line| line.map_err(|error| error.to_string())).collect()
        };
        assert_eq!(read(b"one\r\n\ntwo"), [Ok("one".into()), Ok("".into()), Ok("two".into())]);
        assert_eq!(read(b"seven 7\n12"), [Ok("seven 7".into()), Ok("12".into())]);
        assert_eq!(read(b"one\neight 88 9")[1], Err("longer than 8 bytes".into()));
        assert!(read(b"\xff\n")[0].is_err());
    }
}
