//! What agents do with the running application through tools of MCP servers: which calls act on it,
//! on what, and whether it did what was asked.

use serde_json::Value;

/// The longest name of what a call is about, in characters.
const LONGEST_TARGET: usize = 80;

/// A call of a tool that acts on the application, or looks at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppCall {
    /// The tool.
    pub tool: String,
    /// What the call does.
    pub kind: AppCallKind,
    /// What it is about: a text, a selector, an address.
    pub target: Option<String>,
    /// What went wrong, in a line; none if it did what was asked.
    pub failure: Option<String>,
}

/// What a call does with the application.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AppCallKind {
    /// It changes something: a click, a text that is typed.
    Action,
    /// It looks.
    Inspection,
    /// It waits.
    Wait,
}

/// The tools of servers that drive an application, without `browser_` before their names.
const TOOLS: [(&str, AppCallKind); 29] = [
    ("click_by_text", AppCallKind::Action),
    ("click_by_selector", AppCallKind::Action),
    ("fill_input", AppCallKind::Action),
    ("send_keyboard_shortcut", AppCallKind::Action),
    ("navigate_to_hash", AppCallKind::Action),
    ("select_option", AppCallKind::Action),
    ("eval", AppCallKind::Action),
    ("evaluate", AppCallKind::Action),
    ("evaluate_script", AppCallKind::Action),
    ("click", AppCallKind::Action),
    ("drag", AppCallKind::Action),
    ("fill", AppCallKind::Action),
    ("fill_form", AppCallKind::Action),
    ("handle_dialog", AppCallKind::Action),
    ("hover", AppCallKind::Action),
    ("navigate", AppCallKind::Action),
    ("navigate_page", AppCallKind::Action),
    ("navigate_back", AppCallKind::Action),
    ("new_page", AppCallKind::Action),
    ("press_key", AppCallKind::Action),
    ("select", AppCallKind::Action),
    ("type", AppCallKind::Action),
    ("upload_file", AppCallKind::Action),
    ("get_page_structure", AppCallKind::Inspection),
    ("take_screenshot", AppCallKind::Inspection),
    ("take_snapshot", AppCallKind::Inspection),
    ("snapshot", AppCallKind::Inspection),
    ("wait_for", AppCallKind::Wait),
    ("wait", AppCallKind::Wait),
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
pub(crate) fn read_app_call(
    server: &str,
    tool: &str,
    input: &Value,
    text: &str,
    failed: bool,
) -> Option<AppCall> {
    let name = tool.strip_prefix("browser_");
    let (_, kind) = TOOLS.iter().find(|(known, _)| *known == name.unwrap_or(tool))?;
    let server = server.to_lowercase();
    if name.is_none() && COMMON.contains(&tool) && !SERVERS.iter().any(|word| server.contains(word))
    {
        return None;
    }
    let target = TARGETS.iter().find_map(|field| input.get(field)?.as_str());
    let target = target.map(|text| crate::text::one_line(text, LONGEST_TARGET));
    let lower = text.trim_start().to_lowercase();
    let refused = *kind == AppCallKind::Action
        && (REFUSALS.iter().any(|word| lower.starts_with(word))
            || NOT_READY.iter().any(|word| lower.contains(word)));
    let failure = (failed || refused).then(|| {
        let telling = |line: &&str| {
            let line = line.to_lowercase();
            NOT_READY.iter().any(|word| line.contains(word))
        };
        let said = |line: &&str| line.chars().any(char::is_alphabetic) && !line.starts_with('#');
        let line = text.lines().find(telling).or_else(|| text.lines().find(said));
        crate::text::one_line(line.unwrap_or("it said nothing"), 160)
    });
    Some(AppCall { tool: tool.to_owned(), kind: *kind, target, failure })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn tools_that_drive_an_application_are_recognised() {
        let save = json!({"text": "Save"});
        for (server, tool, input, text, expected) in [
            (
                "electron",
                "click_by_text",
                &save,
                "Clicked",
                Some((AppCallKind::Action, Some("Save"), None)),
            ),
            (
                "electron",
                "click_by_text",
                &save,
                "Error: Save is disabled",
                Some((AppCallKind::Action, Some("Save"), Some("Error: Save is disabled"))),
            ),
            (
                "electron",
                "get_page_structure",
                &json!({}),
                "No element",
                Some((AppCallKind::Inspection, None, None)),
            ),
            (
                "playwright",
                "browser_click",
                &json!({"element": "the Save button", "ref": "e7"}),
                "### Result\nError: element is not visible\nCall log",
                Some((
                    AppCallKind::Action,
                    Some("the Save button"),
                    Some("Error: element is not visible"),
                )),
            ),
            (
                "chrome-devtools",
                "fill",
                &json!({"uid": "7"}),
                "ok",
                Some((AppCallKind::Action, Some("7"), None)),
            ),
            ("forms", "fill", &json!({"uid": "7"}), "ok", None),
            ("db", "select", &json!({}), "error", None),
            ("tacit", "memory_search", &json!({}), "", None),
        ] {
            let found = read_app_call(server, tool, input, text, false);
            let found = found.as_ref().map(|read_app_call| {
                (
                    read_app_call.kind,
                    read_app_call.target.as_deref(),
                    read_app_call.failure.as_deref(),
                )
            });
            assert_eq!(found, expected, "{server} {tool}: {text}");
        }
    }

    proptest! {
        #[test]
        fn any_answer_is_accepted(text in "(?s).{0,80}", failed in any::<bool>()) {
            let read_app_call = read_app_call("electron", "click_by_text", &json!({"text": text}), &text, failed);
            prop_assert!(read_app_call.is_some_and(|read_app_call| !failed || read_app_call.failure.is_some()));
        }
    }
}
