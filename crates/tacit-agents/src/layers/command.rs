//! Before a command: what is known about it, where it is one of those for which memory is asked.

use tacit_core::{AgentEvent, BuiltinType, Memory, Review, ToolUse};
use tacit_engine::{Channels, EngineResult};

use super::prompt::recall;
use super::{Decision, Desk};

/// How many memories are shown.
const LIMIT: usize = 2;
/// How many entries of the trigger index are offered.
const OFFERS: usize = 1;
/// The tags that say that a command is dangerous here.
const DANGER: [&str; 3] = ["danger", "dangerous", "destructive"];

/// A tool is about to run.
pub(super) fn before(
    desk: &Desk<'_, '_>,
    event: &AgentEvent,
    tool: &ToolUse,
    decision: &mut Decision,
) -> EngineResult<()> {
    let (Some(command), Some(hot)) = (tool.kind.command(), &desk.hot) else { return Ok(()) };
    decision.trace.push(format!("a hot topic: {hot}"));
    let mut items = recall(desk, event, command, Channels::Words, LIMIT, decision)?;
    items.extend(desk.new_offers(event)?.into_iter().take(OFFERS));
    if desk.settings.guard {
        decision.reply.ask = items
            .iter()
            .filter_map(|item| item.memory_ref())
            .find(|memory| forbids(memory, command))
            .map(|memory| {
                format!(
                    "Known to be dangerous here [{}]: {}",
                    memory.id.short(),
                    first_line(memory)
                )
            });
    }
    desk.show(event, "for this command", &items, desk.settings.tool_tokens, decision);
    Ok(())
}

/// Whether a person confirmed that this command is dangerous: the memory says so by a tag, and names
/// the command in backticks.
fn forbids(memory: &Memory, command: &str) -> bool {
    let said = &memory.said;
    let kind = memory.memory_type();
    let warns = [BuiltinType::Gotcha, BuiltinType::DeadEnd, BuiltinType::ErrorPattern]
        .iter()
        .any(|builtin| kind.as_str() == builtin.as_str());
    said.trust.review == Review::Verified
        && warns
        && said.tags.iter().any(|tag| DANGER.contains(&tag.as_str()))
        && named_commands(said.content.as_str()).any(|named| runs(command, named))
}

/// What stands in backticks.
fn named_commands(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2).map(str::trim).filter(|named| named.len() > 1)
}

/// Whether a command line contains a command, word by word.
fn runs(command: &str, named: &str) -> bool {
    let command: Vec<&str> = command.split_whitespace().collect();
    let named: Vec<&str> = named.split_whitespace().collect();
    command.windows(named.len().max(1)).any(|words| words == named)
}

fn first_line(memory: &Memory) -> &str {
    let line = memory.said.content.as_str().lines().next().unwrap_or_default();
    &line[..line.floor_char_boundary(200)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_known_by_its_words() {
        for (command, named, expected) in [
            ("make deploy-prod", "make deploy-prod", true),
            ("cd web && make  deploy-prod --now", "make deploy-prod", true),
            ("make deploy", "make deploy-prod", false),
            ("echo make", "make deploy-prod", false),
        ] {
            assert_eq!(runs(command, named), expected, "{command}");
        }
        let named: Vec<&str> =
            named_commands("Never `make deploy-prod`, use `make stage`").collect();
        assert_eq!(named, ["make deploy-prod", "make stage"]);
    }
}
