//! Files that are always read for work in a module, or that the task is surely about, read
//! beforehand: never one from outside the
//! project, and of each only its beginning.

use std::path::Path;

use tacit_core::{BuiltinType, Confidence, Details, PrefetchPattern, RepoPath};
use tacit_engine::{Engine, EngineResult, StoreScope};
use tacit_store::{Filter, ListOrder};

use super::BriefingRequest;

/// How many files are read.
const MOST_FILES: usize = 5;
/// How many characters of each.
const MOST_CHARS: usize = 3_000;
/// What follows what was cut.
const CUT: &str = "\n... [truncated]";
/// How sure a pattern must be.
const CONFIDENCE: f64 = 0.7;
/// How many patterns are looked at.
const LOOKED_AT: usize = 200;

/// A file that was read beforehand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrefetchedFile {
    /// Which.
    pub file: RepoPath,
    /// How it begins, without secrets.
    pub text: String,
    /// Whether that is not all.
    pub truncated: bool,
}

/// The files that the surest pattern for the modules and files at hand names, and those that the
/// task is surely about.
pub(super) fn files(
    engine: &Engine<'_>,
    request: &BriefingRequest<'_>,
) -> EngineResult<Vec<PrefetchedFile>> {
    let mut files = always_read(engine, request)?;
    for likely in request.likely {
        if files.len() < MOST_FILES && files.iter().all(|file| file.file != *likely) {
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
    for found in engine.list(project, &filter, ListOrder::Confidence, LOOKED_AT, 0)? {
        if let Details::PrefetchPattern(pattern) = found.memory.body.subject.details()
            && concerns(pattern, request.files, request.modules)
        {
            let files = pattern.always_read_files.iter().take(MOST_FILES);
            return Ok(files.filter_map(|file| read(request.root, file)).collect());
        }
    }
    Ok(Vec::new())
}

/// Whether a pattern is about one of these modules, or about a file of its module.
fn concerns(pattern: &PrefetchPattern, files: &[RepoPath], modules: &[String]) -> bool {
    let module = pattern.module_trigger.trim_end_matches('/');
    let inside = |file: &RepoPath| {
        let below = file.as_str().strip_prefix(module).is_some_and(|rest| rest.starts_with('/'));
        let directories = file.as_str().rsplit_once('/').map_or("", |(directories, _)| directories);
        below || directories.split('/').any(|directory| directory == module)
    };
    modules.iter().any(|named| named.trim_end_matches('/') == module) || files.iter().any(inside)
}

/// The beginning of a file; none if it is gone, not text, or leads out of the project.
fn read(root: &Path, file: &RepoPath) -> Option<PrefetchedFile> {
    let root = root.canonicalize().ok()?;
    let path = root.join(file.as_str()).canonicalize().ok()?;
    if !path.starts_with(&root) {
        return None;
    }
    // A character takes at most four bytes; one more tells that there is more.
    let most = MOST_CHARS as u64 * 4 + 4;
    let bytes = tacit_fs::read_start_following(&path, most).ok()?;
    let text = match std::str::from_utf8(&bytes) {
        Ok(text) => text,
        // The last character may be cut in half.
        Err(error) if bytes.len() - error.valid_up_to() < 4 => {
            std::str::from_utf8(&bytes[..error.valid_up_to()]).ok()?
        }
        Err(_) => return None,
    };
    if text.contains('\0') {
        return None;
    }
    let truncated = text.chars().nth(MOST_CHARS).is_some();
    let clean = tacit_redact::redact(text).text;
    let mut text: String = clean.chars().take(MOST_CHARS).collect();
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
    fn a_pattern_is_for_its_module_and_what_lies_in_it() {
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
            let found = concerns(&pattern(module), &files, &[named.to_owned()]);
            assert_eq!(found, expected, "{module} {file} {named}");
        }
    }

    #[test]
    fn nothing_outside_the_project_is_read_and_no_more_than_the_beginning() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("project");
        std::fs::create_dir(&root).unwrap();
        std::fs::write(directory.path().join("secret"), "outside").unwrap();
        let at = "x".repeat(MOST_CHARS);
        for (name, bytes) in [
            ("below", "é".repeat(MOST_CHARS - 1).into_bytes()),
            ("at", at.clone().into_bytes()),
            ("above", format!("{at}y").into_bytes()),
            ("large", "é".repeat(MOST_CHARS * 10).into_bytes()),
            ("binary", vec![0xff, 0xfe, 0, 1, 2, 3, 4, 5]),
            ("key", b"token = ghp_0123456789abcdefghijABCDEFGHIJ012345".to_vec()),
        ] {
            std::fs::write(root.join(name), bytes).unwrap();
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink("../secret", root.join("link")).unwrap();
        let read = |name: &str| read(&root, &name.parse().unwrap());
        for (name, chars, truncated) in [
            ("below", MOST_CHARS - 1, false),
            ("at", MOST_CHARS, false),
            ("above", MOST_CHARS + CUT.len(), true),
            ("large", MOST_CHARS + CUT.len(), true),
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
