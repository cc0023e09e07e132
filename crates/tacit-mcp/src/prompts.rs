//! Prompts: commands that clients offer to the user.

use rmcp::model::{GetPromptResult, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::{Map, Value};
use tacit_app::review::review_queue;
use tacit_engine::StoreAccess;

use crate::show::{ShownNote, fenced};
use crate::tool_context::ToolContext;
use crate::tool_result::{ToolError, shortened};

/// The most characters of an argument.
const MAX_ARGUMENT: usize = 8_192;
/// The number of memories per review.
const REVIEWED: usize = 10;

/// Lists the prompts.
pub fn prompts() -> Vec<Prompt> {
    let argument = |name: &str, description: &str| {
        Some(vec![PromptArgument::new(name).with_description(description).with_required(true)])
    };
    vec![
        Prompt::new(
            "remember",
            Some("Store a learning for later sessions"),
            argument("learning", "What to remember"),
        ),
        Prompt::new(
            "when",
            Some("Look up what is known about a situation, such as \"writing mock tests\""),
            argument("situation", "What you are about to do"),
        ),
        Prompt::new("review", Some("Review unconfirmed memories"), None),
    ]
}

/// Fills in a prompt.
pub(crate) fn prompt(
    ctx: &ToolContext<'_>,
    name: &str,
    arguments: &Map<String, Value>,
) -> Result<GetPromptResult, ToolError> {
    let text = match name {
        "remember" => remember(&argument(arguments, "learning")?),
        "when" => when(&argument(arguments, "situation")?),
        "review" => review(ctx)?,
        _ => {
            let name = shortened(name, 100);
            return Err(ToolError::error(format!("there is no prompt `{name}`")));
        }
    };
    Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]))
}

fn argument(arguments: &Map<String, Value>, name: &str) -> Result<String, ToolError> {
    match arguments.get(name).and_then(Value::as_str).map(str::trim) {
        Some(text) if !text.is_empty() => Ok(shortened(text, MAX_ARGUMENT)),
        _ => Err(ToolError::error(format!("`{name}` is missing"))),
    }
}

fn remember(learning: &str) -> String {
    format!(
        "Store this learning with `store_memory`, with `asked: true` and `confidence: \"low\"`:\n\n\
         {learning}\n\n\
         Use my words as the description. Add a name of at most 60 characters, one or two \
         sentences of reasoning, and as `use_when` two to four situations in which it helps, in \
         words that I would type before I know it. The category is `anti-patterns` for what not \
         to do, `patterns` for what to do, and `heuristics` for everything else. If the learning \
         has fewer than 20 characters, ask me for more detail instead. Then tell me the result in \
         one line."
    )
}

fn when(situation: &str) -> String {
    format!(
        "I am about to do this: {situation}\n\nIf the project has a trigger index, open its decisions \
         with `when`. Search what is known with `memory_search`, and read what matters with \
         `memory_get`. Tell me what I should follow, and where it is written. If nothing is \
         known, say so."
    )
}

fn review(ctx: &ToolContext<'_>) -> Result<String, ToolError> {
    let engine = ctx.engine(StoreAccess::ReadBoth)?;
    let queue = review_queue(&engine, ctx.now())?;
    let root = engine.paths().root.clone();
    let first = queue.items.iter().take(REVIEWED);
    let shown: Vec<ShownNote> = first.map(|item| ShownNote::whole(&root, &item.found)).collect();
    let notes = fenced("waiting for review", &shown, "No memory is waiting for review.");
    if shown.is_empty() {
        return Ok(notes);
    }
    Ok(format!(
        "{notes}\n\nGo through these notes with me, one at a time. Check each against the code first \
         and tell me what you found. Then do what I decide: `memory_feedback` if it is wrong or \
         outdated, `forget` if it must go. If it is right, only I can confirm it: tell me to run \
         `tacit review confirm ID` in a terminal."
    ))
}
