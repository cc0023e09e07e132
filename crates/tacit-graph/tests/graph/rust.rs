//! What Rust imports mean.

use tacit_graph::{Extractor, Language, SourceText};

use crate::{check_imports, check_uses};

#[test]
fn modules_are_found_where_the_compiler_looks() {
    check_imports(
        r#"== Cargo.toml
[package]
name = "shop"
== src/lib.rs
mod a;
pub mod b;
mod gone;
#[path = "elsewhere/odd.rs"]
mod odd;
mod inline {
    mod inner;
}
== src/a.rs
mod child;
use crate::b::Thing;
use super::b::deep::{self, Other as Renamed, nested::*};
use std::collections::HashMap;
== src/a/child.rs
use super::super::b;
== src/b/mod.rs
pub mod deep;
== src/b/deep.rs
pub mod nested { pub fn f() {} }
== src/elsewhere/odd.rs
== src/inline/inner.rs
== src/stray.rs
use crate::a;
"#,
        &[
            "src/a.rs -> src/a/child.rs",
            "src/a.rs -> src/b/deep.rs",
            "src/a.rs -> src/b/mod.rs",
            "src/a/child.rs -> src/b/mod.rs",
            "src/b/mod.rs -> src/b/deep.rs",
            "src/lib.rs -> src/a.rs",
            "src/lib.rs -> src/b/mod.rs",
            "src/lib.rs -> src/elsewhere/odd.rs",
            "src/lib.rs -> src/inline/inner.rs",
            "src/lib.rs ? gone",
            "src/stray.rs ? crate: a",
        ],
    );
}

