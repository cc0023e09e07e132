//! The dialogue of a review: which key does what, and what is shown next. Pure: the door performs the
//! commands and reports what came of them, so that every door has the same keys.

use tacit_core::MemoryId;
use tacit_engine::StoreScope;
use tacit_store::ChangeId;

use super::decide::ReviewDecision;

/// The most memories that are offered as the original of a duplicate: one for each digit.
pub const MOST_CHOICES: usize = 9;

/// A key that a person pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewKey {
    /// A letter or another character.
    Char(char),
    /// One line up.
    Up,
    /// One line down.
    Down,
    /// One page up.
    PageUp,
    /// One page down.
    PageDown,
    /// The beginning of the memory.
    Home,
    /// The end of the memory.
    End,
    /// The memory before.
    Previous,
    /// The next memory.
    Next,
    /// Closes the help, else ends the review.
    Escape,
    /// Ends the review.
    Interrupt,
    /// Shows the review again, because the screen has another size.
    Redraw,
}

impl ReviewKey {
    /// Returns true for keys that show another part of the page.
    fn scrolls(self) -> bool {
        use ReviewKey::{Down, End, Home, PageDown, PageUp, Up};
        matches!(self, Up | Down | PageUp | PageDown | Home | End)
    }
}

/// Work that the door performs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewCommand {
    /// Apply a decision to the current memory, then call [`ReviewDialogue::done`].
    Decide(ReviewDecision),
    /// Look for memories that say the same as the current one, then call
    /// [`ReviewDialogue::offer`].
    FindOriginals,
    /// Let the person edit the current memory, then call [`ReviewDialogue::done`].
    Edit,
    /// Take back a step, then call [`ReviewDialogue::taken_back`].
    TakeBack(ReviewStep),
    /// End the review.
    Quit,
}

/// A change made in this review.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReviewStep {
    /// The place of the memory in the queue.
    pub index: usize,
    /// The decision; `None` for an edit.
    pub decision: Option<ReviewDecision>,
    /// The change in the history; `None` if nothing changed.
    pub change: Option<(StoreScope, ChangeId)>,
}

/// The number of decisions of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReviewTally {
    /// Confirmed memories.
    pub confirmed: usize,
    /// Rejected memories.
    pub rejected: usize,
    /// Memories flagged as wrong, outdated or a duplicate.
    pub flagged: usize,
    /// Memories without a decision.
    pub left: usize,
}

/// The state of a review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewDialogue {
    decisions: Vec<Option<ReviewDecision>>,
    at: usize,
    scroll: usize,
    /// The rows of the current memory, and those that fit the screen.
    rows: (usize, usize),
    help: bool,
    /// The memories that the current one may duplicate, while the person chooses.
    choices: Vec<MemoryId>,
    steps: Vec<ReviewStep>,
    message: Option<String>,
}

impl ReviewDialogue {
    /// Starts a review of so many memories.
    pub fn new(count: usize) -> ReviewDialogue {
        ReviewDialogue {
            decisions: vec![None; count],
            at: 0,
            scroll: 0,
            rows: (0, 0),
            help: false,
            choices: Vec::new(),
            steps: Vec::new(),
            message: None,
        }
    }

    /// Returns the number of memories.
    pub fn count(&self) -> usize {
        self.decisions.len()
    }

    /// Returns the place of the current memory; `None` behind the last one.
    pub fn current(&self) -> Option<usize> {
        (self.at < self.count()).then_some(self.at)
    }

    /// Returns the decision about the current memory.
    pub fn decision(&self) -> Option<ReviewDecision> {
        self.decisions.get(self.at).copied().flatten()
    }

    /// Returns the first row to show of the current memory.
    pub fn scroll(&self) -> usize {
        self.scroll
    }

    /// Returns true while the help is open.
    pub fn shows_help(&self) -> bool {
        self.help
    }

    /// Returns the number of memories from which the original of a duplicate is chosen; 0 if none is
    /// being chosen.
    pub fn choices(&self) -> usize {
        self.choices.len()
    }

    /// Returns the message about the last key.
    pub fn message(&self) -> Option<&str> {
        self.message.as_deref()
    }

    /// Counts the decisions.
    pub fn tally(&self) -> ReviewTally {
        let mut tally = ReviewTally::default();
        for decision in &self.decisions {
            *match decision {
                None => &mut tally.left,
                Some(ReviewDecision::Confirm) => &mut tally.confirmed,
                Some(ReviewDecision::Reject) => &mut tally.rejected,
                Some(
                    ReviewDecision::Wrong | ReviewDecision::Outdated | ReviewDecision::Duplicate(_),
                ) => &mut tally.flagged,
            } += 1;
        }
        tally
    }

