//! The review of hooks that Codex asks its user for: it runs a hook only if the user has trusted it in
//! this very form, and says nothing about the others.
//!
//! Codex keeps a checksum of each trusted hook in its configuration, under the file, the event and the
//! position of the hook.

use std::path::Path;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use toml_edit::{Document, Item, TableLike};

use super::hooks::{InstalledHook, installed_hooks};
use super::{InstallError, utf8};

/// The number of our hooks in a file that the user of a client has yet to review.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HookReview {
    /// Hooks that were never trusted.
    pub new: usize,
    /// Hooks that were trusted in another form.
    pub changed: usize,
}

impl HookReview {
    /// Returns the number of hooks that do not run.
    pub fn open(&self) -> usize {
        self.new + self.changed
    }
}

/// Compares our hooks in `settings`, the content of `file`, with those that the `configuration` of the
/// user trusts.
pub fn hook_review(
    file: &Path,
    settings: &[u8],
    configuration: Option<&[u8]>,
) -> Result<HookReview, InstallError> {
    let configuration = configuration.map(utf8).transpose()?.unwrap_or_default();
    let document = Document::parse(configuration)
        .map_err(|error| InstallError::Toml(error.message().to_owned()))?;
    let states = document.as_table().get("hooks").and_then(|hooks| table(hooks)?.get("state"));
    let trusted = |key: &str| {
        let state = table(table(states?)?.get(key)?)?;
        state.get("trusted_hash")?.as_str().map(str::to_owned)
    };
    let mut review = HookReview::default();
    for hook in installed_hooks(utf8(settings)?)? {
        let Some((position, checksum)) = identity(&hook) else { continue };
        match trusted(&format!("{}:{position}", file.display())) {
            None => review.new += 1,
            Some(known) if known != checksum => review.changed += 1,
            Some(_) => {}
        }
    }
    Ok(review)
}

fn table(item: &Item) -> Option<&dyn TableLike> {
    item.as_table_like()
}

/// Returns the event and position of a hook, and its checksum: that of its fields in alphabetical
/// order, with defaults filled in.
fn identity(hook: &InstalledHook<'_>) -> Option<(String, String)> {
    let [.., (_, group), (handlers, handler)] = &hook.path[..] else { return None };
    let event = snake_case(&hook.event);
    let position = format!("{event}:{group}:{handler}");
    let value = handlers.items().get(*handler)?.value.value();
    let field = |name: &str, default: Value| value.get(name).cloned().unwrap_or(default);
    // The fields of each object are in alphabetical order.
    let mut identity = json!({"event_name": event, "hooks": [{
        "async": field("async", json!(false)), "command": field("command", Value::Null),
        "timeout": field("timeout", Value::Null), "type": "command",
    }]});
    if let Some(matcher) = hook.entry.get("matcher") {
        identity["matcher"] = matcher.value();
    }
    let digest = Sha256::digest(identity.to_string().as_bytes());
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    Some((position, format!("sha256:{hex}")))
}

/// Converts the name of an event: `PreToolUse` to `pre_tool_use`.
fn snake_case(event: &str) -> String {
    let mut name = String::new();
    for c in event.chars() {
        if c.is_ascii_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(c.to_ascii_lowercase());
    }
    name
}

#[cfg(test)]
mod tests {
    use tacit_core::ClientName;

    use super::*;
    use crate::client::Client;
    use crate::install::plan_hooks;

    /// The checksums that Codex 0.166 wrote after its user had trusted hooks that run `tacit hook codex`.
    const TRUSTED: [(&str, &str); 3] = [
        ("pre_tool_use", "2ef3edd4a5ef0c6eee9a1d11b5e2b918295abdc3fc85d50ae8fd7ab48180a246"),
        ("session_start", "7c52c712059f5682edb908896e878ed9748f733a211d8b98a2e06f593cd7c5a8"),
        ("stop", "beca42bceec2c41e3026058a9ffecae98a664f80c151a498dcd1311234d5a037"),
    ];

    fn review(configuration: Option<&str>) -> HookReview {
        let file = Path::new("/p/.codex/hooks.json");
        let plan = plan_hooks(Client::named(ClientName::Codex), None, "tacit").expect("a plan");
        let settings = plan.after.expect("a file");
        hook_review(file, &settings, configuration.map(str::as_bytes)).expect("a review")
    }

    #[test]
    fn checksums_of_codex_are_reproduced() {
        let all = Client::named(ClientName::Codex).hooks.len();
        assert_eq!(review(None), HookReview { new: all, changed: 0 });
        let table = |(event, hash): (&str, &str)| {
            format!(
                "[hooks.state.\"/p/.codex/hooks.json:{event}:0:0\"]\ntrusted_hash = \"sha256:{hash}\"\n"
            )
        };
        let trusted: String = TRUSTED.map(table).concat();
        assert_eq!(review(Some(&trusted)), HookReview { new: all - 3, changed: 0 });
        let changed = trusted.replace("beca42", "000000");
        assert_eq!(review(Some(&changed)), HookReview { new: all - 3, changed: 1 });
        let elsewhere = trusted.replace("/p/", "/q/");
        assert_eq!(review(Some(&elsewhere)), HookReview { new: all, changed: 0 });
        let odd = "[hooks]\nstate = 1\n";
        assert_eq!(review(Some(odd)), HookReview { new: all, changed: 0 });
    }
}
