//! Extracts [`FileFacts`] from the text of a file: parses it, matches the patterns of its language
//! in one walk over the tree, and converts the captures.

mod bindings;
mod checksum;
mod input;
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
use crate::pattern::{PatternMatch, PatternSet, TreeMatcher};
use bindings::Bindings;
use checksum::{comment_patterns, text_checksum};
use input::grammar_input;
use members::TypeMembers;
use path::split_path;

/// The base of an anonymous type if it is not a plain name.
const UNKNOWN_BASE: &str = "?";

/// The suffix of attribute classes in C#. Code may leave it out: `[Fact]` means `FactAttribute`.
const ATTRIBUTE_SUFFIX: &str = "Attribute";

/// The maximum depth of nested macro arguments to parse.
const MAX_TOKEN_DEPTH: usize = 8;

/// The text of a file. Invalid UTF-8 is replaced, which does not change line numbers.
pub struct SourceText<'a> {
    text: Cow<'a, str>,
}

impl<'a> SourceText<'a> {
    /// Decodes the bytes of a file.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> SourceText<'a> {
        SourceText { text: String::from_utf8_lossy(bytes) }
    }

    /// Returns the text before a node. Walking up the tree from a node starts at the root, which is
    /// too slow to do for every definition of a large file.
    pub(crate) fn before(&self, node: Node<'_>) -> &str {
        self.text.get(..node.start_byte()).unwrap_or_default()
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.text.as_bytes()
    }

    /// Returns the text of a node.
    pub(crate) fn text(&self, node: Node<'_>) -> &str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }
}

/// Extracts facts. Keeps one parser per language.
#[derive(Default)]
pub struct Extractor {
    parsers: HashMap<Language, Parser>,
}

/// The grammar and patterns of a language, compiled once per process.
struct LanguageQueries {
    grammar: tree_sitter::Language,
    pattern_set: PatternSet,
    captures: Vec<CaptureKind>,
    rules: &'static Rules,
}

/// The meaning of a capture in a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CaptureKind {
    Definition(DefinitionKind),
    /// A function that cannot be called by its name alone. Other files can import it if it is
    /// offered.
    Member {
        offered: bool,
    },
    Name,
    Reference(ReferenceKind),
    /// The object of the reference in the same match.
    Object,
    Bind,
    /// A name that is bound in the definition after it.
    BindNext,
    /// A parameter called `self` that is an ordinary name there.
    Rebind,
    /// A name that a function binds at the top level of the file.
    Global,
    Import,
    Package,
    Comment,
    /// The name of an attribute, which may lack the suffix of its class.
    Attribute,
    /// The arguments of a macro, which the grammar leaves as tokens.
    Tokens,
    /// Code that is never compiled, up to its `#else`.
    Dead,
    /// A name that only the conditions of the query use.
    Other,
}

fn capture(name: &str) -> CaptureKind {
    match name {
        "def.function" => CaptureKind::Definition(DefinitionKind::Function),
        "def.class" => CaptureKind::Definition(DefinitionKind::Class),
        "def.interface" => CaptureKind::Definition(DefinitionKind::Interface),
        "def.module" => CaptureKind::Definition(DefinitionKind::Module),
        "def.test" => CaptureKind::Definition(DefinitionKind::Test),
        "def.extension" => CaptureKind::Definition(DefinitionKind::Extension),
        "def.value" => CaptureKind::Definition(DefinitionKind::Value),
        "def.member" => CaptureKind::Member { offered: false },
        "def.offered" => CaptureKind::Member { offered: true },
        "def.anonymous" => CaptureKind::Definition(DefinitionKind::Anonymous),
        "def.object" => CaptureKind::Definition(DefinitionKind::Object),
        "name" => CaptureKind::Name,
        "call" => CaptureKind::Reference(ReferenceKind::Call),
        "extends" => CaptureKind::Reference(ReferenceKind::Extends),
        "implements" => CaptureKind::Reference(ReferenceKind::Implements),
        "use" => CaptureKind::Reference(ReferenceKind::Use),
        "new" => CaptureKind::Reference(ReferenceKind::New),
        "object" => CaptureKind::Object,
        "bind" => CaptureKind::Bind,
        "bind.next" => CaptureKind::BindNext,
        "rebind" => CaptureKind::Rebind,
        "global" => CaptureKind::Global,
        "import" => CaptureKind::Import,
        "package" => CaptureKind::Package,
        "comment" => CaptureKind::Comment,
        "attribute" => CaptureKind::Attribute,
        "tokens" => CaptureKind::Tokens,
        "dead" => CaptureKind::Dead,
        _ => CaptureKind::Other,
    }
}

