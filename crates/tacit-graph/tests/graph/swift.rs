//! What names mean in Swift: targets of packages, and what they export.

use tacit_graph::{NodeKind, link};

use crate::{check_imports, check_uses, project};

#[test]
fn targets_are_modules() {
    check_imports(
        r#"== Package.swift
let package = Package(name: "Shop", targets: [
    .target(name: "Core"),
    .target(name: "Web", dependencies: ["Core"], path: "Other"),
    .testTarget(name: "CoreTests", dependencies: ["Core"]),
])
== Sources/Core/Order.swift
public struct Order { let line: Line }
struct Hidden {}
== Sources/Core/Deep/Line.swift
import Foundation
struct Line {}
fileprivate struct Own {}
== Other/App.swift
import Core
import Gone
class App { let order: Order; let hidden: Hidden; let line: Line }
== Other/Blind.swift
class Blind { let order: Order; let own: Own }
== Tests/CoreTests/OrderTests.swift
@testable import Core
class OrderTests { let hidden: Hidden; let order: Order }
== Loose/A.swift
import Core
class A { let order: Order; let b: B }
== Loose/B.swift
class B {}
"#,
        &[
            "Loose/A.swift ? the module it belongs to",
            "Loose/B.swift ? the module it belongs to",
            "Other/App.swift -> Sources/Core/Order.swift",
            "Sources/Core/Order.swift -> Sources/Core/Deep/Line.swift",
            "Tests/CoreTests/OrderTests.swift -> Sources/Core/Order.swift",
        ],
    );
}

#[test]
fn calls_follow_scopes_extensions_and_bases() {
    check_uses(
        r#"== Package.swift
let package = Package(name: "Shop", targets: [.target(name: "Core")])
== Sources/Core/Base.swift
protocol Shape { func draw() }
class Base<T>: Shape { func run() {} ; func draw() {} }
func free(_ x: Int) {}
private func hidden() {}
struct Twice {}
== Sources/Core/Other.swift
struct Twice {}
== Sources/Core/Cart.swift
class Cart<K>: Base<K>, Shape {
    let line: Line
    init(y: Int) {
        helper()
        self.helper()
        super.run()
        run()
        Line.of(1)
        line.go()
        free(1)
        hidden()
        print("x")
        _ = Twice()
        added()
    }
    private func helper() {}
    static func make() -> Cart { return Cart(y: 1) }
}
struct Line { static func of(_ x: Int) {} }
class Unsure: External {
    func f() {
        free(1)
        _ = Line()
    }
}
== Sources/Core/Cart+More.swift
extension Cart: Extra {
    func added() {
        run()
        free(2)
    }
}
protocol Extra {}
extension String {
    func ext() { free(3) }
}
"#,
        &[
            "Sources/Core/Base.swift::Base implements Sources/Core/Base.swift::Shape",
            "Sources/Core/Cart+More.swift::Cart.added calls Sources/Core/Base.swift::Base.run",
            "Sources/Core/Cart+More.swift::Cart.added calls Sources/Core/Base.swift::free",
            "Sources/Core/Cart.swift::Cart extends Sources/Core/Base.swift::Base",
            "Sources/Core/Cart.swift::Cart implements Sources/Core/Base.swift::Shape",
            "Sources/Core/Cart.swift::Cart implements Sources/Core/Cart+More.swift::Extra",
            "Sources/Core/Cart.swift::Cart.init calls Sources/Core/Base.swift::Base.run",
            "Sources/Core/Cart.swift::Cart.init calls Sources/Core/Base.swift::free",
            "Sources/Core/Cart.swift::Cart.init calls Sources/Core/Cart+More.swift::Cart.added",
            "Sources/Core/Cart.swift::Cart.init calls Sources/Core/Cart.swift::Cart.helper",
            "Sources/Core/Cart.swift::Cart.init calls Sources/Core/Cart.swift::Line.of",
            "Sources/Core/Cart.swift::Cart.make calls Sources/Core/Cart.swift::Cart",
            "Sources/Core/Cart.swift::Unsure.f calls Sources/Core/Cart.swift::Line",
        ],
    );
}

#[test]
fn tests_are_known_by_name_and_attribute() {
    let graph = link(
        &project(
            "== A.swift\nclass A: XCTestCase {\n  func testOne() {}\n  func testable() {}\n  func two() {}\n}\n\
             @Test func three() {}\n@Test(\"named\") func four() {}\n",
        ),
        1,
    );
    let tests: Vec<&str> = { graph.nodes.iter() }
        .filter(|node| node.kind == NodeKind::Test)
        .map(|node| node.name.as_str())
        .collect();
    assert_eq!(tests, ["A.testOne", "three", "four"]);
}

#[test]
fn what_is_defined_inside_comes_before_what_is_outside() {
    check_uses(
        r#"== Package.swift
let package = Package(name: "Shop", targets: [.target(name: "Core")])
== Sources/Core/A.swift
func start() {}
struct Pool { static func make() {} }
class Base { let Pool: Int = 1 }
== Sources/Core/B.swift
class Use: Base {
    func local() { func start() {}; start() }
    func value() { Pool.make() }
    func plain() { start() }
}
"#,
        &[
            "Sources/Core/B.swift::Use extends Sources/Core/A.swift::Base",
            "Sources/Core/B.swift::Use.local calls Sources/Core/B.swift::Use.local.start",
            "Sources/Core/B.swift::Use.plain calls Sources/Core/A.swift::start",
        ],
    );
}

#[test]
fn types_that_others_choose_are_no_types_of_the_project() {
    check_imports(
        r#"== Package.swift
let package = Package(name: "Shop", targets: [.target(name: "Core")])
== Sources/Core/A.swift
struct Key {}
struct Row {}
== Sources/Core/Proto.swift
protocol Store { associatedtype Key; func key() -> Key }
== Sources/Core/Impl.swift
class Mine: Store { func key() -> Key { fatalError() } }
== Sources/Core/Box.swift
struct Box<Row> { let row: Row }
== Sources/Core/BoxMore.swift
extension Box { func all() -> Row { row } }
== Sources/Core/Path.swift
let path = \Key.description
"#,
        &[
            "Sources/Core/BoxMore.swift -> Sources/Core/Box.swift",
            "Sources/Core/Impl.swift -> Sources/Core/Proto.swift",
            "Sources/Core/Path.swift -> Sources/Core/A.swift",
        ],
    );
}
