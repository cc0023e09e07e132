//! What a change may break: counts first, then the files it most likely reaches, with the way it
//! takes, and how far the answer can be relied on.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::Language;
use crate::ambiguous::ambiguous_definitions;
use crate::graph::{NodeId, NodeKind};
use crate::packed::{PackedFile, PackedGraph};
use crate::project::FileId;
use crate::target::is_member;
use crate::traverse::{Direction, ReachedFile, Traversal, route_to, traverse};

/// How many files are named as reasons for a bound.
const NAMED: usize = 10;
/// The sum of strengths at which the score is one half.
const HALF_SCORE: f32 = 10.0;

/// What is asked.
pub struct ImpactQuery<'a> {
    /// Where the change is.
    pub start: &'a [NodeId],
    /// Which way to look.
    pub direction: Direction,
    /// How many edges away.
    pub depth: u32,
    /// How many files to pass over.
    pub offset: usize,
    /// How many to list.
    pub limit: usize,
    /// How likely a file changes together with the start, from 0 to 1, where that is known.
    pub co_change: &'a dyn Fn(&str) -> Option<f32>,
}

/// A file that is reached.
#[derive(Debug, Clone, PartialEq)]
pub struct AffectedFile {
    /// Its path.
    pub path: String,
    /// How many edges away.
    pub depth: u32,
    /// By structure and history.
    pub score: f32,
    /// How likely it changes together with the start.
    pub co_change: Option<f32>,
    /// Whether it is there to test others.
    pub test: bool,
    /// Why, in words.
    pub reason: String,
    /// The way to it, from the start.
    pub route: Vec<String>,
    /// Symbols of it that are known to be affected.
    pub symbols: Vec<String>,
}

/// How far an answer can be relied on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Completeness {
    /// Everything that the graph can show is there.
    Exact,
    /// There may be more.
    LowerBound {
        /// Why, with the files that could not be looked into, or not wholly.
        reasons: Vec<String>,
    },
}

/// An answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Impact {
    /// How many files were reached at each depth, from 1.
    pub files_at: Vec<u32>,
    /// How many symbols.
    pub symbols_at: Vec<u32>,
    /// How much there is to break, from 0 to 1.
    pub score: f32,
    /// The files that were asked for, the likeliest first.
    pub affected: Vec<AffectedFile>,
    /// How many files there are in all.
    pub total: usize,
    /// The tests among all files, the likeliest first, as many as files were asked for.
    pub tests: Vec<String>,
    /// How many tests there are in all.
    pub tests_total: usize,
    /// How far it can be relied on.
    pub completeness: Completeness,
}

/// Answers.
#[must_use]
pub fn impact(graph: &PackedGraph<'_>, query: &ImpactQuery<'_>) -> Impact {
    let reached = traverse(graph, query.start, query.direction, query.depth);
    let mut ranked: Vec<(f32, Option<f32>, &ReachedFile)> = reached
        .files
        .iter()
        .map(|file| {
            let co_change = (query.co_change)(graph.path(file.file));
            (file.strength * (1.0 + co_change.unwrap_or(0.0)), co_change, file)
        })
        .collect();
    ranked.sort_by(|a, b| {
        b.0.total_cmp(&a.0).then(a.2.depth.cmp(&b.2.depth)).then(a.2.file.cmp(&b.2.file))
    });
    let page = ranked.iter().skip(query.offset).take(query.limit);
    let affected = page
        .map(|(score, co_change, file)| {
            affected(graph, query.direction, &reached, file, *score, *co_change)
        })
        .collect();
    let is_test = |file: &FileId| graph.file(*file).is_some_and(|file| file.test);
    let tests: Vec<FileId> = ranked.iter().map(|(_, _, file)| file.file).filter(is_test).collect();
    let sum = reached.files.iter().fold(0.0, |sum, file| sum + file.strength);
    Impact {
        completeness: completeness(graph, query, &reached),
        score: sum / (sum + HALF_SCORE),
        affected,
        total: reached.files.len(),
        tests: tests.iter().take(query.limit).map(|file| graph.path(*file).to_owned()).collect(),
        tests_total: tests.len(),
        files_at: reached.files_at,
        symbols_at: reached.symbols_at,
    }
}

fn affected(
    graph: &PackedGraph<'_>,
    direction: Direction,
    all: &Traversal,
    file: &ReachedFile,
    score: f32,
    co_change: Option<f32>,
) -> AffectedFile {
    let edges = route_to(all, graph, direction, file.file);
    let mut labels = Vec::new();
    for edge in &edges {
        let (near, far) = direction.ends(edge);
        if labels.is_empty() {
            labels.push(graph.label(near));
        }
        labels.push(graph.label(far));
    }
    let by = file.by;
    let (object, subject) = direction.ends(&by);
    let subject = match graph.node(subject) {
        Some(node) if node.line > 0 => format!("`{}` ", node.name),
        _ => String::new(),
    };
    let verb = match direction {
        Direction::Dependents => by.kind.as_str().to_owned(),
        Direction::Dependencies => format!("{} by", passive(by.kind.as_str())),
    };
    AffectedFile {
        path: graph.path(file.file).to_owned(),
        depth: file.depth,
        score,
        co_change,
        test: graph.file(file.file).is_some_and(|file| file.test),
        reason: format!("{subject}{verb} `{}`, {}", graph.label(object), graph.edge_location(&by)),
        route: labels,
        symbols: file.symbols.iter().map(|node| graph.name(*node).to_owned()).collect(),
    }
}

