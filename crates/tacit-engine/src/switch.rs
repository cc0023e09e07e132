//! Sessions that the user switched off: a small file for each beside the store, so that a hook knows
//! by looking for one name.

use std::io;
use std::path::PathBuf;

use sha2::{Digest, Sha256};
use tacit_core::SessionId;

use crate::engine::{Engine, StorePaths};

/// The folder of switches.
const FOLDER: &str = "switches";
const LONGEST: u64 = 512;

/// The switch of one session.
#[derive(Debug, Clone)]
pub struct CaptureSwitch {
    path: PathBuf,
    session: SessionId,
}

/// The state of a session's capture switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaptureState {
    /// Never switched.
    Whole,
    /// The session is captured, but was not all the time: what its transcript holds is not all
    /// meant to be kept.
    Partly,
    /// Switched off: the session is neither captured nor shown anything.
    Off,
}

impl StorePaths {
    /// The switch of a session of this project.
    pub fn switch(&self, session: &SessionId) -> CaptureSwitch {
        let sum = Sha256::digest(session.as_str().as_bytes());
        let name: String = sum.iter().take(12).map(|byte| format!("{byte:02x}")).collect();
        CaptureSwitch { path: self.project.join(FOLDER).join(name), session: session.clone() }
    }

    /// The sessions that are off.
    pub fn switched_off(&self) -> Vec<SessionId> {
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
    /// Returns the state of the switch of a session of this project.
    pub fn capture_of(&self, session: &SessionId) -> CaptureState {
        self.places.switch(session).capture()
    }
}

impl CaptureSwitch {
    /// Returns the state. A switch that exists and cannot be read counts as off.
    pub fn capture(&self) -> CaptureState {
        match tacit_fs::read(&self.path, LONGEST) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => CaptureState::Whole,
            Ok(text) if text.starts_with(b"on ") => CaptureState::Partly,
            Ok(_) | Err(_) => CaptureState::Off,
        }
    }

    /// Switches the session off.
    pub fn turn_off(&self) -> io::Result<()> {
        self.write("off")
    }

    /// Switches the session on again, or notes that a part of it is not to be kept.
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
    fn a_switch_holds_until_it_is_turned() {
        let directory = tempfile::tempdir().unwrap();
        let project = directory.path().join("store");
        tacit_fs::create_folder(&project).unwrap();
        let places = StorePaths {
            root: directory.path().into(),
            shared: project.clone(),
            project,
            global: directory.path().into(),
        };
        let session: SessionId = "a/../b".parse().unwrap();
        let switch = || places.switch(&session);
        assert_eq!(switch().capture(), CaptureState::Whole);
        assert!(places.switched_off().is_empty());
        switch().turn_off().unwrap();
        assert_eq!(switch().capture(), CaptureState::Off);
        assert_eq!(places.switched_off(), std::slice::from_ref(&session));
        switch().turn_on().unwrap();
        assert_eq!(switch().capture(), CaptureState::Partly);
        assert!(places.switched_off().is_empty());
        assert_eq!(places.switch(&"other".parse().unwrap()).capture(), CaptureState::Whole);
    }
}
