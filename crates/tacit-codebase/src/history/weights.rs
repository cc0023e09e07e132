//! Weights of the evidence for co-changes. `docs/cochange.md` explains how they were chosen.

/// The parameters of the estimate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EstimateWeights {
    /// Number of files up to which a commit has full weight; above it, the weight is inversely
    /// proportional to their number.
    pub full_weight_files: f64,
    /// Days after which a commit has half its weight.
    pub half_life_days: f64,
    /// Weight of a session relative to a commit.
    pub session: f64,
    /// Number of commits that the structural prior is worth.
    pub prior_strength: f64,
    /// Probability of changing with an imported or importing file that nothing else imports.
    pub import: f64,
    /// Probability of changing with a file of the same stem, such as a test or a header.
    pub stem: f64,
    /// Probability of changing with the only other file of the directory.
    pub directory: f64,
    /// Factor for a file's own share of all commits.
    pub base: f64,
    /// Factor for probabilities through a third file.
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
    /// Returns the weight of a commit by its number of files and its age relative to the newest
    /// commit.
    #[must_use]
    pub fn commit(&self, files: u32, seconds_before: i64) -> f64 {
        let age = seconds_before.max(0) as f64 / DAY;
        let damped = (self.full_weight_files / f64::from(files.max(1))).min(1.0);
        damped * (-age / self.half_life_days).exp2()
    }
}
