//! Record files: atomic writes, one writer at a time, nothing outside the folder.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::json;
use tacit_records::files::{RecordsFolder, file_hash, write_private};
use tacit_records::{IndexForm, RecordCategory, RecordSettings, index_markdown};
use tempfile::TempDir;

use crate::support::{fields, given, next, now, record};

const WAIT: Duration = Duration::from_secs(20);

fn place() -> (TempDir, RecordsFolder) {
    let directory = tempfile::tempdir().unwrap();
    let folder = RecordsFolder::at(directory.path());
    (directory, folder)
}

fn create(
    folder: &RecordsFolder,
    category: RecordCategory,
    title: &str,
) -> tacit_records::files::StoredRecord {
    let settings = RecordSettings::default();
    let writer = folder.writer(&settings, now(), WAIT).unwrap();
    writer.create(category, None, given(category, title)).unwrap()
}

#[test]
fn written_records_are_read_back() {
    let (_directory, folder) = place();
    assert!(folder.load().unwrap().stored.is_empty());
    for category in RecordCategory::ALL {
        let stored = create(&folder, category, "A title");
        assert_eq!(folder.read(category, &stored.record.id).unwrap(), Some(stored.clone()));
        let bytes = fs::read(folder.root().join(stored.record.path())).unwrap();
        assert_eq!(stored.hash, file_hash(&bytes));
    }
    let loaded = folder.load().unwrap();
    assert_eq!(loaded.stored.len(), 6);
    let index = fs::read_to_string(folder.root().join("index.md")).unwrap();
    assert_eq!(index, index_markdown(&loaded.records(), IndexForm::Links));
}

#[test]
fn the_hash_is_md5() {
    assert_eq!(file_hash(b""), "d41d8cd98f00b204e9800998ecf8427e");
    assert_eq!(file_hash(b"abc"), "900150983cd24fb0d6963f7d28e17f72");
}

#[test]
fn the_index_is_sorted_and_escaped() {
    let mut records = vec![
        record(RecordCategory::Preference, "Zebra"),
        record(RecordCategory::Decision, "Ends ](http://x) here"),
        record(RecordCategory::Preference, "Apple"),
    ];
    let one = index_markdown(&records, IndexForm::Links);
    records.reverse();
    assert_eq!(index_markdown(&records, IndexForm::Links), one);
    assert_eq!(
        one,
        "# Memory index\n\nWritten by `tacit records`; changes made here are lost.\n\n\
         ## Decisions\n\n- [Ends \\](http://x) here](decisions/ends-http-x-here.json) (first)\n\n\
         ## Preferences\n\n- [Apple](preferences/apple.json) (first)\n\
         - [Zebra](preferences/zebra.json) (first)\n"
    );
}

#[test]
fn a_name_finds_one_record() {
    let (_directory, folder) = place();
    create(&folder, RecordCategory::Decision, "Only here");
    create(&folder, RecordCategory::Decision, "In two");
    create(&folder, RecordCategory::Runbook, "In two");
    let absolute = folder.root().join("decisions/in-two.json");
    for (name, found) in [
        ("only-here", Ok("decisions/only-here.json")),
        ("decisions/in-two", Ok("decisions/in-two.json")),
        ("runbooks/in-two.json", Ok("runbooks/in-two.json")),
        (".claude/memory/runbooks/in-two.json", Ok("runbooks/in-two.json")),
        (absolute.to_str().unwrap(), Ok("decisions/in-two.json")),
        ("in-two", Err("AMBIGUOUS")),
        ("nowhere", Err("NOT_FOUND")),
        ("../decisions/in-two", Err("PATH_ERROR")),
        ("decisions/../../../etc/passwd", Err("PATH_ERROR")),
        ("/etc/passwd", Err("PATH_ERROR")),
        ("elsewhere/in-two", Err("PATH_ERROR")),
        ("decisions/deep/in-two", Err("PATH_ERROR")),
        ("", Err("PATH_ERROR")),
        ("index.md", Err("PATH_ERROR")),
    ] {
        let result = folder.find(name);
        let result = result.map(|s| s.record.path()).map_err(|error| error.code());
        assert_eq!(result.as_deref().map_err(|code| *code), found, "{name}");
    }
}

