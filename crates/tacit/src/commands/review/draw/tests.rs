//! Screens as text, in sizes from tiny to large.

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use tacit_app::review::{ReviewDecision, ReviewDialogue, ReviewKey};

use super::*;

fn field(label: &'static str, text: &str) -> CardLine {
    CardLine { label: Some(label), text: text.into(), tone: None }
}

fn text(text: &str) -> CardLine {
    CardLine { label: None, text: text.into(), tone: None }
}

/// Draws lines on a screen and returns its rows.
fn screen(
    lines: &[CardLine],
    dialogue: &mut ReviewDialogue,
    width: u16,
    height: u16,
) -> Vec<String> {
    let card = match dialogue.shows_help() {
        true => WrappedCard::help(width.into()),
        false => WrappedCard::new(lines, width.into(), true),
    };
    dialogue.set_view(card.height(), body_height(height));
    let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a terminal");
    terminal.draw(|frame| draw(frame, dialogue, &card, true)).expect("a screen");
    let buffer = terminal.backend().buffer();
    let row = |y| (0..width).map(move |x| buffer[(x, y)].symbol()).collect::<String>();
    (0..height).map(|y| row(y).trim_end().to_owned()).collect()
}

#[test]
fn a_screen_has_place_memory_and_keys() {
    let lines = [text("Close the pool before the fork"), text(""), field("type", "gotcha")];
    let mut dialogue = ReviewDialogue::new(17);
    assert_eq!(
        screen(&lines, &mut dialogue, 40, 6),
        [
            " Review: 1 of 17",
            "Close the pool before the fork",
            "",
            "type        gotcha",
            "",
            "y e n s w o d u q ?",
        ]
    );
    let wide = screen(&lines, &mut dialogue, 100, 6);
    assert_eq!(wide[5], HINTS[0]);
    dialogue.done(Some(ReviewDecision::Confirm), None);
    let decided = screen(&lines, &mut dialogue, 40, 6);
    assert_eq!((decided[0].as_str(), decided[5].as_str()), (" Review: 2 of 17", "confirmed"));
    dialogue.press(ReviewKey::Previous);
    assert_eq!(screen(&lines, &mut dialogue, 40, 6)[0], " Review: 1 of 17, confirmed");
}

#[test]
fn long_memories_scroll() {
    let lines: Vec<CardLine> = (1..=20).map(|number| text(&format!("row {number}"))).collect();
    let mut dialogue = ReviewDialogue::new(1);
    let first = screen(&lines, &mut dialogue, 40, 10);
    assert_eq!(
        (first[0].as_str(), first[1].as_str()),
        (" Review: 1 of 1, 12 more rows below", "row 1")
    );
    dialogue.press(ReviewKey::PageDown);
    assert_eq!(screen(&lines, &mut dialogue, 40, 10)[1], "row 8");
    dialogue.press(ReviewKey::End);
    let last = screen(&lines, &mut dialogue, 40, 10);
    assert_eq!((last[0].as_str(), last[8].as_str()), (" Review: 1 of 1", "row 20"));
}

#[test]
fn labels_stand_above_their_values_where_there_is_no_room() {
    let lines = [field("files", "src/pool.rs"), field("", "src/fork.rs")];
    let rows = screen(&lines, &mut ReviewDialogue::new(1), 20, 6);
    assert_eq!(rows[1..4], ["files", "  src/pool.rs", "  src/fork.rs"]);
}

#[test]
fn wide_characters_are_wrapped_by_columns() {
    for (line, width, expected) in [
        ("one two three", 7, vec!["one two", "three"]),
        ("漢字漢字", 5, vec!["漢字", "漢字"]),
        ("漢字 漢字", 9, vec!["漢字 漢字"]),
        ("漢字 漢字", 8, vec!["漢字", "漢字"]),
        ("abcdefgh", 3, vec!["abc", "def", "gh"]),
        ("漢", 1, vec!["漢"]),
        ("  indented text", 10, vec!["  indented", "text"]),
        ("", 5, vec![""]),
    ] {
        assert_eq!(wrap_columns(line, width), expected, "{line:?} in {width}");
    }
}

#[test]
fn every_size_is_drawn() {
    let lines = [
        text("漢字 e\u{301} 👩‍👩‍👧 <U+001B>[2J and a_word_that_is_much_longer_than_a_narrow_screen"),
        field("because", "it was so"),
    ];
    for width in [1, 2, 3, 7, 19, 40, 80, 200] {
        for height in [1, 2, 3, 10, 50] {
            let mut dialogue = ReviewDialogue::new(1);
            dialogue.done(None, None);
            screen(&lines, &mut dialogue, width, height);
            dialogue.press(ReviewKey::Char('?'));
            screen(&lines, &mut dialogue, width, height);
        }
    }
}

#[test]
fn control_characters_never_reach_the_screen() {
    let mut dialogue = ReviewDialogue::new(1);
    dialogue.failed(tacit_app::review::ReviewCommand::Edit, "bad \u{1b}[2J\n\u{7} text".into());
    let rows = screen(&[text("a\u{1b}b\u{7}c")], &mut dialogue, 60, 4);
    assert!(rows.iter().all(|row| !row.contains(char::is_control)), "{rows:?}");
    assert_eq!(rows[3], "bad <U+001B>[2J<U+000A><U+0007> text");
}
