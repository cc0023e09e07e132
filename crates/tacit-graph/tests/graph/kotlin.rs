//! Resolves names in Kotlin, alone and together with Java.

use tacit_graph::{NodeKind, link};

use crate::{check_imports, check_uses, project};

#[test]
fn java_and_kotlin_see_each_other() {
    check_imports(
        r#"== app/build.gradle.kts
plugins { kotlin("jvm") }
== app/src/main/java/com/shop/Order.java
package com.shop;
import com.shop.util.Tool;
public class Order { Cart cart; }
== app/src/main/kotlin/com/shop/Cart.kt
package com.shop
import com.shop.util.help
import com.shop.util.Tool as T
import com.all.*
import com.shop.util.gone
import java.util.List
import com.shop.util.Color.RED
class Cart(val order: Order) { val one: One? = null; val written: com.full.Written = help() }
== app/src/main/kotlin/com/shop/util/Util.kt
package com.shop.util
fun help() {}
private fun hidden() {}
class Tool
enum class Color { RED }
== app/src/main/kotlin/com/all/All.kt
package com.all
class One
class Two
== app/src/main/kotlin/com/full/Written.kt
package com.full
class Written
== app/src/commonTest/kotlin/com/shop/CartTest.kt
package com.shop
class CartTest { val cart: Cart? = null }
"#,
        &[
            "app/src/commonTest/kotlin/com/shop/CartTest.kt -> app/src/main/kotlin/com/shop/Cart.kt",
            "app/src/main/java/com/shop/Order.java -> app/src/main/kotlin/com/shop/Cart.kt",
            "app/src/main/java/com/shop/Order.java -> app/src/main/kotlin/com/shop/util/Util.kt",
            "app/src/main/kotlin/com/shop/Cart.kt -> app/src/main/java/com/shop/Order.java",
            "app/src/main/kotlin/com/shop/Cart.kt -> app/src/main/kotlin/com/all/All.kt",
            "app/src/main/kotlin/com/shop/Cart.kt -> app/src/main/kotlin/com/full/Written.kt",
            "app/src/main/kotlin/com/shop/Cart.kt -> app/src/main/kotlin/com/shop/util/Util.kt",
            "app/src/main/kotlin/com/shop/Cart.kt ? com.shop.util: gone",
        ],
    );
}

#[test]
fn duplicate_types_resolve_within_their_module_only() {
    check_imports(
        r#"== a/build.gradle.kts
== a/src/main/kotlin/C.kt
package p
class Config
== a/src/main/kotlin/U.kt
package p
class User(val config: Config)
== b/build.gradle.kts
== b/src/main/kotlin/C.kt
package p
class Config
== c/build.gradle.kts
== c/src/main/kotlin/M.kt
package q
import p.Config
class Main(val config: Config)
"#,
        &["a/src/main/kotlin/U.kt -> a/src/main/kotlin/C.kt", "c/src/main/kotlin/M.kt ? p: Config"],
    );
}

#[test]
fn members_belong_to_the_visible_type() {
    check_uses(
        r#"== jvm/build.gradle.kts
== jvm/src/Executor.kt
package p
open class Loop { fun schedule() {} }
object Executor : Loop()
fun Executor.extra() {}
== jvm/src/Main.kt
package p
fun main() { Executor.schedule(); Executor.close() }
== native/build.gradle.kts
== native/src/Executor.kt
package p
object Executor {
    fun schedule() {}
    fun close() {}
}
== native/src/Main.kt
package p
fun other() { Executor.close() }
== far/build.gradle.kts
== far/src/Main.kt
package q
import p.Executor
fun far() { Executor.close() }
"#,
        &[
            "jvm/src/Executor.kt::Executor extends jvm/src/Executor.kt::Loop",
            "native/src/Main.kt::other calls native/src/Executor.kt::Executor.close",
        ],
    );
}

#[test]
fn qualified_super_calls_stay_unresolved() {
    check_uses(
        r#"== A.kt
package p
interface One { fun run() {} }
open class Two { open fun run() {} }
class Both : Two(), One { override fun run() { super<One>.run() } ; fun go() { super.toString() } }
"#,
        &["A.kt::Both extends A.kt::Two", "A.kt::Both implements A.kt::One"],
    );
}

