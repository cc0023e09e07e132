//! The reminder at the start of a session that memories wait for review.
//!
//! Counting them takes a look at every memory, so maintenance and `tacit review` leave the number in a
//! small file beside the store, which is all that a hook reads.

use std::path::Path;

use tacit_core::Timestamp;
use tacit_engine::{EngineError, EngineResult, StorePaths, StoreScope};

use super::queue::ReviewQueue;

/// The file with the number of memories that wait.
const WAITING: &str = "review-waiting";
/// The file with the time of the last reminder.
const REMINDED: &str = "review-reminded";
/// The days between two reminders.
const INTERVAL_DAYS: f64 = 1.0;
/// The most bytes of either file.
const LARGEST: u64 = 64;

/// Notes how many memories of the project wait.
pub fn note_waiting(places: &StorePaths, queue: &ReviewQueue) -> EngineResult<()> {
    let in_project = |item: &&super::ReviewItem| item.found.store == StoreScope::Project;
    let waiting = queue.items.iter().filter(in_project).count();
    let path = places.project.join(WAITING);
    let written = tacit_fs::replace_unsynced(&path, format!("{waiting}\n").as_bytes());
    written.map_err(|source| EngineError::Io { path, source })
}

/// Drops the number after a decision elsewhere: no reminder is better than a wrong one, and the next
/// maintenance counts again.
pub fn drop_waiting(places: &StorePaths) {
    // A number that stays only makes a reminder count one too many.
    let _ = tacit_fs::remove(&places.project.join(WAITING));
}

/// Returns the line that tells a person what waits, at most once a day, and notes that it was shown.
pub fn due_reminder(project: &Path, now: Timestamp) -> Option<String> {
    let waiting: usize = read(&project.join(WAITING))?.parse().ok()?;
    let what = match waiting {
        0 => return None,
        1 => "memory waits",
        _ => "memories wait",
    };
    let file = project.join(REMINDED);
    let last: Option<Timestamp> = read(&file).and_then(|text| text.parse().ok());
    // A time in the future is of a clock that was wrong.
    let recent = |last: Timestamp| (0.0..INTERVAL_DAYS).contains(&now.days_since(last));
    if last.is_some_and(recent) {
        return None;
    }
    // Unless the reminder can be noted, it would come with every session.
    tacit_fs::replace_unsynced(&file, format!("{now}\n").as_bytes()).ok()?;
    Some(format!("{waiting} {what} for review: tacit review"))
}

fn read(path: &Path) -> Option<String> {
    tacit_fs::read_text(path, LARGEST).ok().map(|text| text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().expect("a time")
    }

    #[test]
    fn a_reminder_comes_once_a_day_while_something_waits() {
        let folder = tempfile::tempdir().expect("a folder");
        let due = |now: &str| due_reminder(folder.path(), at(now));
        let wait = |text: &str| std::fs::write(folder.path().join(WAITING), text).expect("a file");
        assert_eq!(due("2026-11-15T10:00:00Z"), None, "nothing was counted");
        wait("0\n");
        assert_eq!(due("2026-11-15T10:00:00Z"), None);
        wait("12\n");
        let line = Some("12 memories wait for review: tacit review".to_owned());
        assert_eq!(due("2026-11-15T10:00:00Z"), line);
        assert_eq!(due("2026-11-15T10:00:00Z"), None);
        assert_eq!(due("2026-11-16T09:59:59Z"), None);
        assert_eq!(due("2026-11-16T10:00:00Z"), line);
        wait("1\n");
        let one = Some("1 memory waits for review: tacit review".to_owned());
        assert_eq!(due("2026-11-17T10:00:00Z"), one);
        // The clock was wrong when the last reminder was noted.
        assert_eq!(due("2026-11-16T10:00:00Z"), one);
    }

    #[test]
    fn unreadable_files_remind_of_nothing_or_once() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join(WAITING), "many").expect("a file");
        assert_eq!(due_reminder(folder.path(), at("2026-11-15T10:00:00Z")), None);
        std::fs::write(folder.path().join(WAITING), "2").expect("a file");
        std::fs::write(folder.path().join(REMINDED), b"\xff\xfe").expect("a file");
        assert!(due_reminder(folder.path(), at("2026-11-15T10:00:00Z")).is_some());
        assert!(due_reminder(folder.path(), at("2026-11-15T10:00:00Z")).is_none());
    }
}
