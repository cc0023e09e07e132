//! The likelihood that a candidate is relevant, and the floor it must reach.
//!
//! A search always has a nearest match. The likelihood is a fitted logistic curve over the cosine,
//! the cosine without the model's common component, and the share of the query's words that the
//! candidate contains. It was fitted to correct results and to the best matches of queries in
//! unrelated collections.

use crate::query::Query;

/// The required certainty that a candidate is relevant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strictness {
    /// A hook without a query: only clearly relevant memories.
    Proactive,
    /// An event for which memories are kept, such as a command that failed before: memories that
    /// are more likely relevant than not.
    Event,
    /// A query by a person or agent: memories that may be relevant.
    Explicit,
    /// All memories, in order.
    Everything,
}

impl Strictness {
    /// Returns true for searches that no user requested; they may only show proven memories.
    pub fn is_proactive(self) -> bool {
        matches!(self, Strictness::Proactive | Strictness::Event)
    }

    /// Returns the least likelihood of a result.
    pub fn floor(self) -> f64 {
        match self {
            Strictness::Proactive => 0.94,
            Strictness::Event => 0.5,
            Strictness::Explicit => 0.2,
            Strictness::Everything => 0.0,
        }
    }
}

/// The likelihood of a neighbour found by a model without a fitted curve: just enough to be shown
/// for an explicit query.
const UNCALIBRATED: f64 = 0.25;

/// Returns the likelihood that a candidate is relevant, from 0 to 1.
///
/// `cosine` and `centred` must be of the bundled model. Without them, the words decide alone. They
/// also suffice for an explicit query: somebody who searches for an error code means that error
/// code.
pub fn likelihood(
    query: &Query,
    strictness: Strictness,
    coverage: f64,
    cosine: Option<f64>,
    centred: Option<f64>,
) -> f64 {
    let joint = joint_likelihood(query, coverage, cosine, centred);
    if strictness == Strictness::Proactive {
        return joint;
    }
    // This model has no fitted curve. Somebody who asked can judge the result themselves.
    let near = if cosine.is_some() && centred.is_none() { UNCALIBRATED } else { 0.0 };
    joint.max(joint_likelihood(query, coverage, None, None)).max(near)
}

fn joint_likelihood(
    query: &Query,
    coverage: f64,
    cosine: Option<f64>,
    centred: Option<f64>,
) -> f64 {
    // The same share is worth more in a long query than in a short one.
    let matched = (coverage * query.terms().len().min(40) as f64).min(6.0);
    let logit = match (cosine, centred) {
        (Some(cosine), Some(centred)) => {
            -13.71 + 17.41 * cosine + 5.46 * centred + 3.35 * coverage + 0.04 * matched
        }
        _ => -3.0 + 5.0 * coverage + 0.4 * matched,
    };
    1.0 / (1.0 + (-logit).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closer_matches_are_more_likely() {
        let query = Query::parse("why does the pool leak");
        let of = |coverage, cosine, centred| {
            likelihood(&query, Strictness::Proactive, coverage, Some(cosine), Some(centred))
        };
        assert!(of(0.0, 0.5, 0.05) < Strictness::Explicit.floor());
        assert!(of(0.8, 0.75, 0.55) > Strictness::Proactive.floor());
        assert!(of(0.5, 0.6, 0.3) > of(0.0, 0.6, 0.3));
        assert!(of(0.5, 0.6, 0.4) > of(0.5, 0.6, 0.3));
    }

    #[test]
    fn uncalibrated_models_only_answer_explicit_queries() {
        let query = Query::parse("why does the pool leak");
        let of = |strictness| likelihood(&query, strictness, 0.0, Some(0.4), None);
        assert!(of(Strictness::Explicit) > Strictness::Explicit.floor());
        assert!(of(Strictness::Proactive) < Strictness::Proactive.floor());
    }

    #[test]
    fn words_alone_can_reach_the_floor() {
        let query = Query::parse("why does the pool leak");
        assert!(
            likelihood(&query, Strictness::Proactive, 1.0, None, None)
                > Strictness::Proactive.floor()
        );
        assert!(
            likelihood(&query, Strictness::Proactive, 0.0, None, None)
                < Strictness::Explicit.floor()
        );
    }
}
