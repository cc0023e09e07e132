//! `/memory off` and `/memory on`: the user's word on whether a session is captured.

use tacit_core::{AgentEvent, ClientName, EventKind, SlashCommand};
use tacit_engine::{CaptureState, StorePaths};

/// The effect of a session's switch on an event.
pub(super) enum Turned {
    /// No effect.
    No,
    /// The event turned the switch; the text is for the user.
    Here(String),
    /// The session is off.
    Off,
    /// The switch was to be turned and cannot be.
    Failed(String),
}

/// Turns the switch of a session if that is what the user typed, and tells how it stands.
pub(super) fn turn(event: &AgentEvent, places: &StorePaths) -> Turned {
    let switch = places.capture_switch(&event.session);
    let wanted = match &event.kind {
        // A helper's task is written by an agent; OpenCode tells of it as of any prompt.
        EventKind::PromptSubmitted { prompt, automatic: false, .. }
            if event.agent.is_none() && event.client != ClientName::OpenCode =>
        {
            typed(prompt)
        }
        _ => None,
    };
    let (turned, notice) = match wanted {
        Some(true) => (switch.turn_on(), "Tacit is on again in this session."),
        Some(false) => (
            switch.turn_off(),
            "Tacit is off in this session: nothing is captured or shown until `/memory on`.",
        ),
        None if switch.state() == CaptureState::Off => return Turned::Off,
        None => return Turned::No,
    };
    match turned {
        Ok(()) => Turned::Here(notice.to_owned()),
        Err(error) => Turned::Failed(format!("cannot switch the session: {error}")),
    }
}

/// Reads `/memory on` as true and `/memory off` as false; `None` for any other prompt.
fn typed(prompt: &str) -> Option<bool> {
    let command = SlashCommand::parse(prompt).filter(|command| command.own_name() == "memory")?;
    match command.arguments.to_ascii_lowercase().as_str() {
        "on" => Some(true),
        "off" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_command_alone_turns_the_switch() {
        for (prompt, expected) in [
            ("/memory off", Some(false)),
            ("  /tacit:memory OFF\n", Some(false)),
            ("/memory on", Some(true)),
            ("/memory", None),
            ("/memory --gc", None),
            ("/memory off please", None),
            (
                "<command-name>/tacit:memory</command-name><command-args>off</command-args>",
                Some(false),
            ),
            ("what does /memory off do?", None),
            ("/memories off", None),
        ] {
            assert_eq!(typed(prompt), expected, "{prompt:?}");
        }
    }
}
