//! From the text of a file to its [`FileFacts`]: one parse, one walk over the tree for the patterns of
//! its language, one pass over what they captured.

mod bindings;
mod checksum;
mod members;
mod path;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::OnceLock;

use tree_sitter::{Node, Parser, Tree};

use crate::Language;
use crate::facts::{Definition, DefinitionKind, FileFacts, Reference, ReferenceKind};
use crate::languages::{Rules, imports_in_scopes, misread, missed_imports, refined, reread, rules};
use crate::pattern::{Matcher, PatternMatch, PatternSet};
use bindings::Bindings;
use checksum::{comment_patterns, text_checksum};
use members::TypeMembers;
use path::path_of;

/// What a type without a name is based on, where that is no name.
const UNKNOWN: &str = "?";

/// How the classes of attributes are called in C#, where the attributes themselves need not be.
const ATTRIBUTE: &str = "Attribute";

/// How deep tokens in tokens are read.
const DEEPEST_TOKENS: usize = 8;

/// The text of a file. Bytes that are no UTF-8 are replaced, which keeps lines where they are.
pub struct SourceText<'a> {
    text: Cow<'a, str>,
}

impl<'a> SourceText<'a> {
    /// The text in these bytes.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> SourceText<'a> {
        SourceText { text: String::from_utf8_lossy(bytes) }
    }

    /// The text before a node. Asking the tree for what is around a node starts at its root, which
    /// takes too long to do for every definition of a large file.
    pub(crate) fn before(&self, node: Node<'_>) -> &str {
        self.text.get(..node.start_byte()).unwrap_or_default()
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.text.as_bytes()
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
}

/// A language's patterns, read once in a process.
struct LanguageQueries {
    grammar: tree_sitter::Language,
    finder: PatternSet,
    captures: Vec<Capture>,
    rules: &'static Rules,
}

/// What a capture of a query stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Capture {
    Definition(DefinitionKind),
    /// A function that nobody knows by its name alone, but those who import it if it is offered.
    Member {
        offered: bool,
    },
    Name,
    Reference(ReferenceKind),
    /// What a reference in the same match is a member of.
    Object,
    Bind,
    /// A name that is bound in the definition that comes after it.
    BindNext,
    /// A binding of a name that else means the object at hand.
    Rebind,
    /// A name that a function binds in the file.
    Global,
    Import,
    Package,
    Comment,
    /// The name of an attribute, which its class may be called otherwise.
    Attribute,
    /// What the grammar left as tokens.
    Tokens,
    /// What is never compiled, but for its alternative.
    Dead,
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
        "def.member" => Capture::Member { offered: false },
        "def.offered" => Capture::Member { offered: true },
        "def.anonymous" => Capture::Definition(DefinitionKind::Anonymous),
        "def.object" => Capture::Definition(DefinitionKind::Object),
        "name" => Capture::Name,
        "call" => Capture::Reference(ReferenceKind::Call),
        "extends" => Capture::Reference(ReferenceKind::Extends),
        "implements" => Capture::Reference(ReferenceKind::Implements),
        "use" => Capture::Reference(ReferenceKind::Use),
        "new" => Capture::Reference(ReferenceKind::New),
        "object" => Capture::Object,
        "bind" => Capture::Bind,
        "bind.next" => Capture::BindNext,
        "rebind" => Capture::Rebind,
        "global" => Capture::Global,
        "import" => Capture::Import,
        "package" => Capture::Package,
        "comment" => Capture::Comment,
        "attribute" => Capture::Attribute,
        "tokens" => Capture::Tokens,
        "dead" => Capture::Dead,
        _ => Capture::Other,
    }
}

impl LanguageQueries {
    fn new(language: Language) -> Option<LanguageQueries> {
        let rules = rules(language);
        let grammar = (rules.grammar)();
        let query = format!("{}\n{}", rules.query, comment_patterns(&grammar));
        let finder = PatternSet::new(&grammar, &query)?;
        let captures = finder.names().iter().map(|name| capture(name)).collect();
        Some(LanguageQueries { grammar, finder, captures, rules })
    }

    fn of(language: Language) -> Option<&'static LanguageQueries> {
        static ALL: [OnceLock<Option<LanguageQueries>>; 16] = [const { OnceLock::new() }; 16];
        ALL[language as usize].get_or_init(|| LanguageQueries::new(language)).as_ref()
    }
}

