//! Probabilities of co-changes.

use tacit_codebase::history::{
    CoChangeReason, CommittedChange, EstimateWeights, Estimator, History, LoggedCommit, Partner,
    SessionCoUse, Structure, stem_of,
};

const DAY: i64 = 86_400;

/// Creates a commit on a day that touched these files.
fn commit(day: i64, files: &[&str]) -> LoggedCommit {
    let changes = files.iter().map(|path| CommittedChange::Modified((*path).to_owned())).collect();
    LoggedCommit { at: day * DAY, changes, ..LoggedCommit::default() }
}

/// Returns weights that use commits only.
fn counts() -> EstimateWeights {
    EstimateWeights {
        prior_strength: 0.0,
        transitive: 0.0,
        base: 0.0,
        ..EstimateWeights::default()
    }
}

fn partners(
    commits: &[LoggedCommit],
    imports: &[(&str, &str)],
    weights: EstimateWeights,
    of: &str,
) -> Vec<(String, Partner)> {
    let history = History::from_commits(commits);
    let structure = Structure::new(&history.names, imports.iter().copied());
    let estimator = Estimator::new(&history, &structure, weights);
    let file = history.names.find(of).unwrap_or_else(|| panic!("no `{of}`"));
    let name = |partner: Partner| {
        (history.names.path(partner.file).unwrap_or_default().to_owned(), partner)
    };
    estimator.partners(file, &[], 100).into_iter().map(name).collect()
}

fn found<'p>(partners: &'p [(String, Partner)], of: &str) -> Option<&'p Partner> {
    partners.iter().find(|(path, _)| path == of).map(|(_, partner)| partner)
}

fn probability(partners: &[(String, Partner)], of: &str) -> f64 {
    found(partners, of).map_or(0.0, |partner| partner.probability)
}

fn near(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-9
}

#[test]
fn without_a_prior_the_probability_is_the_share_of_commits() {
    let (ab, ac) = (commit(0, &["a", "b"]), commit(0, &["a", "c"]));
    let of_a = partners(&[ab.clone(), ab, ac, commit(0, &["b"])], &[], counts(), "a");
    assert!(near(probability(&of_a, "b"), 2.0 / 3.0), "{of_a:?}");
    assert!(near(probability(&of_a, "c"), 1.0 / 3.0), "{of_a:?}");
    assert_eq!(of_a[0].1.reasons[0], CoChangeReason::Commits { both: 2, total: 3 });
}

#[test]
fn large_and_old_commits_count_less() {
    let weights = EstimateWeights::default();
    let full_weight_files = weights.full_weight_files as u32;
    let table = [
        ("small", 2, 0, 1.0),
        ("just whole", full_weight_files, 0, 1.0),
        ("twice that", 2 * full_weight_files, 0, 0.5),
        ("a half-life ago", 1, weights.half_life_days as i64, 0.5),
        ("from the future", 1, -10, 1.0),
        ("empty", 0, 0, 1.0),
    ];
    for (name, files, days, expected) in table {
        let weight = weights.commit(files, days * DAY);
        assert!(near(weight, expected), "{name}: {weight}");
    }
}

#[test]
fn commits_override_the_structural_prior() {
    let files = ["src/pool.rs", "tests/pool_test.rs", "src/far.rs", "web/other.ts"];
    let mut commits: Vec<LoggedCommit> = files.iter().map(|file| commit(0, &[file])).collect();
    let weights = EstimateWeights { transitive: 0.0, base: 0.0, ..EstimateWeights::default() };
    let before = partners(&commits, &[("src/pool.rs", "web/other.ts")], weights, "src/pool.rs");
    for (path, reason) in [
        ("tests/pool_test.rs", CoChangeReason::Stem),
        ("src/far.rs", CoChangeReason::Directory),
        ("web/other.ts", CoChangeReason::Import { importers: 1 }),
    ] {
        assert_eq!(found(&before, path).map(|one| one.reasons.clone()), Some(vec![reason]));
    }
    commits.extend((0..50).map(|_| commit(0, &["src/pool.rs"])));
    let after = partners(&commits, &[], weights, "src/pool.rs");
    let test = "tests/pool_test.rs";
    assert!(probability(&after, test) < probability(&before, test) / 5.0);
}

#[test]
fn widely_imported_files_are_weaker_evidence() {
    let files = ["a/a.x", "b/b.x", "c/c.x", "hub/hub.x", "part/part.x"];
    let commits: Vec<LoggedCommit> = files.iter().map(|file| commit(0, &[file])).collect();
    let mut imports: Vec<(&str, &str)> =
        files[..3].iter().map(|file| (*file, "hub/hub.x")).collect();
    imports.push(("a/a.x", "part/part.x"));
    let of_a = partners(&commits, &imports, EstimateWeights::default(), "a/a.x");
    assert!(probability(&of_a, "part/part.x") > probability(&of_a, "hub/hub.x"), "{of_a:?}");
}

