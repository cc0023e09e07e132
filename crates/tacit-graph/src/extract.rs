//! From the text of a file to its [`FileFacts`]: one parse, one walk over the tree for the patterns of
//! its language, one pass over what they captured.

mod path;
mod sum;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::OnceLock;

use tree_sitter::{Node, Parser, QueryCursor};

use crate::Language;
use crate::facts::{Definition, DefinitionKind, FileFacts, Reference, ReferenceKind};
use crate::languages::{Rules, refined, rules};
use crate::pattern::{Finder, Match, Seeker};
use path::path_of;
use sum::{comments, sum_of};

/// How the classes of attributes are called in C#, where the attributes themselves need not be.
const ATTRIBUTE: &str = "Attribute";

/// The text of a file. Bytes that are no UTF-8 are replaced, which keeps lines where they are.
pub struct Source<'a> {
    text: Cow<'a, str>,
}

impl<'a> Source<'a> {
    /// The text in these bytes.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Source<'a> {
        Source { text: String::from_utf8_lossy(bytes) }
    }

    /// The text before a node. Asking the tree for what is around a node starts at its root, which
    /// takes too long to do for every definition of a large file.
    pub(crate) fn before(&self, node: Node<'_>) -> &str {
        self.text.get(..node.start_byte()).unwrap_or_default()
    }

    /// The text of a node.
    pub(crate) fn of(&self, node: Node<'_>) -> &str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }
}

/// Extracts facts, language by language.
#[derive(Default)]
pub struct Extractor {
    parsers: HashMap<Language, Parser>,
    engine: QueryCursor,
}

/// A language's patterns, compiled. That takes milliseconds, so it is done once in a process.
struct Ready {
    grammar: tree_sitter::Language,
    finder: Finder,
    captures: Vec<Capture>,
    rules: &'static Rules,
}

/// What a capture of a query stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Capture {
    Definition(DefinitionKind),
    Name,
    Reference(ReferenceKind),
    /// What a reference in the same match is a member of.
    Object,
    Bind,
    Import,
    Package,
    Comment,
    /// The name of an attribute, which its class may be called otherwise.
    Attribute,
    /// A name that is only there for the query's own conditions.
    Other,
}

fn capture(name: &str) -> Capture {
    match name {
        "def.function" => Capture::Definition(DefinitionKind::Function),
        "def.class" => Capture::Definition(DefinitionKind::Class),
        "def.interface" => Capture::Definition(DefinitionKind::Interface),
        "def.module" => Capture::Definition(DefinitionKind::Module),
        "def.test" => Capture::Definition(DefinitionKind::Test),
        "def.extension" => Capture::Definition(DefinitionKind::Extension),
        "def.value" => Capture::Definition(DefinitionKind::Value),
        "name" => Capture::Name,
        "call" => Capture::Reference(ReferenceKind::Call),
        "extends" => Capture::Reference(ReferenceKind::Extends),
        "implements" => Capture::Reference(ReferenceKind::Implements),
        "use" => Capture::Reference(ReferenceKind::Use),
        "object" => Capture::Object,
        "bind" => Capture::Bind,
        "import" => Capture::Import,
        "package" => Capture::Package,
        "comment" => Capture::Comment,
        "attribute" => Capture::Attribute,
        _ => Capture::Other,
    }
}

impl Ready {
    fn new(language: Language) -> Option<Ready> {
        let rules = rules(language)?;
        let grammar = (rules.grammar)();
        let query = format!("{}\n{}", rules.query, comments(&grammar));
        let finder = Finder::new(&grammar, &query)?;
        let captures = finder.names().iter().map(|name| capture(name)).collect();
        Some(Ready { grammar, finder, captures, rules })
    }

    fn of(language: Language) -> Option<&'static Ready> {
        static ALL: [OnceLock<Option<Ready>>; 16] = [const { OnceLock::new() }; 16];
        ALL[language as usize].get_or_init(|| Ready::new(language)).as_ref()
    }
}