impl Extractor {
    /// The facts of a file; none if its language cannot be parsed here.
    pub fn extract(&mut self, language: Language, source: &SourceText<'_>) -> Option<FileFacts> {
        let language = refined(language, &source.text);
        let ready = LanguageQueries::of(language)?;
        let parser = self.parsers.entry(language).or_insert_with(|| {
            let mut parser = Parser::new();
            // A grammar that does not fit leaves a parser without one, which parses nothing.
            let _ = parser.set_language(&ready.grammar);
            parser
        });
        let tree = parse(parser, language, source.text.as_bytes())?;
        let root = tree.root_node();
        let misread = misread(language, root, source.text.as_bytes());
        let misread_line = misread.first().map(|place| line_at(&source.text, place.start));
        let mut facts = FileFacts {
            language,
            lines: source.text.lines().count() as u32,
            definitions: Vec::new(),
            imports: Vec::new(),
            exports: Vec::new(),
            references: Vec::new(),
            package: None,
            dynamic_calls: 0,
            computed_imports: Vec::new(),
            error_line: root.has_error().then(|| first_error(root)).or(misread_line),
        };
        let mut found = Captured::default();
        Matcher::new(&ready.finder, root, source.bytes())
            .all(root, &mut |matched| found.add_match(&ready.captures, matched));
        // Trees have to be there as long as what is found in them.
        let inner: [OnceCell<Tree>; DEEPEST_TOKENS] = Default::default();
        for place in &inner {
            let tokens = std::mem::take(&mut found.tokens);
            let (tree, unknown) = reread(language, &tokens, source, parser);
            facts.dynamic_calls += unknown;
            let Some(tree) = tree else { break };
            let root = place.get_or_init(|| tree).root_node();
            Matcher::new(&ready.finder, root, source.bytes())
                .all(root, &mut |matched| found.add_references(&ready.captures, matched));
        }
        found.remove_dead_code();
        let dead = std::mem::take(&mut found.dead);
        found.into_facts(source, ready.rules, &mut facts);
        if facts.error_line.is_some() {
            missed_imports(root, source, &dead, &mut facts);
        }
        Some(facts)
    }
}

/// The tree of a text. What its grammar misreads without saying so is read once more.
fn parse(parser: &mut Parser, language: Language, text: &[u8]) -> Option<Tree> {
    let mut bytes = readable(language, text);
    let tree = parser.parse(&bytes, None)?;
    let misread = misread(language, tree.root_node(), &bytes);
    if misread.is_empty() {
        return Some(tree);
    }
    for place in misread {
        bytes.to_mut()[place].fill(b' ');
    }
    parser.parse(&bytes, None)
}

/// Parses bytes and keeps nothing, to compare with: whether there is a grammar for them.
#[must_use]
pub fn parse_only(language: Language, bytes: &[u8]) -> bool {
    let mut parser = Parser::new();
    parser.set_language(&(rules(language).grammar)()).is_ok()
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
struct Captured<'t> {
    definitions: Vec<(Node<'t>, Node<'t>, DefinitionKind)>,
    /// Definitions that are members, by their nodes, and whether they are offered.
    members: HashMap<usize, bool>,
    references: Vec<(Option<Node<'t>>, Node<'t>, ReferenceKind)>,
    imports: Vec<Node<'t>>,
    packages: Vec<Node<'t>>,
    binds: Vec<Node<'t>>,
    binds_next: Vec<Node<'t>>,
    rebinds: Vec<Node<'t>>,
    globals: Vec<Node<'t>>,
    comments: Vec<Range<usize>>,
    attributes: Vec<Node<'t>>,
    tokens: Vec<Node<'t>>,
    dead: Vec<Range<usize>>,
}

impl<'t> Captured<'t> {
    /// Takes what one match captured.
    fn add_match(&mut self, captures: &[Capture], matched: &PatternMatch<'t>) {
        let (mut defined, mut name, mut object) = (None, None, None);
        for &(index, node) in matched {
            match captures[index as usize] {
                Capture::Definition(kind) => defined = Some((node, kind)),
                Capture::Member { offered } => {
                    *self.members.entry(node.id()).or_default() |= offered;
                    defined = Some((node, DefinitionKind::Function));
                }
                Capture::Name => name = Some(node),
                Capture::Reference(kind) => self.references.push((object, node, kind)),
                Capture::Object => object = Some(node),
                Capture::Bind => self.binds.push(node),
                Capture::BindNext => self.binds_next.push(node),
                Capture::Rebind => self.rebinds.push(node),
                Capture::Global => self.globals.push(node),
                Capture::Import => self.imports.push(node),
                Capture::Package => self.packages.push(node),
                Capture::Attribute => self.attributes.push(node),
                Capture::Tokens => self.tokens.push(node),
                Capture::Dead => {
                    let other = node.child_by_field_name("alternative");
                    let end = other.map_or(node.end_byte(), |other| other.start_byte());
                    self.dead.push(node.start_byte()..end);
                }
                Capture::Comment => self.comments.push(node.byte_range()),
                Capture::Other => {}
            }
        }
        if let (Some((node, kind)), Some(name)) = (defined, name) {
            self.definitions.push((node, name, kind));
        }
    }

