//! Sessions that the tool Entire keeps in git: a tree per checkpoint, with transcripts.
//!
//! A checkpoint is a folder of the branch `entire/checkpoints/v1`, or the tree of a reference below
//! `refs/entire/checkpoints`; either may also come from a remote. Its folders `0`, `1`, … are sessions, with
//! `metadata.json` and `full.jsonl`; a long transcript goes on in `full.jsonl.001` and so on. Subagents
//! are in `tasks/ID/agent-ID.jsonl`. The transcript of a session is whole in each of its checkpoints, or, in
//! those of older versions, begins where the checkpoint before ended; so all of them are read.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use tacit_agents::transcripts::{TranscriptHead, TranscriptPlace};
use tacit_core::{SessionId, Timestamp};
use tacit_git::TreeFile;

use super::TranscriptSource;
use super::candidate::{Candidate, LARGEST, ProjectRoots, TranscriptLocation};
use super::sources::FoundTranscripts;
use crate::app::App;

/// The references that hold checkpoints.
const PATTERNS: [&str; 4] = [
    "refs/heads/entire/checkpoints/v1",
    "refs/remotes/*/entire/checkpoints/v1",
    "refs/entire/checkpoints/**",
    "refs/remotes/*/entire/checkpoints/**",
];
/// The most references that are read.
const REFERENCES: usize = 5_000;
/// The most transcripts whose metadata is read.
const TRANSCRIPTS: usize = 20_000;
/// The largest metadata of a session, in bytes.
const METADATA: u64 = 1024 * 1024;
const TRANSCRIPT: &str = "full.jsonl";

/// A session in a checkpoint.
#[derive(Debug, Default)]
struct Kept {
    metadata: Option<String>,
    /// The parts of the transcript, by name.
    parts: BTreeMap<String, String>,
    helpers: Vec<String>,
    bytes: u64,
}

/// The fields of a session's metadata that are needed.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Metadata {
    session_id: String,
    created_at: Option<String>,
    files_touched: Vec<String>,
}

/// A session in all its checkpoints.
#[derive(Debug, Default)]
struct KeptSession {
    /// The blobs of the checkpoints, with their times and sizes.
    checkpoints: Vec<(Option<Timestamp>, u64, Vec<String>)>,
    helpers: Vec<String>,
    files_touched: Vec<String>,
}

/// Finds the sessions that Entire keeps in this repository.
pub(super) fn find(app: &App, roots: &ProjectRoots) -> FoundTranscripts {
    let mut found = FoundTranscripts::default();
    if app.repository.is_none() {
        return found;
    }
    let root = app.worktree();
    let references = match tacit_git::references(root, &PATTERNS, REFERENCES) {
        Ok(references) => references,
        Err(error) => {
            found.skip(root, &error.to_string());
            return found;
        }
    };
    let mut commits: Vec<&str> = Vec::new();
    let mut known: BTreeMap<String, KeptSession> = BTreeMap::new();
    let mut read = 0;
    for reference in &references {
        if commits.contains(&reference.commit.as_str()) {
            continue;
        }
        commits.push(&reference.commit);
        let files = match tacit_git::tree_files(root, &reference.commit) {
            Ok(files) => files,
            Err(error) => {
                found.skip(Path::new(&reference.name), &error.to_string());
                continue;
            }
        };
        for kept in sessions(&files) {
            read += 1;
            let blob = kept.metadata.as_ref().filter(|_| read <= TRANSCRIPTS);
            let Some(blob) = blob else { continue };
            let bytes = tacit_git::read_blob(root, blob, METADATA).unwrap_or_default();
            let metadata: Metadata = serde_json::from_slice(&bytes).unwrap_or_default();
            if !metadata.session_id.is_empty() {
                known.entry(metadata.session_id.clone()).or_default().add(kept, metadata);
            }
        }
    }
    for (session, kept) in known {
        match candidate(app, roots, &session, kept) {
            Ok(candidate) => found.candidates.extend(candidate),
            Err(why) => found.skip(Path::new(&format!("Entire session {session}")), &why),
        }
    }
    found
}

impl KeptSession {
    fn add(&mut self, kept: Kept, metadata: Metadata) {
        let parts: Vec<String> = kept.parts.into_values().collect();
        // The same checkpoint may be on the branch and below a reference.
        if self.checkpoints.iter().any(|(_, _, known)| *known == parts) {
            return;
        }
        let at = metadata.created_at.and_then(|at| at.parse().ok());
        self.checkpoints.push((at, kept.bytes, parts));
        for helper in kept.helpers {
            if !self.helpers.contains(&helper) {
                self.helpers.push(helper);
            }
        }
        self.files_touched.extend(metadata.files_touched);
    }
}

