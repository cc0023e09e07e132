//! Fits the vectors that describe prompts, from the prompts in `prompts/`, and prints
//! `src/bundled/prompts.rs`.
//!
//! `routine.txt` has prompts for which notes about a project are of no use: wording, looks, names,
//! chores and general questions. `telling.txt` has symptoms, failures and risky changes. Logistic
//! regression finds the direction that separates them.

#![expect(clippy::print_stdout, reason = "a tool for those who change the prompts or the weights")]

use tacit_models::TextKind;
use tacit_models::bundled::{BundledModel, DIMENSIONS};

const ROUTINE: &str = include_str!("../prompts/routine.txt");
const TELLING: &str = include_str!("../prompts/telling.txt");

/// The strength of weight decay, against the sum of all errors.
const DECAY: f64 = 1.0;
const ROUNDS: usize = 20_000;
const STEP: f64 = 0.02;

fn main() {
    let model = BundledModel::load();
    let embed = |text: &str| model.embed(text, TextKind::Query).map(f64::from).to_vec();
    let routine: Vec<Vec<f64>> = ROUTINE.lines().map(embed).collect();
    let telling: Vec<Vec<f64>> = TELLING.lines().map(embed).collect();
    let (mut mean, count) = (vec![0.0; DIMENSIONS], (routine.len() + telling.len()) as f64);
    for vector in routine.iter().chain(&telling) {
        mean.iter_mut().zip(vector).for_each(|(mean, x)| *mean += x / count);
    }
    println!(
        "//! Vectors that describe prompts, fitted by `examples/fit_prompts.rs` to the prompts in\n\
         //! `prompts/`.\n"
    );
    let about = "The mean vector of ordinary prompts. The cosine of a memory with it is the part \
                 of a cosine\n/// that says nothing about a particular prompt.";
    print("ORDINARY_PROMPT", about, &mean);
    let about = "The direction from routine prompts to those that notes about a project may help \
                 with, of length\n/// one.";
    println!();
    print("TELLING_DIRECTION", about, &direction(&routine, &telling));
}

/// Returns the direction that separates two classes, both with the same weight.
fn direction(routine: &[Vec<f64>], telling: &[Vec<f64>]) -> Vec<f64> {
    let count = (routine.len() + telling.len()) as f64;
    let (mut weights, mut bias) = (vec![0.0; DIMENSIONS], 0.0);
    for _ in 0..ROUNDS {
        let (mut slope, mut bias_slope) = (weights.clone(), 0.0);
        slope.iter_mut().for_each(|slope| *slope *= DECAY);
        for (class, wanted) in [(routine, 0.0), (telling, 1.0)] {
            let weight = count / (2.0 * class.len() as f64);
            for vector in class {
                let sum: f64 = vector.iter().zip(&weights).map(|(x, weight)| x * weight).sum();
                let error = weight * (1.0 / (1.0 + (-(sum + bias)).exp()) - wanted);
                slope.iter_mut().zip(vector).for_each(|(slope, x)| *slope += error * x);
                bias_slope += error;
            }
        }
        weights.iter_mut().zip(&slope).for_each(|(weight, slope)| *weight -= STEP * slope);
        bias -= STEP * bias_slope;
    }
    let length = weights.iter().map(|x| x * x).sum::<f64>().sqrt();
    weights.iter().map(|x| x / length).collect()
}

fn print(name: &str, about: &str, vector: &[f64]) {
    println!("/// {about}\npub const {name}: [f32; {DIMENSIONS}] = [");
    vector.iter().for_each(|x| println!("{x:.5},"));
    println!("];");
}
