//! Sessions that try the running application.

use crate::script::{Script, assert_dropped, no_memories, only_kept};

#[test]
fn application_failures_become_observations() {
    let evaluate_command = |script: Script| script.reports_check(true).ends().memories(&[]);
    let qa = || Script::new("qa").says("Check the settings");
    let disabled = "Error: the button is disabled";
    assert_eq!(
        evaluate_command(
            qa().calls_app("click_by_text", "Start", disabled)
                .calls_app("click_by_text", "Settings", "Clicked")
                .calls_app("fill_input", "Name", "Filled")
                .calls_app("click_by_text", "Start", "Clicked")
        ),
        [
            "e2e_observation: Before click_by_text on `Start` works: click_by_text on `Settings`, then \
          fill_input on `Name`. Without that it failed (Error: the button is disabled)."
        ]
    );
    assert_eq!(
        evaluate_command(
            qa().calls_app("click_by_text", "Save", disabled)
                .calls_app("take_screenshot", "", "image")
                .calls_app("click_by_text", "Save", disabled)
                .calls_app("click_by_text", "Save", "Clicked")
        ),
        [
            "e2e_observation: click_by_text on `Save` needs some time: it failed (Error: the button is \
          disabled) and worked 30.0 s later, after waiting alone."
        ]
    );
    assert_eq!(
        evaluate_command(
            qa().calls_app("click_by_text", "Menu", "Error: no element with this text").calls_app(
                "eval",
                "Menu",
                "undefined"
            )
        ),
        [
            "e2e_observation: click_by_text on `Menu` does not work (Error: no element with this text); \
          eval does."
        ]
    );
    for (why, script) in [
        ("it never worked", qa().calls_app("click_by_text", "Save", disabled)),
        (
            "nothing in between",
            qa().calls_app("click_by_text", "Save", disabled).calls_app(
                "click_by_text",
                "Save",
                "Clicked",
            ),
        ),
        (
            "too much",
            qa().calls_app("click_by_text", "Start", disabled)
                .calls_app("click_by_text", "A", "Clicked")
                .calls_app("click_by_text", "B", "Clicked")
                .calls_app("click_by_text", "C", "Clicked")
                .calls_app("click_by_text", "D", "Clicked")
                .calls_app("click_by_text", "Start", "Clicked"),
        ),
    ] {
        let script = script.reports_check(true).ends();
        assert_eq!(script.memories(&[]), no_memories(), "{why}");
        assert_dropped(&script, "click_by_text", why);
    }
    // Nobody has said that the work passed.
    let unchecked = qa()
        .calls_app("click_by_text", "Save", disabled)
        .calls_app("take_screenshot", "", "image")
        .calls_app("click_by_text", "Save", "Clicked");
    assert_eq!(unchecked.clone().ends().memories(&[]), no_memories());
    assert_eq!(unchecked.reports_check(false).ends().memories(&[]), no_memories());
}

#[test]
fn agent_observations_keep_their_type() {
    let script = Script::new("seen")
        .says("Check the board")
        .calls_app("take_screenshot", "", "image")
        .notes("e2e_observation", "Cards are yellow in the paused state, which is right", &[])
        .reports_check(true)
        .ends();
    let kept = only_kept(&script);
    assert_eq!(kept.draft.kind.as_deref(), Some("e2e_observation"));
    assert_eq!(
        kept.draft.details,
        Some(serde_json::json!({
            "observation_type": "ui_behavior", "mcp_tool_used": "take_screenshot",
        }))
    );
}
