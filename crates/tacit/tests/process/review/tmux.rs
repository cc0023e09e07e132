//! A terminal that a test types into and reads: a shell in a tmux server of its own.

use std::process::Command;
use std::time::{Duration, Instant};

use tacit_testkit::env::TestEnv;

use crate::BINARY;

/// The time after which a screen will not come any more.
const FOREVER: Duration = Duration::from_secs(60);
/// The time between two looks at the screen.
const LOOK: Duration = Duration::from_millis(20);

/// A shell in a terminal.
pub(super) struct TestTerminal<'e> {
    env: &'e TestEnv,
}

impl<'e> TestTerminal<'e> {
    /// Opens a terminal of a size, with these variables set.
    pub(super) fn open(
        env: &'e TestEnv,
        (columns, rows): (u16, u16),
        variables: &[(&str, &str)],
    ) -> TestTerminal<'e> {
        let terminal = TestTerminal { env };
        let mut command = terminal.command();
        let path = std::path::Path::new(BINARY).parent().expect("a folder");
        command.env("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", path.display()));
        command.env("NO_COLOR", "1").env("SHELL", "/bin/sh");
        command.env("LC_ALL", "C.UTF-8").envs(variables.iter().copied());
        command.args(["new-session", "-d", "-x", &columns.to_string(), "-y", &rows.to_string()]);
        let started = command.arg("exec sh").output();
        let started = started.unwrap_or_else(|error| {
            panic!("`tmux` is not installed (Debian: `apt install tmux`): {error}")
        });
        assert!(started.status.success(), "{started:?}");
        terminal.line("echo re''ady");
        terminal.shows("ready\n");
        terminal
    }

    /// Types a line and Enter.
    pub(super) fn line(&self, text: &str) {
        self.run(&["send-keys", "-l", text]);
        self.run(&["send-keys", "Enter"]);
    }

    /// Presses keys, named as tmux does.
    pub(super) fn press(&self, keys: &[&str]) {
        let mut arguments = vec!["send-keys"];
        arguments.extend(keys);
        self.run(&arguments);
    }

    /// Pastes a text, marked as pasted if the program asks for that.
    pub(super) fn paste(&self, text: &str) {
        self.run(&["set-buffer", text]);
        self.run(&["paste-buffer", "-p"]);
    }

    /// Changes the size of the terminal.
    pub(super) fn resize(&self, columns: u16, rows: u16) {
        self.run(&["resize-window", "-x", &columns.to_string(), "-y", &rows.to_string()]);
    }

    /// Returns the screen.
    pub(super) fn screen(&self) -> String {
        self.run(&["capture-pane", "-p"])
    }

    /// Returns a property of the terminal, in tmux's notation.
    pub(super) fn property(&self, name: &str) -> String {
        self.run(&["display-message", "-p", &format!("#{{{name}}}")]).trim().to_owned()
    }

    /// Waits until the screen has a text.
    pub(super) fn shows(&self, text: &str) -> String {
        self.wait(text, |screen| screen.contains(text))
    }

    /// Waits until the screen is as wanted.
    pub(super) fn wait(&self, what: &str, is_wanted: impl Fn(&str) -> bool) -> String {
        let given_up = Instant::now() + FOREVER;
        loop {
            let screen = self.screen();
            if is_wanted(&screen) {
                return screen;
            }
            assert!(Instant::now() < given_up, "the screen never shows {what}:\n{screen}");
            std::thread::sleep(LOOK);
        }
    }

    /// Waits for the shell, and checks that the terminal is as it was.
    pub(super) fn is_restored(&self) {
        // Until then, the review would take what is typed for keys.
        self.wait("the shell", |_| self.property("alternate_on") == "0");
        self.line("echo restored && stty -a");
        let screen = self.shows("restored\n");
        let screen = if screen.contains("icanon") { screen } else { self.shows("icanon") };
        assert!(!screen.contains("-icanon") && !screen.contains("-echo "), "{screen}");
        assert_eq!(self.property("cursor_flag"), "1", "{screen}");
    }

    fn command(&self) -> Command {
        let mut command = self.env.command_for("tmux");
        command.arg("-u").args(["-f", "/dev/null", "-S"]).arg(self.env.root().join("tmux"));
        command
    }

    fn run(&self, arguments: &[&str]) -> String {
        let output = self.command().args(arguments).output().expect("tmux starts");
        assert!(output.status.success(), "tmux {arguments:?}: {output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

impl Drop for TestTerminal<'_> {
    fn drop(&mut self) {
        // The server of a test that failed may be gone already.
        let _ = self.command().arg("kill-server").output();
    }
}