    /// Notes how many rows the current memory has, or the open help, and how many fit the screen.
    pub fn set_view(&mut self, rows: usize, height: usize) {
        self.rows = (rows, height);
        self.scroll = self.scroll.min(self.last_row());
    }

    /// Handles a key.
    pub fn press(&mut self, key: ReviewKey) -> Option<ReviewCommand> {
        match key {
            ReviewKey::Redraw => return None,
            ReviewKey::Interrupt => return Some(ReviewCommand::Quit),
            _ => self.message = None,
        }
        if self.help && !key.scrolls() {
            self.help = false;
            self.scroll = 0;
            return None;
        }
        if !self.choices.is_empty() && !key.scrolls() {
            return self.choose(key);
        }
        match key {
            ReviewKey::Char(letter) => return self.letter(letter.to_ascii_lowercase()),
            ReviewKey::Up => self.scroll_to(self.scroll.saturating_sub(1)),
            ReviewKey::Down => self.scroll_to(self.scroll + 1),
            ReviewKey::PageUp => self.scroll_to(self.scroll.saturating_sub(self.page())),
            ReviewKey::PageDown => self.scroll_to(self.scroll + self.page()),
            ReviewKey::Home => self.scroll_to(0),
            ReviewKey::End => self.scroll_to(usize::MAX),
            ReviewKey::Previous => self.go_to(self.at.saturating_sub(1)),
            ReviewKey::Next => self.go_to(self.at + 1),
            ReviewKey::Escape => return Some(ReviewCommand::Quit),
            ReviewKey::Interrupt | ReviewKey::Redraw => {}
        }
        None
    }

    /// Chooses the original of a duplicate by its number. Any other key goes back to the memory.
    fn choose(&mut self, key: ReviewKey) -> Option<ReviewCommand> {
        let choices = std::mem::take(&mut self.choices);
        self.scroll = 0;
        let number = match key {
            ReviewKey::Char(digit) => digit.to_digit(10),
            _ => None,
        };
        let chosen = number.and_then(|number| choices.get((number as usize).checked_sub(1)?));
        if chosen.is_none() {
            self.message = Some("no original chosen; nothing changed".into());
        }
        chosen.map(|original| ReviewCommand::Decide(ReviewDecision::Duplicate(*original)))
    }

    fn letter(&mut self, letter: char) -> Option<ReviewCommand> {
        let decision = match letter {
            'y' => ReviewDecision::Confirm,
            'n' => ReviewDecision::Reject,
            'w' => ReviewDecision::Wrong,
            'o' => ReviewDecision::Outdated,
            'd' => return self.if_open(ReviewCommand::FindOriginals),
            'e' => return self.if_open(ReviewCommand::Edit),
            'q' => return Some(ReviewCommand::Quit),
            'u' => {
                let last = self.steps.last().copied();
                if last.is_none() {
                    self.message = Some("nothing to undo in this review".into());
                }
                return last.map(ReviewCommand::TakeBack);
            }
            's' => {
                self.go_to(self.at + 1);
                return None;
            }
            '?' => {
                self.help = true;
                self.scroll = 0;
                return None;
            }
            _ => {
                self.message = Some("unknown key; ? lists the keys".into());
                return None;
            }
        };
        self.if_open(ReviewCommand::Decide(decision))
    }

    /// Returns the command if the current memory has no decision yet.
    fn if_open(&mut self, command: ReviewCommand) -> Option<ReviewCommand> {
        self.current()?;
        match self.decision() {
            None => Some(command),
            Some(decision) => {
                let state = decision.as_str();
                self.message = Some(format!("already {state}; u undoes the last decision"));
                None
            }
        }
    }

    /// Offers memories as the original of the current one.
    pub fn offer(&mut self, mut originals: Vec<MemoryId>) {
        originals.truncate(MOST_CHOICES);
        if originals.is_empty() {
            let hint = "`tacit flag ID --duplicate-of OTHER` names one";
            self.message = Some(format!("no similar memory was found; {hint}"));
        }
        self.choices = originals;
        self.scroll = 0;
    }

    /// Notes that the current memory was decided or edited. After a decision, the next one follows;
    /// an edited memory still needs one.
    pub fn done(
        &mut self,
        decision: Option<ReviewDecision>,
        change: Option<(StoreScope, ChangeId)>,
    ) {
        let index = self.at;
        self.steps.push(ReviewStep { index, decision, change });
        match decision {
            Some(decision) => {
                if let Some(slot) = self.decisions.get_mut(index) {
                    *slot = Some(decision);
                }
                self.go_to(index + 1);
                self.message = Some(decision.as_str().into());
            }
            None => self.message = Some("edited; y confirms it".into()),
        }
    }

