use tacit_triggers::compress::compress;
use tacit_triggers::fuzzy::Matcher;
use tacit_triggers::{Expansion, HeadingIndex, Operator};

use crate::support::{corpus, migrated};

#[test]
fn the_shortest_unique_trigger_and_near_misses_are_found() {
    let files = [(
        "a.md",
        "## How to Encode Paths\n## When Encoding Paths Needed\n## When Writing Mock Tests\n## When Writing Tests\n## When Twin Here\n## When Twin Here\n",
    )];
    let corpus = corpus("", &files);
    for (heading, unique, misses) in [
        (
            "How to Encode Paths",
            Some("how encode path"),
            vec![("encode path", vec!["When Encoding Paths Needed"])],
        ),
        ("### When Writing Mock Tests", Some("when mock test"), vec![]),
        (
            "When Writing Tests",
            Some("when writing tests"),
            vec![("when writing test", vec!["When Writing Mock Tests"])],
        ),
        ("When Twin Here", None, vec![("when twin here", vec!["When Twin Here"])]),
        ("Encoding", None, vec![("encoding", vec!["When Encoding Paths Needed"])]),
        ("When Something Entirely New", Some("when entirely new"), vec![]),
        ("", None, vec![]),
    ] {
        let found = compress(&corpus, heading);
        assert_eq!(found.unique.as_deref(), unique, "{heading}");
        let shown: Vec<(&str, Vec<&str>)> = found
            .near_misses
            .iter()
            .map(|miss| {
                (miss.query.as_str(), miss.also_matches.iter().map(String::as_str).collect())
            })
            .collect();
        assert_eq!(shown, misses, "{heading}");
    }
}

#[test]
fn unique_triggers_resolve() {
    let corpus = migrated();
    let headings = HeadingIndex::of(&corpus);
    let mut matcher = Matcher::default();
    for place in headings.places() {
        let title = &corpus.heading(*place).title;
        let unique = compress(&corpus, title).unique.unwrap();
        let operator = Operator::of_heading(title);
        let trigger = unique.split_once(' ').unwrap().1;
        let found = headings.expand(&mut matcher, operator.unwrap(), trigger);
        assert_eq!(found, Expansion::One(*place), "{title}: {unique}");
    }
}
