//! Capture switches of sessions: one small file per switched session beside the store, so that a
//! hook only checks for one name.

use std::io;
use std::path::PathBuf;

use sha2::{Digest, Sha256};
use tacit_core::SessionId;

use crate::engine::{Engine, StorePaths};

/// The folder of the switches.
const FOLDER: &str = "switches";
const LONGEST: u64 = 512;

/// The capture switch of a session.
#[derive(Debug, Clone)]
pub struct CaptureSwitch {
    path: PathBuf,
    session: SessionId,
}

/// The state of a capture switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaptureState {
    /// The session was never switched off.
    On,
    /// The session is captured, but was switched off for a while. Its transcript holds parts that
    /// must not be stored.
    Interrupted,
    /// The session is neither captured nor shown anything.
    Off,
}

impl StorePaths {
    /// Returns the capture switch of a session.
    pub fn capture_switch(&self, session: &SessionId) -> CaptureSwitch {
        let sum = Sha256::digest(session.as_str().as_bytes());
        let name: String = sum.iter().take(12).map(|byte| format!("{byte:02x}")).collect();
        CaptureSwitch { path: self.project.join(FOLDER).join(name), session: session.clone() }
    }

    /// Returns the sessions that are switched off.
    pub fn sessions_off(&self) -> Vec<SessionId> {
        let entries = std::fs::read_dir(self.project.join(FOLDER)).into_iter().flatten();
        let texts = entries.flatten().filter_map(|entry| {
            tacit_fs::read_text(&entry.path(), LONGEST)
                .ok()?
                .strip_prefix("off ")?
                .trim()
                .parse()
                .ok()
        });
        let mut sessions: Vec<SessionId> = texts.collect();
        sessions.sort();
        sessions
    }
}

impl Engine<'_> {
    /// Returns the state of a session's capture switch.
    pub fn capture_state(&self, session: &SessionId) -> CaptureState {
        self.paths.capture_switch(session).state()
    }
}

impl CaptureSwitch {
    /// Returns the state. An unreadable switch counts as off.
    pub fn state(&self) -> CaptureState {
        match tacit_fs::read(&self.path, LONGEST) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => CaptureState::On,
            Ok(text) if text.starts_with(b"on ") => CaptureState::Interrupted,
            Ok(_) | Err(_) => CaptureState::Off,
        }
    }

    /// Switches the session off.
    pub fn turn_off(&self) -> io::Result<()> {
        self.write("off")
    }

    /// Switches the session on again. The gap is remembered.
    pub fn turn_on(&self) -> io::Result<()> {
        self.write("on")
    }

    fn write(&self, state: &str) -> io::Result<()> {
        if let Some(folder) = self.path.parent() {
            tacit_fs::create_folder(folder)?;
        }
        tacit_fs::replace_unsynced(&self.path, format!("{state} {}\n", self.session).as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switches_keep_their_state() {
        let directory = tempfile::tempdir().unwrap();
        let project = directory.path().join("store");
        tacit_fs::create_folder(&project).unwrap();
        let paths = StorePaths {
            root: directory.path().into(),
            shared: project.clone(),
            project,
            global: directory.path().into(),
            server: None,
        };
        let session: SessionId = "a/../b".parse().unwrap();
        let switch = || paths.capture_switch(&session);
        assert_eq!(switch().state(), CaptureState::On);
        assert!(paths.sessions_off().is_empty());
        switch().turn_off().unwrap();
        assert_eq!(switch().state(), CaptureState::Off);
        assert_eq!(paths.sessions_off(), std::slice::from_ref(&session));
        switch().turn_on().unwrap();
        assert_eq!(switch().state(), CaptureState::Interrupted);
        assert!(paths.sessions_off().is_empty());
        assert_eq!(paths.capture_switch(&"other".parse().unwrap()).state(), CaptureState::On);
    }
}