impl LanguageQueries {
    fn new(language: Language) -> Option<LanguageQueries> {
        let rules = rules(language);
        let grammar = (rules.grammar)();
        let query = format!("{}\n{}", rules.query, comment_patterns(&grammar));
        let pattern_set = PatternSet::new(&grammar, &query)?;
        let captures = pattern_set.names().iter().map(|name| capture(name)).collect();
        Some(LanguageQueries { grammar, pattern_set, captures, rules })
    }

    fn get(language: Language) -> Option<&'static LanguageQueries> {
        static ALL: [OnceLock<Option<LanguageQueries>>; 16] = [const { OnceLock::new() }; 16];
        ALL[language as usize].get_or_init(|| LanguageQueries::new(language)).as_ref()
    }
}

impl Extractor {
    /// Returns the facts of a file, or `None` if its language cannot be parsed.
    pub fn extract(&mut self, language: Language, source: &SourceText<'_>) -> Option<FileFacts> {
        let language = refined(language, &source.text);
        let queries = LanguageQueries::get(language)?;
        let parser = self.parsers.entry(language).or_insert_with(|| {
            let mut parser = Parser::new();
            // If the grammar does not fit, the parser stays without one and parses nothing.
            let _ = parser.set_language(&queries.grammar);
            parser
        });
        let tree = parse(parser, language, source.text.as_bytes())?;
        let root = tree.root_node();
        let misread = misread(language, root, source.text.as_bytes());
        let misread_line = misread.first().map(|range| line_at(&source.text, range.start));
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
        let mut found = CapturedNodes::default();
        TreeMatcher::new(&queries.pattern_set, root, source.bytes())
            .match_all(root, &mut |matched| found.add_match(&queries.captures, matched));
        // The trees must live as long as the nodes found in them.
        let inner: [OnceCell<Tree>; MAX_TOKEN_DEPTH] = Default::default();
        for cell in &inner {
            let tokens = std::mem::take(&mut found.tokens);
            let (tree, unknown) = reread(language, &tokens, source, parser);
            facts.dynamic_calls += unknown;
            let Some(tree) = tree else { break };
            let root = cell.get_or_init(|| tree).root_node();
            TreeMatcher::new(&queries.pattern_set, root, source.bytes())
                .match_all(root, &mut |matched| found.add_references(&queries.captures, matched));
        }
        found.remove_dead_code();
        let dead = std::mem::take(&mut found.dead);
        found.into_facts(source, queries.rules, &mut facts);
        if facts.error_line.is_some() {
            missed_imports(root, source, &dead, &mut facts);
        }
        Some(facts)
    }
}

/// Parses a text. Blanks what the grammar misreads without an error, and parses again.
fn parse(parser: &mut Parser, language: Language, text: &[u8]) -> Option<Tree> {
    let mut bytes = grammar_input(language, text);
    let tree = parser.parse(&bytes, None)?;
    let misread = misread(language, tree.root_node(), &bytes);
    if misread.is_empty() {
        return Some(tree);
    }
    for range in misread {
        bytes.to_mut()[range].fill(b' ');
    }
    parser.parse(&bytes, None)
}

/// Parses bytes and drops the tree, for benchmarks. Returns false if there is no grammar.
#[must_use]
pub fn parse_only(language: Language, bytes: &[u8]) -> bool {
    let mut parser = Parser::new();
    parser.set_language(&(rules(language).grammar)()).is_ok()
        && parser.parse(grammar_input(language, bytes), None).is_some()
}

/// The captured nodes of a file.
#[derive(Default)]
struct CapturedNodes<'t> {
    definitions: Vec<(Node<'t>, Node<'t>, DefinitionKind)>,
    /// Definitions that are members, by node ID, and whether they are offered.
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

