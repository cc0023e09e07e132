//! Hooks in the settings of a client: putting ours in, finding them, and taking them out.

use serde_json::{Value, json};

use super::InstallError;
use super::entries::{Entry, HOOKS, entries, is_ours, needs_version, program};
use super::spans::{Kind, Node, parse};
use super::splice::{Removed, Style, append, remove};
use crate::client::Client;

/// The key that says which form a file has, where a client asks for it.
const VERSION: &str = "version";

/// The settings of a client with our hooks in them.
pub(super) fn install(
    client: &Client,
    current: Option<&str>,
    program: &str,
) -> Result<String, InstallError> {
    let wanted = entries(client, program);
    let Some(text) = current else { return Ok(created(client, &wanted)) };
    if text.trim().is_empty() {
        // The line in between tells the file from one that was not there before.
        return Ok(format!("{}\n{text}", created(client, &wanted)));
    }
    if is_current(&object(text)?, text, &wanted) {
        return Ok(text.to_owned());
    }
    match uninstall(client, text)? {
        Some(clean) if !clean.trim().is_empty() => added(client, clean, &wanted),
        Some(blank) => Ok(format!("{}\n{blank}", created(client, &wanted))),
        None => Ok(created(client, &wanted)),
    }
}

/// The settings without any hook of ours; `None` if nothing is left of a file that was ours.
pub(super) fn uninstall(client: &Client, text: &str) -> Result<Option<String>, InstallError> {
    if text.trim().is_empty() {
        return Ok(Some(text.to_owned()));
    }
    let mut text = text.to_owned();
    loop {
        let root = object(&text)?;
        let Some(found) = last_added(client, &root, &text) else { return Ok(Some(text)) };
        if take_out(&mut text, &root, &found) == Removed::Sole {
            let rest = &text[object(&text)?.span.end..];
            let before = rest.strip_prefix("\n\n");
            return Ok(before.filter(|before| before.trim().is_empty()).map(str::to_owned));
        }
    }
}

/// How often our hooks are in the settings.
pub(super) fn count(text: &str) -> Result<usize, InstallError> {
    if text.trim().is_empty() {
        return Ok(0);
    }
    let root = object(text)?;
    Ok(ours(&root, text).len())
}

/// The programs that our hooks in the settings run, each once.
pub(super) fn programs(text: &str) -> Result<Vec<String>, InstallError> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let root = object(text)?;
    let mut programs: Vec<String> = Vec::new();
    for Found { root: at, event, entry, handler } in ours(&root, text) {
        let node = &root.members()[at].value.members()[event].value.items()[entry];
        let node = match handler {
            Some(at) => node.get(HOOKS).and_then(|group| group.items().get(at)),
            None => Some(node),
        };
        programs.extend(node.and_then(|node| program(&node.value(text))));
    }
    programs.sort();
    programs.dedup();
    Ok(programs)
}

/// A text that must be an object.
pub(super) fn object(text: &str) -> Result<Node, InstallError> {
    let root = parse(text)?;
    match root.kind {
        Kind::Object(_) => Ok(root),
        _ => Err(InstallError::Shape { key: "the file".to_owned(), expected: "an object" }),
    }
}

/// The value of `hooks` alone, as a file that holds nothing else.
pub(super) fn hooks_file(client: &Client, program: &str) -> String {
    created(client, &entries(client, program))
}

fn created(client: &Client, wanted: &[Entry]) -> String {
    let mut hooks = serde_json::Map::new();
    for entry in wanted {
        hooks.insert(entry.event.to_owned(), json!([entry.value]));
    }
    let mut root = json!({ HOOKS: hooks });
    if needs_version(client) {
        root[VERSION] = json!(1);
    }
    let mut text = Style::plain().write(&root, "");
    text.push('\n');
    text
}