    /// What each type without a name is based on, by its node.
    fn bases(&self, source: &SourceText<'_>) -> HashMap<usize, Vec<String>> {
        let mut bases: HashMap<usize, Vec<String>> = HashMap::new();
        let unnamed = self.definitions.iter().filter(|one| one.2 == DefinitionKind::Anonymous);
        for (node, base, _) in unnamed {
            let bases = bases.entry(node.id()).or_default();
            // One that is based on nothing has no name but its own text.
            if node.id() != base.id() {
                bases.extend(source.of(*base).split(" with ").map(|base| {
                    let end = base.find(['(', '[']).unwrap_or(base.len());
                    path_of(base[..end].trim()).map_or(UNKNOWN.to_owned(), |path| path.join("."))
                }));
            }
        }
        bases
    }

    /// Takes what names one match captured, in tokens that were read as something else before.
    fn add_references(&mut self, captures: &[Capture], matched: &PatternMatch<'t>) {
        let mut object = None;
        for &(index, node) in matched {
            match captures[index as usize] {
                Capture::Reference(kind) => self.references.push((object, node, kind)),
                Capture::Object => object = Some(node),
                Capture::Bind => self.binds.push(node),
                Capture::Tokens => self.tokens.push(node),
                _ => {}
            }
        }
    }

    /// Leaves out what is never compiled.
    fn remove_dead_code(&mut self) {
        if self.dead.is_empty() {
            return;
        }
        let lives =
            |node: &Node<'_>| !self.dead.iter().any(|dead| dead.contains(&node.start_byte()));
        self.definitions.retain(|(node, ..)| lives(node));
        self.references.retain(|(_, node, _)| lives(node));
        for nodes in [&mut self.imports, &mut self.binds, &mut self.binds_next] {
            nodes.retain(lives);
        }
    }

