//! An index that a compiler made, in the SCIP format: where every symbol is defined and named.
//!
//! Of its messages, only the few fields that tell edges are read; everything else is passed over.
//! What follows from them for the graph is in [`crate::link`].

mod wire;

use wire::{WireField, WireMessage, WireValue};

/// What an index says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScipIndex {
    /// Its documents, in the order in which they are written.
    pub documents: Vec<ScipDocument>,
}

/// What an index says of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScipDocument {
    /// Its path from the root of the project, with `/`.
    pub path: String,
    /// Where symbols that other files may name are defined or named.
    pub occurrences: Vec<ScipOccurrence>,
    /// Symbols, with those they implement or are based on.
    pub bases: Vec<(String, String)>,
}

/// A place where a symbol is defined or named.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScipOccurrence {
    /// The symbol, as the index writes it.
    pub symbol: String,
    /// The line, from 1.
    pub line: u32,
    /// Whether it is defined here.
    pub defines: bool,
    /// Whether an import names it here.
    pub imports: bool,
}

/// Roles of an occurrence, as bits.
const DEFINITION: u64 = 1;
const IMPORT: u64 = 2;
/// A declaration that is defined elsewhere says nothing that its definition does not.
const FORWARD_DEFINITION: u64 = 64;

/// Reads an index; none if the bytes are not one.
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

/// An occurrence; none inside if it is of no use to other files.
#[expect(clippy::option_option, reason = "what is of no use is not the same as what is broken")]
fn occurrence(bytes: &[u8]) -> Option<Option<ScipOccurrence>> {
    let mut found = ScipOccurrence::default();
    let (mut line, mut roles) = (None, 0);
    for field in WireMessage::new(bytes) {
        let WireField { number, value } = field?;
        match (number, value) {
            // Numbers of a range are packed, or each in a field of its own.
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

/// Takes from what is said of a symbol those that it implements.
fn symbol(bytes: &[u8], bases: &mut Vec<(String, String)>) -> Option<()> {
    let (mut name, mut of) = ("", Vec::new());
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
                of.extend((implements && !base.is_empty()).then_some(base));
            }
            _ => {}
        }
    }
    bases.extend(of.into_iter().map(|base| (name.to_owned(), base.to_owned())));
    Some(())
}

fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

/// What the last part of a symbol stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Descriptor<'a> {
    /// A function, method, macro, type or anything else with a name.
    Named(&'a str),
    /// A module or package.
    Space(&'a str),
    /// A parameter, a type parameter, or what is in a function.
    Inner,
}

/// The last part of a symbol: `… src/pool/Pool#close().` ends with the method `close`.
pub(crate) fn descriptor(symbol: &str) -> Descriptor<'_> {
    split(symbol).1
}

/// The name of a symbol in its file: `… src/pool/Pool#close().` is `Pool.close`. None if that is not
/// what its definition is called there: members of a type without a name, blocks of an `impl`.
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

/// What comes before the last part of a symbol, and that part.
fn split(symbol: &str) -> (&str, Descriptor<'_>) {
    let (body, space) = match symbol.as_bytes().last() {
        Some(b'/' | b':') => (&symbol[..symbol.len() - 1], true),
        Some(b'#' | b'!') => (&symbol[..symbol.len() - 1], false),
        Some(b'.') => {
            let body = &symbol[..symbol.len() - 1];
            // A method has brackets, with something in them where there are several of a name.
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
        (false, true) => (before, Descriptor::Space(name)),
        (false, false) => (before, Descriptor::Named(name)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_last_part_of_a_symbol_is_what_it_names() {
        for (symbol, expected) in [
            (
                "scip-typescript npm shop 1.0 src/`pool.ts`/Pool#close().",
                Descriptor::Named("close"),
            ),
            ("scip-typescript npm shop 1.0 src/`pool.ts`/", Descriptor::Space("pool.ts")),
            ("scip-python python shop 1 `shop.pool`/__init__:", Descriptor::Space("__init__")),
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
    fn a_symbol_has_a_name_in_its_file() {
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
        fn hostile_bytes_are_refused_or_read(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            if let Some(index) = read_scip(&bytes) {
                for one in index.documents.iter().flat_map(|document| &document.occurrences) {
                    descriptor(&one.symbol);
                }
            }
        }

        #[test]
        fn hostile_messages_are_refused_or_read(
            fields in prop::collection::vec((1..10_u8, prop::collection::vec(0..20_u8, 0..30)), 0..8)
        ) {
            // The length of what is inside is right, its sense is not.
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
        fn any_symbol_has_a_last_part_or_none(symbol in "\\PC*[#./:!()`]{0,3}") {
            descriptor(&symbol);
            name_in_file(&symbol);
        }
    }
}
