//! Environment variables, the clock and randomness, read in one place.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tacit_app::{Agent, ConfigOverride, Environment, PostgresVariables};
use tacit_core::{Clock, IdSource, KeyName, MemoryId, Timestamp};
use tacit_fs::failpoint;
use tacit_models::generate::command::NESTED;

/// The environment variables of the long help.
const VARIABLES: &[(&str, &str)] = &[
    ("TACIT_HOME", "the folder of your own store and configuration"),
    ("TACIT_<KEY>", "overrides a configuration key: TACIT_RECALL_LIMIT sets recall.limit"),
    ("TACIT_OFF", "any value but 0 turns hooks off: they print, store and log nothing"),
    ("OPENAI_API_KEY", "the key for the providers openai and auto"),
    ("ANTHROPIC_API_KEY", "the key for the provider anthropic"),
    ("PGUSER, PGPASSWORD, PGPASSFILE", "the login for the server in database.url"),
    ("CLAUDE_CONFIG_DIR", "the folder of Claude Code, instead of ~/.claude"),
    ("CLAUDE_CODE_SESSION_ID", "the session that `tacit mcp` serves"),
    ("TACIT_AGENT", "1 or a name: an agent runs this, not a person"),
    ("VISUAL, EDITOR", "the editor that `tacit edit` and `tacit review` open"),
    ("NO_COLOR", "any value turns colour off"),
    ("COLUMNS", "the width of the output, if the terminal reports none"),
    ("TACIT_NESTED", "set below generation.command; no text model is called there"),
    ("TACIT_COMPLETE", "the shell that asks for completions; set by its script"),
    ("TACIT_DEBUG", "any value makes hooks explain themselves on standard error"),
    ("TACIT_NOW", "the current time, for reproducible runs"),
    ("TACIT_ID_SEED", "the seed of identifiers, for reproducible runs"),
];

/// Variables that agent clients set for the commands they run, with the name of the client.
/// `AI_AGENT` and `TACIT_AGENT` can name any other client.
const AGENTS: &[(&str, &str)] = &[
    ("CLAUDECODE", "claude-code"),
    ("CLAUDE_CODE_ENTRYPOINT", "claude-code"),
    ("CODEX_THREAD_ID", "codex"),
    ("CODEX_SANDBOX", "codex"),
    ("QWEN_CODE", "qwen-code"),
    ("GEMINI_CLI", "gemini-cli"),
    ("COPILOT_CLI", "copilot-cli"),
    // Kilo is made from OpenCode, and sets its variable as well.
    ("KILO_PID", "kilo"),
    ("OPENCODE", "opencode"),
    ("CURSOR_AGENT", "cursor"),
    ("AI_AGENT", ""),
    ("TACIT_AGENT", ""),
];

/// Finds the agent client below which this process runs.
fn find_agent(text: impl Fn(&str) -> Option<String>) -> Option<Agent> {
    AGENTS.iter().find_map(|(variable, name)| {
        let value = text(variable).filter(|value| value != "0" && value != "false")?;
        let named = match *name {
            "" if value == "1" || value == "true" => "agent",
            "" => &value,
            name => name,
        };
        Some(Agent { name: named.to_owned(), variable })
    })
}

/// Returns the end of the long help: examples, then the table of variables.
pub(crate) fn long_help(examples: &str) -> String {
    let rows = VARIABLES.iter().map(|(name, what)| format!("  {name:<22} {what}\n"));
    format!("{examples}\n\nEnvironment:\n{}", rows.collect::<String>())
}

/// Lets tests kill the process at a step or make it panic at a point. Not part of releases.
#[expect(clippy::disallowed_methods, reason = "this is the module that reads the environment")]
pub(crate) fn arm_failpoint() {
    if failpoint::PANICS
        && let Ok(point) = std::env::var("TACIT_PANIC_AT")
    {
        failpoint::panic_at(point);
    }
    if cfg!(debug_assertions) {
        let number = |name| std::env::var(name).ok()?.parse().ok();
        let (step, tick) = (number("TACIT_KILL_AT_STEP"), number("TACIT_KILL_AT_TICK"));
        failpoint::kill_at(step.unwrap_or(0), tick.unwrap_or(0));
    }
}

