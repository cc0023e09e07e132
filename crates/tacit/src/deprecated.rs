//! Old names of commands, and synonyms. The arguments are rewritten before they are parsed; for an
//! old name, one line on standard error names the new command.

use std::ffi::OsString;

/// A command that has another name now.
struct Renamed {
    old: &'static str,
    new: &'static str,
    /// Rewrites the arguments behind the old name, where they differ.
    rewrite: Option<fn(&[OsString]) -> Replacement>,
}

/// A new command line, without the options that stood before the old name.
struct Replacement {
    /// The command as the note names it.
    name: &'static str,
    arguments: Vec<OsString>,
}

impl Replacement {
    /// Puts arguments behind a command.
    fn new(name: &'static str, rest: impl IntoIterator<Item = OsString>) -> Replacement {
        let words = name.split(' ').map(OsString::from);
        Replacement { name, arguments: words.chain(rest).collect() }
    }
}

const fn renamed(old: &'static str, new: &'static str) -> Renamed {
    Renamed { old, new, rewrite: None }
}

/// Old names, longer ones first where one begins another.
const RENAMED: &[Renamed] = &[
    renamed("impact", "code impact"),
    renamed("deps", "code deps"),
    renamed("flow", "code path"),
    renamed("cochange", "code cochange"),
    renamed("locate", "code locate"),
    renamed("map", "code map"),
    renamed("graph build", "code index"),
    renamed("graph stats", "code index --stats"),
    renamed("graph export", "code export"),
    renamed("graph", "code"),
    renamed("observe sessions", "session list"),
    renamed("observe explain", "session explain"),
    renamed("observe run", "session learn"),
    renamed("observe", "session"),
    renamed("context", "session brief"),
    renamed("phase", "work phase"),
    renamed("qa report", "work qa"),
    renamed("qa", "work qa"),
    renamed("methodology", "work methodology"),
    renamed("proactive", "recall --as-hook"),
    renamed("health", "doctor --quick"),
    renamed("stats", "status --stats"),
    renamed("report recall", "triggers usage"),
    renamed("hooks clean-inline", "agents clean"),
    renamed("hooks", "agents"),
    Renamed { old: "hook why", new: "why", rewrite: Some(hook_why) },
    Renamed { old: "verify", new: "review confirm", rewrite: Some(verify) },
    Renamed { old: "tag", new: "edit --tag", rewrite: Some(tag) },
    Renamed { old: "link", new: "edit --link", rewrite: Some(link) },
];

/// Words that people type out of habit; they need no note. Clap's aliases would be suggested for
/// mistyped commands.
const SYNONYMS: [(&str, &str); 9] = [
    ("search", "recall"),
    ("find", "recall"),
    ("add", "remember"),
    ("save", "remember"),
    ("rm", "forget"),
    ("delete", "forget"),
    ("ls", "list"),
    ("log", "history"),
    ("version", "--version"),
];

/// The arguments to parse, and the note about an old name among them.
#[derive(Debug, PartialEq)]
pub(crate) struct Rewritten {
    pub(crate) arguments: Vec<OsString>,
    pub(crate) note: Option<String>,
}

/// Replaces an old name by the new one.
pub(crate) fn rewrite(arguments: Vec<OsString>) -> Rewritten {
    let words = words(&arguments);
    let is = |at: usize, name: &str| words.get(at).is_some_and(|place| arguments[*place] == *name);
    // `tacit help OLD` explains the new command.
    let for_help = is(0, "help");
    let skipped = usize::from(for_help);
    if let Some((_, name)) = SYNONYMS.iter().find(|(synonym, _)| is(skipped, synonym)) {
        let mut arguments = arguments;
        arguments[words[skipped]] = name.into();
        return Rewritten { arguments, note: None };
    }
    let is_named = |entry: &&Renamed| {
        entry.old.split(' ').enumerate().all(|(at, name)| is(at + skipped, name))
    };
    let Some(Renamed { old, new, rewrite }) = RENAMED.iter().find(is_named) else {
        return Rewritten { arguments, note: None };
    };
    let named = &words[skipped..skipped + old.split(' ').count()];
    let first = named[0];
    // Options between the words of an old name go behind the new one.
    let rest = (first..arguments.len()).filter(|place| !named.contains(place));
    let rest: Vec<OsString> = rest.map(|place| arguments[place].clone()).collect();
    let asks_help = rest.iter().any(|argument| argument == "--help" || argument == "-h");
    let mut replacement = match rewrite {
        Some(rewrite) if !for_help && !asks_help => rewrite(&rest),
        _ => Replacement::new(new, rest),
    };
    if for_help || asks_help {
        // `help` takes no options, and an option without its value would be an error.
        let is_flag =
            |word: &OsString| new.split(' ').any(|name| *word == *name && name.starts_with('-'));
        replacement.arguments.retain(|word| !is_flag(word));
    }
    let note = format!("`tacit {old}` is now `tacit {}`", replacement.name);
    let arguments = arguments[..first].iter().cloned().chain(replacement.arguments).collect();
    Rewritten { arguments, note: Some(note) }
}