fn added(client: &Client, mut text: String, wanted: &[Entry]) -> Result<String, InstallError> {
    let style = Style::of(&text, &object(&text)?);
    for entry in wanted {
        let root = object(&text)?;
        let list = || json!([entry.value]);
        match root.get(HOOKS) {
            None => {
                let fresh = root.members().is_empty() && needs_version(client);
                append(&mut text, &root, Some(HOOKS), &json!({ entry.event: list() }), &style);
                if fresh {
                    let root = object(&text)?;
                    append(&mut text, &root, Some(VERSION), &json!(1), &style);
                }
            }
            Some(hooks) => match (&hooks.kind, hooks.get(entry.event)) {
                (Kind::Object(_), None) => {
                    append(&mut text, hooks, Some(entry.event), &list(), &style);
                }
                (Kind::Object(_), Some(event)) => match event.kind {
                    Kind::Array(_) => append(&mut text, event, None, &entry.value, &style),
                    _ => {
                        let key = format!("{HOOKS}.{}", entry.event);
                        return Err(InstallError::Shape { key, expected: "a list" });
                    }
                },
                _ => {
                    let key = HOOKS.to_owned();
                    return Err(InstallError::Shape { key, expected: "an object" });
                }
            },
        }
    }
    Ok(text)
}

/// Where a hook is: the positions in `hooks`, in an event's list, and in a group if it is in one.
struct Found {
    root: usize,
    event: usize,
    entry: usize,
    handler: Option<usize>,
}

/// Every hook of ours, in the order of the text.
fn ours(root: &Node, text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    for (in_root, member) in root.members().iter().enumerate() {
        if member.key != HOOKS {
            continue;
        }
        for (event, list) in member.value.members().iter().enumerate() {
            for (entry, node) in list.value.items().iter().enumerate() {
                let place = |handler| Found { root: in_root, event, entry, handler };
                if is_ours(&node.value(text)) {
                    found.push(place(None));
                }
                let handlers = node.get(HOOKS).map_or(&[][..], Node::items);
                for (at, handler) in handlers.iter().enumerate() {
                    if is_ours(&handler.value(text)) {
                        found.push(place(Some(at)));
                    }
                }
            }
        }
    }
    found
}

/// The hook to take out next: hooks go in the opposite order of that in which they came, so that each
/// stands in the same surroundings as when it was added.
fn last_added(client: &Client, root: &Node, text: &str) -> Option<Found> {
    let order = |found: &Found| {
        let event = &root.members()[found.root].value.members()[found.event].key;
        client.hooks.iter().position(|hook| hook.event == event).unwrap_or(usize::MAX)
    };
    ours(root, text).into_iter().max_by_key(order)
}

/// Takes out one hook, and whatever was added around it.
fn take_out(text: &mut String, root: &Node, found: &Found) -> Removed {
    let hooks = &root.members()[found.root].value;
    let list = &hooks.members()[found.event].value;
    let mut removed = Removed::Sole;
    if let (Some(at), Some(handlers)) = (found.handler, list.items()[found.entry].get(HOOKS)) {
        removed = remove(text, handlers, at);
    }
    if removed == Removed::Sole {
        removed = remove(text, list, found.entry);
    }
    if removed == Removed::Sole {
        removed = remove(text, hooks, found.event);
    }
    if removed == Removed::Sole {
        // We write the version behind the hooks, and somebody who had one has it before them.
        if let [first, version] = root.members()
            && first.key == HOOKS
            && version.key == VERSION
            && version.value.value(text) == json!(1)
        {
            let range = first.value.span.end..version.value.span.end;
            text.replace_range(range, "");
            return match object(text) {
                Ok(root) => remove(text, &root, 0),
                Err(_) => Removed::Sole,
            };
        }
        removed = remove(text, root, found.root);
    }
    removed
}

/// Whether the settings have exactly the hooks that are wanted.
fn is_current(root: &Node, text: &str, wanted: &[Entry]) -> bool {
    let found = ours(root, text);
    let have: Vec<(&str, Value)> = found
        .iter()
        .map(|place| {
            let event = &root.members()[place.root].value.members()[place.event];
            (event.key.as_str(), event.value.items()[place.entry].value(text))
        })
        .collect();
    have.len() == wanted.len()
        && wanted.iter().all(|entry| have.contains(&(entry.event, entry.value.clone())))
}