/// Reads a variable that is not empty.
#[expect(clippy::disallowed_methods, reason = "this is the module that reads the environment")]
fn text(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Returns the shell that asks for completions, if one does.
pub(crate) fn completing_shell() -> Option<String> {
    text(crate::completion::VARIABLE)
}

/// Reads the variables that set configuration keys. Those with the present name of a key come first,
/// because the first one wins.
#[expect(clippy::disallowed_methods, reason = "this is the module that reads the environment")]
fn overrides() -> Vec<ConfigOverride> {
    let ours = std::env::vars_os().filter(|(name, value)| {
        !value.is_empty() && name.as_encoded_bytes().starts_with(b"TACIT_")
    });
    let mut overrides: Vec<ConfigOverride> = ours
        .filter_map(|(variable, text)| {
            let (variable, text) = (variable.into_string().ok()?, text.into_string().ok()?);
            Some(ConfigOverride { key: KeyName::of_variable(&variable)?, text, variable })
        })
        .collect();
    overrides.sort_by_key(|one| (!matches!(one.key, KeyName::Current(_)), one.key.as_str()));
    overrides
}

/// Reads the environment for use cases.
#[expect(clippy::disallowed_methods, reason = "this is the module that reads the environment")]
pub(crate) fn read() -> Environment {
    let path = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let home = std::env::home_dir().unwrap_or_else(|| PathBuf::from("/"));
    let tacit_home = path("TACIT_HOME");
    let under = |variable: &str, usual: &str| {
        let folder = tacit_home
            .clone()
            .unwrap_or_else(|| path(variable).unwrap_or_else(|| home.join(usual)).join("tacit"));
        // The user may keep it elsewhere and link to it.
        folder.canonicalize().unwrap_or(folder)
    };
    Environment {
        directory: std::env::current_dir(),
        data_home: under("XDG_DATA_HOME", ".local/share"),
        config_home: under("XDG_CONFIG_HOME", ".config"),
        claude_home: path("CLAUDE_CONFIG_DIR")
            .map(|folder| std::path::absolute(&folder).unwrap_or(folder)),
        agent_session: text("CLAUDE_CODE_SESSION_ID")
            .map(|id| tacit_redact::identifier(&id).into_owned()),
        agent: find_agent(text),
        agent_project: path("CLAUDE_PROJECT_DIR"),
        attended: text("CLAUDE_CODE_SESSION_ATTENDED").is_some_and(|value| value == "1"),
        search_path: std::env::var_os("PATH")
            .map(|path| std::env::split_paths(&path).collect())
            .unwrap_or_default(),
        home,
        user: text("USER").or_else(|| text("USERNAME")),
        overrides: overrides(),
        openai_key: text("OPENAI_API_KEY"),
        anthropic_key: text("ANTHROPIC_API_KEY"),
        postgres: PostgresVariables {
            user: text("PGUSER"),
            password: text("PGPASSWORD"),
            pass_file: path("PGPASSFILE"),
        },
        nested: text(NESTED).is_some(),
        in_plugin: text("CLAUDE_PLUGIN_ROOT").is_some(),
        debug: text("TACIT_DEBUG").is_some(),
        off: text("TACIT_OFF").is_some_and(|value| value != "0"),
        clock: Arc::new(SystemClock(text("TACIT_NOW").and_then(|now| now.parse().ok()))),
        ids: Arc::new(RandomIds(
            text("TACIT_ID_SEED").and_then(|seed| seed.parse().ok()).map(AtomicU64::new),
        )),
    }
}

/// Reports a variable with an invalid value, which would make a run irreproducible.
pub(crate) fn problem() -> Option<String> {
    let now = text("TACIT_NOW").filter(|now| now.parse::<Timestamp>().is_err());
    let seed = text("TACIT_ID_SEED").filter(|seed| seed.parse::<u64>().is_err());
    now.map(|now| format!("`TACIT_NOW` is not a time: `{now}`"))
        .or_else(|| seed.map(|seed| format!("`TACIT_ID_SEED` is not a whole number: `{seed}`")))
}

/// Returns bytes that nobody can guess.
#[cfg(feature = "panel")]
pub(crate) fn random_bytes() -> Result<[u8; 32], getrandom::Error> {
    let mut random = [0; 32];
    getrandom::fill(&mut random)?;
    Ok(random)
}

/// The terminal and its settings.
pub(crate) struct Terminal {
    pub(crate) editor: Option<String>,
    pub(crate) no_color: bool,
    /// True if the terminal cannot move its cursor, or says nothing about itself.
    pub(crate) is_dumb: bool,
    pub(crate) columns: Option<usize>,
    pub(crate) stdout_is_terminal: bool,
    pub(crate) stderr_is_terminal: bool,
    pub(crate) stdin_is_terminal: bool,
}

impl Terminal {
    /// The width of standard error in columns, if known.
    pub(crate) fn error_columns(&self) -> Option<usize> {
        let size =
            self.stderr_is_terminal.then(|| terminal_size::terminal_size_of(std::io::stderr()));
        size.flatten().map(|(width, _)| usize::from(width.0)).or(self.columns)
    }

    pub(crate) fn read() -> Terminal {
        Terminal {
            editor: text("VISUAL").or_else(|| text("EDITOR")),
            no_color: text("NO_COLOR").is_some() || text("TERM").is_some_and(|t| t == "dumb"),
            is_dumb: text("TERM").is_none_or(|term| term == "dumb"),
            columns: text("COLUMNS").and_then(|columns| columns.parse().ok()),
            stdout_is_terminal: std::io::stdout().is_terminal(),
            stderr_is_terminal: std::io::stderr().is_terminal(),
            stdin_is_terminal: std::io::stdin().is_terminal(),
        }
    }
}

/// The machine's clock, or a fixed moment.
#[derive(Debug)]
struct SystemClock(Option<Timestamp>);

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the clock")]
    fn now(&self) -> Timestamp {
        self.0.unwrap_or_else(|| {
            Timestamp::from_millis(jiff::Timestamp::now().as_millisecond())
                .unwrap_or(Timestamp::MIN)
        })
    }
}

