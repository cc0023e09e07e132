use super::*;
use crate::estimator::Similarity;
use tacit_core::{Clock, Confidence, Draft, IdSource, Review, Source, tokenize};
use tacit_testkit::time::{FixedIds, ManualClock};

fn candidates(texts: &[(&str, f64, Option<f64>)]) -> Vec<RecallCandidate> {
    let (clock, ids) = (ManualClock::default(), FixedIds::default());
    texts
        .iter()
        .enumerate()
        .map(|(at, (text, words, cosine))| {
            let draft = Draft { content: (*text).into(), ..Draft::default() };
            let body = draft.check(Confidence::HIGH).unwrap();
            let memory = Memory::new(ids.next_id(clock.now()), body, clock.now());
            RecallCandidate {
                tokens: FieldTokens {
                    title: tokenize(""),
                    text: tokenize(text),
                    labels: tokenize(""),
                    cues: tokenize(""),
                },
                memory,
                key: at as u64 * 10,
                lexical: LexicalScore { score: *words, coverage: 0.5, ..LexicalScore::default() },
                cosine: *cosine,
                meaning: Meaning {
                    text: cosine.map(|cosine| Similarity { cosine, ordinary: Some(0.4) }),
                    cue: None,
                },
                files: FileLink::None,
                companion: false,
            }
        })
        .collect()
}

fn settings() -> RankSettings {
    RankSettings {
        uses: BTreeMap::new(),
        profile: RankProfile::Balanced,
        phase: None,
        weights: PhaseWeights::default(),
        strictness: Strictness::Everything,
        at_least: 0,
        telling: 0.0,
        now: ManualClock::default().now(),
        window: None,
        limit: 10,
        token_budget: None,
        seen: Vec::new(),
    }
}

fn order(ranking: &Ranking) -> Vec<usize> {
    ranking.answers.iter().map(|answer| answer.candidate).collect()
}

#[test]
fn recency_breaks_ties_but_never_buries_a_result() {
    let query = Query::parse("pool");
    let mut pair = candidates(&[
        ("alpha", 5.0, Some(0.7)),
        ("omega", 5.0, Some(0.7)),
        ("other", 0.0, Some(0.1)),
    ]);
    pair[0].memory.usage.last_accessed_at = settings().now.plus_days(-300.0);
    pair[0].memory.created_at = settings().now.plus_days(-300.0);
    assert_eq!(order(&rank(&query, &pair, &settings()))[0], 1);

    let mut better = candidates(&[
        ("alpha", 9.0, Some(0.9)),
        ("omega", 1.0, Some(0.3)),
        ("other", 0.0, Some(0.1)),
    ]);
    better[0].memory.created_at = settings().now.plus_days(-3000.0);
    better[0].memory.usage.last_accessed_at = better[0].memory.created_at;
    better[0].memory.body.confidence = Confidence::LOW;
    better[1].memory.usage.access_count = 1_000;
    assert_eq!(order(&rank(&query, &better, &settings()))[0], 0);
}

#[test]
fn words_count_by_the_information_that_they_match() {
    let query = Query::parse("who may open the door");
    let first = |words| {
        let mut some = vec![("door", words, Some(0.55)), ("entry", 0.0, Some(0.6))];
        some.extend([("other", 0.0, Some(0.4)); 8]);
        order(&rank(&query, &candidates(&some), &settings()))[0]
    };
    assert_eq!(first(2.0), 1, "a match by chance");
    assert_eq!(first(12.0), 0);
}

#[test]
fn the_seed_formula_is_literal() {
    let query = Query::parse("pool");
    let mut one = candidates(&[("alpha", 5.0, Some(0.8))]);
    one[0].memory.usage.last_accessed_at = settings().now.plus_days(-30.0);
    one[0].memory.created_at = settings().now.plus_days(-30.0);
    one[0].memory.usage.access_count = 3;
    one[0].memory.body.confidence = Confidence::new(0.5).unwrap();
    let seed = RankSettings {
        profile: RankProfile::Seed,
        phase: Some(UniversalPhase::Explore),
        ..settings()
    };
    let score = rank(&query, &one, &seed).answers[0].score;
    // The weight of a module insight in the explore phase is 1.3.
    let expected = (0.6 * 0.8 + 0.25 * (-1.0_f64).exp() + 0.15 * 1.0) * 1.3 * 0.5;
    assert!((score - expected).abs() < 1e-9, "{score} {expected}");
}

