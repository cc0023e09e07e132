//! Answers to the shell that completes a command line: ids with titles, types, tags, configuration
//! keys, sessions and paths. Quick and silent: no model is loaded, nothing is written, and an
//! error completes nothing.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::Path;

use clap::{Arg, Command};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate, PathCompleter};
use clap_complete::env::Shells;
use tacit_app::{App, Environment, Project, SilentWatcher, human_time, panics};
use tacit_core::{BuiltinType, KEYS, StatusKind, visible_line};
use tacit_engine::StoreAccess;
use tacit_store::{Filter, ListOrder};

use crate::cli;
use crate::environment;
use crate::render::cut;

/// The variable with the name of the shell, which the completion script sets.
pub(crate) const VARIABLE: &str = "TACIT_COMPLETE";
/// The most memories and sessions that are offered.
const MOST: usize = 200;
/// The longest description, in characters.
const WIDEST: usize = 72;

/// Prints the words that may come next, for the arguments `-- tacit WORD…`.
pub(crate) fn answer(shell: &str, arguments: impl Iterator<Item = OsString>) {
    let words: Vec<OsString> = arguments.skip_while(|word| word != "--").skip(1).collect();
    let answered = panics::catch(|| {
        let shells = Shells::builtins();
        let completer = shells.completer(shell)?;
        let mut command = with_candidates(cli::visible_command(), StatusKind::Active);
        command.build();
        let mut out = Vec::new();
        let here = environment::read().directory.ok();
        completer.write_complete(&mut command, words, here.as_deref(), &mut out).ok()?;
        Some(out)
    });
    if let Ok(Some(out)) = answered {
        let _ = std::io::stdout().write_all(&out);
    }
}

/// Returns the completion script of a shell; empty for unknown shells.
pub(crate) fn script(shell: &str) -> Vec<u8> {
    let mut script = Vec::new();
    if let Some(completer) = Shells::builtins().completer(shell) {
        // Writing to memory does not fail.
        let _ = completer.write_registration(VARIABLE, "tacit", "tacit", "tacit", &mut script);
    }
    script
}

/// Adds completers to the arguments of a command, by the names of their values.
fn with_candidates(command: Command, status: StatusKind) -> Command {
    let status = match command.get_name() {
        "restore" => StatusKind::Retired,
        _ => status,
    };
    command
        .mut_args(|arg| match completer(&arg, status) {
            Some(completer) => arg.add(completer),
            None => arg,
        })
        .mut_subcommands(|below| with_candidates(below, status))
}

fn completer(arg: &Arg, status: StatusKind) -> Option<ArgValueCompleter> {
    let value = arg.get_value_names()?.first()?.as_str();
    Some(match (arg.get_id().as_str(), value) {
        ("session", "ID") | (_, "SESSION") => ArgValueCompleter::new(sessions),
        (_, "ID") => ArgValueCompleter::new(move |typed: &OsStr| memories(typed, status)),
        (_, "TYPE") => ArgValueCompleter::new(types),
        (_, "TAG") => ArgValueCompleter::new(tags),
        (_, "KEY") => ArgValueCompleter::new(keys),
        (_, value) if value.starts_with("PATH") => ArgValueCompleter::new(PathCompleter::any()),
        _ => return None,
    })
}

/// Completes ids of memories, newest first, with titles as descriptions.
fn memories(typed: &OsStr, status: StatusKind) -> Vec<CompletionCandidate> {
    let found = with_app(|app| {
        let filter = Filter {
            statuses: match status {
                StatusKind::Active => vec![status],
                _ => vec![StatusKind::Retired, StatusKind::Archived],
            },
            ..Filter::default()
        };
        let engine = app.engine(StoreAccess::ReadBoth).ok()?;
        let listed = engine.list(None, &filter, ListOrder::Newest, MOST, 0).ok()?;
        let named = listed.into_iter().map(|found| {
            let title = found.memory.headline().to_string();
            (found.memory.id.short().to_string(), title)
        });
        Some(named.collect())
    });
    candidates(typed, found)
}

