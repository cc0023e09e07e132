//! The full-screen review: the terminal, its keys, and its state before and after.

use std::io::{self, Stdout, stdout};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crossterm::event::{
    DisableBracketedPaste, EnableBracketedPaste, Event, KeyCode, KeyEvent, KeyEventKind,
    KeyModifiers, poll, read,
};
use crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use crossterm::{cursor, execute};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use tacit_app::AppResult;
use tacit_app::review::{ReviewItem, ReviewKey};
use tacit_fs::failpoint;

use super::card;
use super::draw::{WrappedCard, body_height, draw};
use super::run::{AfterKey, ReviewRun};
use crate::app::CliApp;

/// The time between two looks at signals.
const TICK: Duration = Duration::from_millis(100);

/// The time that a review has to end after a signal.
const PATIENCE: Duration = Duration::from_secs(1);

/// Reviews memories on the full screen.
pub(super) fn review(app: &CliApp, items: Vec<ReviewItem>) -> AppResult<ReviewRun<'_>> {
    let mut run = ReviewRun::new(app, items);
    let signals = Signals::catch()?;
    let mut screen = Screen::enter()?;
    let ended = converse(&mut run, &mut screen, &signals);
    drop(screen);
    signals.pass_on();
    ended?;
    Ok(run)
}

/// Shows the review and handles keys until it ends.
fn converse(run: &mut ReviewRun<'_>, screen: &mut Screen, signals: &Signals) -> AppResult<()> {
    loop {
        show(run, screen)?;
        failpoint::reach("review", "shown");
        let Some(key) = next_key(signals)? else { return Ok(()) };
        match run.press(key) {
            AfterKey::Show => {}
            AfterKey::Quit => return Ok(()),
            AfterKey::Edit => {
                screen.leave();
                run.edit();
                // Ctrl-C in the editor was meant for the editor.
                signals.forget_interrupt();
                screen.resume()?;
            }
        }
    }
}

fn show(run: &mut ReviewRun<'_>, screen: &mut Screen) -> AppResult<()> {
    let coloured = run.app.ui.is_coloured();
    let now = run.app.now();
    let size = screen.terminal.size()?;
    let width = usize::from(size.width);
    let card = match run.card()? {
        Some(card) => WrappedCard::new(&card::lines(card, now), width, coloured),
        None => WrappedCard::end(run.dialogue.tally(), width),
    };
    let card = if run.dialogue.shows_help() {
        WrappedCard::help(width)
    } else if run.dialogue.choices() > 0 {
        WrappedCard::new(&card::choices(&run.originals, now), width, coloured)
    } else {
        card
    };
    run.dialogue.set_view(card.height(), body_height(size.height));
    screen.terminal.draw(|frame| draw(frame, &run.dialogue, &card, coloured))?;
    Ok(())
}

/// Waits for a key; `None` if a signal asks the process to end. A new size counts as no key: the
/// screen is drawn again.
fn next_key(signals: &Signals) -> io::Result<Option<ReviewKey>> {
    loop {
        if signals.caught() {
            return Ok(None);
        }
        if !poll(TICK)? {
            continue;
        }
        match read()? {
            Event::Key(key) if key.kind != KeyEventKind::Release => {
                if let Some(key) = translate(key) {
                    return Ok(Some(key));
                }
            }
            Event::Resize(..) => return Ok(Some(ReviewKey::Redraw)),
            // Pasted text is no decision.
            _ => {}
        }
    }
}

/// Translates a key of the terminal; `None` for keys without a meaning here.
fn translate(key: KeyEvent) -> Option<ReviewKey> {
    let has_control = key.modifiers.contains(KeyModifiers::CONTROL);
    Some(match key.code {
        KeyCode::Char('c' | 'd') if has_control => ReviewKey::Interrupt,
        KeyCode::Char('l') if has_control => ReviewKey::Redraw,
        _ if has_control || key.modifiers.contains(KeyModifiers::ALT) => return None,
        KeyCode::Char(letter) => ReviewKey::Char(letter),
        KeyCode::Up => ReviewKey::Up,
        KeyCode::Down => ReviewKey::Down,
        KeyCode::PageUp => ReviewKey::PageUp,
        KeyCode::PageDown => ReviewKey::PageDown,
        KeyCode::Home => ReviewKey::Home,
        KeyCode::End => ReviewKey::End,
        KeyCode::Left => ReviewKey::Previous,
        KeyCode::Right => ReviewKey::Next,
        KeyCode::Esc => ReviewKey::Escape,
        _ => return None,
    })
}

/// The terminal in full-screen mode. Dropping it restores the terminal, also when a panic unwinds.
struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
}

impl Screen {
    fn enter() -> io::Result<Screen> {
        let mut screen = Screen { terminal: Terminal::new(CrosstermBackend::new(stdout()))? };
        screen.resume()?;
        Ok(screen)
    }

    /// Takes the whole terminal.
    fn resume(&mut self) -> io::Result<()> {
        enable_raw_mode()?;
        execute!(stdout(), EnterAlternateScreen, EnableBracketedPaste, cursor::Hide)?;
        self.terminal.clear()
    }

    /// Restores the terminal as it was. If the terminal is gone, there is nothing to restore.
    fn leave(&mut self) {
        let _ = execute!(stdout(), cursor::Show, DisableBracketedPaste, LeaveAlternateScreen);
        let _ = disable_raw_mode();
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.leave();
    }
}

/// Ends the process if it has not ended by itself soon after a signal: reading from a terminal that
/// is gone may never return.
fn insist(caught: &AtomicUsize) {
    loop {
        thread::sleep(TICK);
        let signal = i32::try_from(caught.load(Ordering::Relaxed)).unwrap_or_default();
        if [SIGHUP, SIGTERM].contains(&signal) {
            thread::sleep(PATIENCE);
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    }
}

/// Signals that end the process, caught so that the terminal is restored first.
struct Signals(Arc<AtomicUsize>);

impl Signals {
    fn catch() -> io::Result<Signals> {
        let caught = Arc::new(AtomicUsize::new(0));
        for signal in [SIGHUP, SIGINT, SIGTERM] {
            let number = usize::try_from(signal).unwrap_or_default();
            signal_hook::flag::register_usize(signal, Arc::clone(&caught), number)?;
        }
        let insisting = Arc::clone(&caught);
        thread::spawn(move || insist(&insisting));
        Ok(Signals(caught))
    }

    fn caught(&self) -> bool {
        self.0.load(Ordering::Relaxed) != 0
    }

    fn forget_interrupt(&self) {
        let interrupt = usize::try_from(SIGINT).unwrap_or_default();
        // Another signal stays.
        let _ = self.0.compare_exchange(interrupt, 0, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Ends the process by the caught signal, as its sender expects.
    fn pass_on(&self) {
        if self.caught()
            && let Ok(signal) = i32::try_from(self.0.load(Ordering::Relaxed))
        {
            // If that fails, the review ends as with `q`.
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    }
}
