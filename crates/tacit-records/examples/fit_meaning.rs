//! Fits the weights of the meaning classifiers to the labelled excerpts of the tests.
//!
//! One-vs-rest logistic regression on vectors of the bundled model. Prints precision and recall by
//! five-fold cross-validation. The excerpts that the tests judge by are not used.

#![expect(clippy::print_stdout, reason = "a tool for those who change the excerpts")]

#[path = "../tests/records/excerpts.rs"]
#[expect(dead_code, reason = "what judges the result is not for fitting")]
mod excerpts;

use std::error::Error;

use tacit_models::TextKind;
use tacit_models::bundled::BundledModel;
use tacit_records::RecordCategory;
use tacit_records::triage::meaning::{CLASSIFIED_CATEGORIES, DIMENSIONS, MIN_LIKELIHOOD};

use RecordCategory::{Constraint, Decision, Preference, Runbook, TechDebt};
use excerpts::{Excerpt, ORDINARY, OUTRIGHT};

/// The strength of weight decay.
const DECAY: f32 = 0.0003;
/// The weight of positive samples.
const OWN: f32 = 2.0;
const ROUNDS: usize = 2_000;
const STEP: f32 = 2.0;
const FOLDS: usize = 5;

/// Statements in words that no phrase expects: they are only for fitting.
const TAUGHT: &[Excerpt] = &[
    ("psql got no connection because the container was not running.", &[Runbook]),
    ("terraform hung because I was off the office network.", &[Runbook]),
    ("docker could not pull since the login had expired.", &[Runbook]),
    (
        "Uploads disappeared without a trace: the bucket name in the settings was stale. Corrected.",
        &[Runbook],
    ),
    (
        "The cron never fired: wrong time zone in the unit file. Set it to UTC, and it runs.",
        &[Runbook],
    ),
    ("npm install stalled because the proxy was down.", &[Runbook]),
    ("You can't change the partition count of a topic downwards.", &[Constraint]),
    ("A bucket cannot be moved to another region.", &[Constraint]),
    ("The webhook secret is still the one from the demo, to be replaced.", &[TechDebt]),
    ("The time-out is hard coded, it belongs into the settings.", &[TechDebt]),
    ("Nobody wrote tests for the importer.", &[TechDebt]),
    ("The old sessions are still kept in plain text, the clean-up is outstanding.", &[TechDebt]),
    ("Error handling is chaos here, to be reworked after launch.", &[TechDebt]),
    ("No one has touched the manual since version one.", &[TechDebt]),
    ("The seed scripts were never finished.", &[TechDebt]),
    ("The limit of 50 is a guess and should be a setting.", &[TechDebt]),
    ("The search is mocked, the real index comes in the next sprint.", &[TechDebt]),
    ("You cannot reuse an id once it is deleted.", &[Constraint]),
    ("A queue can't be renamed, only recreated.", &[Constraint]),
    ("Only the header differs.", &[]),
    ("I faked the mail server for now, a real one follows.", &[TechDebt]),
    ("Reply in French.", &[Preference]),
    ("Guard clauses rather than nesting.", &[Preference]),
    ("Small commits, always rebased.", &[Preference]),
    ("Amounts are integers from here on, rounding cost us a day.", &[Decision]),
    ("We remain on Node 20, the host does not offer 22.", &[Decision]),
    ("No queue for this, a table will do at our size.", &[Decision]),
    ("The worker reads eight rows at a time.", &[]),
    ("The page shows the last ten orders.", &[]),
];

type Sample<'a> = (&'a [f32], &'a [RecordCategory]);

fn main() -> Result<(), Box<dyn Error>> {
    let model = BundledModel::load();
    let excerpts: Vec<&Excerpt> = OUTRIGHT.iter().chain(ORDINARY).chain(TAUGHT).collect();
    let vectors: Vec<Vec<f32>> =
        excerpts.iter().map(|(text, _)| model.embed(text, TextKind::Passage).to_vec()).collect();
    let count = vectors.len() as f32;
    let mean: Vec<f32> = (0..DIMENSIONS)
        .map(|at| vectors.iter().map(|vector| vector[at]).sum::<f32>() / count)
        .collect();
    let centred: Vec<Vec<f32>> = vectors.iter().map(|vector| centre(vector, &mean)).collect();
    let samples: Vec<Sample<'_>> =
        centred.iter().map(Vec::as_slice).zip(excerpts.iter().map(|(_, labels)| *labels)).collect();
    cross_validate(&samples);
    let mut bytes: Vec<u8> = mean.iter().flat_map(|x| x.to_le_bytes()).collect();
    for category in CLASSIFIED_CATEGORIES {
        let (weights, bias) = fit(&samples, category);
        bytes.extend(weights.iter().chain([&bias]).flat_map(|x| x.to_le_bytes()));
    }
    std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/weights/meaning.f32"), bytes)?;
    Ok(())
}

fn centre(vector: &[f32], mean: &[f32]) -> Vec<f32> {
    let moved: Vec<f32> = vector.iter().zip(mean).map(|(x, mean)| x - mean).collect();
    let length = moved.iter().map(|x| x * x).sum::<f32>().sqrt();
    moved.iter().map(|x| x / length).collect()
}

fn likelihood(vector: &[f32], weights: &[f32], bias: f32) -> f32 {
    let sum: f32 = vector.iter().zip(weights).map(|(x, weight)| x * weight).sum();
    1.0 / (1.0 + (-(sum + bias)).exp())
}

fn fit(samples: &[Sample<'_>], category: RecordCategory) -> (Vec<f32>, f32) {
    let (mut weights, mut bias) = (vec![0.0_f32; DIMENSIONS], 0.0_f32);
    for _ in 0..ROUNDS {
        let (mut slope, mut bias_slope, mut total) = (vec![0.0_f32; DIMENSIONS], 0.0, 0.0);
        for (vector, labels) in samples {
            let own = labels.contains(&category);
            let weight = if own { OWN } else { 1.0 };
            let error = (likelihood(vector, &weights, bias) - f32::from(u8::from(own))) * weight;
            slope.iter_mut().zip(*vector).for_each(|(slope, x)| *slope += error * x);
            bias_slope += error;
            total += weight;
        }
        for (weight, slope) in weights.iter_mut().zip(&slope) {
            *weight -= STEP * (slope / total + DECAY * *weight);
        }
        bias -= STEP * bias_slope / total;
    }
    (weights, bias)
}

fn cross_validate(samples: &[Sample<'_>]) {
    let (mut right, mut extra, mut missed) = (0, 0, 0);
    for fold in 0..FOLDS {
        let part = |wanted: bool| {
            let all = samples.iter().enumerate();
            let chosen = all.filter(move |(index, _)| (index % FOLDS == fold) == wanted);
            chosen.map(|(_, sample)| *sample).collect::<Vec<_>>()
        };
        let (fitted, left) = (part(false), part(true));
        for category in CLASSIFIED_CATEGORIES {
            let (weights, bias) = fit(&fitted, category);
            for (vector, labels) in &left {
                let found = likelihood(vector, &weights, bias) >= MIN_LIKELIHOOD;
                match (found, labels.contains(&category)) {
                    (true, true) => right += 1,
                    (true, false) => extra += 1,
                    (false, true) => missed += 1,
                    (false, false) => {}
                }
            }
        }
    }
    let share = |part: i32, rest: i32| f64::from(part) / f64::from((part + rest).max(1));
    println!("left out: precision {:.2} recall {:.2}", share(right, extra), share(right, missed));
}