impl<'t> CapturedNodes<'t> {
    /// Adds the captures of one match.
    fn add_match(&mut self, captures: &[CaptureKind], matched: &PatternMatch<'t>) {
        let (mut defined, mut name, mut object) = (None, None, None);
        for &(index, node) in matched {
            match captures[index as usize] {
                CaptureKind::Definition(kind) => defined = Some((node, kind)),
                CaptureKind::Member { offered } => {
                    *self.members.entry(node.id()).or_default() |= offered;
                    defined = Some((node, DefinitionKind::Function));
                }
                CaptureKind::Name => name = Some(node),
                CaptureKind::Reference(kind) => self.references.push((object, node, kind)),
                CaptureKind::Object => object = Some(node),
                CaptureKind::Bind => self.binds.push(node),
                CaptureKind::BindNext => self.binds_next.push(node),
                CaptureKind::Rebind => self.rebinds.push(node),
                CaptureKind::Global => self.globals.push(node),
                CaptureKind::Import => self.imports.push(node),
                CaptureKind::Package => self.packages.push(node),
                CaptureKind::Attribute => self.attributes.push(node),
                CaptureKind::Tokens => self.tokens.push(node),
                CaptureKind::Dead => {
                    let other = node.child_by_field_name("alternative");
                    let end = other.map_or(node.end_byte(), |other| other.start_byte());
                    self.dead.push(node.start_byte()..end);
                }
                CaptureKind::Comment => self.comments.push(node.byte_range()),
                CaptureKind::Other => {}
            }
        }
        if let (Some((node, kind)), Some(name)) = (defined, name) {
            self.definitions.push((node, name, kind));
        }
    }

    /// Returns the bases of each anonymous type, by node ID.
    fn bases(&self, source: &SourceText<'_>) -> HashMap<usize, Vec<String>> {
        let mut bases: HashMap<usize, Vec<String>> = HashMap::new();
        let unnamed = self.definitions.iter().filter(|one| one.2 == DefinitionKind::Anonymous);
        for (node, base, _) in unnamed {
            let bases = bases.entry(node.id()).or_default();
            // Without a base, the name is the node itself.
            if node.id() != base.id() {
                bases.extend(source.text(*base).split(" with ").map(|base| {
                    let end = base.find(['(', '[']).unwrap_or(base.len());
                    split_path(base[..end].trim())
                        .map_or(UNKNOWN_BASE.to_owned(), |path| path.join("."))
                }));
            }
        }
        bases
    }

    /// Adds the references of one match in macro arguments that were parsed again.
    fn add_references(&mut self, captures: &[CaptureKind], matched: &PatternMatch<'t>) {
        let mut object = None;
        for &(index, node) in matched {
            match captures[index as usize] {
                CaptureKind::Reference(kind) => self.references.push((object, node, kind)),
                CaptureKind::Object => object = Some(node),
                CaptureKind::Bind => self.binds.push(node),
                CaptureKind::Tokens => self.tokens.push(node),
                _ => {}
            }
        }
    }

    /// Removes everything inside code that is never compiled.
    fn remove_dead_code(&mut self) {
        if self.dead.is_empty() {
            return;
        }
        let is_live =
            |node: &Node<'_>| !self.dead.iter().any(|dead| dead.contains(&node.start_byte()));
        self.definitions.retain(|(node, ..)| is_live(node));
        self.references.retain(|(_, node, _)| is_live(node));
        for nodes in [&mut self.imports, &mut self.binds, &mut self.binds_next] {
            nodes.retain(is_live);
        }
    }