impl Extractor {
    /// The facts of a file; none if its language cannot be parsed here.
    pub fn extract(&mut self, language: Language, source: &Source<'_>) -> Option<FileFacts> {
        let language = refined(language, &source.text);
        let ready = Ready::of(language)?;
        let parser = self.parsers.entry(language).or_insert_with(|| {
            let mut parser = Parser::new();
            // A grammar that does not fit leaves a parser without one, which parses nothing.
            let _ = parser.set_language(&ready.grammar);
            parser
        });
        let tree = parser.parse(readable(language, source.text.as_bytes()), None)?;
        let root = tree.root_node();
        let mut facts = FileFacts {
            language,
            lines: source.text.lines().count() as u32,
            definitions: Vec::new(),
            imports: Vec::new(),
            exports: Vec::new(),
            references: Vec::new(),
            package: None,
            dynamic_calls: 0,
            computed: Vec::new(),
            error_line: root.has_error().then(|| first_error(root)),
        };
        let mut found = Found::default();
        Seeker::new(&ready.finder, root, source.text.as_bytes()).all(
            root,
            &mut self.engine,
            &mut |matched| found.take(&ready.captures, matched),
        );
        found.into_facts(source, ready.rules, &mut facts);
        Some(facts)
    }
}

/// Parses bytes and keeps nothing, to compare with: whether there is a grammar for them.
#[must_use]
pub fn parse_only(language: Language, bytes: &[u8]) -> bool {
    let Some(rules) = rules(language) else { return false };
    let mut parser = Parser::new();
    parser.set_language(&(rules.grammar)()).is_ok()
        && parser.parse(readable(language, bytes), None).is_some()
}

/// The bytes that a grammar is given. That of Bash looks characters up in a table that has only the
/// first few, and reads past its end for others, so it gets a letter for each of their bytes: places
/// stay the same, and so do names that are cut out of the text.
fn readable(language: Language, bytes: &[u8]) -> Cow<'_, [u8]> {
    if language != Language::Bash || bytes.is_ascii() {
        return Cow::Borrowed(bytes);
    }
    Cow::Owned(bytes.iter().map(|byte| if byte.is_ascii() { *byte } else { b'x' }).collect())
}

/// What the query found, as nodes.
#[derive(Default)]
struct Found<'t> {
    definitions: Vec<(Node<'t>, Node<'t>, DefinitionKind)>,
    references: Vec<(Option<Node<'t>>, Node<'t>, ReferenceKind)>,
    imports: Vec<Node<'t>>,
    packages: Vec<Node<'t>>,
    binds: Vec<Node<'t>>,
    comments: Vec<Range<usize>>,
    attributes: Vec<Node<'t>>,
}

impl<'t> Found<'t> {
    /// Takes what one match captured.
    fn take(&mut self, captures: &[Capture], matched: &Match<'t>) {
        let (mut defined, mut name, mut object) = (None, None, None);
        for &(index, node) in matched {
            match captures[index as usize] {
                Capture::Definition(kind) => defined = Some((node, kind)),
                Capture::Name => name = Some(node),
                Capture::Reference(kind) => self.references.push((object, node, kind)),
                Capture::Object => object = Some(node),
                Capture::Bind => self.binds.push(node),
                Capture::Import => self.imports.push(node),
                Capture::Package => self.packages.push(node),
                Capture::Attribute => self.attributes.push(node),
                Capture::Comment => self.comments.push(node.byte_range()),
                Capture::Other => {}
            }
        }
        if let (Some((node, kind)), Some(name)) = (defined, name) {
            self.definitions.push((node, name, kind));
        }
    }

