//! What the transcript that a client writes tells and no hook does: which session it goes on from,
//! and how many tokens its context took.
//!
//! The path comes with events, so it is believed only as far as it can be checked: a plain file,
//! named by its session. Of that, the beginning or the end is read and never all of it.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use serde::Deserialize;
use tacit_core::SessionId;

/// How much is read, of either end.
const MOST_BYTES: u64 = 256 * 1024;
/// How the name of a transcript ends.
const ENDING: &str = "jsonl";

/// The session that one goes on from, if its transcript begins with what was said in another.
pub(super) fn continued(path: &Path, session: &SessionId) -> Option<SessionId> {
    continued_by(&read(path, session, false)?, session)
}

/// The tokens that the context of a session took at most, as the client reported them.
pub(crate) fn context_tokens(path: &Path, session: &SessionId) -> Option<u64> {
    most_tokens(&read(path, session, true)?)
}

/// The whole lines of one end of a transcript.
fn read(path: &Path, session: &SessionId, end: bool) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    if !name.contains(session.as_str()) || path.extension()? != ENDING {
        return None;
    }
    // A link could lead anywhere.
    let mut file = tacit_fs::open_nofollow(path).ok()?;
    let length = file.metadata().ok()?.len();
    let start = if end { length.saturating_sub(MOST_BYTES) } else { 0 };
    file.seek(SeekFrom::Start(start)).ok()?;
    let mut bytes = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    if start > 0 {
        let cut = text.find('\n')?;
        text.drain(..=cut);
    }
    Some(text)
}

/// A line of a transcript, as far as it matters here.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Line {
    session_id: Option<String>,
    forked_from: Option<Forked>,
    is_sidechain: bool,
    message: Option<Message>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Forked {
    session_id: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Message {
    usage: Option<Usage>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Usage {
    input_tokens: u64,
    cache_creation_input_tokens: u64,
    cache_read_input_tokens: u64,
    output_tokens: u64,
}

fn lines(text: &str) -> impl Iterator<Item = Line> {
    text.lines().filter_map(|line| serde_json::from_str(line).ok())
}

fn continued_by(text: &str, own: &SessionId) -> Option<SessionId> {
    let other = |name: Option<String>| {
        let name = tacit_redact::identifier(&name?).into_owned();
        SessionId::new(name).ok().filter(|name| name != own)
    };
    lines(text).find_map(|line| {
        let forked = line.forked_from.and_then(|from| from.session_id);
        other(forked).or_else(|| other(line.session_id))
    })
}

fn most_tokens(text: &str) -> Option<u64> {
    let own = lines(text).filter(|line| !line.is_sidechain);
    let used = own.filter_map(|line| line.message?.usage).map(|usage| {
        usage
            .input_tokens
            .saturating_add(usage.cache_creation_input_tokens)
            .saturating_add(usage.cache_read_input_tokens)
            .saturating_add(usage.output_tokens)
    });
    used.max().filter(|tokens| *tokens > 0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use std::fs;

    use super::*;

    fn named(name: &str) -> SessionId {
        name.parse().unwrap()
    }

    #[test]
    fn which_session_goes_on() {
        for (text, expected) in [
            ("", None),
            ("{\"type\":\"user\",\"sessionId\":\"own\"}", None),
            ("{\"sessionId\":\"before\"}\n{\"sessionId\":\"own\"}", Some("before")),
            ("{\"sessionId\":\"own\",\"forkedFrom\":{\"sessionId\":\"before\"}}", Some("before")),
            ("not json\n{\"sessionId\":7}\n{\"sessionId\":\"before\"}", Some("before")),
            ("{\"sessionId\":\"no session id\"}", None),
        ] {
            assert_eq!(continued_by(text, &named("own")), expected.map(named), "{text}");
        }
    }

    #[test]
    fn what_the_context_took() {
        let usage = |input: u64, read: u64, output: u64, side: bool| {
            format!(
                "{{\"type\":\"assistant\",\"isSidechain\":{side},\"message\":{{\"usage\":{{\
                 \"input_tokens\":{input},\"cache_creation_input_tokens\":0,\
                 \"cache_read_input_tokens\":{read},\"output_tokens\":{output},\
                 \"output_tokens_details\":{{\"thinking_tokens\":0}}}}}}}}"
            )
        };
        let grew = [usage(100, 0, 20, false), usage(10, 195_000, 20, false)].join("\n");
        for (text, expected) in [
            (String::new(), None),
            ("{\"message\":{\"usage\":null}}".into(), None),
            ("{\"message\":\"text\"}".into(), None),
            (usage(0, 0, 0, false), None),
            (usage(100, 0, 20, false), Some(120)),
            (usage(100, 0, 20, true), None),
            (grew.clone(), Some(195_030)),
            // After a summary the context is small again.
            (format!("{grew}\n{}", usage(100, 0, 20, false)), Some(195_030)),
        ] {
            assert_eq!(most_tokens(&text), expected, "{text}");
        }
    }

    #[test]
    fn only_a_plain_file_named_by_its_session_is_read_and_only_its_end() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        let line =
            |tokens: u64| format!("{{\"message\":{{\"usage\":{{\"input_tokens\":{tokens}}}}}}}\n");
        let padding = format!("{}\n", "x".repeat(MOST_BYTES as usize));
        fs::write(path("s-1.jsonl"), format!("{}{padding}{}", line(900), line(7))).unwrap();
        fs::write(path("other.jsonl"), line(5)).unwrap();
        fs::write(path("s-1.txt"), line(5)).unwrap();
        fs::create_dir(path("s-1.d.jsonl")).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(path("s-1.jsonl"), path("s-1.link.jsonl")).unwrap();
        for (name, expected) in [
            ("s-1.jsonl", Some(7)),
            ("other.jsonl", None),
            ("s-1.txt", None),
            ("s-1.d.jsonl", None),
            ("s-1.link.jsonl", None),
            ("s-1.gone.jsonl", None),
        ] {
            assert_eq!(context_tokens(&path(name), &named("s-1")), expected, "{name}");
        }
    }

    proptest! {
        #[test]
        fn no_transcript_is_too_strange(text in "(\\{|\\}|\"sessionId\"|\"usage\"|:|,|\n|é|[0-9]{1,22}){0,60}") {
            most_tokens(&text);
            continued_by(&text, &named("own"));
        }
    }
}
