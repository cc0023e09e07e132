//! The report of a benchmark, as tables or as JSON.

use std::fmt;

use serde_json::{Value, json};

use crate::bench::measure::{Sample, Spread, millis, ratio};
use crate::table::{Align, Table, grouped};

/// The target of a measurement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Target {
    AtMost(f64),
    AtLeast(f64),
}

impl Target {
    fn is_met_by(self, value: f64) -> bool {
        match self {
            Target::AtMost(most) => value <= most,
            Target::AtLeast(least) => value >= least,
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::AtMost(most) => write!(f, "≤ {}", grouped(*most as u64)),
            Target::AtLeast(least) => write!(f, "≥ {}", grouped(*least as u64)),
        }
    }
}

/// A kind of process and the cost of its runs.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) name: String,
    /// The target for processor time, as a multiple of the empty process.
    pub(crate) target: Option<Target>,
    pub(crate) samples: Vec<Sample>,
}

impl Process {
    fn cpu(&self) -> Spread {
        Spread::of(self.samples.iter().map(|sample| sample.cpu))
    }

    fn wall(&self) -> Spread {
        Spread::of(self.samples.iter().map(|sample| sample.wall))
    }
}

/// A number with its unit.
#[derive(Debug)]
pub(crate) struct Figure {
    pub(crate) name: String,
    pub(crate) value: f64,
    pub(crate) unit: &'static str,
    pub(crate) target: Option<Target>,
}

/// The results of a benchmark.
#[derive(Debug)]
pub(crate) struct Report {
    /// The processes; the first one is the unit of the others.
    pub(crate) processes: Vec<Process>,
    pub(crate) figures: Vec<Figure>,
    /// Remarks on the measurement.
    pub(crate) notes: Vec<String>,
}

impl Report {
    /// Returns the report as JSON.
    pub(crate) fn to_json(&self) -> Value {
        let unit = self.unit();
        let spread = |spread: Spread| {
            json!({
                "median": millis(spread.median), "p95": millis(spread.p95),
            })
        };
        let processes = self.processes.iter().map(|process| {
            let (cpu, wall) = (process.cpu(), process.wall());
            let value = ratio(cpu.median, unit.0.median);
            json!({
                "name": process.name, "runs": process.samples.len(),
                "cpu_ms": spread(cpu), "wall_ms": spread(wall),
                "cpu_ratio": value, "wall_ratio": ratio(wall.median, unit.1.median),
                "target": process.target.map(|target| target.to_string()),
                "met": process.target.map(|target| target.is_met_by(value)),
            })
        });
        let figures = self.figures.iter().map(|figure| {
            json!({
                "name": figure.name, "value": figure.value, "unit": figure.unit,
                "target": figure.target.map(|target| target.to_string()),
                "met": figure.target.map(|target| target.is_met_by(figure.value)),
            })
        });
        json!({
            "processes": processes.collect::<Vec<_>>(),
            "figures": figures.collect::<Vec<_>>(),
            "notes": self.notes,
        })
    }

    fn unit(&self) -> (Spread, Spread) {
        let none = || (Spread::of([]), Spread::of([]));
        self.processes.first().map_or_else(none, |unit| (unit.cpu(), unit.wall()))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = self.unit();
        let mut table = Table::new([
            ("process", Align::Left),
            ("CPU ms", Align::Right),
            ("p95", Align::Right),
            ("×", Align::Right),
            ("wall ms", Align::Right),
            ("p95", Align::Right),
            ("×", Align::Right),
            ("target (CPU ×)", Align::Left),
        ]);
        for process in &self.processes {
            let (cpu, wall) = (process.cpu(), process.wall());
            let value = ratio(cpu.median, unit.0.median);
            table.row([
                process.name.clone(),
                format!("{:.2}", millis(cpu.median)),
                format!("{:.2}", millis(cpu.p95)),
                format!("{value:.1}"),
                format!("{:.2}", millis(wall.median)),
                format!("{:.2}", millis(wall.p95)),
                format!("{:.1}", ratio(wall.median, unit.1.median)),
                verdict(process.target, value),
            ]);
        }
        if !self.processes.is_empty() {
            writeln!(f, "{table}")?;
        }
        let mut table = Table::new([
            ("figure", Align::Left),
            ("measured", Align::Right),
            ("unit", Align::Left),
            ("target", Align::Left),
        ]);
        for figure in &self.figures {
            table.row([
                figure.name.clone(),
                grouped(figure.value.round() as u64),
                figure.unit.to_owned(),
                verdict(figure.target, figure.value),
            ]);
        }
        writeln!(f, "{table}")?;
        self.notes.iter().try_for_each(|note| writeln!(f, "{note}"))
    }
}

fn verdict(target: Option<Target>, value: f64) -> String {
    target.map_or_else(String::new, |target| {
        let met = if target.is_met_by(value) { "met" } else { "MISSED" };
        format!("{target}  {met}")
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn process(name: &str, millis: u64, target: Option<Target>) -> Process {
        let cpu = Duration::from_millis(millis);
        Process {
            name: name.into(),
            target,
            samples: vec![Sample { cpu, wall: cpu * 2 }, Sample { cpu, wall: cpu * 2 }],
        }
    }

    fn report() -> Report {
        Report {
            processes: vec![
                process("empty", 1, None),
                process("recall", 7, Some(Target::AtMost(6.0))),
            ],
            figures: vec![Figure {
                name: "batch".into(),
                value: 2_000.4,
                unit: "memories/s",
                target: Some(Target::AtLeast(2_000.0)),
            }],
            notes: vec!["Measured.".into()],
        }
    }

    #[test]
    fn times_are_relative_to_the_empty_process() {
        let expected = "\
process  CPU ms   p95    ×  wall ms    p95    ×  target (CPU ×)
-------  ------  ----  ---  -------  -----  ---  --------------
empty      1.00  1.00  1.0     2.00   2.00  1.0
recall     7.00  7.00  7.0    14.00  14.00  7.0  ≤ 6  MISSED

figure  measured  unit        target
------  --------  ----------  ------------
batch      2,000  memories/s  ≥ 2,000  met

Measured.
";
        assert_eq!(report().to_string(), expected);
    }

    #[test]
    fn json_has_the_same_numbers() {
        let json = report().to_json();
        assert_eq!(json["processes"][1]["cpu_ratio"], 7.0);
        assert_eq!(json["processes"][1]["met"], false);
        assert_eq!(json["processes"][0]["met"], Value::Null);
        assert_eq!(json["figures"][0]["met"], true);
    }
}
