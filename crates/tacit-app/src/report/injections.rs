//! Injections by layer, with their fates.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use tacit_core::{EventName, Fate};
use tacit_observer::fates::GUARD_LAYERS;
use tacit_store::Injection;

use super::period::ReportPeriod;

/// The injections of a period.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct InjectionReport {
    /// The number that was shown.
    pub shown: u64,
    /// The number that was chosen but withheld, in held-out sessions.
    pub withheld: u64,
    /// The approximate number of tokens that were shown.
    pub tokens: u64,
    /// The number of sessions that were shown something.
    pub sessions: u64,
    /// The fates of those that were shown.
    pub fates: FateCounts,
    /// The fates in each part of the period.
    pub over_time: Vec<FateCounts>,
    /// The layers, in the order of a session.
    pub layers: Vec<LayerReport>,
    /// True if older injections of the period were left out, because there are too many.
    pub cut: bool,
}

/// The injections of a layer.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct LayerReport {
    /// The layer: the name of the event at which its memories are shown, or of the guard.
    pub layer: String,
    /// The number that was shown.
    pub shown: u64,
    /// The approximate number of tokens that were shown.
    pub tokens: u64,
    /// The fates.
    pub fates: FateCounts,
    /// The number that was shown in each part of the period.
    pub over_time: Vec<u64>,
}

/// The numbers of injections by their fate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[expect(missing_docs, reason = "each is the fate of its name")]
pub struct FateCounts {
    pub helped: u64,
    pub acted_on: u64,
    pub cited: u64,
    pub ignored: u64,
    pub contradicted: u64,
    pub flagged: u64,
    /// Injections whose session was not judged: it is recent, its log is gone, or an earlier version
    /// recorded it.
    pub not_judged: u64,
}

impl FateCounts {
    /// Counts a fate.
    pub fn add(&mut self, fate: Option<Fate>) {
        *match fate {
            Some(Fate::Helped) => &mut self.helped,
            Some(Fate::ActedOn) => &mut self.acted_on,
            Some(Fate::Cited) => &mut self.cited,
            Some(Fate::Ignored) => &mut self.ignored,
            Some(Fate::Contradicted) => &mut self.contradicted,
            Some(Fate::Flagged) => &mut self.flagged,
            None => &mut self.not_judged,
        } += 1;
    }

    /// Returns the number of injections that were of use.
    #[must_use]
    pub fn used(&self) -> u64 {
        self.helped + self.acted_on + self.cited
    }

    /// Returns the share of judged injections that were of use: their precision. `None` if none was judged.
    #[must_use]
    pub fn precision(&self) -> Option<f64> {
        (self.judged() > 0).then(|| self.used() as f64 / self.judged() as f64)
    }

    /// Returns the number of injections that turned out wrong.
    #[must_use]
    pub fn wrong(&self) -> u64 {
        self.contradicted + self.flagged
    }

    /// Returns the numbers of judged injections by the names of their fates, those of zero left out.
    #[must_use]
    pub fn by_name(&self) -> BTreeMap<&'static str, u64> {
        let counts = [
            (Fate::Helped, self.helped),
            (Fate::ActedOn, self.acted_on),
            (Fate::Cited, self.cited),
            (Fate::Ignored, self.ignored),
            (Fate::Contradicted, self.contradicted),
            (Fate::Flagged, self.flagged),
        ];
        let counts = counts.into_iter().filter(|(_, count)| *count > 0);
        counts.map(|(fate, count)| (fate.as_str(), count)).collect()
    }

    /// Returns the number of injections with a fate.
    #[must_use]
    pub fn judged(&self) -> u64 {
        self.used() + self.ignored + self.wrong()
    }
}

impl InjectionReport {
    /// Counts the injections of a period; `cut` if there are more than these.
    #[must_use]
    pub fn new(injections: &[Injection], period: &ReportPeriod, cut: bool) -> InjectionReport {
        let parts = period.parts.len();
        let mut report = InjectionReport {
            over_time: vec![FateCounts::default(); parts],
            cut,
            ..InjectionReport::default()
        };
        let mut sessions = BTreeSet::new();
        let mut layers: BTreeMap<(usize, &str), LayerReport> = BTreeMap::new();
        for injection in injections.iter().filter(|one| period.contains(one.at)) {
            if injection.withheld {
                report.withheld += 1;
                continue;
            }
            let fate = injection.fate.as_ref().map(|judged| judged.fate);
            let (part, tokens) = (period.part(injection.at), u64::from(injection.tokens));
            sessions.insert(&injection.session);
            report.shown += 1;
            report.tokens += tokens;
            report.fates.add(fate);
            report.over_time[part].add(fate);
            let key = (order(&injection.layer), injection.layer.as_str());
            let layer = layers.entry(key).or_insert_with(|| LayerReport {
                layer: injection.layer.clone(),
                over_time: vec![0; parts],
                ..LayerReport::default()
            });
            layer.shown += 1;
            layer.tokens += tokens;
            layer.fates.add(fate);
            layer.over_time[part] += 1;
        }
        report.sessions = sessions.len() as u64;
        report.layers = layers.into_values().collect();
        report
    }
}

/// Returns the place of a layer in a session; unknown ones come last.
fn order(layer: &str) -> usize {
    let event = match layer {
        layer if GUARD_LAYERS.contains(&layer) => Ok(EventName::ToolStarting),
        layer => layer.parse(),
    };
    let position = event.ok().and_then(|event| EventName::ALL.iter().position(|one| *one == event));
    position.unwrap_or(usize::MAX)
}
