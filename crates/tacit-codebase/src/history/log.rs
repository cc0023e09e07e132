//! The log of a repository as git prints it, as values. The bytes may be anything: what cannot be
//! understood is passed over.

/// What a commit did to a file. Copies are additions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileChange {
    /// It was not there before.
    Added(String),
    /// It was there before.
    Modified(String),
    /// It is gone.
    Deleted(String),
    /// It has another name, and perhaps other contents.
    Renamed {
        /// The name before.
        from: String,
        /// The name since.
        to: String,
    },
}

/// A commit with one parent or none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LoggedCommit {
    /// Its name, in hexadecimal digits.
    pub id: String,
    /// When it was made, in seconds since 1970.
    pub at: i64,
    /// What it says about itself.
    pub message: String,
    /// What it did.
    pub changes: Vec<FileChange>,
    /// Files it touched whose names are no UTF-8: they cannot be named, so they are only counted.
    pub unnameable: u32,
}

/// Begins the record of a commit; see `tacit_git::read_log` for the form.
const COMMIT: u8 = 2;

/// Reads what git printed: for each commit its name, time and message, then the raw differences,
/// everything closed by a zero byte.
#[must_use]
pub fn parse_log(bytes: &[u8]) -> Vec<LoggedCommit> {
    let mut commits: Vec<LoggedCommit> = Vec::new();
    let mut tokens = bytes.split(|byte| *byte == 0);
    while let Some(token) = tokens.next() {
        let token = token.strip_prefix(b"\n").unwrap_or(token);
        match token.first() {
            Some(&COMMIT) => {
                let (Some(at), Some(message)) = (tokens.next(), tokens.next()) else { break };
                commits.push(LoggedCommit {
                    id: text(&token[1..]),
                    at: text(at).trim().parse().unwrap_or(0),
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
            (Some(from), Some(to)) => Some(FileChange::Renamed { from, to }),
            (None, Some(to)) => Some(FileChange::Added(to)),
            (Some(from), None) => Some(FileChange::Deleted(from)),
            (None, None) => None,
        },
        (b'C', Some(to)) => name(to).map(FileChange::Added),
        (b'A', _) => name(path).map(FileChange::Added),
        (b'D', _) => name(path).map(FileChange::Deleted),
        // Contents, or the kind of file.
        _ => name(path).map(FileChange::Modified),
    };
    match change {
        Some(change) => commit.changes.push(change),
        None => commit.unnameable += 1,
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