#[test]
fn calls_follow_scopes_imports_packages_and_bases() {
    check_uses(
        r#"== Base.kt
package p
interface Shape { fun draw() {} }
abstract class Base<T> : Shape { fun run() {} }
object Single { fun go() {} }
fun free(x: Int) {}
private fun hidden() {}
== Tool.java
package q;
public class Tool { public static void make() {} }
== Cart.kt
package p
import q.Tool
import q.Tool as T
import ext.Single
class Cart<K>(val tool: Tool) : Base<K>(), Shape {
    companion object { fun of() = Cart<Int>(Tool()) }
    fun all(x: Cart<Int>) {
        helper(); this.helper(); super.run(); run(); draw(); free(1); hidden()
        Tool.make(); T.make(); Cart.of(); x.helper(); tool.use(); Single.go()
        listOf(1).forEach { helper() }
    }
    private fun helper() {}
}
class Unsure : External() { fun f() { free(1); Tool() } }
fun String.ext() { free(1) }
fun Cart<Int>.more() { all(this); free(1) }
fun plain() { ext(); p.free(2) }
fun applied(x: Int) { x.apply { free(1); Tool() } }
fun within(x: Int) { with(x) { free(1) } }
fun let(x: Int) { x.let { free(it) } }
class Named { fun apply() {} ; fun go() { Tool().apply { Single2() } ; made().apply { } } ; fun made() {} }
class Single2
"#,
        &[
            "Base.kt::Base implements Base.kt::Shape",
            "Cart.kt::Cart extends Base.kt::Base",
            "Cart.kt::Cart implements Base.kt::Shape",
            "Cart.kt::Cart.all calls Base.kt::Base.run",
            "Cart.kt::Cart.all calls Base.kt::Shape.draw",
            "Cart.kt::Cart.all calls Base.kt::free",
            "Cart.kt::Cart.all calls Cart.kt::Cart.helper",
            "Cart.kt::Cart.all calls Cart.kt::Cart.of",
            "Cart.kt::Cart.all calls Tool.java::Tool.make",
            "Cart.kt::Cart.more calls Base.kt::free",
            "Cart.kt::Cart.more calls Cart.kt::Cart.all",
            "Cart.kt::Cart.of calls Cart.kt::Cart",
            "Cart.kt::Cart.of calls Tool.java::Tool",
            // The receiver of the block is created outside it, and `apply` is the standard
            // function.
            "Cart.kt::Named.go calls Cart.kt::Named.made",
            "Cart.kt::Named.go calls Cart.kt::Single2",
            "Cart.kt::Named.go calls Tool.java::Tool",
            // `External` may have its own `free`, but cannot hide a class.
            "Cart.kt::Unsure.f calls Tool.java::Tool",
            // In a block of `apply` or `with`, the name could be a member of the receiver.
            "Cart.kt::applied calls Tool.java::Tool",
            "Cart.kt::let calls Base.kt::free",
            "Cart.kt::plain calls Base.kt::free",
        ],
    );
}

#[test]
fn tests_are_recognised_by_annotation_and_by_call() {
    let graph = link(
        &project(
            "== A.kt\nclass A {\n  @Test\n  fun one() {}\n  @ParameterizedTest(name = \"x\") fun two() {}\n\
             \x20 fun three() {}\n}\nclass B : StringSpec({ \"adds\" { x() } })\n\
             class C : FunSpec({ test(\"sums\") { y() } })\n",
        ),
        1,
    );
    let tests: Vec<&str> = { graph.nodes.iter() }
        .filter(|node| node.kind == NodeKind::Test)
        .map(|node| node.name.as_str())
        .collect();
    assert_eq!(tests, ["A.one", "A.two", "B.adds", "C.sums"]);
}

