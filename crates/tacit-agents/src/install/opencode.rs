//! The plugin for OpenCode, which runs in its process and calls us with payloads in our own form.

/// The plugin. `@TACIT@` stands for the program, as a JavaScript string.
const PLUGIN: &str = include_str!("../../assets/opencode.js");

/// The first line of the plugin, by which it is known.
const FIRST_LINE: &str = "// Tacit for OpenCode";

/// Returns the plugin, calling that program.
pub(super) fn plugin(program: &str) -> String {
    PLUGIN.replace("@TACIT@", &serde_json::Value::from(program).to_string())
}

/// Returns true if a text is the plugin, in this or an earlier version.
pub(super) fn is_plugin(text: &str) -> bool {
    text.trim_start().starts_with(FIRST_LINE)
}

/// Returns the program that a plugin calls; none if the text is not one.
pub(super) fn program(text: &str) -> Option<String> {
    let (before, _) = PLUGIN.split_once("@TACIT@").filter(|_| is_plugin(text))?;
    let start = before.rsplit('\n').next()?;
    let rest = text.lines().find_map(|line| line.strip_prefix(start))?;
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<String>();
    values.next()?.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_of_a_plugin_is_read_back() {
        for name in ["tacit", "/a \"b\"/tacit"] {
            assert_eq!(program(&plugin(name)).as_deref(), Some(name));
        }
        assert_eq!(program("export default {}"), None);
    }
}
