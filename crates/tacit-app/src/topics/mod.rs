//! Hot topics: commands for which memory is consulted before they run.
//!
//! A few are hot everywhere. Others are discovered in a project when a session starts, or become
//! hot in the session because they failed; those are kept in a file that every hook before a
//! command reads. What is recalled for a hot command is not decided here.

mod discover;
mod file;
mod manifests;
mod pattern;
mod prefix;

pub use discover::{KnownCommands, discover};
pub use file::{HotTopics, TopicPromotion, TopicsError, promote};
pub use prefix::{command_prefix, significant_words};

use pattern::MatchMode;

/// So much of a command is looked at: what is longer is a file in disguise.
const LOOKED_AT: usize = 32 * 1024;

/// Why a command that is hot everywhere is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Danger {
    /// It reaches another machine.
    Remote,
    /// It destroys.
    Destructive,
    /// It runs with the rights of another user.
    Elevated,
    /// It speaks to containers or a cluster.
    Containers,
}

/// Where a pattern comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TopicSource {
    /// It is hot everywhere.
    Base(Danger),
    /// It was discovered when the session started.
    Discovered,
    /// It failed in this session.
    Promoted,
}

/// What made a command hot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TopicMatch<'a> {
    /// The pattern that was found.
    pub pattern: &'a str,
    /// Where it comes from.
    pub source: TopicSource,
}

/// Statements are written in any case; programs are not.
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

/// The first pattern that is found in a command, those that are hot everywhere before others.
///
/// Patterns are looked for in the whole text, inside quotes and here-documents too, but only from
/// the beginning of a word: `backdrop x` does not drop anything.
pub fn match_command<'a>(command: &str, topics: &'a HotTopics) -> Option<TopicMatch<'a>> {
    let text = &command[..command.floor_char_boundary(LOOKED_AT)];
    for (pattern, mode, danger) in BASE {
        if pattern::occurs(pattern, text, mode) {
            return Some(TopicMatch { pattern, source: TopicSource::Base(danger) });
        }
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
    fn hot_everywhere() {
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
    fn only_so_much_is_looked_at() {
        let late = format!("{} sudo x", "é".repeat(LOOKED_AT));
        assert_eq!(match_command(&late, &HotTopics::default()), None);
    }
}
