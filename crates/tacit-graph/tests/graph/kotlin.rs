//! What names mean in Kotlin, alone and beside Java.

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
fn what_two_modules_have_is_the_one_of_the_own_or_none() {
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
fn members_are_those_of_the_type_that_is_meant() {
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
fn a_base_that_is_named_is_not_just_any_base() {
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
            // The object of the block is made outside of it, and no function called `apply` is meant.
            "Cart.kt::Named.go calls Cart.kt::Named.made",
            "Cart.kt::Named.go calls Cart.kt::Single2",
            "Cart.kt::Named.go calls Tool.java::Tool",
            // Whether `External` has a `free` of its own is not known; a class it cannot hide.
            "Cart.kt::Unsure.f calls Tool.java::Tool",
            // In the block of `apply` and `with` it could be a member of the object.
            "Cart.kt::applied calls Tool.java::Tool",
            "Cart.kt::let calls Base.kt::free",
            "Cart.kt::plain calls Base.kt::free",
        ],
    );
}

#[test]
fn tests_are_known_by_annotations_and_by_what_defines_them() {
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
