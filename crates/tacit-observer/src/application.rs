//! Reads calls of MCP tools that drive a running application: the kind of call, its target, and
//! whether it succeeded.

use serde_json::Value;

/// Maximum length of a call's target, in characters.
const MAX_TARGET: usize = 80;
/// Maximum length of an answer that is kept, in characters.
const MAX_ANSWER: usize = 300;

/// A tool call that acts on a running application or inspects it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppCall {
    /// The tool's name without its server.
    pub tool: String,
    /// The effect of the call.
    pub kind: AppCallKind,
    /// The text, selector or address that the call is about.
    pub target: Option<String>,
    /// The error message in one line, or `None` if the call succeeded.
    pub failure: Option<String>,
    /// The beginning of the answer in one line.
    pub answer: String,
}

/// The effect of a call on the application.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AppCallKind {
    /// Changes something, such as a click or typed text.
    Action,
    /// Takes a screenshot or reads the page.
    Inspection,
    /// Waits for something to appear.
    Wait,
}

/// Further tools that drive an application, as a project names them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AppTools(Vec<(String, AppCallKind)>);

impl AppTools {
    /// Reads a setting: names separated by commas, each with its effect (`press_button`,
    /// `read_panel:inspection`, `pause:wait`). A tool without one, or with another, is an action.
    pub fn from_setting(setting: &str) -> AppTools {
        let names = setting.split(',').map(str::trim).filter(|name| !name.is_empty());
        let tools = names.map(|name| {
            let (tool, effect) = name.split_once(':').unwrap_or((name, "action"));
            let kind = match effect.trim() {
                "inspection" => AppCallKind::Inspection,
                "wait" => AppCallKind::Wait,
                _ => AppCallKind::Action,
            };
            (tool.trim().to_owned(), kind)
        });
        AppTools(tools.collect())
    }

    /// Returns the effect of a tool of a server, or `None` if it does not drive an application.
    fn kind(&self, server: &str, tool: &str) -> Option<AppCallKind> {
        if let Some((_, kind)) = self.0.iter().find(|(known, _)| known == tool) {
            return Some(*kind);
        }
        let name = tool.strip_prefix("browser_");
        let (_, kind) = TOOLS.iter().find(|(known, _)| *known == name.unwrap_or(tool))?;
        let server = server.to_lowercase();
        let is_driver = || SERVERS.iter().any(|word| server.contains(word));
        let is_clear = name.is_some() || !COMMON_TOOLS.contains(&tool) || is_driver();
        is_clear.then_some(*kind)
    }
}

/// Tools that drive an application, without their `browser_` prefix.
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
/// Tool names that are too common to be recognised on any server.
const COMMON_TOOLS: [&str; 8] =
    ["click", "drag", "fill", "hover", "navigate", "select", "type", "wait"];
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
/// Input fields that name the target, most specific first.
const TARGETS: [&str; 9] =
    ["text", "element", "selector", "label", "name", "key", "url", "uid", "ref"];
/// Beginnings of answers that report a failure.
const FAILURE_PREFIXES: [&str; 4] = ["error", "### error", "### result\nerror", "failed"];
/// Phrases in answers of an application that was not ready.
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

/// Reads a call, or returns `None` if the tool does not drive an application.
pub(crate) fn read_app_call(
    tools: &AppTools,
    server: &str,
    tool: &str,
    input: &Value,
    text: &str,
    failed: bool,
) -> Option<AppCall> {
    let kind = tools.kind(server, tool)?;
    let target = TARGETS.iter().find_map(|field| input.get(field)?.as_str());
    let target = target.map(|text| crate::text::one_line(text, MAX_TARGET));
    let lower = text.trim_start().to_lowercase();
    let refused = kind == AppCallKind::Action
        && (FAILURE_PREFIXES.iter().any(|word| lower.starts_with(word))
            || NOT_READY.iter().any(|word| lower.contains(word)));
    let failure = (failed || refused).then(|| {
        let is_not_ready = |line: &&str| {
            let line = line.to_lowercase();
            NOT_READY.iter().any(|word| line.contains(word))
        };
        let is_message =
            |line: &&str| line.chars().any(char::is_alphabetic) && !line.starts_with('#');
        let line = text.lines().find(is_not_ready).or_else(|| text.lines().find(is_message));
        crate::text::one_line(line.unwrap_or("no message was returned"), 160)
    });
    let answer = crate::text::one_line(text, MAX_ANSWER);
    Some(AppCall { tool: tool.to_owned(), kind, target, failure, answer })
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
            let call = read_app_call(&AppTools::default(), server, tool, input, text, false);
            let found = (call.as_ref())
                .map(|call| (call.kind, call.target.as_deref(), call.failure.as_deref()));
            assert_eq!(found, expected, "{server} {tool}: {text}");
        }
    }

    #[test]
    fn projects_name_further_tools() {
        let tools =
            AppTools::from_setting("press_button, read_panel:inspection ,pause: wait,,fill");
        for (tool, expected) in [
            ("press_button", Some(AppCallKind::Action)),
            ("read_panel", Some(AppCallKind::Inspection)),
            ("pause", Some(AppCallKind::Wait)),
            ("fill", Some(AppCallKind::Action)),
            ("click_by_text", Some(AppCallKind::Action)),
            ("drag", None),
        ] {
            assert_eq!(tools.kind("robot", tool), expected, "{tool}");
        }
    }

    proptest! {
        #[test]
        fn any_answer_is_accepted(text in "(?s).{0,80}", failed in any::<bool>()) {
            let (tools, input) = (AppTools::from_setting(&text), json!({"text": text}));
            let call = read_app_call(&tools, "electron", "click_by_text", &input, &text, failed);
            prop_assert!(call.is_some_and(|call| !failed || call.failure.is_some()));
        }
    }
}
