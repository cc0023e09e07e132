//! Slash commands as clients pass them on: the typed line, or its parts in tags.

/// The prefixes that clients put before the names of Tacit's commands.
const PREFIXES: [&str; 3] = ["tacit:", "mcp__tacit__", "prompts:"];

/// A slash command at the start of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SlashCommand<'a> {
    /// The name without the slash, as the client spells it.
    pub name: &'a str,
    /// The trimmed rest of the prompt.
    pub arguments: &'a str,
}

impl<'a> SlashCommand<'a> {
    /// Parses a prompt; `None` if it does not start with a command.
    pub fn parse(prompt: &'a str) -> Option<SlashCommand<'a>> {
        let prompt = prompt.trim();
        let Some(tagged) = prompt.strip_prefix("<command-name>") else {
            let typed = prompt.strip_prefix('/')?;
            let (name, arguments) = typed.split_once(char::is_whitespace).unwrap_or((typed, ""));
            return Some(SlashCommand { name, arguments: arguments.trim() });
        };
        let (name, rest) = tagged.split_once("</command-name>")?;
        let arguments = rest.split_once("<command-args>");
        let arguments = arguments.and_then(|(_, rest)| rest.split_once("</command-args>"));
        let name = name.trim();
        Some(SlashCommand {
            name: name.strip_prefix('/').unwrap_or(name),
            arguments: arguments.map_or("", |(arguments, _)| arguments.trim()),
        })
    }

    /// Returns the name without the prefix of Tacit's plugin or server.
    pub fn own_name(&self) -> &'a str {
        PREFIXES.iter().find_map(|prefix| self.name.strip_prefix(prefix)).unwrap_or(self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_parse_as_typed_and_in_tags() {
        for (prompt, expected) in [
            ("/when writing tests", Some(("when", "writing tests"))),
            ("  /remember\n  two words \n", Some(("remember", "two words"))),
            ("/tacit:memory", Some(("memory", ""))),
            ("/mcp__tacit__remember x", Some(("remember", "x"))),
            ("/prompts:remember x", Some(("remember", "x"))),
            ("/other:memory x", Some(("other:memory", "x"))),
            (
                "<command-name>/how</command-name> <command-args> a\nb </command-args>",
                Some(("how", "a\nb")),
            ),
            ("<command-name>/memory</command-name>", Some(("memory", ""))),
            ("<command-name>/memory", None),
            ("run /when now", None),
            ("", None),
        ] {
            let command = SlashCommand::parse(prompt);
            let read = command.map(|command| (command.own_name(), command.arguments));
            assert_eq!(read, expected, "{prompt:?}");
        }
    }
}