/// Returns the sessions in the tree of a checkpoint, or of a branch with many.
fn sessions(files: &[TreeFile]) -> Vec<Kept> {
    let mut found: BTreeMap<&str, Kept> = BTreeMap::new();
    let mut tasks: Vec<(&str, &TreeFile)> = Vec::new();
    for file in files {
        let Some((folder, name)) = file.path.rsplit_once('/') else { continue };
        if let Some((checkpoint, _)) = folder.split_once("tasks/") {
            if name.starts_with("agent-") && name.ends_with(".jsonl") {
                tasks.push((checkpoint.trim_end_matches('/'), file));
            }
            continue;
        }
        let number = folder.rsplit('/').next().unwrap_or_default();
        if !number.bytes().all(|byte| byte.is_ascii_digit()) {
            continue;
        }
        if name == "metadata.json" {
            found.entry(folder).or_default().metadata = Some(file.blob.clone());
        } else if name == TRANSCRIPT || is_part(name) {
            let kept = found.entry(folder).or_default();
            kept.parts.insert(name.to_owned(), file.blob.clone());
            kept.bytes += file.size;
        }
    }
    for (checkpoint, file) in tasks {
        // Whose subagent it is, its lines tell; those of other sessions are dropped with them.
        for (folder, kept) in &mut found {
            let parent = folder.rsplit_once('/').map_or("", |(parent, _)| parent);
            if parent == checkpoint || *folder == checkpoint {
                kept.helpers.push(file.blob.clone());
            }
        }
    }
    found.into_values().filter(|kept| !kept.parts.is_empty()).collect()
}

fn is_part(name: &str) -> bool {
    let number = name.strip_prefix(TRANSCRIPT).and_then(|rest| rest.strip_prefix('.'));
    number.is_some_and(|number| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

fn candidate(
    app: &App,
    roots: &ProjectRoots,
    session: &str,
    mut kept: KeptSession,
) -> Result<Option<Candidate>, String> {
    kept.checkpoints.sort();
    let bytes = kept.checkpoints.iter().map(|(_, bytes, _)| bytes).sum();
    if bytes > LARGEST {
        return Err(format!("it is larger than {} MB", LARGEST / 1024 / 1024));
    }
    let mut parts: Vec<String> = Vec::new();
    for part in kept.checkpoints.iter().flat_map(|(_, _, parts)| parts) {
        if !parts.contains(part) {
            parts.push(part.clone());
        }
    }
    let Some(first) = parts.first() else { return Ok(None) };
    let start = tacit_git::read_blob(app.worktree(), first, LARGEST).map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&start);
    let Some(head) = TranscriptHead::read(&text) else {
        return Err("its transcript is in no form that Tacit reads".to_owned());
    };
    let foreign_root = match &head.place {
        TranscriptPlace::Directory(directory) if !roots.contain(Path::new(directory)) => {
            Some(foreign_root(directory, &text, &kept.files_touched))
        }
        _ => None,
    };
    if head.is_document {
        // A document holds all of its session.
        let last = kept.checkpoints.iter().max_by_key(|(_, bytes, _)| *bytes);
        parts = last.map(|(_, _, parts)| parts.clone()).unwrap_or_default();
    }
    let Some(at) = head.at else { return Err("no line has a time".to_owned()) };
    let named = head.session.or_else(|| SessionId::new(session).ok());
    Ok(Some(Candidate {
        source: TranscriptSource::Entire,
        name: format!("Entire session {session}"),
        form: head.form,
        session: named,
        at,
        main: TranscriptLocation::Blobs(parts),
        helpers: kept
            .helpers
            .into_iter()
            .map(|blob| TranscriptLocation::Blobs(vec![blob]))
            .collect(),
        foreign_root,
        bytes,
    }))
}

/// Returns the directory of the project on the machine of the session. It may have begun in a folder of
/// the project: then one of the files that it changed is named below a parent of that folder.
fn foreign_root(directory: &str, text: &str, touched: &[String]) -> String {
    let directory = directory.trim_end_matches('/');
    let parents = Path::new(directory).ancestors().filter_map(Path::to_str);
    let parents = parents.filter(|parent| parent.matches('/').count() > 1);
    for parent in parents {
        if touched.iter().take(20).any(|file| text.contains(&format!("{parent}/{file}\""))) {
            return parent.to_owned();
        }
    }
    directory.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, size: u64) -> TreeFile {
        TreeFile { path: path.to_owned(), blob: path.to_owned(), size }
    }

    #[test]
    fn sessions_of_both_layouts_are_found() {
        let names = |files: &[&str]| -> Vec<(usize, usize)> {
            let files: Vec<TreeFile> = files.iter().map(|path| file(path, 1)).collect();
            let found = sessions(&files);
            found.iter().map(|kept| (kept.parts.len(), kept.helpers.len())).collect()
        };
        for (files, expected) in [
            (&["30/e81e82f6ba/0/full.jsonl", "30/e81e82f6ba/0/metadata.json"][..], vec![(1, 0)]),
            (&["0/full.jsonl", "1/full.jsonl", "metadata.json"], vec![(1, 0), (1, 0)]),
            (&["0/full.jsonl", "0/full.jsonl.001", "0/full.jsonl.x"], vec![(2, 0)]),
            (&["ab/cd/0/full.jsonl", "ab/cd/tasks/t1/agent-a.jsonl"], vec![(1, 1)]),
            (&["0/metadata.json", "0/prompt.txt", "full.jsonl"], vec![]),
        ] {
            assert_eq!(names(files), expected, "{files:?}");
        }
    }

    #[test]
    fn the_root_is_the_folder_above_the_changed_files() {
        let text = r#"{"file_path":"/Users/a/code/cli/cmd/main.go"}"#;
        let touched = ["cmd/main.go".to_owned()];
        for (directory, expected) in [
            ("/Users/a/code/cli", "/Users/a/code/cli"),
            ("/Users/a/code/cli/cmd/", "/Users/a/code/cli"),
            ("/Users/a/other", "/Users/a/other"),
        ] {
            assert_eq!(foreign_root(directory, text, &touched), expected);
        }
    }
}
