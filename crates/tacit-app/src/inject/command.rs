//! Before a command: what is known about it, where it is one of those for which memory is asked.

use tacit_core::{AgentEvent, BuiltinType, Memory, MemoryType, Review, Tag, ToolUse};
use tacit_engine::{EngineResult, SearchChannels};
use tacit_store::{Filter, ListOrder};

use super::prompt::recall;
use super::{HookContext, HookDecision};
use crate::topics::significant_words;

/// How many memories are shown.
const LIMIT: usize = 2;
/// How many entries of the trigger index are offered.
const OFFERS: usize = 1;
/// The types that warn.
const WARNINGS: [BuiltinType; 3] =
    [BuiltinType::Gotcha, BuiltinType::DeadEnd, BuiltinType::ErrorPattern];
/// How many warnings of a tag are looked through.
const DANGERS: usize = 200;
/// The tags that say that a command is dangerous here.
pub(super) const DANGER: [&str; 3] = ["danger", "dangerous", "destructive"];

/// A tool is about to run.
pub(super) fn before(
    ctx: &HookContext<'_, '_>,
    event: &AgentEvent,
    tool: &ToolUse,
    decision: &mut HookDecision,
) -> EngineResult<()> {
    let (Some(command), Some(hot)) = (tool.kind.command(), &ctx.hot) else { return Ok(()) };
    decision.trace.push(format!("a hot topic: {hot}"));
    // An option that no memory has would count as a part of the question without an answer.
    let question = significant_words(command);
    let mut items = recall(ctx, event, &question, SearchChannels::Words, LIMIT, decision)?;
    items.extend(ctx.new_offers(event)?.into_iter().take(OFFERS));
    if ctx.settings.guard {
        decision.reply.ask = danger(ctx, command)?;
    }
    ctx.show(event, "for this command", &items, ctx.settings.tool_tokens, decision);
    Ok(())
}

/// Why the user should be asked before a command: a person confirmed that it is dangerous. The
/// memory says so by a tag, and names the command in backticks. It is asked for every time, whether
/// or not the memory was shown before.
fn danger(ctx: &HookContext<'_, '_>, command: &str) -> EngineResult<Option<String>> {
    for tag in DANGER.into_iter().filter_map(|tag| Tag::new(tag).ok()) {
        let filter = Filter {
            types: WARNINGS.map(MemoryType::Builtin).to_vec(),
            reviews: vec![Review::Verified],
            tags: vec![tag],
            stale: Some(false),
            ..Filter::default()
        };
        let found = ctx.engine.list(None, &filter, ListOrder::Newest, DANGERS, 0)?;
        let names = |memory: &Memory| {
            named_commands(memory.body.content.as_str()).any(|named| runs(command, named))
        };
        if let Some(found) = found.iter().find(|found| names(&found.memory)) {
            let (id, line) = (found.memory.id.short(), first_line(&found.memory));
            return Ok(Some(format!("Known to be dangerous here [{id}]: {line}")));
        }
    }
    Ok(None)
}

/// What stands in backticks.
pub(super) fn named_commands(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2).map(str::trim).filter(|named| named.len() > 1)
}

/// Whether a command line contains a command, word by word.
fn runs(command: &str, named: &str) -> bool {
    let (command, named) = (words(command), words(named));
    !named.is_empty() && command.windows(named.len()).any(|words| words == named)
}

/// The words of a command line, without what the shell puts around and between them.
fn words(line: &str) -> Vec<&str> {
    let between = |c: char| c.is_whitespace() || ";&|()'\"`".contains(c);
    line.split(between).filter(|word| !word.is_empty()).collect()
}

fn first_line(memory: &Memory) -> &str {
    let line = memory.body.content.as_str().lines().next().unwrap_or_default();
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
            ("(make deploy-prod); echo", "make deploy-prod", true),
            ("sh -c 'make deploy-prod'&", "make deploy-prod", true),
            ("make deploy-prod-2", "make deploy-prod", false),
            ("make", "''", false),
        ] {
            assert_eq!(runs(command, named), expected, "{command}");
        }
        let named: Vec<&str> =
            named_commands("Never `make deploy-prod`, use `make stage`").collect();
        assert_eq!(named, ["make deploy-prod", "make stage"]);
    }
}
