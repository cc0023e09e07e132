//! Files that the commands of a line read.

use crate::git_commits::program;
use crate::shell::simple_commands;

/// The most files of a line.
const MAX_FILES: usize = 8;

/// A program that prints files or parts of them.
struct FileReader {
    name: &'static str,
    /// Short options that take the next word, if they are the last letter of their word.
    letters: &'static str,
    /// Long options that take the next word.
    options: &'static [&'static str],
    /// Options that stand for the first operand, which is not a file: a pattern or a script. Without
    /// any, all operands are files.
    pattern: Option<&'static str>,
}

const fn reader(name: &'static str, letters: &'static str) -> FileReader {
    FileReader { name, letters, options: &[], pattern: None }
}

const READERS: [FileReader; 20] = [
    reader("cat", ""),
    reader("tac", ""),
    reader("nl", "bdfhilnsvw"),
    reader("head", "nc"),
    reader("tail", "nc"),
    reader("less", "pPtTx"),
    reader("more", "n"),
    BAT,
    FileReader { name: "batcat", ..BAT },
    SED,
    FileReader { name: "gsed", ..SED },
    AWK,
    FileReader { name: "gawk", ..AWK },
    FileReader { name: "mawk", ..AWK },
    GREP,
    FileReader { name: "egrep", ..GREP },
    FileReader { name: "fgrep", ..GREP },
    FileReader { name: "zgrep", ..GREP },
    FileReader { name: "rg", letters: "ABCmefgtTrjEM", ..GREP },
    FileReader { name: "ag", ..GREP },
];
const BAT: FileReader = FileReader {
    options: &["--line-range", "--language", "--style", "--theme", "--highlight-line"],
    ..reader("bat", "rlHm")
};
const SED: FileReader = FileReader {
    options: &["--expression", "--file", "--line-length"],
    pattern: Some("ef"),
    ..reader("sed", "efl")
};
const AWK: FileReader = FileReader {
    options: &["--file", "--assign", "--field-separator"],
    pattern: Some("f"),
    ..reader("awk", "Fvf")
};
const GREP: FileReader = FileReader {
    options: &["--regexp", "--file", "--glob", "--type", "--max-count", "--context", "--replace"],
    pattern: Some("ef"),
    ..reader("grep", "ABCmefdD")
};

/// Returns the files that the commands of a line read, as written and below the directory that the
/// line changes to. Patterns of the shell and variables are left out.
///
/// ```
/// use tacit_observer::read_files;
/// assert_eq!(read_files("cd src && sed -n '1,20p' pool.rs | head -5"), ["src/pool.rs"]);
/// assert_eq!(read_files("rg -n 'fn main' src/main.rs build.rs"), ["src/main.rs", "build.rs"]);
/// assert!(read_files("cargo test | tail -5").is_empty());
/// ```
pub fn read_files(line: &str) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    let mut directory = String::new();
    for words in simple_commands(line) {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let Some((name, args)) = program(&words) else { continue };
        if let ("cd" | "pushd", [to, ..]) = (name, args) {
            directory = join(&directory, to);
        }
        let Some(reader) = READERS.iter().find(|reader| reader.name == name) else { continue };
        for file in reader.files(args) {
            let file = join(&directory, file);
            if files.len() < MAX_FILES && !files.contains(&file) {
                files.push(file);
            }
        }
    }
    files
}

