//! Resolves names in Scala, alone and together with Java.

use tacit_graph::{NodeKind, link};

use crate::{check_imports, check_uses, project};

#[test]
fn imports_resolve_from_the_root_and_enclosing_packages() {
    check_imports(
        r#"== build.sbt
name := "shop"
== src/main/scala/Cart.scala
package com.shop
package web
import com.shop.util.{Tool, Other => O, Hidden => _}
import model.Line
import data._, scala.collection.mutable
import mutable.Map
import com.shop.util.Gone
import com.shop.far
import far.Away
import java.util.{List => JList}
class Cart(line: Line, row: Row, order: Order, outer: Outer, tool: O)
== src/main/scala/Util.scala
package com.shop.util
class Tool
class Other
class Hidden
== src/main/scala/Model.scala
package com.shop.web.model
class Line
== src/main/scala/Data.scala
package com.shop.data
class Row
== src/main/scala/Far.scala
package com.shop.far
class Away
== src/main/scala/Outer.scala
package com.shop
class Outer
== src/main/java/Order.java
package com.shop.web;
public class Order { Cart cart; }
== src/main/scala/Single.scala
package com.shop.single
import util.Tool
import model.Line
class Single(outer: Outer)
"#,
        &[
            "src/main/java/Order.java -> src/main/scala/Cart.scala",
            "src/main/scala/Cart.scala -> src/main/java/Order.java",
            "src/main/scala/Cart.scala -> src/main/scala/Data.scala",
            "src/main/scala/Cart.scala -> src/main/scala/Far.scala",
            "src/main/scala/Cart.scala -> src/main/scala/Model.scala",
            "src/main/scala/Cart.scala -> src/main/scala/Outer.scala",
            "src/main/scala/Cart.scala -> src/main/scala/Util.scala",
            "src/main/scala/Cart.scala ? com.shop.util: Gone",
        ],
    );
}

#[test]
fn enclosing_packages_only_provide_existing_names() {
    check_imports(
        r#"== src/main/scala/package.scala
package com
package object shop { val limit = 3; class Held }
== src/main/scala/Block.scala
package com.shop { class Boxed }
== src/main/scala/Cart.scala
package com.shop
import java.net.URL
import scala.reflect.runtime.universe._
class Cart
== src/main/scala/Main.scala
package com.main
import com.shop.Held
import com.shop.Boxed
class Main
"#,
        &[
            "src/main/scala/Main.scala -> src/main/scala/Block.scala",
            "src/main/scala/Main.scala -> src/main/scala/package.scala",
        ],
    );
}

#[test]
fn naming_a_package_does_not_use_its_package_object() {
    check_imports(
        r#"== src/main/scala/package.scala
package com
package object shop { def Tool(x: Int): Tool = null }
== src/main/scala/Tool.scala
package com.shop
trait Tool
== src/main/scala/deep/Set.scala
package com.shop.deep
object Set { def empty = 1 }
== src/main/scala/Main.scala
package main
object Main { val a = com.shop.deep.Set.empty; val b = com.shop }
== src/main/scala/User.scala
package user
import com.shop.Tool
class User(tool: Tool)
"#,
        &["src/main/scala/User.scala -> src/main/scala/Tool.scala"],
    );
}

#[test]
fn programs_without_a_package_do_not_see_each_other() {
    check_imports(
        r#"== build.sbt
name := "samples"
== test/run/a.scala
object Test { case class Held(x: Int); class Whole }
class Alone
== test/run/b.scala
object Test { def f(x: Held): Alone = null }
== test/run/c.scala
object Other { def f(x: Test.Whole): Alone = null }
== test/pos/d.scala
class Part
== test/pos/e.scala
class Uses(part: Part, alone: Alone)
== src/main/scala/Top.scala
class Top
== src/test/scala/TopTest.scala
class TopTest(top: Top)
"#,
        &[
            "src/test/scala/TopTest.scala -> src/main/scala/Top.scala",
            "test/pos/e.scala -> test/pos/d.scala",
        ],
    );
}

#[test]
fn calls_follow_scopes_imports_objects_and_bases() {
    check_uses(
        r#"== Base.scala
package p
trait Shape { def draw(): Unit = () }
abstract class Base[T](x: Int) extends Shape { def run(): Unit = () }
object Tool { def make(x: Int): Int = x ; class Inner }
== Cart.scala
package q
import p.{Base, Shape}
import p.Tool._
import ext.Line
class Cart[K](val tool: Int) extends Base[K](tool) with Shape with ext.Mix {
  def all(other: Cart[Int]): Unit = {
    helper(); this.helper(); super.run(); run()
    p.Tool.make(1); new Inner; Cart.of(1); other.helper(); tool.use(); Line.of()
    make(1)
  }
  private def helper(): Unit = ()
}
object Cart { def of(x: Int) = new Cart[Int](x) }
object Free { def f(): Unit = make(1) }
class Line
"#,
        &[
            "Base.scala::Base implements Base.scala::Shape",
            "Cart.scala::Cart extends Base.scala::Base",
            "Cart.scala::Cart implements Base.scala::Shape",
            "Cart.scala::Cart.all calls Base.scala::Base.run",
            "Cart.scala::Cart.all calls Base.scala::Tool.Inner",
            "Cart.scala::Cart.all calls Base.scala::Tool.make",
            "Cart.scala::Cart.all calls Cart.scala::Cart.helper",
            "Cart.scala::Cart.all calls Cart.scala::Cart.of",
            "Cart.scala::Cart.of calls Cart.scala::Cart",
            "Cart.scala::Free.f calls Base.scala::Tool.make",
        ],
    );
}

