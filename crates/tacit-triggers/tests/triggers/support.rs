//! Corpora for tests.

use std::fs;
use std::path::{Path, PathBuf};

use tacit_triggers::files::{TriggerLayout, load};
use tacit_triggers::{Corpus, Document, IndexFile};

pub(crate) const INDEX: &str = "agents/memory-index.md";
pub(crate) const DECISIONS: &str = "agents/decisions";

/// Builds a corpus from an index and decision files.
pub(crate) fn corpus(index: &str, files: &[(&str, &str)]) -> Corpus {
    let documents = files.iter().map(|(name, text)| {
        Document::new(
            format!("{DECISIONS}/{name}"),
            Some((*name).to_owned()),
            text.as_bytes().to_vec(),
        )
    });
    Corpus {
        decisions: vec![DECISIONS.to_owned()],
        indexes: vec![IndexFile::new(INDEX, index.as_bytes().to_vec())],
        documents: documents.collect(),
    }
}

/// Builds a corpus with a nested file, a flat file, and a valid index.
pub(crate) fn small() -> Corpus {
    corpus(SMALL_INDEX, &[("cli.md", CLI), ("testing.md", TESTING)])
}

pub(crate) const SMALL_INDEX: &str = "\
# Memory Index

## agents/decisions/cli.md

/when naming flags | option names
/how encode path

## agents/decisions/testing.md

/when writing mock tests | mock patch, test doubles
/when testing strategy | markdown cleanup, TDD
/when success metrics | test pass criteria
/when fixture teardown
";

pub(crate) const CLI: &str = "\
# Command line

## When Naming Flags

Long flags are words.

## How to Encode Paths

Slashes become hyphens.
";

pub(crate) const TESTING: &str = "\
# Testing

## .Mock Patching

### When Writing Mock Tests

Patch where the object is used.

```python
# When Not A Heading
```

### When Testing Strategy

Unit first.

### When Success Metrics

All pass.

#### When Fixture Teardown

In reverse.
";

fn sample_layout(root: PathBuf) -> TriggerLayout {
    TriggerLayout { root, decisions: vec![DECISIONS.into()], indexes: vec![INDEX.into()] }
}

/// Copies the sample project in the old format.
pub(crate) fn sample() -> (tempfile::TempDir, TriggerLayout) {
    let directory = tempfile::tempdir().unwrap();
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus"), directory.path());
    let layout = sample_layout(directory.path().to_owned());
    (directory, layout)
}

/// Returns the migrated sample project.
pub(crate) fn migrated() -> Corpus {
    let (_directory, layout) = sample();
    let corpus = load(&layout).unwrap();
    let plan = tacit_triggers::migrate::plan(&corpus, &Default::default(), []).unwrap();
    corpus.with(&plan.edits)
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