/// Random identifiers, or a sequence that is the same in every run.
#[derive(Debug)]
struct RandomIds(Option<AtomicU64>);

impl IdSource for RandomIds {
    fn next_id(&self, at: Timestamp) -> MemoryId {
        let mut random = [0; 10];
        match &self.0 {
            Some(seed) => {
                let after = |seed: u64| seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                let order = Ordering::Relaxed;
                let before = seed.fetch_update(order, order, |seed| Some(after(seed)));
                let next = after(before.unwrap_or_default());
                random[2..].copy_from_slice(&(next ^ (next >> 29)).to_be_bytes());
            }
            None => {
                // Without randomness from the system, the clock still tells processes apart.
                if getrandom::fill(&mut random).is_err() {
                    let mixed = (at.as_millis() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
                        ^ u64::from(std::process::id());
                    random[2..].copy_from_slice(&mixed.to_be_bytes());
                }
            }
        }
        MemoryId::from_parts(at, random)
    }
}

#[cfg(test)]
mod tests {
    use super::find_agent;

    #[test]
    fn agents_are_known_by_their_variables() {
        for (variables, expected) in [
            (vec![("CLAUDECODE", "1"), ("AI_AGENT", "claude-code_2-1-325_agent")], "claude-code"),
            (vec![("CLAUDE_CODE_ENTRYPOINT", "cli")], "claude-code"),
            (vec![("CODEX_SANDBOX", "seatbelt")], "codex"),
            (vec![("CODEX_THREAD_ID", "0199")], "codex"),
            (vec![("GEMINI_CLI", "1")], "gemini-cli"),
            (vec![("QWEN_CODE", "1")], "qwen-code"),
            (vec![("COPILOT_CLI", "1")], "copilot-cli"),
            (vec![("OPENCODE", "1"), ("AGENT", "1")], "opencode"),
            (vec![("OPENCODE", "1"), ("KILO_PID", "7")], "kilo"),
            (vec![("CURSOR_AGENT", "1")], "cursor"),
            (vec![("AI_AGENT", "goose")], "goose"),
            (vec![("TACIT_AGENT", "1")], "agent"),
            (vec![("TACIT_AGENT", "robot")], "robot"),
            (vec![("TACIT_AGENT", "0")], ""),
            (vec![("AGENT", "1"), ("SSH_AGENT_PID", "9")], ""),
            (vec![], ""),
        ] {
            let text = |name: &str| {
                let found = variables.iter().find(|(variable, _)| *variable == name);
                found.map(|(_, value)| (*value).to_owned())
            };
            let name = find_agent(text).map(|agent| agent.name).unwrap_or_default();
            assert_eq!(name, expected, "{variables:?}");
        }
    }
}