#[test]
fn a_wrong_hash_is_a_conflict() {
    let (_directory, folder) = place();
    let stored = create(&folder, RecordCategory::Decision, "A title");
    let settings = RecordSettings::default();
    let writer = folder.writer(&settings, now(), WAIT).unwrap();
    let new = fields(next(&stored.record));
    let stale = file_hash(b"something else");
    let error = writer.update("a-title", new.clone(), Some(&stale)).unwrap_err();
    assert_eq!(error.code(), "OCC_CONFLICT");
    assert_eq!(folder.find("a-title").unwrap(), stored);
    let after = writer.update("a-title", new, Some(&stored.hash.to_uppercase())).unwrap();
    assert_ne!(after.hash, stored.hash);
    assert_eq!(
        writer.retire("a-title", "why", Some(&stored.hash)).unwrap_err().code(),
        "OCC_CONFLICT"
    );
}

#[test]
fn concurrent_updates_with_retries_are_all_kept() {
    let (_directory, folder) = place();
    create(&folder, RecordCategory::Decision, "A title");
    let settings = RecordSettings::default();
    std::thread::scope(|scope| {
        for writer in 0..16 {
            let (folder, settings) = (&folder, &settings);
            scope.spawn(move || {
                let mut left = 3;
                while left > 0 {
                    // Read without a lock, as an agent does.
                    let stored = folder.find("a-title").unwrap();
                    let mut new = stored.record.to_json();
                    let summary = format!("w{writer}-{left}");
                    new["changes"]
                        .as_array_mut()
                        .unwrap()
                        .push(json!({"date": "d", "summary": summary}));
                    let writer = folder.writer(settings, now(), WAIT).unwrap();
                    match writer.update("a-title", fields(new), Some(&stored.hash)) {
                        Ok(_) => left -= 1,
                        Err(error) => assert_eq!(error.code(), "OCC_CONFLICT"),
                    }
                }
            });
        }
    });
    let record = folder.find("a-title").unwrap().record;
    assert_eq!((record.times_updated, record.changes.len()), (48, 48));
    for writer in 0..16 {
        for left in 1..=3 {
            let summary = format!("w{writer}-{left}");
            assert!(record.changes.iter().any(|change| change.summary() == summary), "{summary}");
        }
    }
}

#[test]
fn a_held_lock_is_an_error() {
    let (_directory, folder) = place();
    let settings = RecordSettings::default();
    let held = folder.writer(&settings, now(), WAIT).unwrap();
    let error = folder.writer(&settings, now(), Duration::ZERO).unwrap_err();
    assert_eq!(error.code(), "LOCKED");
    drop(held);
    assert!(folder.writer(&settings, now(), Duration::ZERO).is_ok());
}

#[test]
fn temporaries_of_a_crash_are_ignored_and_removed() {
    let (_directory, folder) = place();
    let stored = create(&folder, RecordCategory::Decision, "A title");
    let begun = folder.root().join("decisions/.a-title.json.tacit-99999-0");
    fs::write(&begun, "{\"half").unwrap();
    assert_eq!(folder.load().unwrap().stored, std::slice::from_ref(&stored));
    let settings = RecordSettings::default();
    let writer = folder.writer(&settings, now(), WAIT).unwrap();
    writer.update("a-title", fields(next(&stored.record)), None).unwrap();
    assert!(!begun.exists());
}

#[test]
fn invalid_files_do_not_hide_valid_records() {
    let (_directory, folder) = place();
    create(&folder, RecordCategory::Decision, "Good");
    let bad = |name: &str, bytes: &[u8]| fs::write(folder.root().join(name), bytes).unwrap();
    bad("decisions/torn.json", b"{");
    bad("decisions/moved.json", &record(RecordCategory::Decision, "Other").to_bytes());
    bad("decisions/huge.json", &vec![b' '; 300 * 1024]);
    bad("decisions/Not A Slug.json", b"{");
    bad("decisions/notes.txt", b"hello");
    let loaded = folder.load().unwrap();
    assert_eq!(loaded.stored.len(), 1);
    let problems: Vec<(&str, &str)> =
        loaded.problems.iter().map(|p| (p.path.as_str(), p.error.code())).collect();
    assert_eq!(
        problems,
        [
            ("decisions/huge.json", "PATH_ERROR"),
            ("decisions/moved.json", "PATH_ERROR"),
            ("decisions/torn.json", "VALIDATION_ERROR"),
        ]
    );
}

