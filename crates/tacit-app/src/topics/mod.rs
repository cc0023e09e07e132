//! Hot topics: commands to consult the memory about before they run.
//!
//! Some commands are hot topics in every project. Others are discovered when a session starts, or
//! promoted when a command fails; a file keeps those for the hooks. [`crate::inject`] decides what to
//! show for a hot topic.

mod discover;
mod file;
mod manifests;
mod named;
mod pattern;
mod prefix;

pub use discover::{KnownCommands, discover};
pub use file::{HotTopics, TopicPromotion, TopicsError, VariantTopic, add_commands, promote};
pub use named::{command_forms, danger_forms, runs_danger};
pub use prefix::{command_prefix, telling_words};

use pattern::MatchMode;
use tacit_observer::runs_command;

/// The number of bytes searched of a command; longer ones contain whole files.
const MAX_BYTES: usize = 32 * 1024;

/// The reason why a command is a hot topic in every project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Danger {
    /// Accesses another machine.
    Remote,
    /// Destroys data.
    Destructive,
    /// Runs as another user.
    Elevated,
    /// Controls containers or a cluster.
    Containers,
}

/// The origin of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TopicSource {
    /// Built in, for every project.
    Base(Danger),
    /// Discovered when the session started.
    Discovered,
    /// Promoted because the command failed in this session.
    Promoted,
    /// A memory warns of it.
    Warning,
    /// Known not to work here.
    Variant,
    /// Named by a memory.
    Named,
}

/// The pattern that matched a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TopicMatch<'a> {
    /// The text of the pattern.
    pub pattern: &'a str,
    /// The origin of the pattern.
    pub source: TopicSource,
}

/// The built-in patterns. SQL statements match in any case, programs only in theirs.
const BASE: [(&str, MatchMode, Danger); 10] = [
    (r"ssh\s", MatchMode::Prefix, Danger::Remote),
    (r"scp\s", MatchMode::Prefix, Danger::Remote),
    (r"rm\s+-rf", MatchMode::Prefix, Danger::Destructive),
    (r"drop\s", MatchMode::PrefixAnyCase, Danger::Destructive),
    (r"truncate\s", MatchMode::PrefixAnyCase, Danger::Destructive),
    (r"DELETE\s+FROM", MatchMode::PrefixAnyCase, Danger::Destructive),
    (r"sudo\s", MatchMode::Prefix, Danger::Elevated),
    (r"docker\s", MatchMode::Prefix, Danger::Containers),
    (r"kubectl\s", MatchMode::Prefix, Danger::Containers),
    (r"podman\s", MatchMode::Prefix, Danger::Containers),
];

/// Returns the first pattern that occurs in a command: commands that memories warn of, built-in ones,
/// then commands that are known not to work or that memories name.
///
/// The whole text is searched, also inside quotes and here-documents, but only from the beginning
/// of words: `backdrop x` does not drop anything.
pub fn match_command<'a>(command: &str, topics: &'a HotTopics) -> Option<TopicMatch<'a>> {
    let text = &command[..command.floor_char_boundary(MAX_BYTES)];
    if let Some(form) = topics.dangers().iter().find(|form| runs_danger(text, form)) {
        return Some(TopicMatch { pattern: form, source: TopicSource::Warning });
    }
    for (pattern, mode, danger) in BASE {
        if pattern::occurs(pattern, text, mode) {
            return Some(TopicMatch { pattern, source: TopicSource::Base(danger) });
        }
    }
    if let Some(variant) = topics.variants().iter().find(|variant| variant.matches(text)) {
        return Some(TopicMatch { pattern: &variant.failing, source: TopicSource::Variant });
    }
    if let Some(form) = topics.commands().iter().find(|form| runs_command(text, form)) {
        return Some(TopicMatch { pattern: form, source: TopicSource::Named });
    }
    let pattern = topics
        .patterns()
        .iter()
        .find(|pattern| pattern::occurs(pattern, text, MatchMode::Words))?;
    let is_promoted = topics.promoted().contains(pattern);
    let source = if is_promoted { TopicSource::Promoted } else { TopicSource::Discovered };
    Some(TopicMatch { pattern, source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dangerous_commands_are_hot_topics_in_every_project() {
        use Danger as D;
        let cases = [
            ("ssh host uptime", Some(D::Remote)),
            ("/usr/bin/scp a b:", Some(D::Remote)),
            ("rsync -e 'ssh -p 22' a b:", Some(D::Remote)),
            ("cat ~/.ssh/config", None),
            ("ssh", None),
            ("ssh-keygen -t ed25519", None),
            ("openssh version", None),
            ("cd x && rm   -rf target", Some(D::Destructive)),
            ("rm -rfv target", Some(D::Destructive)),
            ("rm -r target", None),
            ("psql -c 'DROP TABLE users'", Some(D::Destructive)),
            ("psql -c \"drop table users\"", Some(D::Destructive)),
            ("psql <<SQL\nTruncate\tlogs;\nSQL", Some(D::Destructive)),
            ("mysql -e 'Delete  FROM a'", Some(D::Destructive)),
            ("mysql -e 'delete\nfrom a'", Some(D::Destructive)),
            ("echo deleted from here", None),
            ("blender backdrop render", None),
            ("dropdb test", None),
            ("git stash drop", None),
            ("sudo apt update", Some(D::Elevated)),
            ("pseudo code", None),
            ("visudo -c", None),
            ("SUDO x", None),
            ("docker ps", Some(D::Containers)),
            ("FOO=1 kubectl get pods", Some(D::Containers)),
            ("podman\trun x", Some(D::Containers)),
            ("docker-compose up", None),
            ("cat docker/Dockerfile", None),
            ("sudo docker ps", Some(D::Elevated)),
            ("cargo build", None),
            ("", None),
            ("é", None),
        ];
        let topics = HotTopics::default();
        for (command, expected) in cases {
            let expected = expected.map(TopicSource::Base);
            assert_eq!(
                match_command(command, &topics).map(|hot| hot.source),
                expected,
                "{command}"
            );
        }
        assert_eq!(match_command("a; rm -rf x", &topics).map(|hot| hot.pattern), Some(r"rm\s+-rf"));
    }

    #[test]
    fn the_end_of_a_very_long_command_is_not_searched() {
        let late = format!("{} sudo x", "é".repeat(MAX_BYTES));
        assert_eq!(match_command(&late, &HotTopics::default()), None);
    }
}