    /// Notes that the last step was taken back, and returns to its memory.
    pub fn taken_back(&mut self) {
        let Some(step) = self.steps.pop() else { return };
        if let (Some(_), Some(slot)) = (step.decision, self.decisions.get_mut(step.index)) {
            *slot = None;
        }
        self.go_to(step.index);
        self.message = Some(match step.decision {
            Some(decision) => format!("undone: {}", decision.as_str()),
            None => "undone: the edit".into(),
        });
    }

    /// Notes that a command failed. A step that cannot be taken back is dropped, so that the earlier
    /// ones can.
    pub fn failed(&mut self, command: ReviewCommand, message: String) {
        if let ReviewCommand::TakeBack(_) = command {
            self.steps.pop();
        }
        self.message = Some(message);
    }

    fn page(&self) -> usize {
        // One row of the page before stays, for orientation.
        self.rows.1.saturating_sub(1).max(1)
    }

    fn last_row(&self) -> usize {
        self.rows.0.saturating_sub(self.rows.1)
    }

    fn scroll_to(&mut self, row: usize) {
        self.scroll = row.min(self.last_row());
    }

    fn go_to(&mut self, index: usize) {
        self.at = index.min(self.count());
        self.scroll = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(id: ChangeId) -> Option<(StoreScope, ChangeId)> {
        Some((StoreScope::Project, id))
    }

    fn press(dialogue: &mut ReviewDialogue, letter: char) -> Option<ReviewCommand> {
        dialogue.press(ReviewKey::Char(letter))
    }

    /// Presses a letter and performs its decision as change `id`.
    fn decide(dialogue: &mut ReviewDialogue, letter: char, id: ChangeId) {
        let Some(ReviewCommand::Decide(decision)) = press(dialogue, letter) else {
            panic!("{letter} decides nothing");
        };
        dialogue.done(Some(decision), change(id));
    }

    #[test]
    fn each_letter_has_its_command() {
        for (letter, expected) in [
            ('y', Some(ReviewCommand::Decide(ReviewDecision::Confirm))),
            ('Y', Some(ReviewCommand::Decide(ReviewDecision::Confirm))),
            ('n', Some(ReviewCommand::Decide(ReviewDecision::Reject))),
            ('w', Some(ReviewCommand::Decide(ReviewDecision::Wrong))),
            ('o', Some(ReviewCommand::Decide(ReviewDecision::Outdated))),
            ('d', Some(ReviewCommand::FindOriginals)),
            ('e', Some(ReviewCommand::Edit)),
            ('q', Some(ReviewCommand::Quit)),
            ('s', None),
            ('u', None),
            ('?', None),
            ('x', None),
        ] {
            assert_eq!(press(&mut ReviewDialogue::new(2), letter), expected, "{letter}");
        }
    }

    #[test]
    fn decisions_go_on_and_are_taken_back_in_reverse() {
        let mut dialogue = ReviewDialogue::new(3);
        decide(&mut dialogue, 'y', 1);
        assert_eq!(press(&mut dialogue, 's'), None);
        decide(&mut dialogue, 'n', 2);
        assert_eq!(dialogue.current(), None, "behind the last memory");
        let tally = ReviewTally { confirmed: 1, rejected: 1, flagged: 0, left: 1 };
        assert_eq!(dialogue.tally(), tally);
        for (index, id) in [(2, 2), (0, 1)] {
            let Some(ReviewCommand::TakeBack(step)) = press(&mut dialogue, 'u') else {
                panic!("nothing is taken back");
            };
            assert_eq!((step.index, step.change), (index, change(id)));
            dialogue.taken_back();
            assert_eq!((dialogue.current(), dialogue.decision()), (Some(index), None));
        }
        assert_eq!(press(&mut dialogue, 'u'), None);
        assert_eq!(dialogue.tally().left, 3);
    }

    #[test]
    fn a_decided_memory_is_not_decided_twice() {
        let mut dialogue = ReviewDialogue::new(2);
        decide(&mut dialogue, 'w', 1);
        dialogue.press(ReviewKey::Previous);
        assert_eq!(press(&mut dialogue, 'y'), None);
        let message = dialogue.message().unwrap_or_default().to_owned();
        assert!(message.contains("already flagged as wrong"), "{message}");
    }

    #[test]
    fn the_original_of_a_duplicate_is_chosen_by_number() {
        let id = |number: u8| -> MemoryId {
            format!("01a1dec1-b840-7000-8000-0000000000{number:02}").parse().expect("an id")
        };
        for (key, expected) in [
            (ReviewKey::Char('1'), Some(id(1))),
            (ReviewKey::Char('2'), Some(id(2))),
            (ReviewKey::Char('3'), None),
            (ReviewKey::Char('0'), None),
            (ReviewKey::Char('n'), None),
            (ReviewKey::Escape, None),
            (ReviewKey::Next, None),
        ] {
            let mut dialogue = ReviewDialogue::new(2);
            assert_eq!(press(&mut dialogue, 'd'), Some(ReviewCommand::FindOriginals));
            dialogue.offer(vec![id(1), id(2)]);
            assert_eq!((dialogue.press(ReviewKey::Down), dialogue.choices()), (None, 2));
            let expected = expected.map(|id| ReviewCommand::Decide(ReviewDecision::Duplicate(id)));
            assert_eq!(dialogue.press(key), expected, "{key:?}");
            assert_eq!((dialogue.choices(), dialogue.current()), (0, Some(0)), "{key:?}");
        }
        let mut dialogue = ReviewDialogue::new(1);
        dialogue.offer(vec![id(1)]);
        assert_eq!(dialogue.press(ReviewKey::Interrupt), Some(ReviewCommand::Quit));
        dialogue.offer(Vec::new());
        assert!(dialogue.message().is_some_and(|text| text.contains("--duplicate-of")));
        dialogue.done(Some(ReviewDecision::Duplicate(id(1))), change(1));
        assert_eq!(dialogue.tally().flagged, 1);
    }

    #[test]
    fn an_edited_memory_stays_and_can_be_confirmed() {
        let mut dialogue = ReviewDialogue::new(2);
        assert_eq!(press(&mut dialogue, 'e'), Some(ReviewCommand::Edit));
        dialogue.done(None, change(1));
        assert_eq!(dialogue.current(), Some(0));
        decide(&mut dialogue, 'y', 2);
        for _ in 0..2 {
            assert!(matches!(press(&mut dialogue, 'u'), Some(ReviewCommand::TakeBack(_))));
            dialogue.taken_back();
        }
        assert_eq!((dialogue.current(), press(&mut dialogue, 'u')), (Some(0), None));
    }

    #[test]
    fn a_step_that_cannot_be_taken_back_does_not_block_earlier_ones() {
        let mut dialogue = ReviewDialogue::new(2);
        decide(&mut dialogue, 'y', 1);
        decide(&mut dialogue, 'y', 2);
        let command = press(&mut dialogue, 'u').expect("a command");
        dialogue.failed(command, "changed since".into());
        assert_eq!(dialogue.message(), Some("changed since"));
        let Some(ReviewCommand::TakeBack(step)) = press(&mut dialogue, 'u') else {
            panic!("nothing is taken back");
        };
        assert_eq!(step.change, change(1));
    }

    #[test]
    fn scrolling_stays_within_the_memory() {
        let mut dialogue = ReviewDialogue::new(2);
        dialogue.set_view(30, 10);
        for (key, expected) in [
            (ReviewKey::Up, 0),
            (ReviewKey::Down, 1),
            (ReviewKey::PageDown, 10),
            (ReviewKey::PageDown, 19),
            (ReviewKey::PageDown, 20),
            (ReviewKey::Down, 20),
            (ReviewKey::PageUp, 11),
            (ReviewKey::End, 20),
            (ReviewKey::Home, 0),
            (ReviewKey::End, 20),
        ] {
            assert_eq!(dialogue.press(key), None);
            assert_eq!(dialogue.scroll(), expected, "{key:?}");
        }
        // A larger screen needs less scrolling, and the next memory starts at its first row.
        dialogue.set_view(30, 25);
        assert_eq!(dialogue.scroll(), 5);
        dialogue.press(ReviewKey::Next);
        assert_eq!(dialogue.scroll(), 0);
    }

    #[test]
    fn other_keys_close_the_help_and_do_nothing_else() {
        let mut dialogue = ReviewDialogue::new(1);
        press(&mut dialogue, '?');
        dialogue.set_view(13, 8);
        dialogue.press(ReviewKey::Down);
        assert_eq!((dialogue.shows_help(), dialogue.scroll()), (true, 1));
        assert_eq!(press(&mut dialogue, 'n'), None);
        assert_eq!((dialogue.shows_help(), dialogue.scroll()), (false, 0));
        press(&mut dialogue, '?');
        assert_eq!(dialogue.press(ReviewKey::Interrupt), Some(ReviewCommand::Quit));
    }

    #[test]
    fn nothing_is_decided_behind_the_last_memory() {
        let mut dialogue = ReviewDialogue::new(0);
        for letter in ['y', 'n', 'w', 'o', 'e', 's'] {
            assert_eq!(press(&mut dialogue, letter), None);
        }
        assert_eq!(dialogue.press(ReviewKey::Escape), Some(ReviewCommand::Quit));
    }
}
