//! Hooks in the settings of a client: putting ours in, finding them, and taking them out.

use serde_json::{Value, json};

use super::InstallError;
use super::entries::{HOOKS, HookEntry, entries, needs_version, program};
use super::json::{Child, JsonNode, Style, add, created, take_out};
use crate::client::Client;

/// The key that says which form a file has, where a client asks for it.
const VERSION: &str = "version";

/// Returns the settings of a client with our hooks in them.
pub(super) fn install(
    client: &Client,
    current: Option<&str>,
    program: &str,
) -> Result<String, InstallError> {
    let wanted = entries(client, program);
    let clean = match current {
        Some(text) if is_current(&found(text)?, &wanted) => return Ok(text.to_owned()),
        Some(text) => uninstall(client, text)?,
        None => None,
    };
    match clean {
        Some(text) if !text.trim().is_empty() => added(client, text, wanted),
        blank => Ok(created(&file(client, wanted), blank.as_deref())),
    }
}

/// Returns the settings without any hook of ours; `None` if nothing is left of a file that was
/// ours.
pub(super) fn uninstall(client: &Client, text: &str) -> Result<Option<String>, InstallError> {
    let mut text = text.to_owned();
    loop {
        // Hooks go in the opposite order of that in which they came, so that each stands in the same
        // surroundings as when it was added.
        let order = |hook: &InstalledHook<'_>| {
            client.hooks.iter().position(|known| known.event == hook.event).unwrap_or(usize::MAX)
        };
        let Some(last) = found(&text)?.into_iter().max_by_key(order) else { return Ok(Some(text)) };
        let [(root, at), inner @ ..] = &last.way[..] else { return Ok(Some(text)) };
        let Some(left) = take_out(inner).or_else(|| without_hooks(root, *at)) else {
            return Ok(root.blank_behind());
        };
        text = left;
    }
}

/// Counts our hooks in the settings.
pub(super) fn count(text: &str) -> Result<usize, InstallError> {
    Ok(found(text)?.len())
}

/// Returns the programs that our hooks in the settings run, each once.
pub(super) fn programs(text: &str) -> Result<Vec<String>, InstallError> {
    let mut programs: Vec<String> = found(text)?.into_iter().map(|hook| hook.program).collect();
    programs.sort();
    programs.dedup();
    Ok(programs)
}

/// Renders our hooks alone, as a file that holds nothing else.
pub(super) fn hooks_file(client: &Client, program: &str) -> String {
    created(&file(client, entries(client, program)), None)
}

fn file(client: &Client, wanted: Vec<HookEntry>) -> Value {
    let list = |entry: HookEntry| (entry.event.to_owned(), json!([entry.value]));
    let mut root = json!({ HOOKS: wanted.into_iter().map(list).collect::<Value>() });
    if needs_version(client) {
        root[VERSION] = json!(1);
    }
    root
}

fn added(
    client: &Client,
    mut text: String,
    wanted: Vec<HookEntry>,
) -> Result<String, InstallError> {
    let root = JsonNode::object(&text)?;
    let style = Style::of(&root);
    let fresh = root.members().is_empty();
    for entry in wanted {
        text = add(&text, &style, &[HOOKS, entry.event], None, entry.value)?;
    }
    if fresh && needs_version(client) {
        text = add(&text, &style, &[], Some(VERSION), json!(1))?;
    }
    Ok(text)
}

/// A hook of ours.
struct InstalledHook<'a> {
    event: String,
    /// The entry of its event's list: the hook itself, or the group it is in.
    entry: JsonNode<'a>,
    program: String,
    /// The containers it is in, from the root on, with the place in each.
    way: Vec<(JsonNode<'a>, usize)>,
}

/// Returns every hook of ours, in the order of the text.
fn found(text: &str) -> Result<Vec<InstalledHook<'_>>, InstallError> {
    let mut found = Vec::new();
    if text.trim().is_empty() {
        return Ok(found);
    }
    let root = JsonNode::object(text)?;
    let is_hooks = |(_, member): &(usize, Child<'_>)| member.key == HOOKS;
    for (in_root, hooks) in root.members().into_iter().enumerate().filter(is_hooks) {
        for (in_hooks, list) in hooks.value.members().into_iter().enumerate() {
            for (in_list, entry) in list.value.items().into_iter().enumerate() {
                let way = [(root, in_root), (hooks.value, in_hooks), (list.value, in_list)];
                let group = entry.value.get(HOOKS);
                let handlers = group.into_iter().flat_map(|group| {
                    let items = group.items().into_iter().enumerate();
                    items.map(move |(at, handler)| (handler.value, Some((group, at))))
                });
                for (handler, in_group) in std::iter::once((entry.value, None)).chain(handlers) {
                    let Some(program) = program(&handler.value()) else { continue };
                    let way = way.into_iter().chain(in_group).collect();
                    found.push(InstalledHook {
                        event: list.key.clone(),
                        entry: entry.value,
                        program,
                        way,
                    });
                }
            }
        }
    }
    Ok(found)
}

/// Returns the settings without their hooks, and without the version that we write behind them;
/// somebody who had one has it before them.
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

/// Returns true if exactly the wanted hooks were found.
fn is_current(found: &[InstalledHook<'_>], wanted: &[HookEntry]) -> bool {
    let have: Vec<(&str, Value)> =
        found.iter().map(|hook| (&*hook.event, hook.entry.value())).collect();
    have.len() == wanted.len()
        && wanted.iter().all(|entry| have.contains(&(entry.event, entry.value.clone())))
}
