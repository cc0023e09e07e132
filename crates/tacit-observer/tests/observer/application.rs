//! Sessions that try the running application.

use crate::script::{Script, dropped, nothing, only};

#[test]
fn what_the_running_application_was_seen_to_do() {
    let checked = |script: Script| script.reports(true).ends().memories(&[]);
    let qa = || Script::new("qa").says("Check the settings");
    let disabled = "Error: the button is disabled";
    assert_eq!(
        checked(
            qa().acts("click_by_text", "Start", disabled)
                .acts("click_by_text", "Settings", "Clicked")
                .acts("fill_input", "Name", "Filled")
                .acts("click_by_text", "Start", "Clicked")
        ),
        [
            "e2e_observation: Before click_by_text on `Start` works: click_by_text on `Settings`, then \
          fill_input on `Name`. Without that it failed (Error: the button is disabled)."
        ]
    );
    assert_eq!(
        checked(
            qa().acts("click_by_text", "Save", disabled)
                .acts("take_screenshot", "", "image")
                .acts("click_by_text", "Save", disabled)
                .acts("click_by_text", "Save", "Clicked")
        ),
        [
            "e2e_observation: click_by_text on `Save` needs some time: it failed (Error: the button is \
          disabled) and worked 30.0 s later, after waiting alone."
        ]
    );
    assert_eq!(
        checked(qa().acts("click_by_text", "Menu", "Error: no element with this text").acts(
            "eval",
            "Menu",
            "undefined"
        )),
        [
            "e2e_observation: click_by_text on `Menu` does not work (Error: no element with this text); \
          eval does."
        ]
    );
    for (why, script) in [
        ("it never worked", qa().acts("click_by_text", "Save", disabled)),
        (
            "nothing in between",
            qa().acts("click_by_text", "Save", disabled).acts("click_by_text", "Save", "Clicked"),
        ),
        (
            "too much",
            qa().acts("click_by_text", "Start", disabled)
                .acts("click_by_text", "A", "Clicked")
                .acts("click_by_text", "B", "Clicked")
                .acts("click_by_text", "C", "Clicked")
                .acts("click_by_text", "D", "Clicked")
                .acts("click_by_text", "Start", "Clicked"),
        ),
    ] {
        let script = script.reports(true).ends();
        assert_eq!(script.memories(&[]), nothing(), "{why}");
        dropped(&script, "click_by_text", why);
    }
    // Nobody has said that the work passed.
    let unchecked = qa()
        .acts("click_by_text", "Save", disabled)
        .acts("take_screenshot", "", "image")
        .acts("click_by_text", "Save", "Clicked");
    assert_eq!(unchecked.clone().ends().memories(&[]), nothing());
    assert_eq!(unchecked.reports(false).ends().memories(&[]), nothing());
}

#[test]
fn what_an_agent_observed_is_kept_as_such() {
    let script = Script::new("seen")
        .says("Check the board")
        .acts("take_screenshot", "", "image")
        .notes("e2e_observation", "Cards are yellow in the paused state, which is right", &[])
        .reports(true)
        .ends();
    let kept = only(&script);
    assert_eq!(kept.draft.kind.as_deref(), Some("e2e_observation"));
    assert_eq!(
        kept.draft.details,
        Some(serde_json::json!({
            "observation_type": "ui_behavior", "mcp_tool_used": "take_screenshot",
        }))
    );
}
