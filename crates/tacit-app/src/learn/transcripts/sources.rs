//! The folders in which clients keep transcripts, and given files.

use std::fs;
use std::path::{Path, PathBuf};

use tacit_agents::transcripts::{TranscriptForm, TranscriptHead, TranscriptPlace};

use super::candidate::{Candidate, LARGEST, ProjectRoots, TranscriptLocation, read_head};
use super::{SkippedTranscript, TranscriptSource};
use crate::app::App;

/// The most entries of folders that are looked at for one client.
const ENTRIES: usize = 50_000;
/// The depth of folders below one that is given.
const DEPTH: usize = 8;
/// The letters of the name of a folder by which Claude Code's projects are compared: long paths are cut.
const NAME: usize = 100;

/// The transcripts that were found, and those that cannot be read.
#[derive(Debug, Default)]
pub(super) struct FoundTranscripts {
    pub(super) candidates: Vec<Candidate>,
    pub(super) skipped: Vec<SkippedTranscript>,
}

/// Finds the transcripts of this project in the folder of a client.
pub(super) fn of_client(
    app: &App,
    source: TranscriptSource,
    roots: &ProjectRoots,
) -> FoundTranscripts {
    let home = &app.environment.home;
    let files = match source {
        TranscriptSource::Claude => {
            let projects = folders(&app.environment.claude_files().join("projects"));
            let names: Vec<String> = roots.iter().map(|root| project_name(root)).collect();
            let is_ours = |folder: &PathBuf| {
                let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
                names.iter().any(|own| name.starts_with(&own[..own.len().min(NAME)]))
            };
            let ours = projects.into_iter().filter(is_ours);
            ours.flat_map(|folder| files_below(&folder, 4, &is_transcript)).collect()
        }
        TranscriptSource::Codex => {
            let below =
                |name: &str| files_below(&home.join(".codex").join(name), 4, &is_transcript);
            [below("sessions"), below("archived_sessions")].concat()
        }
        TranscriptSource::Gemini => {
            let chats = folders(&home.join(".gemini/tmp")).into_iter().map(|it| it.join("chats"));
            chats.flat_map(|chats| files_below(&chats, 2, &is_transcript)).collect()
        }
        TranscriptSource::Copilot => {
            files_below(&home.join(".copilot/session-state"), 2, &|name| name == "events.jsonl")
        }
        TranscriptSource::Entire | TranscriptSource::Given => Vec::new(),
    };
    let mut found = FoundTranscripts::default();
    let mut helpers = Vec::new();
    for file in files {
        found.add(&file, source, roots, &mut helpers);
    }
    found.attach(helpers);
    found
}

/// Finds the transcripts in files and folders that the user names.
pub(super) fn given(paths: &[PathBuf], roots: &ProjectRoots) -> FoundTranscripts {
    let mut found = FoundTranscripts::default();
    let mut helpers = Vec::new();
    for path in paths {
        if path.is_dir() {
            for file in files_below(path, DEPTH, &is_transcript) {
                found.add(&file, TranscriptSource::Given, roots, &mut helpers);
            }
        } else {
            let before = found.candidates.len() + found.skipped.len() + helpers.len();
            // The user may name a file by a link.
            let file = path.canonicalize().unwrap_or_else(|_| path.clone());
            found.add(&file, TranscriptSource::Given, roots, &mut helpers);
            if found.candidates.len() + found.skipped.len() + helpers.len() == before {
                found.skip(path, "it is not a transcript of this project");
            }
        }
    }
    found.attach(helpers);
    found
}

impl FoundTranscripts {
    pub(super) fn skip(&mut self, path: &Path, why: &str) {
        let name = path.display().to_string();
        self.skipped.push(SkippedTranscript { name, why: why.to_owned() });
    }

    fn add(
        &mut self,
        file: &Path,
        source: TranscriptSource,
        roots: &ProjectRoots,
        helpers: &mut Vec<(TranscriptHead, PathBuf, u64)>,
    ) {
        let head = match read_head(file) {
            Ok(Some(head)) => head,
            // A client may write a file before anything is said.
            Ok(None) => return,
            Err(error) => return self.skip(file, &error.to_string()),
        };
        let bytes = fs::symlink_metadata(file).map_or(0, |meta| meta.len());
        if bytes > LARGEST {
            let most = LARGEST / 1024 / 1024;
            return self.skip(file, &format!("it is larger than {most} MB"));
        }
        if head.is_helper {
            helpers.push((head, file.to_owned(), bytes));
            return;
        }
        // Recorded payloads are of several sessions, which are told apart when they are read.
        let is_ours = roots.of(&head.place).is_some()
            || (head.form == TranscriptForm::Recorded && head.place == TranscriptPlace::Unknown);
        let Some(at) = head.at.filter(|_| is_ours) else { return };
        self.candidates.push(Candidate {
            source,
            name: file.display().to_string(),
            form: head.form,
            session: head.session,
            at,
            main: TranscriptLocation::File(file.to_owned()),
            helpers: Vec::new(),
            foreign_root: None,
            bytes,
        });
    }

    /// Adds the transcripts of subagents to those of their sessions.
    fn attach(&mut self, helpers: Vec<(TranscriptHead, PathBuf, u64)>) {
        for (head, file, bytes) in helpers {
            let is_main = |candidate: &&mut Candidate| {
                candidate.session == head.session && candidate.form == head.form
            };
            if let Some(main) = self.candidates.iter_mut().find(is_main) {
                main.helpers.push(TranscriptLocation::File(file));
                main.bytes += bytes;
            }
        }
    }
}

/// Returns the name that Claude Code gives the folder of a project.
fn project_name(root: &Path) -> String {
    let path = root.to_string_lossy();
    path.chars().map(|one| if one.is_ascii_alphanumeric() { one } else { '-' }).collect()
}

fn is_transcript(name: &str) -> bool {
    name.ends_with(".jsonl") || name.ends_with(".json")
}

/// Returns the folders in a folder, links left out.
fn folders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().take(ENTRIES).flatten();
    let is_folder = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    let mut found: Vec<PathBuf> = entries.filter(is_folder).map(|entry| entry.path()).collect();
    found.sort();
    found
}

/// Returns the files below a folder with such names, in the order of their paths. Links are not followed.
fn files_below(folder: &Path, depth: usize, is_meant: &dyn Fn(&str) -> bool) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut left = vec![(folder.to_owned(), depth)];
    let mut seen = 0;
    while let Some((folder, depth)) = left.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            seen += 1;
            if seen > ENTRIES {
                break;
            }
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() && depth > 1 {
                left.push((entry.path(), depth - 1));
            } else if entry.file_name().to_str().is_some_and(is_meant) && !kind.is_dir() {
                files.push(entry.path());
            }
        }
    }
    files.sort();
    files
}

/// Orders candidates by the time at which they begin, newest first.
pub(super) fn newest_first(candidates: &mut [Candidate]) {
    candidates.sort_by(|a, b| (b.at, &b.name).cmp(&(a.at, &a.name)));
}

/// Keeps one transcript of each session: clients' own come before copies, larger ones before smaller.
pub(super) fn without_copies(mut candidates: Vec<Candidate>) -> Vec<Candidate> {
    let rank = |candidate: &Candidate| (candidate.source, std::cmp::Reverse(candidate.bytes));
    candidates.sort_by_key(rank);
    let mut kept: Vec<Candidate> = Vec::new();
    for candidate in candidates {
        let is_copy =
            |other: &Candidate| other.session.is_some() && other.session == candidate.session;
        if !kept.iter().any(is_copy) {
            kept.push(candidate);
        }
    }
    kept
}
