//! The plugin for OpenCode and Kilo, which runs in their process and calls `tacit hook` with payloads
//! in our own format.

use serde_json::Value;

use crate::client::Client;

/// The source of the plugin. `@TITLE@` is replaced by the title of the client, `@CLIENT@` by its name
/// and `@TACIT@` by the program, both as JavaScript strings.
const PLUGIN: &str = include_str!("../../assets/plugin.js");

/// The start of the plugin, which identifies it.
const FIRST_LINE: &str = "// Tacit for ";

/// Returns the source of the plugin for a client and a program.
pub(super) fn source(client: &Client, program: &str) -> String {
    PLUGIN
        .replace("@TITLE@", client.title)
        .replace("@CLIENT@", &Value::from(client.name.as_str()).to_string())
        .replace("@TACIT@", &Value::from(program).to_string())
}

/// Returns true if a text is the plugin, in any version.
pub(super) fn is_ours(text: &str) -> bool {
    text.trim_start().starts_with(FIRST_LINE)
}

/// Returns the program that a plugin calls; `None` if the text is not the plugin.
pub(super) fn program(text: &str) -> Option<String> {
    let (before, _) = PLUGIN.split_once("@TACIT@").filter(|_| is_ours(text))?;
    let start = before.rsplit('\n').next()?;
    let rest = text.lines().find_map(|line| line.strip_prefix(start))?;
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<String>();
    values.next()?.ok()
}

#[cfg(test)]
mod tests {
    use tacit_core::ClientName;

    use super::*;

    #[test]
    fn the_program_of_a_plugin_is_read_back() {
        for client in [ClientName::OpenCode, ClientName::Kilo] {
            for name in ["tacit", "/a \"b\"/tacit"] {
                let text = source(Client::named(client), name);
                assert_eq!(program(&text).as_deref(), Some(name));
                assert!(text.contains(&format!("[\"hook\", \"{client}\", event]")), "{text}");
            }
        }
        assert_eq!(program("export default {}"), None);
    }
}
