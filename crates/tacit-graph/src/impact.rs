//! The impact of a change: how many files it may break, which ones are most likely, why, and
//! whether the list is complete.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::Language;
use crate::ambiguous::ambiguous_definitions;
use crate::graph::{NodeId, NodeKind};
use crate::packed::{PackedFile, PackedGraph};
use crate::project::FileId;
use crate::target::is_member;
use crate::traverse::{Direction, ReachedFile, Traversal, route_to, traverse};

/// The number of files to name in a reason.
const MAX_NAMED: usize = 10;
/// The sum of strengths that gives a score of one half.
const HALF_SCORE: f32 = 10.0;

/// A query for the impact of a change.
pub struct ImpactQuery<'a> {
    /// The nodes that change.
    pub start: &'a [NodeId],
    /// The direction of the search.
    pub direction: Direction,
    /// The maximum number of edges from the start.
    pub depth: u32,
    /// The number of files to skip.
    pub offset: usize,
    /// The number of files to list.
    pub limit: usize,
    /// Returns the probability that a file changes together with the start, from 0 to 1, if known.
    pub co_change: &'a dyn Fn(&str) -> Option<f32>,
}

/// A file that the change may affect.
#[derive(Debug, Clone, PartialEq)]
pub struct AffectedFile {
    /// The path from the root of the project.
    pub path: String,
    /// The number of edges from the start.
    pub depth: u32,
    /// The structural strength, increased by the co-change probability.
    pub score: f32,
    /// The probability that the file changes together with the start, if known.
    pub co_change: Option<f32>,
    /// True if the file contains tests.
    pub test: bool,
    /// The edge that reaches the file, as a sentence.
    pub reason: String,
    /// The labels of the nodes from the start to the file.
    pub route: Vec<String>,
    /// Symbols of the file that are known to be affected.
    pub symbols: Vec<String>,
}

/// The completeness of the list of affected files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Completeness {
    /// The graph lists every affected file.
    Exact,
    /// More files may be affected.
    LowerBound {
        /// The reasons, with the files that could not be analysed completely.
        reasons: Vec<String>,
    },
}

/// The result of an impact query.
#[derive(Debug, Clone, PartialEq)]
pub struct Impact {
    /// The number of files at each depth, from 1.
    pub files_at: Vec<u32>,
    /// The number of symbols at each depth, from 1.
    pub symbols_at: Vec<u32>,
    /// The size of the impact, from 0 to 1.
    pub score: f32,
    /// The requested page of affected files, the most likely first.
    pub affected: Vec<AffectedFile>,
    /// The number of affected files on all pages.
    pub total: usize,
    /// Affected test files, the most likely first, at most as many as the page limit.
    pub tests: Vec<String>,
    /// The number of affected test files on all pages.
    pub tests_total: usize,
    /// The completeness of the list.
    pub completeness: Completeness,
}