#[test]
fn tests_are_recognised_by_call() {
    let graph = link(
        &project(
            "== A.scala\nclass A extends munit.FunSuite { test(\"adds\") { f() } }\n\
             class B extends AnyFlatSpec { \"A cart\" should \"sum\" in { g() } }\n\
             class C extends AnyWordSpec { \"It\" should { \"work\" in { h() } } }\n",
        ),
        1,
    );
    let tests: Vec<&str> = { graph.nodes.iter() }
        .filter(|node| node.kind == NodeKind::Test)
        .map(|node| node.name.as_str())
        .collect();
    assert_eq!(tests, ["A.adds", "B.sum", "C.It", "C.It.work"]);
}

#[test]
fn local_and_inherited_names_hide_outer_ones() {
    check_uses(
        r#"== A.scala
package p
object Log { def run() = 1 }
class Pool { def run() = 1 }
trait Base { def tr() = 1; val Log = new Pool; def Row = new Pool }
object Row { def run() = 1 }
class Use extends Base {
  def local() = { def tr() = 3; tr() }
  def value() = Log.run()
  def method() = Row.run()
  def thread() = new Thread { override def run() = start() }
  def several() = new Base with Runnable { def run() = { tr(); start() } }
  def known() = new Base { def go() = { tr(); start() } }
  def start() = 1
}
"#,
        &[
            "A.scala::Base calls A.scala::Pool",
            "A.scala::Base.Row calls A.scala::Pool",
            "A.scala::Use implements A.scala::Base",
            "A.scala::Use.known calls A.scala::Base",
            "A.scala::Use.known.go calls A.scala::Base.tr",
            "A.scala::Use.known.go calls A.scala::Use.start",
            "A.scala::Use.local calls A.scala::Use.local.tr",
            "A.scala::Use.several.run calls A.scala::Base.tr",
        ],
    );
}

#[test]
fn types_resolve_to_the_class_and_not_its_companion() {
    let graph = link(
        &project(
            "== A.scala\npackage p\nobject Stack {\n  def of() = new Stack\n}\nclass Stack {\n  def of() = 1\n}\n\
             == B.scala\npackage p\nclass Mine extends Stack\n",
        ),
        1,
    );
    let mut lines: Vec<(&str, u32)> = { graph.edges.iter() }
        .filter(|edge| graph.nodes[edge.to as usize].name == "Stack")
        .filter(|edge| edge.kind.as_str() != "exports")
        .map(|edge| (edge.kind.as_str(), graph.nodes[edge.to as usize].line))
        .collect();
    lines.sort_unstable();
    assert_eq!(lines, [("calls", 5), ("extends", 5), ("imports", 5)]);
}

#[test]
fn companions_do_not_share_members() {
    let graph = link(
        &project(
            "== A.scala\npackage p\nclass Stack {\n  def of() = 1\n  def all() = { of(); make() }\n}\nobject Stack {\n\
             \x20 def of() = 2\n  def make() = of()\n  def only() = 3\n}\n\
             == B.scala\npackage p\nclass Mine extends Stack {\n  def mine() = { of(); only(); Stack.of() }\n}\n\
             == C.scala\npackage p\nobject Row { def next() = 1 }\nclass Row { import Row._; def go() = next() }\n\
             == D.scala\npackage p\ntrait Maker { def made() = 1 }\nclass Cell extends Row\nobject Cell extends Maker { def all() = made() }\n",
        ),
        1,
    );
    let mut lines: Vec<(&str, &str, u32)> = { graph.edges.iter() }
        .filter(|edge| edge.kind.as_str() == "calls")
        .map(|edge| (edge.from, &graph.nodes[edge.to as usize]))
        .map(|(from, to)| (graph.nodes[from as usize].name.as_str(), to.name.as_str(), to.line))
        .collect();
    lines.sort_unstable();
    assert_eq!(
        lines,
        [
            ("Cell.all", "Maker.made", 2),
            ("Mine.mine", "Stack.of", 3),
            ("Mine.mine", "Stack.of", 7),
            ("Row.go", "Row.next", 2),
            ("Stack.all", "Stack.of", 3),
            ("Stack.make", "Stack.of", 7),
        ]
    );
}
