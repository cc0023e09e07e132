//! What agents do with the running application through tools of MCP servers: which calls act on it,
//! on what, and whether it did what was asked.

use serde_json::Value;

/// The longest name of what a call is about, in characters.
const LONGEST_TARGET: usize = 80;

/// A call of a tool that acts on the application, or looks at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Acted {
    /// The tool.
    pub tool: String,
    /// What the call does.
    pub does: Does,
    /// What it is about: a text, a selector, an address.
    pub target: Option<String>,
    /// What went wrong, in a line; none if it did what was asked.
    pub failure: Option<String>,
}

/// What a call does with the application.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Does {
    /// It changes something: a click, a text that is typed.
    Acts,
    /// It looks.
    Looks,
    /// It waits.
    Waits,
}

/// The tools of servers that drive an application, without `browser_` before their names.
const TOOLS: [(&str, Does); 29] = [
    ("click_by_text", Does::Acts),
    ("click_by_selector", Does::Acts),
    ("fill_input", Does::Acts),
    ("send_keyboard_shortcut", Does::Acts),
    ("navigate_to_hash", Does::Acts),
    ("select_option", Does::Acts),
    ("eval", Does::Acts),
    ("evaluate", Does::Acts),
    ("evaluate_script", Does::Acts),
    ("click", Does::Acts),
    ("drag", Does::Acts),
    ("fill", Does::Acts),
    ("fill_form", Does::Acts),
    ("handle_dialog", Does::Acts),
    ("hover", Does::Acts),
    ("navigate", Does::Acts),
    ("navigate_page", Does::Acts),
    ("navigate_back", Does::Acts),
    ("new_page", Does::Acts),
    ("press_key", Does::Acts),
    ("select", Does::Acts),
    ("type", Does::Acts),
    ("upload_file", Does::Acts),
    ("get_page_structure", Does::Looks),
    ("take_screenshot", Does::Looks),
    ("take_snapshot", Does::Looks),
    ("snapshot", Does::Looks),
    ("wait_for", Does::Waits),
    ("wait", Does::Waits),
];
/// Names that are too common to stand for themselves on any server.
const COMMON: [&str; 8] = ["click", "drag", "fill", "hover", "navigate", "select", "type", "wait"];
/// Words in the names of servers that drive an application.
const SERVERS: [&str; 9] = [
    "browser",
    "chrome",
    "cypress",
    "devtools",
    "electron",
    "playwright",
    "puppeteer",
    "selenium",
    "webdriver",
];
/// The fields that say what a call is about, the most telling first.
const TARGETS: [&str; 9] =
    ["text", "element", "selector", "label", "name", "key", "url", "uid", "ref"];
/// How answers begin that say that nothing was done.
const REFUSALS: [&str; 4] = ["error", "### error", "### result\nerror", "failed"];
/// What answers say where the application was not ready.
const NOT_READY: [&str; 8] = [
    "is not visible",
    "is not enabled",
    "is disabled",
    "not clickable",
    "could not be found",
    "no element",
    "timed out",
    "intercepts pointer events",
];

/// Reads a call; none if the tool has nothing to do with a running application.
pub(crate) fn acted(
    server: &str,
    tool: &str,
    input: &Value,
    text: &str,
    failed: bool,
) -> Option<Acted> {
    let name = tool.strip_prefix("browser_");
    let (_, does) = TOOLS.iter().find(|(known, _)| *known == name.unwrap_or(tool))?;
    let server = server.to_lowercase();
    if name.is_none() && COMMON.contains(&tool) && !SERVERS.iter().any(|word| server.contains(word))
    {
        return None;
    }
    let target = TARGETS.iter().find_map(|field| input.get(field)?.as_str());
    let target = target.map(|text| crate::text::line(text, LONGEST_TARGET));
    let lower = text.trim_start().to_lowercase();
    let refused = *does == Does::Acts
        && (REFUSALS.iter().any(|word| lower.starts_with(word))
            || NOT_READY.iter().any(|word| lower.contains(word)));
    let failure = (failed || refused).then(|| {
        let telling = |line: &&str| {
            let line = line.to_lowercase();
            NOT_READY.iter().any(|word| line.contains(word))
        };
        let said = |line: &&str| line.chars().any(char::is_alphabetic) && !line.starts_with('#');
        let line = text.lines().find(telling).or_else(|| text.lines().find(said));
        crate::text::line(line.unwrap_or("it said nothing"), 160)
    });
    Some(Acted { tool: tool.to_owned(), does: *does, target, failure })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn which_calls_have_to_do_with_the_application() {
        let save = json!({"text": "Save"});
        for (server, tool, input, text, expected) in [
            ("electron", "click_by_text", &save, "Clicked", Some((Does::Acts, Some("Save"), None))),
            (
                "electron",
                "click_by_text",
                &save,
                "Error: Save is disabled",
                Some((Does::Acts, Some("Save"), Some("Error: Save is disabled"))),
            ),
            (
                "electron",
                "get_page_structure",
                &json!({}),
                "No element",
                Some((Does::Looks, None, None)),
            ),
            (
                "playwright",
                "browser_click",
                &json!({"element": "the Save button", "ref": "e7"}),
                "### Result\nError: element is not visible\nCall log",
                Some((Does::Acts, Some("the Save button"), Some("Error: element is not visible"))),
            ),
            (
                "chrome-devtools",
                "fill",
                &json!({"uid": "7"}),
                "ok",
                Some((Does::Acts, Some("7"), None)),
            ),
            ("forms", "fill", &json!({"uid": "7"}), "ok", None),
            ("db", "select", &json!({}), "error", None),
            ("tacit", "memory_search", &json!({}), "", None),
        ] {
            let found = acted(server, tool, input, text, false);
            let found = found
                .as_ref()
                .map(|acted| (acted.does, acted.target.as_deref(), acted.failure.as_deref()));
            assert_eq!(found, expected, "{server} {tool}: {text}");
        }
    }

    proptest! {
        #[test]
        fn no_answer_is_too_strange(text in "(?s).{0,80}", failed in any::<bool>()) {
            let acted = acted("electron", "click_by_text", &json!({"text": text}), &text, failed);
            prop_assert!(acted.is_some_and(|acted| !failed || acted.failure.is_some()));
        }
    }
}
