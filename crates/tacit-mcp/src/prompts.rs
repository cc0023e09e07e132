//! Prompts: what a user can ask for by name, where a client offers them as commands.

use rmcp::model::{GetPromptResult, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::{Map, Value};
use tacit_core::Review;
use tacit_engine::StoreAccess;
use tacit_store::{Filter, ListOrder};

use crate::show::{ShownNote, fenced};
use crate::tool_context::ToolContext;
use crate::tool_result::{ToolError, shortened};

/// The most characters of an argument.
const LONGEST: usize = 8_192;
/// How many memories are put up for review at once.
const REVIEWED: usize = 10;

/// The prompts as clients are told of them.
pub fn prompts() -> Vec<Prompt> {
    let argument = |name: &str, description: &str| {
        Some(vec![PromptArgument::new(name).with_description(description).with_required(true)])
    };
    vec![
        Prompt::new(
            "remember",
            Some("Keep a learning for later sessions"),
            argument("learning", "What to remember"),
        ),
        Prompt::new(
            "when",
            Some("What is known for a situation, such as \"writing mock tests\""),
            argument("situation", "What you are about to do"),
        ),
        Prompt::new("review", Some("Look at the memories that nobody has confirmed"), None),
    ]
}

/// A prompt with its arguments put in.
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
        Some(text) if !text.is_empty() => Ok(shortened(text, LONGEST)),
        _ => Err(ToolError::error(format!("`{name}` is missing"))),
    }
}

fn remember(learning: &str) -> String {
    format!(
        "Store this learning with `store_memory`, with `asked: true` and `confidence: \"low\"`:\n\n\
         {learning}\n\n\
         Use my words as the description. Give it a name of at most 60 characters and one or two \
         sentences of reasoning. The category is `anti-patterns` for what not to do, `patterns` for \
         what to do, `heuristics` for everything else and in doubt. If it has fewer than 20 \
         characters, ask me for more instead. Then tell me in one line what came of it."
    )
}

fn when(situation: &str) -> String {
    format!(
        "I am about to do this: {situation}\n\nOpen with `when` what was decided for it, if the project \
         has such an index; look up with `memory_search` what is known about it, and read what \
         matters with `memory_get`. Tell me what I should keep to, and where that is written. If \
         nothing is known, say so."
    )
}

fn review(ctx: &ToolContext<'_>) -> Result<String, ToolError> {
    let engine = ctx.engine(StoreAccess::ReadBoth)?;
    let filter = Filter { reviews: vec![Review::Needed], ..Filter::default() };
    let found = engine.list(None, &filter, ListOrder::Newest, REVIEWED, 0)?;
    let root = engine.places().root.clone();
    let shown: Vec<ShownNote> = found.iter().map(|found| ShownNote::whole(&root, found)).collect();
    let notes = fenced("waiting for review", &shown, "No memory waits for review.");
    if shown.is_empty() {
        return Ok(notes);
    }
    Ok(format!(
        "{notes}\n\nGo through these notes with me, one at a time. Check each against the code first \
         and say what you found. Then do what I decide: `memory_feedback` if it is wrong or outdated, \
         `forget` if it must go. If it is right, only I can confirm it: tell me the command, \
         `tacit review confirm ID`, to run in a terminal of my own."
    ))
}