fn passive(verb: &str) -> &str {
    match verb {
        "imports" => "imported",
        "calls" => "called",
        "implements" => "implemented",
        "extends" => "extended",
        _ => "exported",
    }
}

/// Languages whose files can name each other, by the first of them.
fn family(path: &str) -> Option<Language> {
    Language::of_path(path).map(first_of_family)
}

fn first_of_family(language: Language) -> Language {
    match language {
        Language::Tsx | Language::JavaScript => Language::TypeScript,
        Language::Cpp => Language::C,
        Language::Kotlin | Language::Scala => Language::Java,
        other => other,
    }
}

/// Whether anything that could be reached could not be looked into.
fn completeness(
    graph: &PackedGraph<'_>,
    query: &ImpactQuery<'_>,
    reached: &Traversal,
) -> Completeness {
    let start: Vec<FileId> = query.start.iter().filter_map(|node| graph.file_of(*node)).collect();
    let families: Vec<Option<Language>> =
        start.iter().map(|file| family(graph.path(*file))).collect();
    let mut reasons = Vec::new();
    let mut name = |what: &str, files: Vec<String>| {
        if !files.is_empty() {
            let more = files.len().saturating_sub(NAMED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let shown = files[..files.len().min(NAMED)].join(", ");
            reasons.push(format!("{} {what}: {shown}{more}", files.len()));
        }
    };
    // Looking for what depends on it, any file that was not read may; looking the other way, only
    // those that were reached.
    let everywhere: Vec<FileId> = match query.direction {
        Direction::Dependents => (0..graph.files()).collect(),
        Direction::Dependencies => {
            start.iter().copied().chain(reached.files.iter().map(|r| r.file)).collect()
        }
    };
    let in_reach = |file: &FileId| families.contains(&family(graph.path(*file)));
    // Few files are not whole, so names are looked at only where it matters.
    let lacking: Vec<(FileId, PackedFile)> = everywhere
        .iter()
        .filter_map(|file| Some((*file, graph.file(*file)?)))
        .filter(|(_, file)| {
            file.skipped.is_some()
                || file.error_line.is_some()
                || file.unresolved > 0
                || file.computed_imports.count > 0
        })
        .filter(|(file, _)| in_reach(file))
        .collect();
    let described = |wanted: fn(&PackedFile) -> Option<String>| -> Vec<String> {
        let files = lacking.iter();
        files
            .filter_map(|(id, file)| Some(format!("{} ({})", graph.path(*id), wanted(file)?)))
            .collect()
    };
    name("not parsed", described(|file| Some(file.skipped?.as_str().to_owned())));
    name("with syntax errors", described(|file| Some(format!("line {}", file.error_line?))));
    name(
        "with imports that are not found",
        described(|file| (file.unresolved > 0).then(|| file.unresolved.to_string())),
    );
    // What is put together when the program runs may reach what lies in its own part of the project.
    let starts: Vec<&str> = start.iter().map(|file| graph.path(*file)).collect();
    let may_reach = |(id, file): &&(FileId, PackedFile)| {
        let folder = file.computed_imports.reach(graph.path(*id));
        let below =
            |path: &str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        file.computed_imports.count > 0
            && (query.direction == Direction::Dependencies
                || (start != [*id] && (folder.is_empty() || starts.iter().any(|path| below(path)))))
    };
    let computed = lacking
        .iter()
        .filter(may_reach)
        .map(|(id, file)| format!("{} ({})", graph.path(*id), file.computed_imports.count));
    name("with imports that are put together at run time", computed.collect());
    if query.direction == Direction::Dependents {
        // Whoever depends on the last ones is not asked for.
        let near = reached.files.iter().filter(|file| file.depth < query.depth);
        let mut whole: BTreeSet<FileId> = near.map(|file| file.file).collect();
        let is_file = |node: &NodeId| graph.kind(*node) == Some(NodeKind::File);
        whole.extend(
            query.start.iter().filter(|node| is_file(node)).filter_map(|n| graph.file_of(*n)),
        );
        let described = ambiguous_definitions(graph, &whole, query.start)
            .into_iter()
            .map(|(node, other)| format!("{} (also in {})", graph.label(node), graph.path(other)));
        name("defined more than once, so that calls lead to none", described.collect());
    }
    let non_utf8 = graph.non_utf8();
    let mut theirs = non_utf8.languages().map(|language| Some(first_of_family(language)));
    if theirs.any(|family| families.contains(&family)) {
        reasons.push(match non_utf8.files {
            1 => "1 file is left out, because its name is not UTF-8".to_owned(),
            many => format!("{many} files are left out, because their names are not UTF-8"),
        });
    }
    let members = query.direction == Direction::Dependents
        && query.start.iter().any(|node| is_member(graph, *node));
    if members {
        let calls: u64 = (0..graph.files())
            .filter(in_reach)
            .filter_map(|file| Some(u64::from(graph.file(file)?.dynamic_calls)))
            .sum();
        if calls > 0 {
            let what = if calls == 1 { "1 call on a value" } else { "calls on values" };
            let count = if calls == 1 { String::new() } else { format!("{calls} ") };
            reasons.push(format!("{count}{what} whose type only a compiler knows"));
        }
    }
    if reasons.is_empty() { Completeness::Exact } else { Completeness::LowerBound { reasons } }
}

impl Impact {
    /// The answer, with a doubt if the graph may be behind the files.
    #[must_use]
    pub fn note_outdated(mut self, why: Option<&str>) -> Impact {
        if let Some(why) = why {
            let why = format!("the graph could not be brought up to date: {why}");
            match &mut self.completeness {
                Completeness::Exact => {
                    self.completeness = Completeness::LowerBound { reasons: vec![why] }
                }
                Completeness::LowerBound { reasons } => reasons.insert(0, why),
            }
        }
        self
    }

    /// Where the next page begins; none if this is the last.
    #[must_use]
    pub fn next_offset(&self, offset: usize) -> Option<usize> {
        let end = offset + self.affected.len();
        (end < self.total && !self.affected.is_empty()).then_some(end)
    }

    /// The answer for programs.
    #[must_use]
    pub fn to_json(&self, offset: usize) -> Value {
        let round = |number: f32| f64::from((number * 1000.0).round()) / 1000.0;
        let counts: Vec<Value> = self
            .files_at
            .iter()
            .zip(&self.symbols_at)
            .enumerate()
            .map(|(at, (files, symbols))| json!({"depth": at + 1, "files": files, "symbols": symbols}))
            .collect();
        let affected: Vec<Value> = self
            .affected
            .iter()
            .map(|file| {
                let mut value = json!({
                    "path": file.path, "depth": file.depth, "score": round(file.score),
                    "reason": file.reason, "way": file.route, "test": file.test, "symbols": file.symbols,
                });
                if let Some(co_change) = file.co_change {
                    value["together"] = json!(round(co_change));
                }
                value
            })
            .collect();
        let (bound, reasons) = match &self.completeness {
            Completeness::Exact => ("exact", &[][..]),
            Completeness::LowerBound { reasons } => ("lower_bound", reasons.as_slice()),
        };
        json!({
            "counts": counts, "total": self.total, "score": round(self.score), "affected": affected,
            "tests": self.tests, "tests_total": self.tests_total, "bound": bound, "reasons": reasons,
            "next": self.next_offset(offset),
        })
    }

    /// The answer for people, a line at a time.
    #[must_use]
    pub fn lines(&self, direction: Direction) -> Vec<String> {
        let files =
            |count: usize| if count == 1 { "1 file".into() } else { format!("{count} files") };
        let mut lines = Vec::new();
        let head = files(self.total);
        lines.push(match (direction, self.total) {
            (Direction::Dependents, 1) => format!("{head} depends on it; impact {:.2}", self.score),
            (Direction::Dependents, _) => format!("{head} depend on it; impact {:.2}", self.score),
            (Direction::Dependencies, _) => format!("it depends on {head}"),
        });
        for (at, (count, symbols)) in self.files_at.iter().zip(&self.symbols_at).enumerate() {
            lines.push(format!(
                "  depth {}: {}, {symbols} {}",
                at + 1,
                files(*count as usize),
                if *symbols == 1 { "symbol" } else { "symbols" }
            ));
        }
        for file in &self.affected {
            let co_change = file.co_change.map_or(String::new(), |t| format!(", together {t:.2}"));
            let test = if file.test { ", test" } else { "" };
            lines.push(format!(
                "{}  ({:.2}, depth {}{test}{co_change})",
                file.path, file.score, file.depth
            ));
            lines.push(format!("  {}", file.reason));
            if file.route.len() > 2 {
                lines.push(format!("  {}", file.route.join(" → ")));
            }
        }
        if self.tests_total > 0 && direction == Direction::Dependents {
            let more = self.tests_total - self.tests.len();
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            lines.push(format!("Tests: {}{more}", self.tests.join(", ")));
        }
        match &self.completeness {
            Completeness::Exact => lines.push("Bound: exact".to_owned()),
            Completeness::LowerBound { reasons } => {
                lines.push("Bound: there may be more".to_owned());
                lines.extend(reasons.iter().map(|reason| format!("  {reason}")));
            }
        }
        lines
    }
}