#[test]
fn duplicates_fold_and_every_removal_has_a_reason() {
    let query = Query::parse("pool");
    let some = candidates(&[
        (
            "close the pool before every fork of the worker process or both share one socket",
            9.0,
            Some(0.9),
        ),
        (
            "close the pool before each fork of the worker process or both share one socket",
            8.0,
            Some(0.9),
        ),
        ("something else entirely", 5.0, Some(0.5)),
        ("and a third thing", 1.0, Some(0.2)),
    ]);
    let ranking = rank(&query, &some, &RankSettings { limit: 2, ..settings() });
    assert_eq!(order(&ranking), [0, 2]);
    assert_eq!(ranking.answers[0].folded, [1]);
    let why: Vec<_> = ranking.removed.iter().map(|r| (r.candidate, r.why)).collect();
    assert_eq!(why, [(1, RemovalReason::FoldedInto(0)), (3, RemovalReason::BeyondLimit)]);

    let tight = RankSettings { token_budget: Some(22), ..settings() };
    let ranking = rank(&query, &some, &tight);
    assert_eq!(order(&ranking), [2]);
}

#[test]
fn candidate_order_does_not_matter() {
    let query = Query::parse("pool");
    let some = candidates(&[
        ("a1", 3.0, Some(0.3)),
        ("b2", 3.0, Some(0.3)),
        ("c3", 1.0, None),
        ("d4", 0.0, Some(0.9)),
    ]);
    let ids = |list: &[RecallCandidate]| -> Vec<_> {
        rank(&query, list, &settings())
            .answers
            .iter()
            .map(|a| list[a.candidate].memory.id)
            .collect()
    };
    let mut reversed = some.clone();
    reversed.reverse();
    assert_eq!(ids(&some), ids(&reversed));
}

#[test]
fn time_window_adds_a_bonus_and_the_floor_removes() {
    let query = Query::parse("what broke yesterday");
    let mut two = candidates(&[("alpha", 3.0, Some(0.5)), ("omega", 3.0, Some(0.5))]);
    two[1].memory.created_at = settings().now.plus_days(-1.0);
    let window = Some((settings().now.plus_days(-2.0), settings().now.plus_days(-0.5)));
    assert_eq!(order(&rank(&query, &two, &RankSettings { window, ..settings() }))[0], 1);
    let strict = RankSettings { strictness: Strictness::Proactive, ..settings() };
    let unlikely = |ranking: &Ranking| {
        let removed = ranking.removed.iter();
        removed.filter(|removed| matches!(removed.why, RemovalReason::Unlikely(_))).count()
    };
    for one in &mut two {
        one.lexical.coverage = 0.0;
        one.memory.body.trust.review = Review::Verified;
    }
    assert_eq!(unlikely(&rank(&query, &two, &strict)), 2);
    let few = RankSettings { at_least: 1, ..strict };
    let ranking = rank(&query, &two, &few);
    assert_eq!((ranking.answers.len(), unlikely(&ranking)), (1, 1));
    assert!(!ranking.is_clear);
}

#[test]
fn module_cards_stay_behind_unless_their_module_is_named() {
    let mut two = candidates(&[("card", 9.0, Some(0.8)), ("memory", 1.0, Some(0.4))]);
    let card = Draft {
        content: "card".into(),
        source: Some(Source::ObserverInferred.to_string()),
        generator: Some("rules".into()),
        related_modules: vec!["src/billing".into()],
        ..Draft::default()
    };
    two[0].memory.body = card.check(Confidence::HIGH).unwrap();
    for (text, expected) in [("why does it leak", [1, 0]), ("what is billing for", [0, 1])] {
        assert_eq!(order(&rank(&Query::parse(text), &two, &settings())), expected, "{text}");
    }
}