impl FileReader {
    /// Returns the operands that are files.
    fn files<'a>(&self, args: &[&'a str]) -> Vec<&'a str> {
        let mut operands = Vec::new();
        let mut needs_pattern = self.pattern.is_some();
        let mut args = args.iter().copied();
        while let Some(word) = args.next() {
            if word == "--" {
                operands.extend(args);
                break;
            }
            if let Some(long) = word.strip_prefix("--") {
                let name = long.split('=').next().unwrap_or(long);
                // `sed --in-place` changes files.
                if name == "in-place" || name == "files" {
                    return Vec::new();
                }
                if matches!(name, "regexp" | "expression" | "file") {
                    needs_pattern = false;
                }
                if self.options.contains(&word) {
                    args.next();
                }
            } else if let Some(letters) = word.strip_prefix('-').filter(|rest| !rest.is_empty()) {
                if letters.starts_with('i') && self.name.ends_with("sed") {
                    return Vec::new();
                }
                // The rest of the word after such a letter is its value.
                let Some(at) = letters.find(|letter| self.letters.contains(letter)) else {
                    continue;
                };
                if self
                    .pattern
                    .is_some_and(|own| letters[at..].starts_with(|letter| own.contains(letter)))
                {
                    needs_pattern = false;
                }
                if at + 1 == letters.len() {
                    args.next();
                }
            } else if word != "-" && !word.starts_with('+') {
                operands.push(word);
            }
        }
        if needs_pattern && !operands.is_empty() {
            operands.remove(0);
        }
        let is_assignment = |word: &str| self.name.ends_with("awk") && word.contains('=');
        operands.retain(|word| !word.is_empty() && !word.contains(['*', '?', '$', '`', '{']));
        operands.retain(|word| !is_assignment(word));
        operands
    }
}

fn join(directory: &str, path: &str) -> String {
    if directory.is_empty() || path.starts_with(['/', '~']) {
        path.to_owned()
    } else {
        format!("{}/{path}", directory.trim_end_matches('/'))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn files_are_told_from_patterns_and_options() {
        let cases: [(&str, &[&str]); 32] = [
            ("cat a.rs b.rs", &["a.rs", "b.rs"]),
            ("cat -n 'my file.rs'", &["my file.rs"]),
            ("sudo cat a.rs | grep x", &["a.rs"]),
            ("head -20 a.rs", &["a.rs"]),
            ("head -n 20 a.rs", &["a.rs"]),
            ("head -n20 a.rs", &["a.rs"]),
            ("tail -c +5 a.rs", &["a.rs"]),
            ("tail +5 a.rs", &["a.rs"]),
            ("sed -n 1,5p a.rs", &["a.rs"]),
            ("sed -n -e 1p -e 2p a.rs", &["a.rs"]),
            ("sed -ne 1p a.rs", &["a.rs"]),
            ("sed -i s/a/b/ a.rs", &[]),
            ("sed --in-place s/a/b/ a.rs", &[]),
            ("sed 's/a/b/'", &[]),
            ("awk '{print $1}' a.txt", &["a.txt"]),
            ("awk -F, -v n=3 '{print}' n=4 a.txt", &["a.txt"]),
            ("awk -f prog.awk a.txt", &["a.txt"]),
            ("grep -rn 'fn x' src/a.rs", &["src/a.rs"]),
            ("grep -A 3 x a.rs", &["a.rs"]),
            ("grep -nA3 x a.rs", &["a.rs"]),
            ("grep -e x -e y a.rs", &["a.rs"]),
            ("grep x *.rs", &[]),
            ("grep x", &[]),
            ("rg -t rust -g '*.rs' x a.rs b.rs", &["a.rs", "b.rs"]),
            ("rg --files src", &[]),
            ("rg -n x -- -a.rs", &["-a.rs"]),
            ("bat -r 1:20 --style plain a.rs", &["a.rs"]),
            ("less +/x a.rs", &["a.rs"]),
            ("nl -ba a.rs", &["a.rs"]),
            ("cd a && cat b.rs; cat /c.rs", &["a/b.rs", "/c.rs"]),
            ("cat $FILE", &[]),
            ("echo cat a.rs; git show HEAD:a.rs; cat > a.rs", &[]),
        ];
        for (line, expected) in cases {
            assert_eq!(read_files(line), expected, "{line}");
        }
        let many = (0..40).map(|number| format!("f{number}")).collect::<Vec<_>>().join(" ");
        assert_eq!(read_files(&format!("cat {many}")).len(), MAX_FILES);
    }

    proptest! {
        #[test]
        fn any_line_is_accepted(line in r#"(cat|sed|grep|-e|-é|--|[a-z '"$();|=/é\n\\-]){0,40}"#) {
            prop_assert!(read_files(&line).len() <= MAX_FILES);
        }
    }
}
