//! Adds, finds and removes our hooks in the settings of a client.

use serde_json::{Value, json};

use super::InstallError;
use super::entries::{HOOKS, HookEntry, entries, foreign_tool, needs_version, program};
use super::json::{Child, JsonNode, Style, add, created, remove_at};
use crate::client::Client;

/// The key of the format version, for clients that require one.
const VERSION: &str = "version";

/// Adds our hooks to the settings of a client.
pub(super) fn install(
    client: &Client,
    current: Option<&str>,
    program: &str,
) -> Result<String, InstallError> {
    let expected = entries(client, program);
    let clean = match current {
        Some(text) if is_current(&installed_hooks(text)?, &expected) => return Ok(text.to_owned()),
        Some(text) => uninstall(client, text)?,
        None => None,
    };
    match clean {
        Some(text) if !text.trim().is_empty() => add_entries(client, text, expected),
        blank => Ok(created(&file(client, expected), blank.as_deref())),
    }
}

/// Removes our hooks; `None` if nothing else is left in a file that we created.
pub(super) fn uninstall(client: &Client, text: &str) -> Result<Option<String>, InstallError> {
    // Hooks are removed in reverse order, so that each has the same surroundings as when it was
    // added.
    let order = |hook: &InstalledHook<'_>| {
        client.hooks.iter().position(|known| known.event == hook.event).unwrap_or(usize::MAX)
    };
    remove(text, program, order)
}

/// Removes the hooks of other memory tools. A file with nothing else is kept as an empty object.
pub(super) fn remove_foreign(text: &str) -> Result<String, InstallError> {
    let foreign = |handler: &Value| foreign_tool(handler).map(str::to_owned);
    Ok(remove(text, foreign, |_| 0)?.unwrap_or_else(|| "{}\n".to_owned()))
}

/// Returns the other memory tools that have hooks in the settings, each once.
pub(super) fn foreign_tools(text: &str) -> Result<Vec<String>, InstallError> {
    let foreign = |handler: &Value| foreign_tool(handler).map(str::to_owned);
    let mut tools: Vec<String> =
        hooks_by(text, foreign)?.into_iter().map(|hook| hook.program).collect();
    tools.sort();
    tools.dedup();
    Ok(tools)
}

/// Removes the hooks that `program` recognises, the last in `order` first.
fn remove(
    text: &str,
    program: impl Fn(&Value) -> Option<String>,
    order: impl Fn(&InstalledHook<'_>) -> usize,
) -> Result<Option<String>, InstallError> {
    let mut text = text.to_owned();
    loop {
        let Some(last) = hooks_by(&text, &program)?.into_iter().max_by_key(&order) else {
            return Ok(Some(text));
        };
        let [(root, at), inner @ ..] = &last.path[..] else { return Ok(Some(text)) };
        let Some(remaining) = remove_at(inner).or_else(|| without_hooks(root, *at)) else {
            return Ok(root.previous_blank());
        };
        text = remaining;
    }
}

/// Counts our hooks in the settings.
pub(super) fn count(text: &str) -> Result<usize, InstallError> {
    Ok(installed_hooks(text)?.len())
}

/// Returns the programs that our hooks run, without duplicates.
pub(super) fn programs(text: &str) -> Result<Vec<String>, InstallError> {
    let mut programs: Vec<String> =
        installed_hooks(text)?.into_iter().map(|hook| hook.program).collect();
    programs.sort();
    programs.dedup();
    Ok(programs)
}

/// Renders our hooks alone, as a file that holds nothing else.
pub(super) fn hooks_file(client: &Client, program: &str) -> String {
    created(&file(client, entries(client, program)), None)
}

fn file(client: &Client, expected: Vec<HookEntry>) -> Value {
    let list = |entry: HookEntry| (entry.event.to_owned(), json!([entry.value]));
    let mut root = json!({ HOOKS: expected.into_iter().map(list).collect::<Value>() });
    if needs_version(client) {
        root[VERSION] = json!(1);
    }
    root
}

fn add_entries(
    client: &Client,
    mut text: String,
    expected: Vec<HookEntry>,
) -> Result<String, InstallError> {
    let root = JsonNode::object(&text)?;
    let style = Style::detect(&root);
    let was_empty = root.members().is_empty();
    for entry in expected {
        text = add(&text, &style, &[HOOKS, entry.event], None, entry.value)?;
    }
    if was_empty && needs_version(client) {
        text = add(&text, &style, &[], Some(VERSION), json!(1))?;
    }
    Ok(text)
}

/// A hook in the settings.
pub(super) struct InstalledHook<'a> {
    pub(super) event: String,
    /// The entry in the list of its event: the hook itself, or its group.
    pub(super) entry: JsonNode<'a>,
    program: String,
    /// The containers of the hook, from the root on, with the index in each.
    pub(super) path: Vec<(JsonNode<'a>, usize)>,
}

/// Finds our hooks, in text order.
pub(super) fn installed_hooks(text: &str) -> Result<Vec<InstalledHook<'_>>, InstallError> {
    hooks_by(text, program)
}

/// Finds the hooks that `program` recognises, in text order.
fn hooks_by(
    text: &str,
    program: impl Fn(&Value) -> Option<String>,
) -> Result<Vec<InstalledHook<'_>>, InstallError> {
    let mut installed_hooks = Vec::new();
    if text.trim().is_empty() {
        return Ok(installed_hooks);
    }
    let root = JsonNode::object(text)?;
    let is_hooks = |(_, member): &(usize, Child<'_>)| member.key == HOOKS;
    for (in_root, hooks) in root.members().into_iter().enumerate().filter(is_hooks) {
        for (in_hooks, list) in hooks.value.members().into_iter().enumerate() {
            for (in_list, entry) in list.value.items().into_iter().enumerate() {
                let path = [(root, in_root), (hooks.value, in_hooks), (list.value, in_list)];
                let group = entry.value.get(HOOKS);
                let handlers = group.into_iter().flat_map(|group| {
                    let items = group.items().into_iter().enumerate();
                    items.map(move |(at, handler)| (handler.value, Some((group, at))))
                });
                for (handler, in_group) in std::iter::once((entry.value, None)).chain(handlers) {
                    let Some(program) = program(&handler.value()) else { continue };
                    let path = path.into_iter().chain(in_group).collect();
                    installed_hooks.push(InstalledHook {
                        event: list.key.clone(),
                        entry: entry.value,
                        program,
                        path,
                    });
                }
            }
        }
    }
    Ok(installed_hooks)
}

/// Removes the hooks key, and the version that we add after it; a version of the user's own is
/// before it.
fn without_hooks(root: &JsonNode<'_>, at: usize) -> Option<String> {
    match &root.members()[..] {
        [hooks, version]
            if hooks.key == HOOKS
                && version.key == VERSION
                && version.value.value() == json!(1) =>
        {
            JsonNode::object(&root.without(1)?).ok()?.without(0)
        }
        _ => root.without(at),
    }
}

/// Returns true if the installed hooks are exactly the expected ones.
fn is_current(installed_hooks: &[InstalledHook<'_>], expected: &[HookEntry]) -> bool {
    let installed: Vec<(&str, Value)> =
        installed_hooks.iter().map(|hook| (&*hook.event, hook.entry.value())).collect();
    installed.len() == expected.len()
        && expected.iter().all(|entry| installed.contains(&(entry.event, entry.value.clone())))
}
