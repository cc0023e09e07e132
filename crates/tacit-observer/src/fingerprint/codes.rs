//! Codes that tools give to errors.

const MOST: usize = 8;

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

pub(super) fn find(text: &str) -> Vec<String> {
    let mut codes: Vec<String> = Vec::new();
    let mut words = text
        .split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'))
        .filter(|word| !word.is_empty());
    let mut before = ["", ""];
    while let Some(word) = words.next().filter(|_| codes.len() < MOST) {
        let code = if is_code(word) {
            Some(word.to_owned())
        } else if is_sqlstate(before[1], word) {
            Some(format!("SQLSTATE {word}"))
        } else {
            exit_code(before, word).map(|code| format!("exit code {code}"))
        };
        if let Some(code) = code
            && !codes.contains(&code)
        {
            codes.push(code);
        }
        before = [before[1], word];
    }
    codes
}

/// Whether a word is a code whose digits or letters must be kept.
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

/// Drivers name the state; psql puts it behind `ERROR:`.
fn is_sqlstate(before: &str, word: &str) -> bool {
    let is_named = before == "SQLSTATE"
        || (before == "ERROR" && word.starts_with(|first: char| first.is_ascii_digit()));
    is_named
        && word.len() == 5
        && word.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase())
}

fn exit_code(before: [&str; 2], word: &str) -> Option<u32> {
    let [first, second] = before;
    let is_exit = (first.eq_ignore_ascii_case("exit") && matches!(second, "code" | "status"))
        || (first == "with" && matches!(second, "code" | "status"));
    word.parse().ok().filter(|code| is_exit && *code != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_in_texts() {
        let cases: [(&str, &[&str]); 12] = [
            ("error[E0308]: mismatched types; E0308 again", &["E0308"]),
            ("a.ts(1,2): error TS2345: Argument", &["TS2345"]),
            ("Error: ENOENT: no such file, open 'x'", &["ENOENT"]),
            ("SQLSTATE[23505]: Unique violation", &["SQLSTATE 23505"]),
            ("ERROR: duplicate key (SQLSTATE 42P01)", &["SQLSTATE 42P01"]),
            ("Exit code 101\nfailed", &["exit code 101"]),
            ("process exited with code 137", &["exit code 137"]),
            ("exit status 2", &["exit code 2"]),
            ("Exit code 0", &[]),
            ("[ERR_MODULE_NOT_FOUND] x", &["ERR_MODULE_NOT_FOUND"]),
            ("a.py:1:80: E501 line too long", &["E501"]),
            ("ERROR ENVIRONMENT E12345 TS1 P12", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(find(text), expected, "{text}");
        }
    }
}
