//! Parses the git log. Any bytes are accepted; what cannot be understood is skipped.

/// The change of a file in a commit. Copies are additions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommittedChange {
    /// A new file, at this path.
    Added(String),
    /// A file whose content changed.
    Modified(String),
    /// A deleted file, at its last path.
    Deleted(String),
    /// Renamed, perhaps with changes.
    Renamed {
        /// The old path.
        from: String,
        /// The new path.
        to: String,
    },
}

/// A commit with at most one parent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LoggedCommit {
    /// The full hash in hexadecimal digits.
    pub id: String,
    /// The commit time, in seconds since 1970.
    pub at: i64,
    /// The name of the author, as git has it.
    pub author: String,
    /// The commit message.
    pub message: String,
    /// The changed files.
    pub changes: Vec<CommittedChange>,
    /// The number of files with names that are not UTF-8, which are only counted.
    pub unnameable: u32,
}

/// Marks the record of a commit; see `tacit_git::read_log` for the format.
const COMMIT: u8 = 2;

/// Parses the output of git: for each commit its hash, time, author and message, then the raw diff, all
/// terminated by zero bytes.
#[must_use]
pub fn parse_log(bytes: &[u8]) -> Vec<LoggedCommit> {
    let mut commits: Vec<LoggedCommit> = Vec::new();
    let mut tokens = bytes.split(|byte| *byte == 0);
    while let Some(token) = tokens.next() {
        let token = token.strip_prefix(b"\n").unwrap_or(token);
        match token.first() {
            Some(&COMMIT) => {
                let (Some(at), Some(author), Some(message)) =
                    (tokens.next(), tokens.next(), tokens.next())
                else {
                    break;
                };
                commits.push(LoggedCommit {
                    id: text(&token[1..]),
                    at: text(at).trim().parse().unwrap_or(0),
                    author: text(author),
                    message: text(message).trim().to_owned(),
                    ..LoggedCommit::default()
                });
            }
            Some(b':') => {
                let status = token.rsplit(|byte| *byte == b' ').next().and_then(<[u8]>::first);
                let Some(path) = tokens.next() else { break };
                let second = match status {
                    Some(b'R' | b'C') => tokens.next(),
                    _ => None,
                };
                if let (Some(commit), Some(status)) = (commits.last_mut(), status) {
                    take(commit, *status, path, second);
                }
            }
            _ => {}
        }
    }
    commits
}

fn take(commit: &mut LoggedCommit, status: u8, path: &[u8], second: Option<&[u8]>) {
    let name = |bytes: &[u8]| {
        let name = std::str::from_utf8(bytes).ok()?;
        (!name.is_empty()).then(|| name.to_owned())
    };
    let change = match (status, second) {
        (b'R', Some(to)) => match (name(path), name(to)) {
            (Some(from), Some(to)) => Some(CommittedChange::Renamed { from, to }),
            (None, Some(to)) => Some(CommittedChange::Added(to)),
            (Some(from), None) => Some(CommittedChange::Deleted(from)),
            (None, None) => None,
        },
        (b'C', Some(to)) => name(to).map(CommittedChange::Added),
        (b'A', _) => name(path).map(CommittedChange::Added),
        (b'D', _) => name(path).map(CommittedChange::Deleted),
        // A change of content or of the file type.
        _ => name(path).map(CommittedChange::Modified),
    };
    match change {
        Some(change) => commit.changes.push(change),
        None => commit.unnameable += 1,
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