fn types(typed: &OsStr) -> Vec<CompletionCandidate> {
    let words = BuiltinType::CHOICES.iter().map(|kind| (kind.to_string(), meaning(*kind).into()));
    listed(typed, words.collect())
}

/// Describes a type of [`BuiltinType::CHOICES`] in a few words.
fn meaning(kind: BuiltinType) -> &'static str {
    match kind {
        BuiltinType::Gotcha => "a trap or a constraint that is not obvious",
        BuiltinType::Decision => "a choice, with its reasons",
        BuiltinType::Pattern => "a way of doing things that works here",
        BuiltinType::Preference => "how you or the project want things done",
        BuiltinType::ErrorPattern => "an error that comes back, and its fix",
        BuiltinType::DeadEnd => "an approach that was tried and given up",
        BuiltinType::Workflow => "how a task is done here",
        _ => "what a module is for or how it behaves",
    }
}

fn tags(typed: &OsStr) -> Vec<CompletionCandidate> {
    let found = with_app(|app| {
        let engine = app.engine(StoreAccess::ReadBoth).ok()?;
        let stats = engine.stores().filter_map(|(_, store)| store.stats().ok());
        let mut tags: Vec<(String, u64)> = stats.flat_map(|stats| stats.tags).collect();
        tags.sort_by(|(a, x), (b, y)| y.cmp(x).then_with(|| a.cmp(b)));
        tags.dedup_by(|(a, _), (b, _)| a == b);
        Some(tags.into_iter().map(|(tag, _)| (tag, String::new())).collect())
    });
    listed(typed, found)
}

fn keys(typed: &OsStr) -> Vec<CompletionCandidate> {
    candidates(typed, KEYS.iter().map(|key| (key.name.to_owned(), key.help.to_owned())).collect())
}

fn sessions(typed: &OsStr) -> Vec<CompletionCandidate> {
    let found = with_app(|app| {
        let engine = app.engine(StoreAccess::ReadBoth).ok()?;
        let sessions = engine.observed_sessions(MOST).ok()?.into_iter().map(|(session, _)| {
            let when = human_time::ago(session.last_at, app.now());
            (session.id.to_string(), format!("{}, {when}", session.client))
        });
        Some(sessions.collect())
    });
    candidates(typed, found)
}

/// Opens the project of this directory and searches it. Finds nothing if opening would move an old
/// store.
fn with_app(find: impl FnOnce(&App) -> Option<Vec<(String, String)>>) -> Vec<(String, String)> {
    let environment: Environment = environment::read();
    let Ok(directory) = &environment.directory else { return Vec::new() };
    let directory = directory.clone();
    if has_old_store(&directory, &environment.data_home) {
        return Vec::new();
    }
    let app = App::open(environment, directory, Box::new(SilentWatcher), true).ok();
    app.and_then(|app| find(&app)).unwrap_or_default()
}

fn has_old_store(directory: &Path, global: &Path) -> bool {
    Project::at(directory, global).has_old_store()
}

/// Completes the last word of a comma-separated list: `a,b` completes `b`.
fn listed(typed: &OsStr, words: Vec<(String, String)>) -> Vec<CompletionCandidate> {
    let text = typed.to_string_lossy().into_owned();
    let (before, begun) = text
        .rsplit_once(',')
        .map_or(("", text.as_str()), |(_, last)| (&text[..text.len() - last.len()], last));
    let found = candidates(OsStr::new(begun), words);
    found.into_iter().map(|candidate| candidate.add_prefix(before)).collect()
}

/// Returns the words that begin with the typed text, in the given order.
fn candidates(typed: &OsStr, words: Vec<(String, String)>) -> Vec<CompletionCandidate> {
    let begun = typed.to_string_lossy();
    let matching = words.into_iter().filter(|(word, _)| word.starts_with(begun.as_ref()));
    let candidates = matching.enumerate().map(|(place, (word, help))| {
        let help = Some(cut(&visible_line(&help), WIDEST)).filter(|help| !help.is_empty());
        CompletionCandidate::new(word).help(help.map(Into::into)).display_order(Some(place))
    });
    candidates.collect()
}
