//! Resolves names in C++: namespaces, classes, and declarations with definitions in other files.

use tacit_graph::{NodeKind, link};

use crate::{check_imports, check_uses, project};

#[test]
fn includes_resolve_as_in_c() {
    check_imports(
        r#"== include/shop/cart.hpp
== include/shop/old.h
namespace shop { class Old; }
== src/cart.cpp
#include "shop/cart.hpp"
#include <shop/old.h>
#include <vector>
#include "gone.hpp"
"#,
        &[
            "src/cart.cpp -> include/shop/cart.hpp",
            "src/cart.cpp -> include/shop/old.h",
            "src/cart.cpp ? gone.hpp",
        ],
    );
}

#[test]
fn members_resolve_to_their_definitions() {
    check_uses(
        r#"== cart.h
#pragma once
namespace shop {
class Base { public: virtual ~Base(); void log(); };
template <typename T> class Holder {};
class Cart : public Base, private Holder<int>, std::exception {
 public:
  Cart();
  static Cart* make();
  void add(int x);
  int sum() const { return add_up(); }
  int add_up() const;
};
void free_one(int x);
}
== cart.cpp
#include "cart.h"
namespace shop {
namespace { int hidden() { return 1; } }
Cart::Cart() {}
Cart* Cart::make() { return new Cart(); }
void Cart::add(int x) { this->sum(); sum(); free_one(x); hidden(); log(); x.run(); }
int Cart::add_up() const { return 1; }
void free_one(int x) {}
void Base::log() {}
}
== main.cpp
#include "cart.h"
using shop::free_one;
int main() {
  shop::Cart::make();
  ::shop::Cart::make();
  free_one(1);
  std::move(1);
  std::make_unique<shop::Cart>();
  Cart::make();
}
"#,
        &[
            // `free_one` and `hidden` could be members of `std::exception`, which is unknown here.
            "cart.cpp::shop.Cart.add calls cart.cpp::shop.Base.log",
            "cart.cpp::shop.Cart.add calls cart.h::shop.Cart.sum",
            "cart.cpp::shop.Cart.make calls cart.cpp::shop.Cart.Cart",
            "cart.h::shop.Cart extends cart.h::shop.Base",
            "cart.h::shop.Cart extends cart.h::shop.Holder",
            "cart.h::shop.Cart.sum calls cart.cpp::shop.Cart.add_up",
            "main.cpp::main calls cart.cpp::shop.Cart.make",
            "main.cpp::main calls cart.cpp::shop.free_one",
        ],
    );
}

#[test]
fn names_are_searched_in_enclosing_namespaces_only() {
    check_uses(
        r#"== a.hpp
namespace one { void f(); namespace inner { void g(); } }
namespace two { void f(); }
void root();
== a.cc
#include "a.hpp"
namespace one { void f() {} namespace inner { void g() {} } }
namespace two { void f() {} }
void root() {}
== use.cc
#include "a.hpp"
namespace one { void near() { f(); inner::g(); root(); } }
void none() { f(); inner::g(); }
== both.cc
#include "a.hpp"
using namespace one;
using namespace two;
void both() { f(); inner::g(); }
== blind.cc
namespace one { void f(); void h() { g(); two::f(); } }
"#,
        &[
            "both.cc::both calls a.cc::one.inner.g",
            "use.cc::one.near calls a.cc::one.f",
            "use.cc::one.near calls a.cc::one.inner.g",
            "use.cc::one.near calls a.cc::root",
        ],
    );
}

#[test]
fn tests_are_recognised_by_their_macros() {
    let graph = link(
        &project(
            "== a.cc\nTEST(Cart, Adds) { f(); }\nTEST_F(Cart, Sums) {}\nTEST_CASE(\"works\", \"[x]\") { g(); }\n",
        ),
        1,
    );
    let tests: Vec<&str> = graph
        .nodes
        .iter()
        .filter(|node| node.kind == NodeKind::Test)
        .map(|node| node.name.as_str())
        .collect();
    assert_eq!(tests, ["Cart.Adds", "Cart.Sums", "works"]);
}

#[test]
fn cyclic_base_classes_terminate() {
    check_uses(
        r#"== a.hpp
class A : public B, public C { void f() { g(); this->h(); } };
class B : public A, public C {};
class C : public A, public B { void h() {} };
"#,
        &[
            "a.hpp::A extends a.hpp::B",
            "a.hpp::A extends a.hpp::C",
            "a.hpp::A.f calls a.hpp::C.h",
            "a.hpp::B extends a.hpp::A",
            "a.hpp::B extends a.hpp::C",
            "a.hpp::C extends a.hpp::A",
            "a.hpp::C extends a.hpp::B",
        ],
    );
}

#[test]
fn values_hide_classes_of_their_name() {
    let header = "class pool { public: static void st(); void run(); };\n\
        class other { public: void run(); };\nvoid cb();\n\
        struct mem { other pool; other *p; void (*cb)(); void l() { BODY } void m(); };\n\
        struct none { void l(); };\n";
    let source = "#include \"pool.hpp\"\nvoid pool::st() {}\nvoid pool::run() {}\nvoid other::run() {}\nvoid cb() {}\n";
    for (inside, rest, expected) in [
        ("pool.run(); cb();", "", &[][..]),
        ("", "void mem::m() { pool.run(); cb(); }", &[]),
        (
            "",
            "void none::l() { cb(); pool::st(); }",
            &["none.l calls pool.cpp::cb", "none.l calls pool.cpp::pool.st"],
        ),
        ("", "void f() { other pool(data); pool.run(); }", &[]),
        ("", "void f() { other<char> pool(data, sizeof(data)); pool.run(); }", &[]),
        ("", "void f() { void cb(); cb(); }", &["f calls pool.cpp::cb"]),
        ("", "TEST(S, one) { other<char> pool(data, sizeof(data)); pool.run(); }", &[]),
        (
            "",
            "TEST_CASE(\"one\") { other pool(1, 2); pool.run(); SECTION(\"x\") { pool.run(); } cb(); }",
            &["one calls pool.cpp::cb"],
        ),
    ] {
        let text = format!(
            "== pool.hpp\n{}\n== pool.cpp\n{source}== use.cpp\n#include \"pool.hpp\"\n{rest}\n",
            header.replace("BODY", inside)
        );
        let expected: Vec<String> =
            expected.iter().map(|line| format!("use.cpp::{line}")).collect();
        check_uses(&text, &expected.iter().map(String::as_str).collect::<Vec<_>>());
    }
}

#[test]
fn template_parameters_hide_classes_of_their_name() {
    let header = "== c.hpp\nclass T { public: static void run(); };\nvoid free_fn();\n\
        == c.cpp\n#include \"c.hpp\"\nvoid T::run() {}\nvoid free_fn() {}\n";
    for (text, expected) in [
        ("template <class T> void f() { T::run(); }", &[][..]),
        ("template <typename T = int> void f() { T::run(); }", &[]),
        ("template <class... T> struct W { void z() { T::run(); } };", &[]),
        // An unknown base may have any member.
        ("template <typename T> struct W : T { void z() { T::run(); free_fn(); } };", &[]),
        (
            "template <class U> void f() { T::run(); }\nstruct W : T {};",
            &["d.cpp::W extends c.hpp::T", "d.cpp::f calls c.cpp::T.run"],
        ),
        (
            "template <class T> void f() {}\nvoid g() { T::run(); }",
            &["d.cpp::g calls c.cpp::T.run"],
        ),
    ] {
        check_uses(&format!("{header}== d.cpp\n#include \"c.hpp\"\n{text}\n"), expected);
    }
}
