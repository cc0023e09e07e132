//! Splits command lines like a shell, just enough to find the programs they run.
//!
//! Variables and globs are not expanded. Quotes are removed; redirections, comments and the bodies of
//! here-documents are left out; a substitution stays in its word as written.

use std::ops::Range;

/// Maximum nesting of substitutions and quotes; deeper ones are read as plain text.
const MAX_DEPTH: usize = 32;

/// Returns the words of each simple command of a command line.
///
/// ```
/// let commands = tacit_observer::simple_commands("cd web && A=1 npm run 'my test' > log; ls # done");
/// assert_eq!(commands, [vec!["cd", "web"], vec!["A=1", "npm", "run", "my test"], vec!["ls"]]);
/// ```
pub fn simple_commands(line: &str) -> Vec<Vec<String>> {
    joined_commands(line).into_iter().map(|command| command.words).collect()
}

/// A simple command with the separator after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinedCommand {
    /// The words without quotes.
    pub words: Vec<String>,
    /// The bytes of each word in the line, quotes included.
    pub spans: Vec<Range<usize>>,
    /// The separator before the next command.
    pub separator: CommandSeparator,
}

/// The separator between two commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandSeparator {
    /// The end of the line.
    End,
    /// `;` or a newline: the next command always runs.
    Sequence,
    /// `&&`: the next command runs if this one succeeded.
    And,
    /// `||`: the next command runs if this one failed.
    Or,
    /// `|`: the next command reads the output of this one.
    Pipe,
    /// `&`: the command runs in the background.
    Background,
}

/// Returns the simple commands of a command line with their separators. The separator after a group
/// in brackets belongs to its last command.
///
/// ```
/// use tacit_observer::{CommandSeparator as Separator, joined_commands};
/// let separators: Vec<Separator> =
///     joined_commands("(make && b) | tail; c || true").iter().map(|command| command.separator).collect();
/// assert_eq!(
///     separators,
///     [Separator::And, Separator::Pipe, Separator::Sequence, Separator::Or, Separator::End]
/// );
/// ```
pub fn joined_commands(line: &str) -> Vec<JoinedCommand> {
    let mut reader = Reader::new(line);
    let mut commands: Vec<JoinedCommand> = vec![];
    let (mut words, mut spans) = (vec![], vec![]);
    while let Some(token) = reader.token() {
        match token {
            Token::Word(word, span) => {
                words.push(word);
                spans.push(span);
            }
            Token::Break(separator) if words.is_empty() => {
                if let (Some(separator), Some(last)) = (separator, commands.last_mut())
                    && last.separator == CommandSeparator::End
                {
                    last.separator = separator;
                }
            }
            Token::Break(separator) => {
                commands.push(JoinedCommand {
                    words: std::mem::take(&mut words),
                    spans: std::mem::take(&mut spans),
                    separator: separator.unwrap_or(CommandSeparator::End),
                });
            }
        }
    }
    if !words.is_empty() {
        commands.push(JoinedCommand { words, spans, separator: CommandSeparator::End });
    } else if let Some(last) = commands.last_mut()
        && last.separator == CommandSeparator::Sequence
    {
        last.separator = CommandSeparator::End;
    }
    commands
}

/// Returns the files that a command line redirects output to, as written.
///
/// ```
/// let files = tacit_observer::redirected_files("echo a > 'b c' 2>&1; x >>d &>e <f");
/// assert_eq!(files, ["b c", "d", "e"]);
/// ```
pub fn redirected_files(line: &str) -> Vec<String> {
    let mut reader = Reader::new(line);
    while reader.token().is_some() {}
    reader.written
}

enum Token {
    /// A word without its quotes, and its bytes in the line.
    Word(String, Range<usize>),
    /// The end of a command; `None` for a bracket, which does not separate commands.
    Break(Option<CommandSeparator>),
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Terminators of the here-documents that begin on the next line, and whether leading tabs are
    /// stripped.
    bodies: Vec<(Vec<u8>, bool)>,
    /// Targets of output redirections.
    written: Vec<String>,
}