    fn into_facts(mut self, source: &SourceText<'_>, rules: &Rules, facts: &mut FileFacts) {
        let package = self.packages.iter().max_by_key(|node| node.start_byte());
        facts.package = package.map(|node| plain(source.of(*node)));
        self.imports.sort_by_key(|node| place(*node));
        let mut importing = Vec::new();
        for node in &self.imports {
            (rules.import)(*node, source, facts);
            importing.resize(facts.imports.len(), *node);
        }
        self.imports.sort_by_key(|node| (node.start_byte(), node.end_byte()));
        self.comments.sort_by_key(|comment| comment.start);
        if facts.language == Language::Python {
            self.definitions.retain(|one| {
                one.2 != DefinitionKind::Value || hides(one.1, source, facts, &importing)
            });
        }
        // Outer before inner; the same node may be matched twice, the first pattern counts.
        self.definitions.sort_by_cached_key(|(node, ..)| place(*node));
        let bases = self.bases(source);
        self.definitions.dedup_by_key(|(node, ..)| node.id());
        let mut ranges: Vec<(usize, usize)> = Vec::with_capacity(self.definitions.len());
        let mut open: Vec<usize> = Vec::new();
        for (node, name, captured) in &self.definitions {
            let end = body_after(*node).unwrap_or(*node);
            while open.last().is_some_and(|&i| ranges[i].1 < end.end_byte()) {
                open.pop();
            }
            let name = match bases.get(&node.id()) {
                Some(bases) => bases.join(","),
                None => (rules.name)(*node, plain(source.of(*name)), source),
            };
            let kind = (rules.refine)(*node, &name, *captured, source);
            let member = self.members.get(&node.id());
            // What is a test in itself has a title; the macros of C++ make names of their own.
            let titled = *captured == DefinitionKind::Test
                || (kind == DefinitionKind::Test && facts.language == Language::Cpp);
            facts.definitions.push(Definition {
                exported: member == Some(&true) || (rules.exported)(*node, &name, source),
                binds: member.is_none() && !titled,
                kind,
                line: line(*node),
                end_line: end.end_position().row as u32 + 1,
                parent: open.last().map(|&i| i as u32),
                checksum: text_checksum(
                    &source.text,
                    node.start_byte()..end.end_byte(),
                    &self.comments,
                ),
                name,
            });
            open.push(ranges.len());
            ranges.push((node.start_byte(), end.end_byte()));
        }
        let around = |node: Node<'_>| innermost(&ranges, &facts.definitions, node);
        let bound_in = |node: Node<'_>| {
            let at = around(node)?;
            let declared = facts.language == Language::Cpp
                && facts.definitions[at as usize].kind == DefinitionKind::Value;
            if declared { declared_in(&facts.definitions, at, node) } else { Some(at) }
        };
        let places = |nodes: &[Node<'t>]| -> Vec<(u32, &str)> {
            nodes.iter().filter_map(|node| Some((bound_in(*node)?, source.of(*node)))).collect()
        };
        let next = |node: &Node<'t>| ranges.partition_point(|range| range.0 <= node.start_byte());
        let binds_next = self.binds_next.iter().map(|node| (next(node) as u32, source.of(*node)));
        let binds: Vec<(u32, &str)> = places(&self.binds).into_iter().chain(binds_next).collect();
        if imports_in_scopes(facts.language) {
            let globals = places(&self.globals);
            for (import, node) in facts.imports.iter_mut().zip(&importing) {
                let scope = around(*node);
                let is_global = |(at, name): &(u32, &str)| {
                    Some(*at) == scope && import.form.local() == Some(*name)
                };
                import.scope = scope.filter(|_| !globals.iter().any(is_global));
                // What is in a function is for nobody else; modules of Rust pass things on.
                let is_module = |at: u32| {
                    facts.language == Language::Rust
                        && facts.definitions[at as usize].kind == DefinitionKind::Module
                };
                import.reexport &= import.scope.is_none_or(is_module);
            }
        }
        let bound = Bindings::new(facts.language, &facts.imports, &binds, &places(&self.rebinds));
        let members = TypeMembers::new(facts.language, &facts.definitions);
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
            let free = |path: &Vec<String>| {
                !bound.has(&facts.definitions, from, &path[0])
                    && !members.is_value(&facts.definitions, from, path, *kind)
            };
            let Some(path) = path.filter(free).or_else(|| unknown_base(*kind)) else {
                facts.dynamic_calls += u32::from(*kind == ReferenceKind::Call);
                continue;
            };
            if seen.insert((from, *kind, path.clone())) {
                facts.references.push(Reference { from, kind: *kind, path, line: line(*node) });
            }
        }
    }
}

/// The body of a definition that the grammar takes for a call, and its body for a block of its own:
/// `TEST_CASE("a") { … }`.
fn body_after(node: Node<'_>) -> Option<Node<'_>> {
    let is_call = node.kind() == "expression_statement";
    let next = is_call.then(|| node.next_named_sibling()).flatten()?;
    (next.kind() == "compound_statement").then_some(next)
}

/// What a declared name of C++ is bound in: a field in its class, and in a function also what looks
/// like a declared function, `Cart cart(size);`.
fn declared_in(definitions: &[Definition], declared: u32, name: Node<'_>) -> Option<u32> {
    use DefinitionKind::{Function, Test};
    let around = definitions[declared as usize].parent?;
    let in_function = matches!(definitions[around as usize].kind, Function | Test);
    (in_function || name.kind() == "field_identifier").then_some(around)
}

/// A base that is a parameter is one of which nothing is known, by a name that nothing has.
fn unknown_base(kind: ReferenceKind) -> Option<Vec<String>> {
    let is_base = matches!(kind, ReferenceKind::Extends | ReferenceKind::Implements);
    is_base.then(|| vec!["?".to_owned()])
}

/// Whether a name of a file hides one that was imported before.
fn hides(
    name: Node<'_>,
    source: &SourceText<'_>,
    facts: &FileFacts,
    importing: &[Node<'_>],
) -> bool {
    facts.imports.iter().zip(importing).any(|(import, node)| {
        node.end_byte() <= name.start_byte() && import.form.local() == Some(source.of(name))
    })
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

/// A name without what quotes it.
fn plain(text: &str) -> String {
    text.trim_matches(['"', '\'', '`']).to_owned()
}

/// The line of a node, from 1.
pub(crate) fn line(node: Node<'_>) -> u32 {
    node.start_position().row as u32 + 1
}

/// The line of a place in a text, from 1.
fn line_at(text: &str, place: usize) -> u32 {
    text.bytes().take(place).filter(|byte| *byte == b'\n').count() as u32 + 1
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
