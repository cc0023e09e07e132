//! Reads compiler indexes in the SCIP format, which list the definitions and uses of every symbol.
//!
//! Only the fields needed for edges are read. [`crate::link`] adds them to the graph.

mod wire;

use wire::{WireField, WireMessage, WireValue};

/// A compiler index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScipIndex {
    /// The documents, in file order.
    pub documents: Vec<ScipDocument>,
}

/// The symbols of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScipDocument {
    /// The path from the root of the project, with `/`.
    pub path: String,
    /// Definitions and uses of symbols that other files can name.
    pub occurrences: Vec<ScipOccurrence>,
    /// Pairs of a symbol and one that it implements or extends.
    pub bases: Vec<(String, String)>,
}

/// A definition or use of a symbol.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScipOccurrence {
    /// The symbol in SCIP syntax.
    pub symbol: String,
    /// The line, from 1.
    pub line: u32,
    /// Whether this is a definition.
    pub defines: bool,
    /// Whether this is part of an import.
    pub imports: bool,
}

/// The bits of the occurrence roles.
const DEFINITION: u64 = 1;
const IMPORT: u64 = 2;
/// A forward declaration adds nothing to its definition.
const FORWARD_DEFINITION: u64 = 64;

/// Reads an index. Returns `None` if the bytes are not valid.
#[must_use]
pub fn read_scip(bytes: &[u8]) -> Option<ScipIndex> {
    let mut index = ScipIndex::default();
    for field in WireMessage::new(bytes) {
        if let WireField { number: 2, value: WireValue::Bytes(bytes) } = field? {
            index.documents.push(document(bytes)?);
        }
    }
    Some(index)
}

fn document(bytes: &[u8]) -> Option<ScipDocument> {
    let mut document = ScipDocument::default();
    for field in WireMessage::new(bytes) {
        let WireField { number, value: WireValue::Bytes(bytes) } = field? else { continue };
        match number {
            1 => document.path = text(bytes)?.to_owned(),
            2 => document.occurrences.extend(occurrence(bytes)?),
            3 => symbol(bytes, &mut document.bases)?,
            _ => {}
        }
    }
    Some(document)
}

/// Reads an occurrence. The inner `None` means that other files cannot name the symbol.
#[expect(clippy::option_option, reason = "a useless occurrence differs from a broken one")]
fn occurrence(bytes: &[u8]) -> Option<Option<ScipOccurrence>> {
    let mut found = ScipOccurrence::default();
    let (mut line, mut roles) = (None, 0);
    for field in WireMessage::new(bytes) {
        let WireField { number, value } = field?;
        match (number, value) {
            // The numbers of a range are packed into one field, or each is in its own.
            (1, WireValue::Bytes(range)) => {
                line = line.or(wire::varint(range).map(|(line, _)| line))
            }
            (1, WireValue::Number(first)) => line = line.or(Some(first)),
            (2, WireValue::Bytes(bytes)) => found.symbol = text(bytes)?.to_owned(),
            (3, WireValue::Number(bits)) => roles = bits,
            _ => {}
        }
    }
    let placed = line.is_some();
    found.line = u32::try_from(line.unwrap_or(0)).ok()?.checked_add(1)?;
    found.defines = roles & DEFINITION != 0;
    found.imports = roles & IMPORT != 0;
    let local = found.symbol.is_empty() || found.symbol.starts_with("local ");
    Some((placed && !local && roles & FORWARD_DEFINITION == 0).then_some(found))
}

/// Reads the relations of a symbol and adds the symbols that it implements to `bases`.
fn symbol(bytes: &[u8], bases: &mut Vec<(String, String)>) -> Option<()> {
    let (mut name, mut bases_of_symbol) = ("", Vec::new());
    for field in WireMessage::new(bytes) {
        let WireField { number, value: WireValue::Bytes(bytes) } = field? else { continue };
        match number {
            1 => name = text(bytes)?,
            4 => {
                let (mut base, mut implements) = ("", false);
                for field in WireMessage::new(bytes) {
                    match field? {
                        WireField { number: 1, value: WireValue::Bytes(bytes) } => {
                            base = text(bytes)?
                        }
                        WireField { number: 3, value: WireValue::Number(yes) } => {
                            implements = yes != 0
                        }
                        _ => {}
                    }
                }
                bases_of_symbol.extend((implements && !base.is_empty()).then_some(base));
            }
            _ => {}
        }
    }
    bases.extend(bases_of_symbol.into_iter().map(|base| (name.to_owned(), base.to_owned())));
    Some(())
}

fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

/// The last part of a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Descriptor<'a> {
    /// A function, method, macro, type or other named symbol.
    Named(&'a str),
    /// A module or package.
    Namespace(&'a str),
    /// A parameter, a type parameter, or a local symbol.
    Inner,
}

/// Returns the last part of a symbol: `… src/pool/Pool#close().` ends with the method `close`.
pub(crate) fn descriptor(symbol: &str) -> Descriptor<'_> {
    split(symbol).1
}