#[test]
fn a_category_is_limited() {
    let (_directory, folder) = place();
    let settings = RecordSettings { max_per_category: 2, ..RecordSettings::default() };
    let writer = folder.writer(&settings, now(), WAIT).unwrap();
    let category = RecordCategory::Runbook;
    let create = |title: &str| writer.create(category, None, given(category, title));
    create("one").unwrap();
    create("two").unwrap();
    assert_eq!(create("three").unwrap_err().code(), "CATEGORY_FULL");
    writer.retire("one", "why", None).unwrap();
    create("three").unwrap();
    assert_eq!(writer.restore("one", None).unwrap_err().code(), "CATEGORY_FULL");
}

#[test]
fn a_disabled_category_refuses_records() {
    let (_directory, folder) = place();
    let mut settings = RecordSettings::default();
    settings.categories[RecordCategory::Decision as usize].enabled = false;
    let writer = folder.writer(&settings, now(), WAIT).unwrap();
    let category = RecordCategory::Decision;
    let error = writer.create(category, None, given(category, "A title")).unwrap_err();
    assert_eq!(error.code(), "CATEGORY_DISABLED");
}

#[cfg(unix)]
fn link(to: &Path, at: &Path) {
    std::os::unix::fs::symlink(to, at).unwrap();
}

#[cfg(unix)]
#[test]
fn symbolic_links_are_refused() {
    let category = RecordCategory::Decision;
    for place_of_link in ["", ".claude", ".claude/memory", ".claude/memory/decisions"] {
        let (directory, _) = place();
        let outside = directory.path().join("outside");
        fs::create_dir_all(outside.join("decisions")).unwrap();
        let project = directory.path().join("project");
        fs::create_dir(&project).unwrap();
        let folder = RecordsFolder::at(&project);
        let settings = RecordSettings::default();
        if place_of_link.is_empty() {
            // A link in the place of the file itself.
            create(&folder, category, "A title");
            let file = folder.root().join("decisions/a-title.json");
            fs::rename(&file, outside.join("stolen.json")).unwrap();
            link(&outside.join("stolen.json"), &file);
            assert_eq!(folder.find("a-title").unwrap_err().code(), "PATH_ERROR");
            let writer = folder.writer(&settings, now(), WAIT).unwrap();
            let error = writer.create(category, None, given(category, "A title")).unwrap_err();
            assert_eq!(error.code(), "PATH_ERROR");
        } else {
            let at = project.join(place_of_link);
            fs::create_dir_all(at.parent().unwrap()).unwrap();
            link(&outside, &at);
            let error = folder
                .writer(&settings, now(), WAIT)
                .and_then(|writer| writer.create(category, None, given(category, "A title")))
                .unwrap_err();
            assert_eq!(error.code(), "PATH_ERROR", "{place_of_link}");
            assert_eq!(folder.load().unwrap_err().code(), "PATH_ERROR");
            let left: Vec<_> = fs::read_dir(outside.join("decisions")).unwrap().collect();
            assert!(left.is_empty(), "{place_of_link}");
        }
    }
}

#[cfg(unix)]
#[test]
fn private_files_have_private_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    let private = directory.path().join("triage");
    let path = write_private(&private, "decision.txt", b"text").unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&private), mode(&path)), (0o700, 0o600));
    for name in ["", "../x", "a/b", ".hidden", "a\0b"] {
        assert!(write_private(&private, name, b"text").is_err(), "{name:?}");
    }
    // Where somebody put a link, the link goes and its target stays as it is.
    let target = directory.path().join("target");
    fs::write(&target, "precious").unwrap();
    fs::remove_file(&path).unwrap();
    link(&target, &path);
    write_private(&private, "decision.txt", b"new").unwrap();
    assert_eq!(fs::read_to_string(&target).unwrap(), "precious");
    link(directory.path(), &directory.path().join("linked"));
    assert!(write_private(&directory.path().join("linked"), "x.txt", b"text").is_err());
}