#[test]
fn local_definitions_hide_outer_ones() {
    check_uses(
        r#"== A.kt
package p
fun run() {}
class Line { fun go() {} }
open class Base { fun stop() {} }
== B.kt
package p
class Cart {
    fun all() {
        fun run() {}
        fun again() { run() }
        class Line : Base() { fun go() { go(); stop(); this.go() } }
        run()
        Line()
    }
    fun none() { run() }
}
"#,
        &[
            "B.kt::Cart.all calls B.kt::Cart.all.Line",
            "B.kt::Cart.all calls B.kt::Cart.all.run",
            "B.kt::Cart.all.Line extends A.kt::Base",
            "B.kt::Cart.all.Line.go calls A.kt::Base.stop",
            "B.kt::Cart.all.again calls B.kt::Cart.all.run",
            "B.kt::Cart.none calls A.kt::run",
        ],
    );
}

#[test]
fn anonymous_types_inherit_from_their_bases() {
    check_uses(
        r#"== A.kt
package p
fun start() {}
open class Known { fun held() {} }
class Line
class Cart {
    val field = object : Thread() {
        override fun run() { start(); own(); Line() }
        fun own() {}
    }
    fun all() {
        val one = object : Known(), Runnable {
            override fun one() { start(); held() }
        }
        val two = object : Known() {
            override fun two() { start(); held(); cart() }
        }
        val three = object {
            val x = 1
            fun three() { start() }
        }
        object : Thread() { fun run() { start() } }
        Thread().apply { this.cart(); cart(); start() }
    }
    fun cart() {}
}
"#,
        &[
            "A.kt::Cart.all.one calls A.kt::Known.held",
            "A.kt::Cart.all.three calls A.kt::start",
            "A.kt::Cart.all.two calls A.kt::Cart.cart",
            "A.kt::Cart.all.two calls A.kt::Known.held",
            "A.kt::Cart.all.two calls A.kt::start",
            "A.kt::Cart.run calls A.kt::Cart.own",
            "A.kt::Cart.run calls A.kt::Line",
        ],
    );
}

#[test]
fn member_values_hide_types_and_functions() {
    check_uses(
        r#"== A.kt
package p
object Log { fun write() {} }
object Row { fun write() {} }
class Pool { fun write() {} }
fun done() {}
fun ready() {}
open class Base(val Row: Pool) {
    val Log = Pool()
    val done: () -> Unit = {}
    class Inner
}
== B.kt
package p
class Cart : Base(Pool()) {
    fun all(log: Log) { Log.write(); Row.write(); done(); ready(); Inner(); Log() }
}
class Inner
"#,
        &[
            "A.kt::Base calls A.kt::Pool",
            "B.kt::Cart calls A.kt::Pool",
            "B.kt::Cart extends A.kt::Base",
            "B.kt::Cart.all calls A.kt::Base.Inner",
            "B.kt::Cart.all calls A.kt::ready",
        ],
    );
}

#[test]
fn class_literals_use_their_class() {
    check_imports(
        r#"== A.kt
package p
class One
class Two { fun run() {} }
== B.kt
package p
val one = One::class.java
== C.kt
package p
enum class Kind(val of: Any) { ONE(Two::class) }
== D.kt
package p
val run = Two::run
"#,
        &["B.kt -> A.kt", "C.kt -> A.kt", "D.kt -> A.kt"],
    );
}

#[test]
fn annotated_types_with_one_modifier_are_recognised() {
    let graph = link(
        &project(
            "== A.kt\npackage p\n\n@Keep\nsealed interface Held<T> {\n  val a: Int\n    get() = 1\n\n  fun go() {}\n}\n\n\
             @Keep\nprivate class Own<T> {\n  fun stop() {}\n}\nfun last() {}\n",
        ),
        1,
    );
    let nodes: Vec<(NodeKind, &str, u32)> = { graph.nodes.iter() }
        .map(|node| (node.kind, node.name.as_str(), node.line))
        .skip(1)
        .collect();
    assert_eq!(
        nodes,
        [
            (NodeKind::Interface, "Held", 3),
            (NodeKind::Function, "Held.go", 8),
            (NodeKind::Class, "Own", 11),
            (NodeKind::Function, "Own.stop", 13),
            (NodeKind::Function, "last", 15),
        ]
    );
    assert_eq!(graph.files[0].error_line, None);
    let exported: Vec<u32> = { graph.edges.iter() }.map(|edge| edge.line).collect();
    assert_eq!(exported, [3, 15], "what is private is not exported");
}
