//! `/memory off` and `/memory on`, by which the user turns Tacit off and on for a session.

use tacit_core::{AgentEvent, EventKind, SlashCommand};
use tacit_engine::{CaptureState, StorePaths};

/// The effect of a session's switch on an event.
pub(super) enum SwitchEffect {
    /// No effect: Tacit is on.
    On,
    /// The event turned the switch; the text is for the user.
    Turned(String),
    /// Tacit is off in this session.
    Off,
    /// The switch could not be turned; the text says why.
    Failed(String),
}

/// Turns the session's switch if the user asked for it, and returns its effect on this event.
pub(super) fn turn(event: &AgentEvent, places: &StorePaths) -> SwitchEffect {
    let switch = places.capture_switch(&event.session);
    let (turned, notice) = match requested(event) {
        Some(true) => (switch.turn_on(), "Tacit is on again in this session."),
        Some(false) => (
            switch.turn_off(),
            "Tacit is off in this session: nothing is captured or shown until `/memory on`.",
        ),
        None if switch.state() == CaptureState::Off => return SwitchEffect::Off,
        None => return SwitchEffect::On,
    };
    match turned {
        Ok(()) => SwitchEffect::Turned(notice.to_owned()),
        Err(error) => SwitchEffect::Failed(format!("cannot turn Tacit on or off: {error}")),
    }
}

/// Returns true if the user turns Tacit on by an event, false if off; `None` for any other event.
pub(super) fn requested(event: &AgentEvent) -> Option<bool> {
    match &event.kind {
        // An agent writes the prompts of its subagents, and not every client marks these.
        EventKind::PromptSubmitted { prompt, automatic: false, .. }
            if event.agent.is_none() && event.client.marks_subagents() =>
        {
            parse_command(prompt)
        }
        _ => None,
    }
}

/// Reads `/memory on` as true and `/memory off` as false; `None` for any other prompt.
fn parse_command(prompt: &str) -> Option<bool> {
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
    fn only_the_bare_command_turns_the_switch() {
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
            assert_eq!(parse_command(prompt), expected, "{prompt:?}");
        }
    }
}
