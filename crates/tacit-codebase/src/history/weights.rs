//! How much each piece of evidence counts. How the numbers were found is told in
//! `docs/cochange.md`.

/// The constants of the estimate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EstimateWeights {
    /// Up to so many files, a commit counts whole; with more, its weight falls as one over their
    /// number.
    pub full_weight_files: f64,
    /// After so many days, a commit counts half.
    pub half_life_days: f64,
    /// What a session in which files were used counts, beside a commit in which they changed.
    pub session: f64,
    /// How many commits the structural prior is worth.
    pub prior_strength: f64,
    /// How likely a file changes with one that it imports, or is imported by, if nothing else
    /// imports that.
    pub import: f64,
    /// How likely a file changes with its namesake: its test, its header, its style sheet.
    pub stem: f64,
    /// How likely a file changes with the only other file of its directory.
    pub directory: f64,
    /// How much of a file's own share of all commits counts.
    pub base: f64,
    /// How much of the way through a third file counts.
    pub transitive: f64,
}

impl Default for EstimateWeights {
    fn default() -> EstimateWeights {
        EstimateWeights {
            full_weight_files: 20.0,
            half_life_days: 365.0,
            session: 0.5,
            prior_strength: 3.0,
            import: 0.3,
            stem: 0.5,
            directory: 0.2,
            base: 0.5,
            transitive: 0.3,
        }
    }
}

const DAY: f64 = 86_400.0;

impl EstimateWeights {
    /// What a commit counts that touched so many files, so long before the newest one.
    #[must_use]
    pub fn commit(&self, files: u32, seconds_before: i64) -> f64 {
        let age = seconds_before.max(0) as f64 / DAY;
        let damped = (self.full_weight_files / f64::from(files.max(1))).min(1.0);
        damped * (-age / self.half_life_days).exp2()
    }
}