/// Returns the qualified name of a symbol in its file: `… src/pool/Pool#close().` is `Pool.close`.
/// Returns `None` for members of anonymous types and of `impl` blocks, whose names differ in the
/// source.
pub(crate) fn name_in_file(symbol: &str) -> Option<String> {
    let mut names = Vec::new();
    let mut rest = symbol;
    while let (before, Descriptor::Named(name)) = split(rest) {
        names.push(name);
        rest = before;
    }
    let at_top = rest.is_empty() || rest.ends_with(['/', ' ']);
    names.reverse();
    (at_top && !names.is_empty()).then(|| names.join("."))
}

/// Splits a symbol before its last part.
fn split(symbol: &str) -> (&str, Descriptor<'_>) {
    let (body, space) = match symbol.as_bytes().last() {
        Some(b'/' | b':') => (&symbol[..symbol.len() - 1], true),
        Some(b'#' | b'!') => (&symbol[..symbol.len() - 1], false),
        Some(b'.') => {
            let body = &symbol[..symbol.len() - 1];
            // A method has parentheses, with a number inside if it is overloaded.
            let method = body.strip_suffix(')').and_then(|body| body.rsplit_once('('));
            (method.map_or(body, |(name, _)| name), false)
        }
        _ => return (symbol, Descriptor::Inner),
    };
    let (before, name) = match body.strip_suffix('`') {
        Some(quoted) => quoted.rsplit_once('`').unwrap_or(("", quoted)),
        None => {
            let start = body.rfind(|c: char| !(c.is_alphanumeric() || "_+-$".contains(c)));
            let after = |at| body[at..].chars().next().map_or(0, char::len_utf8) + at;
            body.split_at(start.map_or(0, after))
        }
    };
    match (name.is_empty(), space) {
        (true, _) => (symbol, Descriptor::Inner),
        (false, true) => (before, Descriptor::Namespace(name)),
        (false, false) => (before, Descriptor::Named(name)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn descriptors_are_read_from_the_end() {
        for (symbol, expected) in [
            (
                "scip-typescript npm shop 1.0 src/`pool.ts`/Pool#close().",
                Descriptor::Named("close"),
            ),
            ("scip-typescript npm shop 1.0 src/`pool.ts`/", Descriptor::Namespace("pool.ts")),
            ("scip-python python shop 1 `shop.pool`/__init__:", Descriptor::Namespace("__init__")),
            ("rust-analyzer cargo shop 1 pool/Pool#", Descriptor::Named("Pool")),
            ("rust-analyzer cargo shop 1 pool/impl#[Pool]close(+1).", Descriptor::Named("close")),
            ("rust-analyzer cargo shop 1 check!", Descriptor::Named("check")),
            ("a b c d run().(x)", Descriptor::Inner),
            ("a b c d Pool#[T]", Descriptor::Inner),
            ("a b c d `größe`.", Descriptor::Named("größe")),
            ("a b c dé.", Descriptor::Named("dé")),
            ("", Descriptor::Inner),
            (".", Descriptor::Inner),
            (").", Descriptor::Inner),
        ] {
            assert_eq!(descriptor(symbol), expected, "{symbol}");
        }
    }

    #[test]
    fn names_in_files_join_the_named_parts() {
        for (symbol, expected) in [
            ("scip-typescript npm shop 1.0 src/`pool.ts`/Pool#close().", Some("Pool.close")),
            ("scip-typescript npm shop 1.0 src/`pool.ts`/make().", Some("make")),
            ("scip-typescript npm shop 1.0 src/`pool.ts`/Pool#typeLiteral0:close.", None),
            (
                "scip-typescript npm shop 1.0 src/`pool.ts`/Pool#`<constructor>`().",
                Some("Pool.<constructor>"),
            ),
            ("scip-typescript npm shop 1.0 src/`pool.ts`/", None),
            ("scip-python python shop 1 `shop.pool`/Pool#close().", Some("Pool.close")),
            ("rust-analyzer cargo shop 1 pool/impl#[Pool]close().", None),
            ("shop Pool#close().", Some("Pool.close")),
            ("a b c d run().(x)", None),
            ("", None),
        ] {
            assert_eq!(name_in_file(symbol).as_deref(), expected, "{symbol}");
        }
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            if let Some(index) = read_scip(&bytes) {
                for one in index.documents.iter().flat_map(|document| &document.occurrences) {
                    descriptor(&one.symbol);
                }
            }
        }

        #[test]
        fn arbitrary_messages_never_panic(
            fields in prop::collection::vec((1..10_u8, prop::collection::vec(0..20_u8, 0..30)), 0..8)
        ) {
            // The lengths are right, but the contents make no sense.
            let mut inner = Vec::new();
            for (number, bytes) in &fields {
                inner.extend([number << 3 | 2, bytes.len() as u8]);
                inner.extend(bytes);
            }
            let mut outer = vec![2 << 3 | 2];
            outer.extend([(inner.len() & 0x7f) as u8 | 0x80, (inner.len() >> 7) as u8]);
            outer.extend(&inner);
            if let Some(index) = read_scip(&outer) {
                prop_assert_eq!(index.documents.len(), 1);
            }
        }

        #[test]
        fn arbitrary_symbols_never_panic(symbol in "\\PC*[#./:!()`]{0,3}") {
            descriptor(&symbol);
            name_in_file(&symbol);
        }
    }
}
