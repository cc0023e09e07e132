//! C++: what C has, with namespaces, classes and `using`. Members that are defined outside of their
//! class are named with it.

use tree_sitter::Node;

use super::{Rules, c, import_by_path};
use crate::SourceText;
use crate::extract::line;
use crate::facts::{DefinitionKind, FileFacts};
use crate::skip::is_listed;

pub(crate) static RULES: Rules = Rules {
    grammar: || tree_sitter_cpp::LANGUAGE.into(),
    query: concat!(include_str!("../c/queries.scm"), include_str!("queries.scm")),
    import,
    name,
    exported: |node, _, source| !c::is_static(node, source) || is_member(node),
    refine: |node, _, kind, source| {
        if kind == DefinitionKind::Function && is_test(declared(node, source).as_str()) {
            DefinitionKind::Test
        } else {
            kind
        }
    },
};

/// Macros with which frameworks define tests as if they were functions.
fn is_test(name: &str) -> bool {
    let macros = "TEST TEST_F TEST_P TYPED_TEST TYPED_TEST_P FRIEND_TEST BOOST_AUTO_TEST_CASE \
        BOOST_FIXTURE_TEST_CASE";
    is_listed(macros, name)
}

/// What is written in front of the arguments of a function without a type.
fn declared(node: Node<'_>, source: &SourceText<'_>) -> String {
    let declarator = node.child_by_field_name("declarator");
    let name = declarator.and_then(|inner| inner.child_by_field_name("declarator"));
    name.map_or(String::new(), |name| source.text(name).to_owned())
}

/// `static` inside a class says nothing about files.
fn is_member(node: Node<'_>) -> bool {
    node.child_by_field_name("declarator")
        .and_then(|inner| inner.child_by_field_name("declarator"))
        .is_some_and(|name| name.kind() == "field_identifier")
}

fn name(node: Node<'_>, name: String, source: &SourceText<'_>) -> String {
    if is_test(&name) {
        let parameters = node
            .child_by_field_name("declarator")
            .and_then(|inner| inner.child_by_field_name("parameters"));
        let parameters = parameters.map_or("", |list| source.text(list));
        let words: Vec<&str> = parameters
            .trim_matches(['(', ')'])
            .split(',')
            .map(str::trim)
            .filter(|word| !word.is_empty())
            .take(2)
            .collect();
        return if words.is_empty() { name } else { words.join(".") };
    }
    dotted(&name)
}

/// `a::B<T>::run` as `a.B.run`.
fn dotted(name: &str) -> String {
    let mut plain = String::with_capacity(name.len());
    let mut depth = 0_usize;
    // An operator may be called `<`.
    let (path, operator) = name.find("operator").map_or((name, ""), |at| name.split_at(at));
    for c in path.chars() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            c if depth == 0 && !c.is_whitespace() => plain.push(c),
            _ => {}
        }
    }
    plain.push_str(operator);
    plain.trim_start_matches(':').replace("::", ".")
}

fn import(node: Node<'_>, source: &SourceText<'_>, facts: &mut FileFacts) {
    if matches!(node.kind(), "preproc_include" | "preproc_call") {
        c::include(node, source, facts);
        return;
    }
    let text = source.text(node).trim_start_matches("using").trim_end_matches(';').trim();
    let (path, all) = match text.strip_prefix("namespace") {
        Some(path) => (dotted(path), true),
        None => (dotted(text.trim_start_matches("typename ")), false),
    };
    let Some((module, form)) = import_by_path(path, all) else { return };
    facts.import(line(node), module, form, false);
}

/// Whether a file that could be C is C++, by statements that C does not have.
pub(crate) fn is_cpp(text: &str) -> bool {
    text.lines().any(|line| {
        let line = line.trim_start();
        let starts = |word: &str| {
            line.strip_prefix(word).is_some_and(|rest| rest.starts_with([' ', '<', '\t']))
        };
        let opens = || line.trim_end().ends_with('{') || line.contains(" : ");
        (starts("namespace") && !line.contains('='))
            || (starts("template") && line.contains('<'))
            || (starts("class")
                && !line.contains(['=', '(', ','])
                && (opens() || line.ends_with(';')))
            || matches!(line.trim_end(), "public:" | "private:" | "protected:")
            || (starts("using") && line.trim_end().ends_with(';'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_say_themselves_whether_they_are_cpp() {
        for (text, cpp) in [
            ("#pragma once\nint f(void);\n", false),
            ("#ifdef __cplusplus\nextern \"C\" {\n#endif\nint f(void);\n", false),
            ("namespace a {\n", true),
            ("template <typename T>\nT f();\n", true),
            ("class A;\n", true),
            ("struct A { int class; };\n  class = 3;\n", false),
            ("struct A {\n public:\n  int x;\n};\n", true),
            ("using A = int;\n", true),
            ("/* using it is easy */\n// class of its own\n", false),
        ] {
            assert_eq!(is_cpp(text), cpp, "{text}");
        }
    }

    #[test]
    fn names_lose_their_arguments() {
        for (name, plain) in [
            ("a::B<T>::run", "a.B.run"),
            ("::f", "f"),
            ("A::operator<", "A.operator<"),
            ("a :: b", "a.b"),
        ] {
            assert_eq!(dotted(name), plain, "{name}");
        }
    }
}