/// Finds the places of arguments that are no options and no value of a global option.
fn words(arguments: &[OsString]) -> Vec<usize> {
    let mut places = Vec::new();
    let mut place = 1;
    while let Some(argument) = arguments.get(place) {
        match argument.to_str() {
            Some("--") => break,
            Some("-C" | "--directory") => place += 1,
            Some(option) if option.starts_with('-') => {}
            _ => places.push(place),
        }
        place += 1;
    }
    places
}

/// An argument of an old command: a word, or an option with its value.
enum Part {
    Word(OsString),
    Value(&'static str, OsString),
    Other(OsString),
}

impl Part {
    /// Returns the arguments it was made of, with the option's long name.
    fn unchanged(self) -> Vec<OsString> {
        match self {
            Part::Value(option, value) => vec![option.into(), value],
            Part::Word(argument) | Part::Other(argument) => vec![argument],
        }
    }
}

/// Splits arguments. `options` have a value, given by their long and short name.
fn parts(arguments: &[OsString], options: &[(&'static str, &str)]) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let text = argument.to_str().unwrap_or_default();
        let (name, inline) = match text.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(value)),
            _ => (text, None),
        };
        let option = options.iter().find(|(long, short)| name == *long || name == *short);
        parts.push(match (option, inline) {
            (Some((long, _)), Some(value)) => Part::Value(long, value.into()),
            (Some((long, _)), None) => Part::Value(long, rest.next().cloned().unwrap_or_default()),
            (None, _) if text.starts_with('-') => Part::Other(argument.clone()),
            (None, _) => Part::Word(argument.clone()),
        });
    }
    parts
}

/// The global option with a value.
const DIRECTORY: (&str, &str) = ("--directory", "-C");

/// `--session` chose the events of a session; now it explains the session.
fn hook_why(arguments: &[OsString]) -> Replacement {
    let options = [("--session", "--session"), ("--limit", "-n"), DIRECTORY];
    let rest = parts(arguments, &options).into_iter().flat_map(|part| match part {
        Part::Value("--session", value) => vec!["--in-session".into(), value],
        other => other.unchanged(),
    });
    Replacement::new("why", rest)
}

/// Without an id, `verify` listed the memories whose code has changed.
fn verify(arguments: &[OsString]) -> Replacement {
    let parts = parts(arguments, &[("--reason", "--reason"), DIRECTORY]);
    let has_id = parts.iter().any(|part| matches!(part, Part::Word(_)));
    let name = if has_id { "review confirm" } else { "review --stale" };
    Replacement::new(name, arguments.iter().cloned())
}

/// `tag ID a --remove b` is `edit ID --tag a --untag b`. Without tags, it showed those of a memory;
/// without an id, all tags.
fn tag(arguments: &[OsString]) -> Replacement {
    let (mut id, mut changes, mut others) = (None, Vec::new(), Vec::new());
    for part in parts(arguments, &[("--remove", "-r"), DIRECTORY]) {
        match part {
            Part::Word(word) if id.is_none() => id = Some(word),
            Part::Word(tag) => changes.extend(["--tag".into(), tag]),
            Part::Value("--remove", tag) => changes.extend(["--untag".into(), tag]),
            other => others.extend(other.unchanged()),
        }
    }
    let name = match (&id, changes.is_empty()) {
        (None, true) => "list --tags",
        (Some(_), true) => "show",
        _ => "edit",
    };
    let mut replacement = Replacement::new(name, id.into_iter().chain(changes).chain(others));
    if name == "edit" {
        replacement.name = "edit --tag";
    }
    replacement
}

/// `link ID RELATION OTHER` is `edit ID --link RELATION:OTHER`.
fn link(arguments: &[OsString]) -> Replacement {
    let options = [("--file", "-f"), ("--confidence", "--confidence"), DIRECTORY];
    let (mut words, mut others, mut file) = (Vec::new(), Vec::new(), None);
    let mut flag = "--link";
    for part in parts(arguments, &options) {
        match part {
            Part::Word(word) => words.push(word),
            Part::Value("--file", path) => file = Some(path),
            Part::Value("--confidence", value) => {
                others.extend(["--link-confidence".into(), value]);
            }
            Part::Other(argument) if argument == "--remove" => flag = "--unlink",
            other => others.extend(other.unchanged()),
        }
    }
    let mut words = words.into_iter();
    let mut rest: Vec<OsString> = words.next().into_iter().collect();
    if let Some(mut link) = words.next() {
        // The prefix tells a file in the current directory from an identifier.
        let is_bare = file.as_ref().is_some_and(|file| !file.to_string_lossy().contains('/'));
        link.push(if is_bare { ":./" } else { ":" });
        link.push(file.or_else(|| words.next()).unwrap_or_default());
        rest.extend([flag.into(), link]);
    }
    rest.extend(others);
    Replacement { name: "edit --link", ..Replacement::new("edit", rest) }
}

#[cfg(test)]
mod tests;
