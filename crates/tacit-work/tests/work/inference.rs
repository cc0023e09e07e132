//! Units of work from names of branches and spec files.

use proptest::prelude::*;
use tacit_work::{SHIPPED, SpecFiles, SpecLayout, is_trunk};

use crate::methodology;

fn inferred_unit(id: &str, branch: Option<&str>, specs: Option<&SpecFiles>) -> Option<String> {
    let (unit, _) = methodology(id).infer(branch, specs)?;
    Some(format!("{} | {}", unit.hierarchy().join("/"), unit.label()))
}

#[test]
fn branches_name_units() {
    for (id, branch, expected) in [
        ("native", "feature/ABC-123-login", Some("ABC-123 | Spec ABC-123")),
        ("native", "fix-ABC-123", Some("ABC-123 | Spec ABC-123")),
        ("native", "ada/ABC-123/second-try", Some("ABC-123 | Spec ABC-123")),
        ("agile", "US47-12-x", Some("US47-12 | Story US47-12")),
        ("native", "12-foo", Some("12 | Spec 12")),
        ("native", "042-user-auth", Some("042 | Spec 042")),
        ("native", "issue-12", Some("12 | Spec 12")),
        ("native", "fix/#12-crash", Some("12 | Spec 12")),
        ("bmad", "story/1.2", Some("1/1.2 | Epic 1 / Story 1.2")),
        ("bmad", "story/1-2-login", Some("1/1.2 | Epic 1 / Story 1.2")),
        ("bmad", "feature/story-3.2-login", Some("3/3.2 | Epic 3 / Story 3.2")),
        ("native", "story/1.2", Some("1.2 | Spec 1.2")),
        ("native", "1.2-login", Some("1.2 | Spec 1.2")),
        ("tdd", "feature/login", Some("login | Feature login")),
        ("tdd", "ada/login", Some("ada-login | Feature ada-login")),
        ("native", "2026-11-15-notes", Some("2026-11-15-notes | Spec 2026-11-15-notes")),
        ("native", "add-2-buttons", Some("add-2-buttons | Spec add-2-buttons")),
        ("native", "1.2.3", Some("1.2.3 | Spec 1.2.3")),
        ("native", "main", None),
        ("native", "release/1.2", None),
        ("native", "release-2.0", None),
        ("native", "develop", None),
    ] {
        assert_eq!(inferred_unit(id, Some(branch), None).as_deref(), expected, "{id} {branch}");
        assert_eq!(is_trunk(branch), expected.is_none(), "{branch}");
    }
    assert_eq!(inferred_unit("native", None, None), None);
}

fn specs(layout: SpecLayout, entries: &[&str]) -> SpecFiles {
    let (_, directory) =
        SpecLayout::DIRECTORIES.into_iter().find(|(known, _)| *known == layout).unwrap();
    let entries = entries.iter().map(|entry| (*entry).to_owned()).collect();
    SpecFiles { layout, directory, entries }
}

#[test]
fn spec_files_name_units() {
    let one = specs(SpecLayout::OpenSpec, &["archive", "add-two-factor-auth"]);
    let two = specs(SpecLayout::OpenSpec, &["archive", "add-two-factor-auth", "drop-ie"]);
    let kit = specs(SpecLayout::SpecKit, &["001-base", "042-user-auth", "README.md"]);
    let lone = specs(SpecLayout::SpecKit, &["001-base"]);
    let stories =
        specs(SpecLayout::Stories, &["1.1.setup.md", "1.2.story.md", "story-2.1.md", "notes.md"]);
    for (id, branch, files, expected, from) in [
        (
            "native",
            "main",
            &one,
            Some("add-two-factor-auth | Spec add-two-factor-auth"),
            "`openspec/changes/add-two-factor-auth`",
        ),
        ("native", "main", &two, None, ""),
        (
            "native",
            "feature/drop-ie",
            &two,
            Some("drop-ie | Spec drop-ie"),
            "`openspec/changes/drop-ie`",
        ),
        ("native", "drop-ie", &one, Some("drop-ie | Spec drop-ie"), "the branch `drop-ie`"),
        ("native", "042-user-auth", &kit, Some("042 | Spec 042"), "`specs/042-user-auth`"),
        ("native", "main", &lone, None, ""),
        (
            "bmad",
            "story/1.2",
            &stories,
            Some("1/1.2 | Epic 1 / Story 1.2"),
            "`docs/stories/1.2.story.md`",
        ),
        (
            "bmad",
            "story/2-1-x",
            &stories,
            Some("2/2.1 | Epic 2 / Story 2.1"),
            "`docs/stories/story-2.1.md`",
        ),
        (
            "bmad",
            "story/9.9",
            &stories,
            Some("9/9.9 | Epic 9 / Story 9.9"),
            "the branch `story/9.9`",
        ),
        ("bmad", "main", &stories, None, ""),
    ] {
        assert_eq!(inferred_unit(id, Some(branch), Some(files)).as_deref(), expected, "{branch}");
        let inferred = methodology(id).infer(Some(branch), Some(files));
        assert_eq!(inferred.map(|(_, from)| from).unwrap_or_default(), from, "{branch}");
    }
}

proptest! {
    #[test]
    fn any_branch_or_spec_name_is_accepted(branch in "\\PC{0,80}", entries in prop::collection::vec("\\PC{0,30}", 0..5)) {
        for definition in SHIPPED {
            for (layout, directory) in SpecLayout::DIRECTORIES {
                let specs = SpecFiles { layout, directory, entries: entries.clone() };
                if let Some((unit, _)) = methodology(definition.id).infer(Some(&branch), Some(&specs)) {
                    prop_assert!(!unit.label().is_empty());
                }
            }
        }
    }

    #[test]
    fn tickets_are_found_in_branches(sort in "(feature|fix|chore)/|", key in "[A-Z]{2,8}", number in 1..99_999u32, name in "(-[a-z]{1,8}){0,3}") {
        let unit = methodology("native").infer(Some(&format!("{sort}{key}-{number}{name}")), None);
        let unit = unit.unwrap().0;
        prop_assert_eq!(unit.hierarchy(), &[format!("{key}-{number}")]);
    }
}
