//! Sessions that use the running application.

use crate::script::{Script, assert_dropped, no_memories, only_kept};

#[test]
fn application_failures_become_observations() {
    let learnt = |script: Script| script.reports_check(true).ends().memories(&[]);
    let qa = || Script::new("qa").says("Check the settings");
    let disabled = "Error: the button is disabled";
    assert_eq!(
        learnt(
            qa().calls_app("click_by_text", "Start", disabled)
                .calls_app("click_by_text", "Settings", "Clicked")
                .calls_app("fill_input", "Name", "Filled")
                .calls_app("click_by_text", "Start", "Clicked")
        ),
        [
            "e2e_observation: click_by_text on `Start` works only after click_by_text on `Settings`, \
             then fill_input on `Name`. Before that it failed (Error: the button is disabled)."
        ]
    );
    assert_eq!(
        learnt(
            qa().calls_app("click_by_text", "Save", disabled)
                .calls_app("take_screenshot", "", "image")
                .calls_app("click_by_text", "Save", disabled)
                .calls_app("click_by_text", "Save", "Clicked")
        ),
        [
            "e2e_observation: click_by_text on `Save` needs some time: it failed (Error: the button is \
          disabled) and worked 30.0 s later, after only waiting."
        ]
    );
    assert_eq!(
        learnt(
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
            "too many actions",
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
    // No check passed.
    let unchecked = qa()
        .calls_app("click_by_text", "Save", disabled)
        .calls_app("take_screenshot", "", "image")
        .calls_app("click_by_text", "Save", "Clicked");
    assert_eq!(unchecked.clone().ends().memories(&[]), no_memories());
    assert_eq!(unchecked.reports_check(false).ends().memories(&[]), no_memories());
}

#[test]
fn repeated_actions_become_a_test_sequence() {
    let way = |script: Script| {
        script
            .calls_app("navigate_to_hash", "#/settings", "Navigated")
            .calls_app("click_by_text", "Accounts", "Clicked")
            .calls_app("click_by_text", "Add", "Clicked")
    };
    let script = way(Script::new("qa").says("Check the accounts"));
    let once = script.clone().calls_app("fill_input", "Name", "Filled");
    assert_eq!(once.clone().reports_check(true).ends().memories(&[]), no_memories());
    let twice = way(once).calls_app("fill_input", "Email", "Filled");
    assert_eq!(
        twice.reports_check(true).ends().memories(&[]),
        [
            "e2e_observation: To reach `Add`: navigate_to_hash on `#/settings`, then click_by_text on \
             `Accounts`, then click_by_text on `Add`."
        ]
    );
}

#[test]
fn stated_behaviour_of_used_parts_is_learnt() {
    let script = Script::new("qa")
        .says("Check the upload")
        .calls_app("click_by_text", "Save", "Clicked")
        .answers("All is well. The \"Save\" button stays disabled while an upload is running. I saved it.")
        .reports_check(true)
        .ends();
    let kept = only_kept(&script);
    assert_eq!(
        kept.draft.content,
        "The \"Save\" button stays disabled while an upload is running."
    );
    assert_eq!(
        kept.draft.details,
        Some(serde_json::json!({
            "observation_type": "ui_behavior", "mcp_tool_used": "click_by_text",
        }))
    );
    assert_eq!(kept.draft.source.as_deref(), Some("mcp_auto"));
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