    fn into_facts(mut self, source: &SourceText<'_>, rules: &Rules, facts: &mut FileFacts) {
        let package = self.packages.iter().max_by_key(|node| node.start_byte());
        facts.package = package.map(|node| unquoted(source.text(*node)));
        self.imports.sort_by_key(|node| source_order(*node));
        let mut import_nodes = Vec::new();
        for node in &self.imports {
            (rules.import)(*node, source, facts);
            import_nodes.resize(facts.imports.len(), *node);
        }
        self.imports.sort_by_key(|node| (node.start_byte(), node.end_byte()));
        self.comments.sort_by_key(|comment| comment.start);
        if facts.language == Language::Python {
            self.definitions.retain(|one| {
                one.2 != DefinitionKind::Value
                    || shadows_import(one.1, source, facts, &import_nodes)
            });
        }
        // Outer definitions first. If several patterns match the same node, the first one counts.
        self.definitions.sort_by_cached_key(|(node, ..)| source_order(*node));
        let bases = self.bases(source);
        self.definitions.dedup_by_key(|(node, ..)| node.id());
        let mut ranges: Vec<(usize, usize)> = Vec::with_capacity(self.definitions.len());
        let mut stack: Vec<usize> = Vec::new();
        for (node, name, captured) in &self.definitions {
            let end = body_after(*node).unwrap_or(*node);
            while stack.last().is_some_and(|&i| ranges[i].1 < end.end_byte()) {
                stack.pop();
            }
            let name = match bases.get(&node.id()) {
                Some(bases) => bases.join(","),
                None => (rules.name)(*node, unquoted(source.text(*name)), source),
            };
            let kind = (rules.refine)(*node, &name, *captured, source);
            let member = self.members.get(&node.id());
            // Tests that are calls have titles, and the test macros of C++ make up names: neither
            // can be called.
            let titled = *captured == DefinitionKind::Test
                || (kind == DefinitionKind::Test && facts.language == Language::Cpp);
            facts.definitions.push(Definition {
                exported: member == Some(&true) || (rules.exported)(*node, &name, source),
                binds: member.is_none() && !titled,
                kind,
                line: line(*node),
                end_line: end.end_position().row as u32 + 1,
                parent: stack.last().map(|&i| i as u32),
                checksum: text_checksum(
                    &source.text,
                    node.start_byte()..end.end_byte(),
                    &self.comments,
                ),
                name,
            });
            stack.push(ranges.len());
            ranges.push((node.start_byte(), end.end_byte()));
        }
        let enclosing = |node: Node<'_>| enclosing_definition(&ranges, &facts.definitions, node);
        let bound_in = |node: Node<'_>| {
            let at = enclosing(node)?;
            let declared = facts.language == Language::Cpp
                && facts.definitions[at as usize].kind == DefinitionKind::Value;
            if declared { declared_in(&facts.definitions, at, node) } else { Some(at) }
        };
        let in_definitions = |nodes: &[Node<'t>]| -> Vec<(u32, &str)> {
            nodes.iter().filter_map(|node| Some((bound_in(*node)?, source.text(*node)))).collect()
        };
        let next = |node: &Node<'t>| ranges.partition_point(|range| range.0 <= node.start_byte());
        let binds_next = self.binds_next.iter().map(|node| (next(node) as u32, source.text(*node)));
        let binds: Vec<(u32, &str)> =
            in_definitions(&self.binds).into_iter().chain(binds_next).collect();
        if imports_in_scopes(facts.language) {
            let globals = in_definitions(&self.globals);
            for (import, node) in facts.imports.iter_mut().zip(&import_nodes) {
                let scope = enclosing(*node);
                let is_global = |(at, name): &(u32, &str)| {
                    Some(*at) == scope && import.form.local() == Some(*name)
                };
                import.scope = scope.filter(|_| !globals.iter().any(is_global));
                // An import inside a function cannot be imported again, but modules of Rust can
                // pass it on.
                let is_module = |at: u32| {
                    facts.language == Language::Rust
                        && facts.definitions[at as usize].kind == DefinitionKind::Module
                };
                import.reexport &= import.scope.is_none_or(is_module);
            }
        }
        let bindings =
            Bindings::new(facts.language, &facts.imports, &binds, &in_definitions(&self.rebinds));
        let members = TypeMembers::new(facts.language, &facts.definitions);
        let mut seen = HashSet::new();
        self.references.sort_by_cached_key(|(_, node, _)| source_order(*node));
        for node in &self.attributes {
            // `[Fact]` means the class `FactAttribute`; a class called `Fact` is usually not an
            // attribute.
            if let Some(mut path) = split_path(source.text(*node)) {
                if let Some(last) = path.last_mut().filter(|last| !last.ends_with(ATTRIBUTE_SUFFIX))
                {
                    last.push_str(ATTRIBUTE_SUFFIX);
                }
                let (from, kind) = (enclosing(*node), ReferenceKind::Use);
                if seen.insert((from, kind, path.clone())) {
                    facts.references.push(Reference { from, kind, path, line: line(*node) });
                }
            }
        }
        for (object, node, kind) in &self.references {
            // Parts of an import statement are not references.
            if *kind == ReferenceKind::Use && is_inside(&self.imports, *node) {
                continue;
            }
            let from = enclosing(*node);
            let path = match object {
                Some(object) => split_path(source.text(*object)).and_then(|mut path| {
                    path.extend(split_path(source.text(*node))?);
                    Some(path)
                }),
                // The name of a command is one word, even with dots or dashes in it.
                None if facts.language == Language::Bash => {
                    Some(vec![source.text(*node).to_owned()])
                }
                None => split_path(source.text(*node)),
            };
            let free = |path: &Vec<String>| {
                !bindings.is_bound(&facts.definitions, from, &path[0])
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

/// Returns the body of a definition that the grammar parses as a call followed by a block:
/// `TEST_CASE("a") { … }`.
fn body_after(node: Node<'_>) -> Option<Node<'_>> {
    let is_call = node.kind() == "expression_statement";
    let next = is_call.then(|| node.next_named_sibling()).flatten()?;
    (next.kind() == "compound_statement").then_some(next)
}

/// Returns the definition in which a declared name of C++ is bound: the class for a field, and the
/// function for something that only looks like a function declaration, `Cart cart(size);`.
fn declared_in(definitions: &[Definition], declared: u32, name: Node<'_>) -> Option<u32> {
    use DefinitionKind::{Function, Test};
    let around = definitions[declared as usize].parent?;
    let in_function = matches!(definitions[around as usize].kind, Function | Test);
    (in_function || name.kind() == "field_identifier").then_some(around)
}

/// Returns a placeholder for a base that is a parameter. No definition has this name.
fn unknown_base(kind: ReferenceKind) -> Option<Vec<String>> {
    let is_base = matches!(kind, ReferenceKind::Extends | ReferenceKind::Implements);
    is_base.then(|| vec!["?".to_owned()])
}

/// Returns true if a name shadows an earlier import of the file.
fn shadows_import(
    name: Node<'_>,
    source: &SourceText<'_>,
    facts: &FileFacts,
    import_nodes: &[Node<'_>],
) -> bool {
    facts.imports.iter().zip(import_nodes).any(|(import, node)| {
        node.end_byte() <= name.start_byte() && import.form.local() == Some(source.text(name))
    })
}

/// Returns a sort key that puts outer nodes before the nodes inside them.
fn source_order(node: Node<'_>) -> (usize, std::cmp::Reverse<usize>) {
    (node.start_byte(), std::cmp::Reverse(node.end_byte()))
}

/// Returns true if `node` is inside one of the sorted nodes `outer`.
fn is_inside(outer: &[Node<'_>], node: Node<'_>) -> bool {
    let before = outer.partition_point(|outer| outer.start_byte() <= node.start_byte());
    before.checked_sub(1).is_some_and(|at| outer[at].end_byte() >= node.end_byte())
}

/// Returns the innermost definition around a node. A name in the head of a definition is inside it.
fn enclosing_definition(
    ranges: &[(usize, usize)],
    definitions: &[Definition],
    node: Node<'_>,
) -> Option<u32> {
    let (start, end) = (node.start_byte(), node.end_byte());
    let mut at = ranges.partition_point(|range| range.0 <= start).checked_sub(1)?;
    loop {
        if ranges[at].1 >= end {
            return Some(at as u32);
        }
        at = definitions[at].parent? as usize;
    }
}

/// Removes the quotes around a name.
fn unquoted(text: &str) -> String {
    text.trim_matches(['"', '\'', '`']).to_owned()
}

/// Returns the line of a node, from 1.
pub(crate) fn line(node: Node<'_>) -> u32 {
    node.start_position().row as u32 + 1
}

/// Returns the line of a byte offset, from 1.
fn line_at(text: &str, offset: usize) -> u32 {
    text.bytes().take(offset).filter(|byte| *byte == b'\n').count() as u32 + 1
}

/// Returns the line of the first error below a node that contains one.
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