#[test]
fn macros_pass_items_on() {
    check_imports(
        r#"== Cargo.toml
[package]
name = "shop"
== src/lib.rs
cfg_net! {
    pub mod tcp;
    mod gone;
}
cfg_if! { if #[cfg(unix)] { mod unix; } else { mod other; } }
fn f() { call! { mod no; } }
== src/tcp.rs
cfg_rt! { use crate::f; }
== src/no.rs
== src/unix.rs
== src/other/mod.rs
"#,
        &[
            "src/lib.rs -> src/other/mod.rs",
            "src/lib.rs -> src/tcp.rs",
            "src/lib.rs -> src/unix.rs",
            "src/lib.rs ? gone",
            "src/tcp.rs -> src/lib.rs",
        ],
    );
}

#[test]
fn crates_of_the_workspace_are_those_that_the_manifest_names() {
    check_imports(
        r#"== Cargo.toml
[workspace]
members = ["core", "app", "tools"]
== core/Cargo.toml
[package]
name = "shop-core"
== core/src/lib.rs
pub mod order;
== core/src/order.rs
pub struct Order;
== app/Cargo.toml
[package]
name = "app"
[dependencies]
shop-core = { path = "../core" }
kit = { package = "tools", path = "../tools" }
== app/src/main.rs
use shop_core::order::Order;
use kit::help;
fn main() { shop_core::order::make(); }
== app/tests/story.rs
use shop_core::order;
== tools/Cargo.toml
[package]
name = "tools"
[lib]
path = "lib.rs"
== tools/lib.rs
use shop_core::order;
pub fn help() {}
== tools/examples/show.rs
use tools::help;
"#,
        &[
            "app/src/main.rs -> core/src/order.rs",
            "app/src/main.rs -> tools/lib.rs",
            "app/tests/story.rs -> core/src/order.rs",
            "core/src/lib.rs -> core/src/order.rs",
            "tools/examples/show.rs -> tools/lib.rs",
        ],
    );
}

#[test]
fn calls_and_traits_follow_paths_scopes_and_uses() {
    check_uses(
        r#"== Cargo.toml
[package]
name = "shop"
== src/lib.rs
mod a;
pub use a::Cart as Basket;
pub trait Show { fn show(&self); }
pub fn helper() {}
mod tests {
    use super::*;
    #[test]
    fn it_works() { helper(); super::helper(); }
}
== src/a.rs
use crate::{Show, helper as help};
pub struct Cart;
impl Cart {
    pub fn new() -> Cart { Cart }
    pub fn total(&self) { self.sum(); Self::new(); help(); self.gone(); }
    fn sum(&self) { crate::helper(); let help = 1; help(); }
}
impl Show for Cart { fn show(&self) { other().sum(); } }
fn shadow(help: fn()) { help() }
== src/main.rs
use shop::Basket;
fn main() { Basket::new(); println!("x"); unknown(); }
"#,
        &[
            "src/a.rs::Cart implements src/lib.rs::Show",
            "src/a.rs::Cart.sum calls src/lib.rs::helper",
            "src/a.rs::Cart.total calls src/a.rs::Cart.new",
            "src/a.rs::Cart.total calls src/a.rs::Cart.sum",
            "src/a.rs::Cart.total calls src/lib.rs::helper",
            "src/lib.rs::tests.it_works calls src/lib.rs::helper",
            "src/main.rs::main calls src/a.rs::Cart.new",
        ],
    );
}

#[test]
fn arguments_of_known_macros_are_expressions() {
    for (body, called) in [
        ("assert_eq!(crate::a::run(), 1);", &["run"][..]),
        ("println!(\"{} {x}\", a::show(), x = run());", &["run", "show"]),
        ("vec![run(); 2]; vec![1, a::show()]", &["run", "show"]),
        (
            "assert!(matches!(run(), a::Kind(_)), \"{}\", format!(\"{}\", a::show()));",
            &["run", "show"],
        ),
        ("tracing::info!(target: \"x\", %x, id = ?run(), \"{}\", a::show());", &["run", "show"]),
        ("assert!(list.iter().all(|run| run()));", &[]),
        ("let run = 3; dbg!(run());", &[]),
        ("assert!(x.run(), \"run()\"); // run()", &[]),
        ("quote! { run() }; other!(run());", &[]),
        ("assert!(match x { Some(run) => run(), None => a::show() });", &["show"]),
    ] {
        let text = format!(
            "== Cargo.toml\n[package]\nname = \"shop\"\n== src/lib.rs\nmod a;\nuse a::run;\n\
             fn f(x: X) {{ {body} }}\n\
             == src/a.rs\npub struct Kind(u32);\npub fn run() {{}}\npub fn show() {{}}\n"
        );
        let expected: Vec<String> =
            called.iter().map(|name| format!("src/lib.rs::f calls src/a.rs::{name}")).collect();
        check_uses(&text, &expected.iter().map(String::as_str).collect::<Vec<_>>());
    }
}

#[test]
fn what_macros_call_is_on_its_line() {
    let text = "fn f() {\n    assert!(\n        true,\n        \"é {}\",\n        format!(\n            \"{}\", g())\n    );\n}\nfn g() {}\n";
    let source = SourceText::new(text.as_bytes());
    let facts = Extractor::default().extract(Language::Rust, &source).unwrap();
    let call = facts.references.iter().find(|one| one.path == ["g"]).unwrap();
    assert_eq!((call.line, call.from), (6, Some(0)));
}

#[test]
fn what_is_used_inside_a_function_is_known_there_alone() {
    for (text, called) in [
        ("fn f() { use crate::a::run; run() } fn g() { run() }", &["f calls src/a.rs::run"][..]),
        (
            "fn f() { { use crate::a::drop; drop(); } } fn g() { drop(1) }",
            &["f calls src/a.rs::drop"],
        ),
        ("fn f() { use crate::a::*; run() } fn g() { run() }", &["f calls src/a.rs::run"]),
        (
            "fn f() { use crate::b::run; run() } use crate::a::run; fn g() { run() }",
            &["f calls src/b.rs::run", "g calls src/a.rs::run"],
        ),
        ("fn f() { use std::mem::run; run() } use crate::a::run;", &[]),
        (
            "fn f() { use crate::a; fn g() { a::run() } } fn h() { b::run() }",
            &["f.g calls src/a.rs::run"],
        ),
        (
            "mod m { use crate::a::run; fn f() { run() } } mod n { use crate::b::run; fn f() { run() } }",
            &["m.f calls src/a.rs::run", "n.f calls src/b.rs::run"],
        ),
        (
            "mod m { use super::*; fn f() { run() } } use crate::a::run;",
            &["m.f calls src/a.rs::run"],
        ),
        ("fn f() { use crate::pre::Thing; Thing::new() }", &["f calls src/a.rs::Thing.new"]),
        ("use crate::all::*; fn f() { run() }", &["f calls src/b.rs::run"]),
    ] {
        let text = format!(
            "== Cargo.toml\n[package]\nname = \"shop\"\n== src/lib.rs\nmod a;\nmod b;\nmod c;\n\
             pub mod pre {{ pub use crate::a::Thing; }}\npub mod all {{ pub use crate::b::*; }}\n\
             == src/a.rs\npub fn run() {{}}\npub fn drop() {{}}\npub struct Thing;\n\
             impl Thing {{ pub fn new() {{}} }}\n== src/b.rs\npub fn run() {{}}\n\
             == src/c.rs\n{text}\n"
        );
        let expected: Vec<String> = called.iter().map(|line| format!("src/c.rs::{line}")).collect();
        check_uses(&text, &expected.iter().map(String::as_str).collect::<Vec<_>>());
    }
}
