//! Files to read in advance: those that work in a module always reads, and those that the task
//! clearly names. Only the beginning of each is read, and none from outside the project.

use std::path::Path;

use tacit_core::{BuiltinType, Confidence, Details, PrefetchPattern, RepoPath};
use tacit_engine::{Engine, EngineResult, StoreScope};
use tacit_store::{Filter, ListOrder};

use super::BriefingRequest;

/// The maximum number of files read.
const MAX_FILES: usize = 5;
/// The maximum number of characters read of each file.
const MAX_CHARS: usize = 3_000;
/// Appended to a text that was cut.
const CUT: &str = "\n... [truncated]";
/// The least confidence of a prefetch pattern.
const CONFIDENCE: f64 = 0.7;
/// The maximum number of patterns examined.
const PATTERNS_EXAMINED: usize = 200;

/// A file that was read in advance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrefetchedFile {
    /// The path from the root of the worktree.
    pub file: RepoPath,
    /// The beginning, with secrets redacted.
    pub text: String,
    /// True if the file is longer than the text.
    pub truncated: bool,
}

/// Returns the files that the most confident matching pattern names, then those that the task
/// clearly names.
pub(super) fn files(
    engine: &Engine<'_>,
    request: &BriefingRequest<'_>,
) -> EngineResult<Vec<PrefetchedFile>> {
    let mut files = always_read(engine, request)?;
    for likely in request.likely {
        if files.len() < MAX_FILES && files.iter().all(|file| file.file != *likely) {
            files.extend(read(request.root, likely));
        }
    }
    Ok(files)
}

fn always_read(
    engine: &Engine<'_>,
    request: &BriefingRequest<'_>,
) -> EngineResult<Vec<PrefetchedFile>> {
    if request.files.is_empty() && request.modules.is_empty() {
        return Ok(Vec::new());
    }
    let filter = Filter {
        types: vec![BuiltinType::PrefetchPattern.into()],
        min_confidence: Confidence::new(CONFIDENCE).ok(),
        stale: Some(false),
        ..Filter::default()
    };
    let project = Some(StoreScope::Project);
    for found in engine.list(project, &filter, ListOrder::Confidence, PATTERNS_EXAMINED, 0)? {
        if let Details::PrefetchPattern(pattern) = found.memory.body.subject.details()
            && applies_to(pattern, request.files, request.modules)
        {
            let files = pattern.always_read_files.iter().take(MAX_FILES);
            return Ok(files.filter_map(|file| read(request.root, file)).collect());
        }
    }
    Ok(Vec::new())
}

/// Returns true if the pattern's module is among `modules` or contains one of the files.
fn applies_to(pattern: &PrefetchPattern, files: &[RepoPath], modules: &[String]) -> bool {
    let module = pattern.module_trigger.trim_end_matches('/');
    let inside = |file: &RepoPath| {
        let below = file.as_str().strip_prefix(module).is_some_and(|rest| rest.starts_with('/'));
        let directories = file.as_str().rsplit_once('/').map_or("", |(directories, _)| directories);
        below || directories.split('/').any(|directory| directory == module)
    };
    modules.iter().any(|named| named.trim_end_matches('/') == module) || files.iter().any(inside)
}

/// Reads the beginning of a file; `None` if it does not exist, is not text, or links out of the
/// project.
fn read(root: &Path, file: &RepoPath) -> Option<PrefetchedFile> {
    let root = root.canonicalize().ok()?;
    let path = root.join(file.as_str()).canonicalize().ok()?;
    if !path.starts_with(&root) {
        return None;
    }
    // A character takes at most four bytes; one character more shows that the file goes on.
    let max_bytes = MAX_CHARS as u64 * 4 + 4;
    let bytes = tacit_fs::read_start_following(&path, max_bytes).ok()?;
    let text = match std::str::from_utf8(&bytes) {
        Ok(text) => text,
        // The read limit may cut the last character.
        Err(error) if bytes.len() - error.valid_up_to() < 4 => {
            std::str::from_utf8(&bytes[..error.valid_up_to()]).ok()?
        }
        Err(_) => return None,
    };
    if text.contains('\0') {
        return None;
    }
    let truncated = text.chars().nth(MAX_CHARS).is_some();
    let clean = tacit_redact::redact(text).text;
    let mut text: String = clean.chars().take(MAX_CHARS).collect();
    if truncated {
        text.push_str(CUT);
    }
    Some(PrefetchedFile { file: file.clone(), text, truncated })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(module: &str) -> PrefetchPattern {
        PrefetchPattern {
            always_read_files: Vec::new(),
            frequently_read_files: Vec::new(),
            module_trigger: module.into(),
            session_count: 3,
        }
    }

    #[test]
    fn a_pattern_applies_to_its_module_and_the_files_inside() {
        for (module, file, named, expected) in [
            ("auth", "src/auth/token.rs", "", true),
            ("src/auth", "src/auth/token.rs", "", true),
            ("src/auth/", "src/auth/deep/token.rs", "", true),
            ("auth", "src/author/token.rs", "", false),
            ("src/auth", "src/authority.rs", "", false),
            ("token.rs", "src/auth/token.rs", "", false),
            ("auth", "README.md", "auth", true),
            ("auth", "README.md", "auth2", false),
        ] {
            let files = [file.parse().unwrap()];
            let found = applies_to(&pattern(module), &files, &[named.to_owned()]);
            assert_eq!(found, expected, "{module} {file} {named}");
        }
    }

    #[test]
    fn only_the_beginning_of_files_inside_the_project_is_read() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("project");
        std::fs::create_dir(&root).unwrap();
        std::fs::write(directory.path().join("secret"), "outside").unwrap();
        let at = "x".repeat(MAX_CHARS);
        for (name, bytes) in [
            ("below", "é".repeat(MAX_CHARS - 1).into_bytes()),
            ("at", at.clone().into_bytes()),
            ("above", format!("{at}y").into_bytes()),
            ("large", "é".repeat(MAX_CHARS * 10).into_bytes()),
            ("binary", vec![0xff, 0xfe, 0, 1, 2, 3, 4, 5]),
            ("key", b"token = ghp_0123456789abcdefghijABCDEFGHIJ012345".to_vec()),
        ] {
            std::fs::write(root.join(name), bytes).unwrap();
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink("../secret", root.join("link")).unwrap();
        let read = |name: &str| read(&root, &name.parse().unwrap());
        for (name, chars, truncated) in [
            ("below", MAX_CHARS - 1, false),
            ("at", MAX_CHARS, false),
            ("above", MAX_CHARS + CUT.len(), true),
            ("large", MAX_CHARS + CUT.len(), true),
        ] {
            let file = read(name).unwrap();
            assert_eq!((file.text.chars().count(), file.truncated), (chars, truncated), "{name}");
        }
        for name in ["link", "binary", "gone", "."] {
            if let Ok(path) = name.parse() {
                assert_eq!(super::read(&root, &path), None, "{name}");
            }
        }
        assert!(!read("key").unwrap().text.contains("0123456789"));
    }
}