#[test]
fn transitive_partners_are_found() {
    let commits = [commit(0, &["x/a", "y/b"]), commit(0, &["y/b", "z/c"])];
    let without = EstimateWeights { transitive: 0.0, ..EstimateWeights::default() };
    let of_a = partners(&commits, &[], EstimateWeights::default(), "x/a");
    let before = partners(&commits, &[], without, "x/a");
    assert!(probability(&of_a, "z/c") > probability(&before, "z/c"), "{of_a:?}");
    assert!(probability(&of_a, "y/b") > probability(&of_a, "z/c"), "{of_a:?}");
}

#[test]
fn sessions_count_beside_commits() {
    let commits = [commit(0, &["a", "b"]), commit(0, &["a", "c"]), commit(0, &["d"])];
    let history = History::from_commits(&commits);
    let structure = Structure::default();
    let estimator = Estimator::new(&history, &structure, counts());
    let id = |path| history.names.find(path).unwrap();
    let used = [SessionCoUse { file: id("c"), both: 4, share: 0.5 }];
    let partners = estimator.partners(id("a"), &used, 10);
    let c = partners.iter().find(|partner| partner.file == id("c")).unwrap();
    // One of two commits, and four of eight sessions at half their weight.
    assert!(near(c.probability, (1.0 + 2.0) / (2.0 + 4.0)), "{c:?}");
    assert_eq!(
        c.reasons,
        [CoChangeReason::Sessions { both: 4 }, CoChangeReason::Commits { both: 1, total: 2 }]
    );
}

#[test]
fn deleted_files_are_not_partners() {
    let gone = LoggedCommit {
        changes: vec![CommittedChange::Deleted("b".into())],
        ..LoggedCommit::default()
    };
    let of_a = partners(&[commit(0, &["a", "b"]), gone], &[], EstimateWeights::default(), "a");
    assert!(found(&of_a, "b").is_none(), "{of_a:?}");
}

#[test]
fn stems_drop_extensions_and_test_markers() {
    let table = [
        ("src/pool.rs", Some("pool")),
        ("tests/pool_test.go", Some("pool")),
        ("web/pool.spec.ts", Some("pool")),
        ("test_pool.py", Some("pool")),
        ("Pool.h", Some("pool")),
        ("src/mod.rs", None),
        ("web/index.ts", None),
        ("README.md", None),
        ("a/b.c", None),
        (".gitignore", Some("gitignore")),
    ];
    for (path, expected) in table {
        assert_eq!(stem_of(path).as_deref(), expected, "{path}");
    }
}

#[test]
fn one_commit_alone_never_makes_a_partner_certain() {
    for count in [2, 3, 15, 20, 40] {
        for (what, name) in [("apart", "d/a.x"), ("in one directory", "a.x")] {
            let path =
                |n: usize| name.replace('d', &format!("d{n}")).replace('a', &format!("a{n}"));
            let files: Vec<String> = (0..count).map(path).collect();
            let files: Vec<&str> = files.iter().map(String::as_str).collect();
            let of_first =
                partners(&[commit(0, &files)], &[], EstimateWeights::default(), files[0]);
            assert!(!of_first.is_empty());
            let likeliest = of_first[0].1.probability;
            assert!(likeliest <= 0.6, "{count} files {what}: {likeliest}");
        }
    }
}

#[test]
fn bulk_commits_are_counted_but_carry_no_weight() {
    let many: Vec<String> = (0..150).map(|n| format!("d{n}/a{n}.x")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let import = commit(0, &many);
    let of_first =
        partners(std::slice::from_ref(&import), &[], EstimateWeights::default(), many[0]);
    assert!(of_first.is_empty(), "nothing speaks for any: {of_first:?}");
    let small = commit(0, &many[..2]);
    let of_first = partners(&[import, small], &[], EstimateWeights::default(), many[0]);
    let names: Vec<&str> = of_first.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, [many[1]]);
    assert_eq!(of_first[0].1.reasons[0], CoChangeReason::Commits { both: 2, total: 2 });
}

#[test]
fn reasons_are_ordered_by_their_share() {
    // `b` is in nearly every commit, `c` in few.
    let mut commits = vec![commit(0, &["p/a.x", "q/c.x"]), commit(0, &["q/c.x", "r/d.x"])];
    commits.extend((0..20).map(|n| commit(0, &["p/b.x", &format!("z{n}/z{n}.x")])));
    let of_a = partners(&commits, &[], EstimateWeights::default(), "p/a.x");
    let reasons = |path| found(&of_a, path).map(|one| one.reasons.clone()).unwrap_or_default();
    assert_eq!(reasons("p/b.x"), [CoChangeReason::Busy { commits: 20 }, CoChangeReason::Directory]);
    assert_eq!(reasons("q/c.x"), [CoChangeReason::Commits { both: 1, total: 1 }]);
    let [first, second] = &reasons("r/d.x")[..] else { panic!("{:?}", reasons("r/d.x")) };
    assert!(matches!(first, CoChangeReason::Through(_)), "{first:?}");
    assert_eq!(*second, CoChangeReason::Busy { commits: 1 });
}