impl<'a> Reader<'a> {
    fn new(line: &'a str) -> Reader<'a> {
        Reader { bytes: line.as_bytes(), at: 0, bodies: Vec::new(), written: Vec::new() }
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn token(&mut self) -> Option<Token> {
        loop {
            match self.peek(0)? {
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'\\' if self.peek(1) == Some(b'\n') => self.at += 2,
                b'#' => self.skip_line(),
                b'\n' => {
                    self.at += 1;
                    self.skip_bodies();
                    return Some(Token::Break(Some(CommandSeparator::Sequence)));
                }
                b'&' if self.peek(1) == Some(b'>') => self.redirection(),
                byte @ (b';' | b'&' | b'|' | b'(' | b')') => {
                    let twice = self.peek(1) == Some(byte);
                    let separator = match byte {
                        b'&' if twice => Some(CommandSeparator::And),
                        b'&' => Some(CommandSeparator::Background),
                        b'|' if twice => Some(CommandSeparator::Or),
                        b'|' => Some(CommandSeparator::Pipe),
                        b';' => Some(CommandSeparator::Sequence),
                        _ => None,
                    };
                    self.at += 1 + usize::from(twice && matches!(byte, b'&' | b'|'));
                    return Some(Token::Break(separator));
                }
                b'<' | b'>' => self.redirection(),
                _ => {
                    let start = self.at;
                    let word = self.word();
                    // A number before an arrow is a file descriptor, not a word of the command.
                    let stream = matches!(self.peek(0), Some(b'<' | b'>'))
                        && word.iter().all(u8::is_ascii_digit);
                    if !stream {
                        let word = String::from_utf8_lossy(&word).into_owned();
                        return Some(Token::Word(word, start..self.at));
                    }
                }
            }
        }
    }

    fn skip_line(&mut self) {
        while self.peek(0).is_some_and(|byte| byte != b'\n') {
            self.at += 1;
        }
    }

    /// Skips a redirection and records its target.
    fn redirection(&mut self) {
        if self.bytes[self.at..].starts_with(b"<<") && self.peek(2) != Some(b'<') {
            return self.here_document();
        }
        let start = self.at;
        while matches!(self.peek(0), Some(b'<' | b'>' | b'&' | b'|')) {
            self.at += 1;
        }
        let arrow = &self.bytes[start..self.at];
        let (writes, joins) = (arrow.contains(&b'>'), arrow.ends_with(b"&"));
        if self.peek(0) == Some(b'(') {
            self.at += 1;
            self.substitution(&mut Vec::new(), 0);
            return;
        }
        self.skip_blanks();
        let target = self.word();
        // After `>&`, a number or a hyphen is a file descriptor, not a file.
        let stream = joins && target.iter().all(|byte| byte.is_ascii_digit() || *byte == b'-');
        if writes && !stream && !target.is_empty() {
            self.written.push(String::from_utf8_lossy(&target).into_owned());
        }
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(0), Some(b' ' | b'\t')) {
            self.at += 1;
        }
    }

    fn here_document(&mut self) {
        self.at += 2;
        let tabs = self.peek(0) == Some(b'-');
        self.at += usize::from(tabs);
        self.skip_blanks();
        let end = self.word();
        if !end.is_empty() {
            self.bodies.push((end, tabs));
        }
    }

    /// Skips the bodies of pending here-documents; called at the beginning of a line.
    fn skip_bodies(&mut self) {
        for (end, tabs) in std::mem::take(&mut self.bodies) {
            while self.at < self.bytes.len() {
                let start = self.at;
                self.skip_line();
                let mut line = &self.bytes[start..self.at];
                self.at = (self.at + 1).min(self.bytes.len());
                while let (true, [b'\t', rest @ ..]) = (tabs, line) {
                    line = rest;
                }
                if line == end {
                    break;
                }
            }
        }
    }

    /// Reads a word up to a blank or an operator, without its quotes.
    fn word(&mut self) -> Vec<u8> {
        let mut word = Vec::new();
        while let Some(byte) = self.peek(0) {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>' => {
                    break;
                }
                b'\\' => self.escape(&mut word),
                b'\'' => self.single_quoted(&mut word),
                b'"' => self.double_quoted(&mut word, 0),
                b'`' => self.back_quoted(&mut word),
                b'$' if self.peek(1) == Some(b'(') => {
                    word.extend_from_slice(b"$(");
                    self.at += 2;
                    self.substitution(&mut word, 0);
                }
                _ => {
                    word.push(byte);
                    self.at += 1;
                }
            }
        }
        word
    }

    fn escape(&mut self, word: &mut Vec<u8>) {
        match self.peek(1) {
            Some(b'\n') | None => {}
            Some(byte) => word.push(byte),
        }
        self.at = (self.at + 2).min(self.bytes.len());
    }

    fn single_quoted(&mut self, word: &mut Vec<u8>) {
        self.at += 1;
        while let Some(byte) = self.peek(0) {
            self.at += 1;
            if byte == b'\'' {
                break;
            }
            word.push(byte);
        }
    }

    fn back_quoted(&mut self, word: &mut Vec<u8>) {
        word.push(b'`');
        self.at += 1;
        while let Some(byte) = self.peek(0) {
            self.at += 1;
            word.push(byte);
            if byte == b'`' {
                break;
            }
        }
    }

    fn double_quoted(&mut self, word: &mut Vec<u8>, depth: usize) {
        self.at += 1;
        while let Some(byte) = self.peek(0) {
            match byte {
                b'"' => {
                    self.at += 1;
                    return;
                }
                b'\\' if matches!(self.peek(1), Some(b'"' | b'\\' | b'$' | b'`' | b'\n')) => {
                    self.escape(word);
                }
                b'$' if self.peek(1) == Some(b'(') && depth < MAX_DEPTH => {
                    word.extend_from_slice(b"$(");
                    self.at += 2;
                    self.substitution(word, depth + 1);
                }
                _ => {
                    word.push(byte);
                    self.at += 1;
                }
            }
        }
    }

    /// Reads up to the closing bracket of a substitution, as written; called after the opening one.
    fn substitution(&mut self, word: &mut Vec<u8>, depth: usize) {
        let start = self.at;
        let mut open = 1_usize;
        let outer = std::mem::take(&mut self.bodies);
        let mut unquoted = Vec::new();
        while let Some(byte) = self.peek(0) {
            match byte {
                b'\\' => self.escape(&mut unquoted),
                b'\'' => self.single_quoted(&mut unquoted),
                b'"' if depth < MAX_DEPTH => self.double_quoted(&mut unquoted, depth + 1),
                b'<' if self.bytes[self.at..].starts_with(b"<<") && self.peek(2) != Some(b'<') => {
                    self.here_document();
                }
                b'\n' => {
                    self.at += 1;
                    self.skip_bodies();
                }
                _ => {
                    self.at += 1;
                    match byte {
                        b'(' => open += 1,
                        b')' => open -= 1,
                        _ => {}
                    }
                    if open == 0 {
                        break;
                    }
                }
            }
            unquoted.clear();
        }
        self.bodies = outer;
        word.extend_from_slice(&self.bytes[start..self.at]);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn command_lines_are_split_into_words() {
        let cases: [(&str, &[&[&str]]); 16] = [
            ("", &[]),
            ("  # nothing", &[]),
            ("a b;c|d&&e||f & g", &[&["a", "b"], &["c"], &["d"], &["e"], &["f"], &["g"]]),
            ("echo 'a; b' \"c && d\" e\\ f", &[&["echo", "a; b", "c && d", "e f"]]),
            ("echo '' \"\"", &[&["echo", "", ""]]),
            ("make 2>&1 | tee out.log", &[&["make"], &["tee", "out.log"]]),
            ("make &> log && x >>f <g", &[&["make"], &["x"]]),
            ("echo 2 > f", &[&["echo", "2"]]),
            ("(cd a && b)", &[&["cd", "a"], &["b"]]),
            ("echo $(a; b \"$(c)\") d", &[&["echo", "$(a; b \"$(c)\")", "d"]]),
            (
                "echo \"$(cat <<'E'\nit's ) \" here\nE\n)\" x",
                &[&["echo", "$(cat <<'E'\nit's ) \" here\nE\n)", "x"]],
            ),
            ("cat <<-END > f\n\tgit commit\n\tEND\nls", &[&["cat"], &["ls"]]),
            ("diff <(a b) <(c) -u", &[&["diff", "-u"]]),
            ("cat <<< 'word' && b", &[&["cat"], &["b"]]),
            ("a \\\n  b", &[&["a", "b"]]),
            ("echo `date; x` y", &[&["echo", "`date; x`", "y"]]),
        ];
        for (line, expected) in cases {
            assert_eq!(simple_commands(line), expected, "{line}");
        }
    }

    #[test]
    fn depth_is_bounded() {
        let deep = "\"$(".repeat(100_000);
        assert_eq!(simple_commands(&deep).len(), 1);
    }

    proptest! {
        #[test]
        fn any_line_is_accepted(line in r#"([a-z '"`$()<>&|;#\\\n-]|<<E|\$\(|é){0,80}"#) {
            for command in joined_commands(&line) {
                prop_assert!(!command.words.is_empty());
                prop_assert_eq!(command.words.len(), command.spans.len());
                for span in command.spans {
                    prop_assert!(line.get(span).is_some());
                }
            }
        }

        #[test]
        fn quoted_words_are_preserved(words in prop::collection::vec("[ -~é\n]{1,12}", 1..6)) {
            let line: Vec<String> =
                words.iter().map(|word| format!("'{}'", word.replace('\'', "'\\''"))).collect();
            prop_assert_eq!(simple_commands(&line.join(" ")), vec![words]);
        }
    }
}
