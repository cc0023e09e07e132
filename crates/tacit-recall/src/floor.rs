//! Whether a candidate is about the question at all.
//!
//! A search always finds something nearest. How near is near enough was fitted: a logistic curve
//! over the cosine, the cosine after taking away what all texts of a model share, and the share of
//! the question's words that the candidate has, with right answers on one side and the best
//! matches of questions to unrelated collections on the other.

use crate::query::Query;

/// How sure we must be that a candidate is about the question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strictness {
    /// Nobody asked: show only what is clearly about it.
    Proactive,
    /// Nobody asked, but what happens is known to be an occasion for which memories are kept, such
    /// as a command that failed before: show what is rather about it than not.
    Event,
    /// Somebody asked: show what may be about it.
    Explicit,
    /// Show everything, in order.
    Everything,
}

impl Strictness {
    /// Whether nobody asked, so that only what has proved true may be shown.
    pub fn is_proactive(self) -> bool {
        matches!(self, Strictness::Proactive | Strictness::Event)
    }

    /// The likelihood a candidate needs.
    pub fn floor(self) -> f64 {
        match self {
            Strictness::Proactive => 0.94,
            Strictness::Event => 0.5,
            Strictness::Explicit => 0.2,
            Strictness::Everything => 0.0,
        }
    }
}

/// The likelihood of what a model without a fitted curve finds near: just enough to be shown to
/// somebody who asked.
const UNCALIBRATED: f64 = 0.25;

/// How likely a candidate is about the question, from 0 to 1.
///
/// `cosine` and `centred` are of the bundled model; without them (no vector, or another model's)
/// the words alone decide. Where somebody asked, words alone are enough too: whoever looks for an
/// error code means that error code.
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
    // How near is near is not known for this model; whoever asked may judge for themselves.
    let near = if cosine.is_some() && centred.is_none() { UNCALIBRATED } else { 0.0 };
    joint.max(joint_likelihood(query, coverage, None, None)).max(near)
}

fn joint_likelihood(
    query: &Query,
    coverage: f64,
    cosine: Option<f64>,
    centred: Option<f64>,
) -> f64 {
    // A share of a long question is worth more than the same share of a short one.
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
    fn nearer_is_likelier() {
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
    fn what_an_unknown_model_finds_is_shown_to_whoever_asked() {
        let query = Query::parse("why does the pool leak");
        let of = |strictness| likelihood(&query, strictness, 0.0, Some(0.4), None);
        assert!(of(Strictness::Explicit) > Strictness::Explicit.floor());
        assert!(of(Strictness::Proactive) < Strictness::Proactive.floor());
    }

    #[test]
    fn words_alone_can_do() {
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