    fn into_facts(mut self, source: &Source<'_>, rules: &Rules, facts: &mut FileFacts) {
        let package = self.packages.iter().max_by_key(|node| node.start_byte());
        facts.package = package.map(|node| plain(source.of(*node)));
        self.imports.sort_by_key(|node| place(*node));
        for node in &self.imports {
            (rules.import)(*node, source, facts);
        }
        self.imports.sort_by_key(|node| (node.start_byte(), node.end_byte()));
        self.comments.sort_by_key(|comment| comment.start);
        // Outer before inner; the same node may be matched twice, the first pattern counts.
        self.definitions.sort_by_cached_key(|(node, ..)| place(*node));
        self.definitions.dedup_by_key(|(node, ..)| node.id());
        let mut ranges: Vec<(usize, usize)> = Vec::with_capacity(self.definitions.len());
        let mut open: Vec<usize> = Vec::new();
        for (node, name, kind) in &self.definitions {
            while open.last().is_some_and(|&i| ranges[i].1 < node.end_byte()) {
                open.pop();
            }
            let name = (rules.name)(*node, plain(source.of(*name)), source);
            let kind = (rules.refine)(*node, &name, *kind, source);
            facts.definitions.push(Definition {
                exported: (rules.exported)(*node, &name, source),
                kind,
                line: line(*node),
                end_line: node.end_position().row as u32 + 1,
                parent: open.last().map(|&i| i as u32),
                sum: sum_of(&source.text, node.byte_range(), &self.comments),
                name,
            });
            open.push(ranges.len());
            ranges.push((node.start_byte(), node.end_byte()));
        }
        let around = |node: Node<'_>| innermost(&ranges, &facts.definitions, node);
        let bound: HashSet<(u32, &str)> =
            self.binds.iter().filter_map(|node| Some((around(*node)?, source.of(*node)))).collect();
        let mut seen = HashSet::new();
        self.references.sort_by_cached_key(|(_, node, _)| place(*node));
        for node in &self.attributes {
            // `[Fact]` is the class `FactAttribute`: one that is called `Fact` is none, as a rule.
            if let Some(mut path) = path_of(source.of(*node)) {
                if let Some(last) = path.last_mut().filter(|last| !last.ends_with(ATTRIBUTE)) {
                    last.push_str(ATTRIBUTE);
                }
                let (from, kind) = (around(*node), ReferenceKind::Use);
                if seen.insert((from, kind, path.clone())) {
                    facts.references.push(Reference { from, kind, path, line: line(*node) });
                }
            }
        }
        for (object, node, kind) in &self.references {
            // Parts of an import are no names by themselves.
            if *kind == ReferenceKind::Use && is_inside(&self.imports, *node) {
                continue;
            }
            let from = around(*node);
            let path = match object {
                Some(object) => path_of(source.of(*object)).and_then(|mut path| {
                    path.extend(path_of(source.of(*node))?);
                    Some(path)
                }),
                // The name of a command is one word, whatever is in it.
                None if facts.language == Language::Bash => Some(vec![source.of(*node).to_owned()]),
                None => path_of(source.of(*node)),
            };
            let free = |path: &Vec<String>| !is_bound(&bound, &facts.definitions, from, &path[0]);
            let Some(path) = path.filter(free) else {
                facts.dynamic_calls += u32::from(*kind == ReferenceKind::Call);
                continue;
            };
            if seen.insert((from, *kind, path.clone())) {
                facts.references.push(Reference { from, kind: *kind, path, line: line(*node) });
            }
        }
    }
}

/// Where a node stands: outer ones before those in them.
fn place(node: Node<'_>) -> (usize, std::cmp::Reverse<usize>) {
    (node.start_byte(), std::cmp::Reverse(node.end_byte()))
}

/// Whether a node is in one of these, which are in order.
fn is_inside(outer: &[Node<'_>], node: Node<'_>) -> bool {
    let before = outer.partition_point(|outer| outer.start_byte() <= node.start_byte());
    before.checked_sub(1).is_some_and(|at| outer[at].end_byte() >= node.end_byte())
}

/// The innermost definition around a node; its own definition is around a name in its head.
fn innermost(ranges: &[(usize, usize)], definitions: &[Definition], node: Node<'_>) -> Option<u32> {
    let (start, end) = (node.start_byte(), node.end_byte());
    let mut at = ranges.partition_point(|range| range.0 <= start).checked_sub(1)?;
    loop {
        if ranges[at].1 >= end {
            return Some(at as u32);
        }
        at = definitions[at].parent? as usize;
    }
}

/// Whether a name means something that is bound inside the functions around its use.
fn is_bound(
    bound: &HashSet<(u32, &str)>,
    definitions: &[Definition],
    mut from: Option<u32>,
    name: &str,
) -> bool {
    // Whatever the language calls the object at hand, it is not just any parameter.
    if matches!(name, "self" | "cls" | "this" | "super" | "$this") {
        return false;
    }
    while let Some(index) = from {
        if bound.contains(&(index, name)) {
            return true;
        }
        from = definitions[index as usize].parent;
    }
    false
}

/// A name without what quotes it.
fn plain(text: &str) -> String {
    text.trim_matches(['"', '\'', '`']).to_owned()
}

/// The line of a node, from 1.
pub(crate) fn line(node: Node<'_>) -> u32 {
    node.start_position().row as u32 + 1
}

/// The line of the first error below a node that has one.
fn first_error(root: Node<'_>) -> u32 {
    let mut node = root;
    loop {
        if node.is_error() || node.is_missing() {
            return line(node);
        }
        let mut cursor = node.walk();
        let Some(next) =
            node.children(&mut cursor).find(|child| child.has_error() || child.is_missing())
        else {
            return line(node);
        };
        node = next;
    }
}