/// Finds the files that a change may affect.
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
    let edge = file.edge;
    let (object, subject) = direction.ends(&edge);
    let subject = match graph.node(subject) {
        Some(node) if node.line > 0 => format!("`{}` ", node.name),
        _ => String::new(),
    };
    let verb = match direction {
        Direction::Dependents => edge.kind.as_str().to_owned(),
        Direction::Dependencies => format!("{} by", passive(edge.kind.as_str())),
    };
    AffectedFile {
        path: graph.path(file.file).to_owned(),
        depth: file.depth,
        score,
        co_change,
        test: graph.file(file.file).is_some_and(|file| file.test),
        reason: format!(
            "{subject}{verb} `{}`, {}",
            graph.label(object),
            graph.edge_location(&edge)
        ),
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

/// Returns the first language of the family to which a path belongs. Files of one family can refer
/// to each other.
fn family(path: &str) -> Option<Language> {
    Language::of_path(path).map(family_head)
}

fn family_head(language: Language) -> Language {
    match language {
        Language::Tsx | Language::JavaScript => Language::TypeScript,
        Language::Cpp => Language::C,
        Language::Kotlin | Language::Scala => Language::Java,
        other => other,
    }
}

/// Finds files that could not be analysed and might belong to the result.
fn completeness(
    graph: &PackedGraph<'_>,
    query: &ImpactQuery<'_>,
    reached: &Traversal,
) -> Completeness {
    let start: Vec<FileId> = query.start.iter().filter_map(|node| graph.file_of(*node)).collect();
    let families: Vec<Option<Language>> =
        start.iter().map(|file| family(graph.path(*file))).collect();
    let mut reasons = Vec::new();
    let mut add = |noun: &str, what: &str, items: Vec<String>| {
        if !items.is_empty() {
            let more = items.len().saturating_sub(MAX_NAMED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let shown = items[..items.len().min(MAX_NAMED)].join(", ");
            let plural = if items.len() == 1 { "" } else { "s" };
            reasons.push(format!("{} {noun}{plural} {what}: {shown}{more}", items.len()));
        }
    };
    // Any unread file may be a dependent, but only reached files can have further dependencies.
    let candidates: Vec<FileId> = match query.direction {
        Direction::Dependents => (0..graph.files()).collect(),
        Direction::Dependencies => {
            start.iter().copied().chain(reached.files.iter().map(|r| r.file)).collect()
        }
    };
    let in_family = |file: &FileId| families.contains(&family(graph.path(*file)));
    // Few files are incomplete, so paths are only compared for those.
    let incomplete: Vec<(FileId, PackedFile)> = candidates
        .iter()
        .filter_map(|file| Some((*file, graph.file(*file)?)))
        .filter(|(_, file)| {
            file.skipped.is_some()
                || file.error_line.is_some()
                || file.unresolved > 0
                || file.computed_imports.count > 0
        })
        .filter(|(file, _)| in_family(file))
        .collect();
    let describe = |detail: fn(&PackedFile) -> Option<String>| -> Vec<String> {
        let files = incomplete.iter();
        files
            .filter_map(|(id, file)| Some(format!("{} ({})", graph.path(*id), detail(file)?)))
            .collect()
    };
    add("file", "not parsed", describe(|file| Some(file.skipped?.as_str().to_owned())));
    add("file", "with syntax errors", describe(|file| Some(format!("line {}", file.error_line?))));
    add(
        "file",
        "with unresolved imports",
        describe(|file| (file.unresolved > 0).then(|| file.unresolved.to_string())),
    );
    // Imports computed at run time can only reach files below a known folder.
    let starts: Vec<&str> = start.iter().map(|file| graph.path(*file)).collect();
    let may_reach = |(id, file): &&(FileId, PackedFile)| {
        let folder = file.computed_imports.reachable_folder(graph.path(*id));
        let below =
            |path: &str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        file.computed_imports.count > 0
            && (query.direction == Direction::Dependencies
                || (start != [*id] && (folder.is_empty() || starts.iter().any(|path| below(path)))))
    };
    let computed = incomplete
        .iter()
        .filter(may_reach)
        .map(|(id, file)| format!("{} ({})", graph.path(*id), file.computed_imports.count));
    add("file", "with imports computed at run time", computed.collect());
    if query.direction == Direction::Dependents {
        // The dependents of the last level are not part of the query.
        let nearer = reached.files.iter().filter(|file| file.depth < query.depth);
        let mut expanded_files: BTreeSet<FileId> = nearer.map(|file| file.file).collect();
        let is_file = |node: &NodeId| graph.kind(*node) == Some(NodeKind::File);
        expanded_files.extend(
            query.start.iter().filter(|node| is_file(node)).filter_map(|n| graph.file_of(*n)),
        );
        let ambiguous = ambiguous_definitions(graph, &expanded_files, query.start)
            .into_iter()
            .map(|(node, other)| format!("{} (also in {})", graph.label(node), graph.path(other)));
        add("symbol", "with several definitions, so calls are not linked", ambiguous.collect());
    }
    let non_utf8 = graph.non_utf8();
    let mut skipped_families = non_utf8.languages().map(|language| Some(family_head(language)));
    if skipped_families.any(|family| families.contains(&family)) {
        reasons.push(match non_utf8.files {
            1 => "1 file is left out, because its name is not UTF-8".to_owned(),
            many => format!("{many} files are left out, because their names are not UTF-8"),
        });
    }
    let has_members = query.direction == Direction::Dependents
        && query.start.iter().any(|node| is_member(graph, *node));
    if has_members {
        let calls: u64 = (0..graph.files())
            .filter(in_family)
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
    /// Adds a reason for doubt if the graph could not be updated.
    #[must_use]
    pub fn note_outdated(mut self, reason: Option<&str>) -> Impact {
        if let Some(reason) = reason {
            let reason = format!("the graph could not be updated: {reason}");
            match &mut self.completeness {
                Completeness::Exact => {
                    self.completeness = Completeness::LowerBound { reasons: vec![reason] }
                }
                Completeness::LowerBound { reasons } => reasons.insert(0, reason),
            }
        }
        self
    }

    /// Returns the offset of the next page, or `None` on the last page.
    #[must_use]
    pub fn next_offset(&self, offset: usize) -> Option<usize> {
        let end = offset + self.affected.len();
        (end < self.total && !self.affected.is_empty()).then_some(end)
    }

    /// Returns the result as JSON.
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

    /// Returns the result as lines of text.
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
            let co_change = file.co_change.map_or(String::new(), |t| format!(", co-change {t:.2}"));
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
