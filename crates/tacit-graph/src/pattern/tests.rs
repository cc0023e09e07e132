//! Compares our matches with those of the tree-sitter engine.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use proptest::prelude::*;
use tree_sitter::{Parser, Query, QueryCursor, StreamingIterator};

use super::*;
use crate::languages::rules;

/// Code that matches every pattern. Any sequence of its lines is valid input too, broken or not.
const LINES: &str = r#"
pub mod inner { pub(crate) use a::b::{self, C as D, e::*}; extern crate x as y; mod gone; }
impl<T: Clone> Deep<T> for Pool<T> where T: a::B { fn run(&self, (a, b): (u8, u8)) -> R { } }
trait Open: Read + io::Write { type Item; fn open(x: u8); }
fn f<A>(mut x: A, [y, ..]: [u8; 3]) { if let Some(z) = g::<A>(|p, &q| p + q) { z.h().i::<B>(); } }
match m { Kind::A(x) | B(x) => X { name, other: o @ 1..=2 }, _ => vec![k(); 2], }
cfg_if! { if #[cfg(unix)] { mod unix; } } macro_rules! m { ($x:expr) => { $x } } enum E { A } union U {}
import React, { useState as s } from './react'; export * from "x"; export { a as b }; const r = require('q');
class A extends ns.Base { #x = 1; async run(a = 1, ...rest) { super.run(); new ns.Thing<T>(this.x); } }
export const f = async ({ a, b: [c, d = 2] }) => { it("runs\n\tfast", () => { f(a)?.g(); }); await import('y'); };
describe.each([1])('all', function (x) { for (const y of x) { try { y(); } catch (e) { h(e) } } });
interface I<T> extends J, ns.K<T> { m(a?: number): void } type U = I<string>; enum Z { A } namespace N { function* g() { } }
abstract class B<T> implements I<T>, ns.J { constructor(private readonly a: string, b?: X) { super(); } }
module.exports.run = function () { return <Panel.Body a={b}><Item /></Panel.Body>; }; let a = class Named { };
def run(self, a, b: int = 2, *args, c=lambda x, *y: x(y), **kw) -> None: return [g(x) for x, y in h()]
class Shop(Base, abc.ABC, Generic[T], metaclass=Meta): name: str = field()
@app.route("/") 
async def handler(request): (x := request.get()); a, b = 1, 2; from .models import (User as U, Group); import os.path as p
with open(f) as g, h() as (i, j): assert x.y.z(); raise E from None
package main
import ( "fmt"; log "a/b/log"; . "dots"; _ "effects" )
type Server[T any] struct { *Base; pkg.Other; name, other string } type I interface { Run(a, b int) error; Base }
func (s *Server[T]) Run(ctx context.Context, rest ...int) (n int, err error) { x, y := s.f(), pkg.G[int](1); go s.h(x); return }
var ( a, b = 1, 2; c int ); const D = iota; type Alias = pkg.T; func g() { switch v := x.(type) { case int: v() }; for i := range x { i() } }
package com.shop.app; import static com.shop.Util.*; import com.shop.Basket;
public class Till<T extends Item> extends com.shop.Base<T> implements Open, Shut<T> { @Test @Named("x") void run(final int a, String... b) { } }
record Point(int x, int y) { } enum Kind implements I { A(1), B { void f() { } } } @interface Mark { String value(); } interface J extends K<L>, M { }
void f() { Runnable r = (a, b) -> this.go(a).then(Basket::new); for (Item i : items) { try (var s = open()) { new Outer.Inner<>(i).x(); } catch (A | B e) { } } }
<?php namespace App\Sub; use App\{Base, Mix as M}; use function App\everywhere; class Cart extends Base implements \App\Shape { use Mix; #[Attr] public function __construct(private Line $l) { parent::run(); Line::of(new Line(), $l?->go(), Kind::A, self::$x); } }
<?php interface A extends B {} trait T {} enum E: int implements A { case A = 1; } namespace N { function f(?int $a = 1) { return $a instanceof \N\C; } } it('runs', function () { require_once __DIR__ . '/x.php'; });
#include "pool.h"
#include <stdio.h>
static int add(const struct pool *p, int n) { return grow(p->next, &n) + ops[n](p); } typedef struct { int x; } point_t; enum kind { A, B }; TEST(Pool, grows) { ASSERT_EQ(add(0, 1), 2); }
namespace shop::app { template <typename T> class Till : public Base<T>, private ns::Other { public: Till() : x(1) {} virtual void run() override; }; } void shop::Till::run() { auto f = [&](int a) { return ns::go<int>(a); }; new Thing(f); using namespace std; }
using System.Linq; using static App.Util; using L = App.Lists.List; namespace App.Core { [Fact] public sealed class Order<T> : Base<T>, IOrder where T : new() { public Order(int a) : base(a) { this.Go?.Run(nameof(a)); var x = new Line { A = 1 }; } public int Total => Lines.Sum(l => l.Price); } } record R(int A); interface I { } struct S { } enum E { A }
require_relative 'base'; require "json"; module Shop; class Cart < Base::Thing; include Mixin; attr_reader :x; def self.make(a, b: 1, *c, &d) = new(a).run { |x, y| helper(x) }; def total; super; end; end; end; describe Cart do it "adds" do expect(x).to eq(1) end end
package com.shop; import com.shop.util.*; import com.shop.Line as L; data class Cart<T>(val lines: List<L>) : Base(1), Open by lines { companion object { fun make() = Cart(listOf()) } @Test fun `adds up`() { lines.map { it.price }.sum() } } object One; interface I; fun String.ext() = this; enum class K { A }
source "$(dirname "$0")/lib.sh"; . ./other.sh; function build() { local x=$1; helper "$x" | grep y; }; run() { build; }; if run; then echo ok; fi
package com.shop; package app; import com.shop.{Base, Mix => M, _}; class Cart(val x: Int) extends Base(x) with M[Int] { def run(a: Int)(implicit b: B): Unit = { helper(a); new Line; lines.map(_.go) } } object Cart { val c = Cart(1) } trait T; case class P(a: Int); test("adds") { assert(true) }
import Shop; @testable import struct Shop.Cart; public final class Till<T>: Base, Open where T: Item { init(_ a: Int) { super.init(); self.run(Line(a)) } func run(_ l: Line) -> Int { l.go() } } extension Till: Shut { static func make() { Till(1) } } struct S: P {} enum E { case a } protocol P: Q { func f() } func testAdds() throws { let x = try? make() }
} } ) ] { ( "
"#;

/// A language with both engines.
struct BothEngines {
    grammar: Language,
    whole: Query,
    pattern_set: PatternSet,
}

impl BothEngines {
    fn new(grammar: Language, query: &str) -> BothEngines {
        let whole = Query::new(&grammar, query).unwrap_or_else(|error| panic!("{query}: {error}"));
        let pattern_set =
            PatternSet::new(&grammar, query).unwrap_or_else(|| panic!("not plain: {query}"));
        BothEngines { grammar, whole, pattern_set }
    }

    fn all_languages() -> &'static [BothEngines] {
        static ALL: OnceLock<Vec<BothEngines>> = OnceLock::new();
        let of = |rules: &crate::languages::Rules| BothEngines::new((rules.grammar)(), rules.query);
        ALL.get_or_init(|| crate::Language::all().map(rules).map(of).collect())
    }

    /// Returns true if a text has syntax errors.
    fn is_broken(&self, text: &str) -> bool {
        let mut parser = Parser::new();
        parser.set_language(&self.grammar).unwrap();
        parser.parse(text, None).unwrap().root_node().has_error()
    }

    /// Returns the matches of our matcher and of tree-sitter.
    fn found_in(&self, text: &str) -> [BTreeSet<Vec<String>>; 2] {
        let mut parser = Parser::new();
        parser.set_language(&self.grammar).unwrap();
        let tree = parser.parse(text, None).unwrap();
        let (root, bytes) = (tree.root_node(), text.as_bytes());
        let describe = |captures: &[(CaptureId, tree_sitter::Node<'_>)]| -> Vec<String> {
            let line = |(name, node): &(CaptureId, tree_sitter::Node<'_>)| {
                format!("{} {node:?}", self.pattern_set.names[*name as usize])
            };
            captures.iter().map(line).collect()
        };
        let mut expected = BTreeSet::new();
        let mut engine = QueryCursor::new();
        let mut found = engine.matches(&self.whole, root, bytes);
        while let Some(one) = found.next() {
            let name = |index: u32| self.whole.capture_names()[index as usize];
            let place = |index: u32| self.pattern_set.names.iter().position(|n| n == name(index));
            let captures = one.captures().iter();
            let captures = captures.map(|c| (place(c.index).unwrap() as CaptureId, c.node));
            expected.insert(describe(&captures.collect::<Vec<_>>()));
        }
        drop(found);
        let mut seen = BTreeSet::new();
        let mut matcher = Matcher::new(&self.pattern_set, root, bytes);
        matcher.match_all(root, &mut |one| {
            seen.insert(describe(one));
        });
        [seen, expected]
    }

    fn check(&self, text: &str) {
        let [seen, expected] = self.found_in(text);
        assert_eq!(seen, expected, "in {text}");
    }
}

#[test]
fn queries_of_every_form_match_like_tree_sitter() {
    let rules = rules(crate::Language::TypeScript);
    for query in [
        "(identifier) @a",
        "(call_expression function: (_) @a arguments: (arguments . (_) @b))",
        "(arguments (_) @a . (_) @b)",
        "(arguments (_) @a (_) @b .)",
        "(arguments (identifier) . (_) @b)",
        "(arguments \"(\" . (_) @a)",
        "(arguments _ @a)",
        "(statement_block (_) (_) @a)",
        "[(string) (number)] @a",
        "(_ name: (identifier) @a) @b",
        "(class_body (method_definition name: (_) @a (_) @b))",
        "(class_declaration !type_parameters name: (_) @a) @b @c",
        "((identifier) @a (#any-of? @a \"f\" \"x\"))",
        "((identifier) @a (#not-eq? @a \"f\"))",
        "(array_pattern [(identifier) @a (assignment_pattern left: (_) @a)])",
    ] {
        let engines = BothEngines::new((rules.grammar)(), query);
        engines.check(LINES);
        LINES.lines().for_each(|line| engines.check(line));
    }
}

#[test]
fn queries_of_every_language_match_like_tree_sitter() {
    for engines in BothEngines::all_languages() {
        engines.check(LINES);
        LINES.lines().for_each(|line| engines.check(line));
    }
}

#[test]
fn matching_is_bounded_for_nodes_with_many_children() {
    let rules = rules(crate::Language::TypeScript);
    let engines = BothEngines::new((rules.grammar)(), "(array (identifier) @a)");
    engines.check(&format!("[{}]", "x,".repeat(20_000)));
    // All pairs would be two hundred million.
    let engines = BothEngines::new((rules.grammar)(), "(array (identifier) @a (identifier) @b)");
    let text = format!("[{}]", "x,".repeat(20_000));
    let mut parser = Parser::new();
    parser.set_language(&engines.grammar).unwrap();
    let tree = parser.parse(&text, None).unwrap();
    let mut matches = 0_usize;
    let mut matcher = Matcher::new(&engines.pattern_set, tree.root_node(), text.as_bytes());
    matcher.match_all(tree.root_node(), &mut |_| matches += 1);
    assert!((20_000..64 * text.len()).contains(&matches), "{matches}");
}

#[test]
fn invalid_and_unsupported_queries_are_refused() {
    let rules = rules(crate::Language::TypeScript);
    for query in [
        "(no_such_kind)",
        "(identifier",
        "(identifier))",
        "(identifier nothing: (_))",
        "(arguments [(identifier) (_) @a])",
        "(arguments (identifier)* @a)",
        "(arguments (_)? @a . (string) @b)",
        "((identifier) @a (#match? @a \"^[a-f]\"))",
        "(ERROR) @a",
        "(expression/identifier) @a",
        "(identifier) @a ((comment) (identifier)) @b",
        "((identifier) @a (#eq? @a \"\\x78\"))",
        "(string) @b (arguments (identifier)+ @a) @b",
    ] {
        assert!(PatternSet::new(&(rules.grammar)(), query).is_none(), "{query}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn broken_code_yields_at_least_the_matches_of_tree_sitter(
        pieces in prop::collection::vec((any::<prop::sample::Index>(), 0..80_usize, 0..200_usize), 1..12)
    ) {
        let lines: Vec<&str> = LINES.lines().collect();
        let cut = |(line, from, length): &(prop::sample::Index, usize, usize)| {
            lines[line.index(lines.len())].chars().skip(*from).take(*length).collect::<String>()
        };
        let text: Vec<String> = pieces.iter().map(cut).collect();
        let text = text.join("\n");
        for engines in BothEngines::all_languages() {
            let [seen, expected] = engines.found_in(&text);
            prop_assert!(expected.is_subset(&seen), "{expected:?} in {text}");
            // If the grammar allows a field only once, tree-sitter stops after the first. Only
            // broken code can have it twice.
            prop_assert!(seen == expected || engines.is_broken(&text), "{seen:?} in {text}");
        }
    }
}
