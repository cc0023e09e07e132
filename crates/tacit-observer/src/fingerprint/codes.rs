//! Codes that tools give to errors.

/// The names of errors of the system and of package managers.
const NAMES: [&str; 36] = [
    "EACCES",
    "EADDRINUSE",
    "EADDRNOTAVAIL",
    "EAGAIN",
    "EAI_AGAIN",
    "EBADENGINE",
    "EBADF",
    "EBADPLATFORM",
    "EBUSY",
    "ECONNABORTED",
    "ECONNREFUSED",
    "ECONNRESET",
    "EEXIST",
    "EHOSTUNREACH",
    "EINTEGRITY",
    "EINVAL",
    "EIO",
    "EISDIR",
    "EJSONPARSE",
    "ELIFECYCLE",
    "ELOOP",
    "EMFILE",
    "ENETUNREACH",
    "ENOENT",
    "ENOMEM",
    "ENOSPC",
    "ENOTDIR",
    "ENOTEMPTY",
    "ENOTFOUND",
    "ENOTSUP",
    "EPERM",
    "EPIPE",
    "ERESOLVE",
    "EROFS",
    "ETIMEDOUT",
    "EXDEV",
];

/// Letters before a number that make a code of it, and how many digits it can have.
const NUMBERED: [(&str, usize, usize); 10] = [
    ("E", 3, 4),
    ("TS", 4, 5),
    ("CS", 4, 4),
    ("C", 4, 4),
    ("LNK", 4, 4),
    ("SC", 4, 4),
    ("NU", 4, 4),
    ("P", 4, 4),
    ("ORA-", 5, 5),
    ("MSB", 4, 4),
];

/// Returns true if a word is a code whose digits or letters must be kept.
pub(super) fn is_code(word: &str) -> bool {
    let is_name = NAMES.contains(&word)
        || word.strip_prefix("ERR_").is_some_and(|rest| {
            rest.len() > 2 && rest.bytes().all(|b| b.is_ascii_uppercase() || b == b'_')
        });
    is_name
        || NUMBERED.iter().any(|(letters, fewest, most)| {
            word.strip_prefix(letters).is_some_and(|digits| {
                (*fewest..=*most).contains(&digits.len())
                    && digits.bytes().all(|byte| byte.is_ascii_digit())
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_codes_are_recognised() {
        for code in ["E0308", "TS2345", "ENOENT", "ERR_MODULE_NOT_FOUND", "E501", "ORA-00942"] {
            assert!(is_code(code), "{code}");
        }
        for word in ["ERROR", "ENVIRONMENT", "E12345", "TS1", "P12", "ERR_", "42P01"] {
            assert!(!is_code(word), "{word}");
        }
    }
}
