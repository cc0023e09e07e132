//! Reading a command line as a shell would split it: far enough to tell which programs it runs.
//!
//! Nothing is expanded. Quotes are taken off; redirections, comments and the bodies of here-documents
//! are left out; a substitution stays in its word as it was written.

/// Substitutions inside quotes inside substitutions are followed this deep; what is deeper is read
/// as plain text.
const DEEPEST: usize = 32;

/// The simple commands of a command line, each as its words.
///
/// ```
/// let commands = tacit_observer::simple_commands("cd web && A=1 npm run 'my test' > log; ls # done");
/// assert_eq!(commands, [vec!["cd", "web"], vec!["A=1", "npm", "run", "my test"], vec!["ls"]]);
/// ```
pub fn simple_commands(line: &str) -> Vec<Vec<String>> {
    joined_commands(line).into_iter().map(|command| command.words).collect()
}

/// A simple command, and what stands between it and the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinedCommand {
    /// Its words.
    pub words: Vec<String>,
    /// What follows it.
    pub separator: CommandSeparator,
}

/// What stands between two commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandSeparator {
    /// Nothing: it is the last.
    End,
    /// `;` or the end of a line: the next runs whatever came of this one.
    Sequence,
    /// `&&`: the next runs if this one succeeded.
    And,
    /// `||`: the next runs if this one failed.
    Or,
    /// `|`: the next reads what this one prints.
    Pipe,
    /// `&`: nobody waits for it.
    Background,
}

/// The simple commands of a command line with what joins them. What follows a group in brackets
/// follows its last command.
///
/// ```
/// use tacit_observer::{Joint, joined_commands};
/// let joints: Vec<Joint> =
///     joined_commands("(make && b) | tail; c || true").iter().map(|command| command.joint).collect();
/// assert_eq!(joints, [Joint::And, Joint::Pipe, Joint::Sequence, Joint::Or, Joint::End]);
/// ```
pub fn joined_commands(line: &str) -> Vec<JoinedCommand> {
    let mut reader = Reader::new(line);
    let mut commands: Vec<JoinedCommand> = vec![];
    let mut words = vec![];
    while let Some(token) = reader.token() {
        match token {
            Token::Word(word) => words.push(word),
            Token::Break(separator) if words.is_empty() => {
                if let (Some(separator), Some(last)) = (separator, commands.last_mut())
                    && last.separator == CommandSeparator::End
                {
                    last.separator = separator;
                }
            }
            Token::Break(separator) => {
                let words = std::mem::take(&mut words);
                commands.push(JoinedCommand {
                    words,
                    separator: separator.unwrap_or(CommandSeparator::End),
                });
            }
        }
    }
    if !words.is_empty() {
        commands.push(JoinedCommand { words, separator: CommandSeparator::End });
    } else if let Some(last) = commands.last_mut()
        && last.separator == CommandSeparator::Sequence
    {
        last.separator = CommandSeparator::End;
    }
    commands
}

/// The files that redirections of a command line write to, as they are named there.
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
    Word(String),
    /// The end of a command; a bracket says nothing of what follows.
    Break(Option<CommandSeparator>),
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The words that end the here-documents which begin on the next line, and whether tabs before
    /// them are left out.
    bodies: Vec<(Vec<u8>, bool)>,
    /// What redirections write to.
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
                    let word = self.word();
                    // The number before an arrow names a stream and is no word of the command.
                    let stream = matches!(self.peek(0), Some(b'<' | b'>'))
                        && word.iter().all(u8::is_ascii_digit);
                    if !stream {
                        return Some(Token::Word(String::from_utf8_lossy(&word).into_owned()));
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

    /// Steps over an arrow and what it points at.
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
        // Behind `>&`, a number or a hyphen is a stream and no file.
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

    /// At the beginning of a line: steps over the here-documents that start here.
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

    /// A word up to a blank or an operator, without its quotes.
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
                b'$' if self.peek(1) == Some(b'(') && depth < DEEPEST => {
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

    /// Behind an opening bracket: takes everything up to the one that closes it, as it is written.
    fn substitution(&mut self, word: &mut Vec<u8>, depth: usize) {
        let start = self.at;
        let mut open = 1_usize;
        let outer = std::mem::take(&mut self.bodies);
        let mut unquoted = Vec::new();
        while let Some(byte) = self.peek(0) {
            match byte {
                b'\\' => self.escape(&mut unquoted),
                b'\'' => self.single_quoted(&mut unquoted),
                b'"' if depth < DEEPEST => self.double_quoted(&mut unquoted, depth + 1),
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
            for command in simple_commands(&line) {
                prop_assert!(!command.is_empty());
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
