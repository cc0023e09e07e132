//! Rules about the texts of a Rust file. It walks tokens, so that a doc comment inside a macro is
//! read and Rust code inside a string is not.

use anyhow::{Result, anyhow};
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use super::{Declaration, LintFinding, Rule, prose};

/// The findings of a file, and the types it makes public.
#[derive(Debug, Default)]
pub(super) struct LintedFile {
    pub(super) findings: Vec<LintFinding>,
    pub(super) declarations: Vec<Declaration>,
}

/// Reads the text of a Rust file.
///
/// # Errors
/// If it is not made of Rust tokens.
pub(super) fn read(text: &str) -> Result<LintedFile> {
    let tokens: TokenStream =
        text.parse().map_err(|error| anyhow!("it cannot be read as Rust: {error}"))?;
    let mut file = LintedFile::default();
    file.walk(tokens, false);
    for (index, line) in text.lines().enumerate() {
        // Doc comments are among the tokens.
        let comment = line.trim_start().strip_prefix("// ");
        file.findings.extend(
            comment.into_iter().flat_map(|comment| {
                prose::archaic_findings(comment, index + 1).collect::<Vec<_>>()
            }),
        );
    }
    Ok(file)
}

/// The attributes before an item, as far as they matter here.
#[derive(Debug, Default)]
struct Attributes {
    /// The lines of the doc comment, and the number of the first.
    doc: Option<(usize, String)>,
    is_test: bool,
    /// Derives `clap::Args`.
    has_arguments: bool,
    /// Has a `#[command(…)]`, which arguments that several commands share have not.
    is_command: bool,
    /// Derives `clap::Subcommand`: so are the doc comments of its variants.
    has_commands: bool,
}

impl LintedFile {
    /// Walks the tokens of a file or a group; `commands` if it is the body of an enum of commands.
    fn walk(&mut self, tokens: TokenStream, commands: bool) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut attributes = Attributes::default();
        // Each line of a `//!` comment is an attribute of its own; together they are one text.
        let mut inner_attributes = Attributes::default();
        let mut bodies_have_commands = false;
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            at += 1;
            let begins_attribute = is_punct(Some(token), '#');
            let inner = begins_attribute && is_punct(tokens.get(at), '!');
            if !inner {
                self.finish(&mut inner_attributes, commands);
            }
            match token {
                TokenTree::Punct(_) if begins_attribute => {
                    at += usize::from(inner);
                    if let Some(TokenTree::Group(group)) = tokens.get(at) {
                        at += 1;
                        let target = if inner { &mut inner_attributes } else { &mut attributes };
                        self.attribute(group, target);
                    }
                }
                TokenTree::Group(group) => {
                    self.walk(group.stream(), bodies_have_commands);
                    bodies_have_commands = false;
                }
                TokenTree::Literal(literal) => {
                    if let Some(text) = string(&literal.to_string()) {
                        let line = literal.span().start().line;
                        self.findings.extend(prose::archaic_findings(&text, line));
                    }
                }
                TokenTree::Ident(ident) => {
                    if attributes.has_commands {
                        bodies_have_commands = true;
                    }
                    let next = tokens.get(at).and_then(identifier);
                    if ident == "fn" && attributes.is_test {
                        let line = ident.span().start().line;
                        self.test(next.as_deref().unwrap_or_default(), line);
                    }
                    // Attributes belong to the first token that follows them, but for `pub`.
                    if ident == "pub" {
                        let after =
                            at + usize::from(matches!(tokens.get(at), Some(TokenTree::Group(_))));
                        self.declaration(&tokens[after.min(tokens.len())..]);
                    } else {
                        self.finish(&mut attributes, commands);
                    }
                    self.message(ident, &tokens[at..]);
                }
                TokenTree::Punct(_) => {}
            }
        }
        self.finish(&mut inner_attributes, commands);
        self.finish(&mut attributes, commands);
    }

    fn attribute(&mut self, group: &Group, attributes: &mut Attributes) {
        let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
        let name = tokens.first().and_then(identifier).unwrap_or_default();
        match (name.as_str(), tokens.get(1), tokens.get(2)) {
            ("doc", Some(_), Some(TokenTree::Literal(literal))) => {
                let Some(text) = string(&literal.to_string()) else { return };
                let line = literal.span().start().line;
                self.findings.extend(prose::archaic_findings(&text, line));
                let (_, doc) = attributes.doc.get_or_insert((line, String::new()));
                doc.push_str(&text);
                doc.push('\n');
            }
            ("test", None, None) => attributes.is_test = true,
            ("derive", Some(TokenTree::Group(derived)), _) => {
                let derived = derived.stream().to_string();
                let derives = |name: &str| {
                    derived.split(|c: char| !c.is_alphanumeric()).any(|word| word == name)
                };
                attributes.has_arguments |= derives("Args");
                attributes.has_commands |= derives("Subcommand");
            }
            ("command", ..) => attributes.is_command = true,
            ("error", Some(TokenTree::Group(arguments)), _) => {
                self.first_literal_is_phrase(&arguments.stream());
            }
            _ => {}
        }
    }

    /// Checks the doc comment gathered so far, whose item has begun.
    fn finish(&mut self, attributes: &mut Attributes, commands: bool) {
        let taken = std::mem::take(attributes);
        let Some((line, doc)) = taken.doc else { return };
        let first = doc.lines().next().unwrap_or_default().trim().to_owned();
        let is_help = commands || (taken.has_arguments && taken.is_command);
        if is_help && !prose::is_imperative(&first) {
            self.findings.push(LintFinding { line, rule: Rule::HelpOpening, text: first });
        } else if let Some((rule, text)) = prose::doc(&doc) {
            self.findings.push(LintFinding { line, rule, text: text.to_owned() });
        }
    }

    fn test(&mut self, name: &str, line: usize) {
        if !prose::is_rule(name) {
            self.findings.push(LintFinding { line, rule: Rule::TestName, text: name.to_owned() });
        }
    }

    /// Notes a type that is declared after `pub`.
    fn declaration(&mut self, tokens: &[TokenTree]) {
        let [TokenTree::Ident(kind), TokenTree::Ident(name), ..] = tokens else { return };
        if ["struct", "enum", "trait", "type", "union"].iter().any(|declares| kind == declares) {
            let line = name.span().start().line;
            self.declarations.push(Declaration { line, name: name.to_string() });
        }
    }

    /// Checks the message of an error that is made here: `bail!("…")`, `AppError::usage("…")`.
    fn message(&mut self, ident: &proc_macro2::Ident, after: &[TokenTree]) {
        let macros = ["bail", "anyhow"];
        let group = match after {
            [TokenTree::Punct(mark), TokenTree::Group(group), ..]
                if mark.as_char() == '!' && macros.iter().any(|name| ident == name) =>
            {
                group
            }
            [a, b, TokenTree::Ident(_), TokenTree::Group(group), ..]
                if ident == "AppError" && is_punct(Some(a), ':') && is_punct(Some(b), ':') =>
            {
                group
            }
            _ => return,
        };
        if group.delimiter() == Delimiter::Parenthesis {
            self.first_literal_is_phrase(&group.stream());
        }
    }

    /// Checks the first string among the arguments of an error, inside `format!` too.
    fn first_literal_is_phrase(&mut self, arguments: &TokenStream) {
        let Some((text, line)) = first_string(arguments.clone()) else { return };
        if !prose::is_error_phrase(&text) {
            self.findings.push(LintFinding { line, rule: Rule::ErrorForm, text });
        }
    }
}

fn first_string(tokens: TokenStream) -> Option<(String, usize)> {
    tokens.into_iter().find_map(|token| match token {
        TokenTree::Literal(literal) => {
            string(&literal.to_string()).map(|text| (text, literal.span().start().line))
        }
        TokenTree::Group(group) => first_string(group.stream()),
        _ => None,
    })
}

/// Returns the text of a string literal, escapes left as they are but for line continuations.
fn string(literal: &str) -> Option<String> {
    let open = literal.find('"')?;
    let prefix = &literal[..open];
    if !prefix.chars().all(|c| c == 'r' || c == '#') {
        return None;
    }
    let inner = literal[open + 1..].trim_end_matches('#').strip_suffix('"')?;
    Some(inner.to_owned())
}

fn identifier(token: &TokenTree) -> Option<String> {
    match token {
        TokenTree::Ident(ident) => Some(ident.to_string()),
        _ => None,
    }
}

fn is_punct(token: Option<&TokenTree>, wanted: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(usize, Rule, String)> {
        let file = read(text).expect("Rust");
        file.findings.into_iter().map(|f| (f.line, f.rule, f.text)).collect()
    }

    #[test]
    fn doc_comments_of_items_fields_and_variants_are_read() {
        let text = "//! What this is.\n\n/// A lock.\nstruct A {\n    /// Whether held.\n    b: u8,\n}\n\
                    enum C {\n    /// Why.\n    D,\n}\nmake! {\n    /// Whoever.\n    e\n}\n";
        let found = found(text);
        let lines: Vec<(usize, Rule)> =
            found.iter().map(|(line, rule, _)| (*line, *rule)).collect();
        assert_eq!(
            lines,
            [
                (1, Rule::DocOpening),
                (5, Rule::DocOpening),
                (9, Rule::DocOneWord),
                (13, Rule::ArchaicWord),
                (13, Rule::DocOneWord),
            ]
        );
    }

    #[test]
    fn lines_of_a_module_comment_are_one_text() {
        assert_eq!(
            found("//! The lock of a\n//! store.\n//!\n//! Locks are advisory.\nuse a;"),
            []
        );
        let second = (1, Rule::DocOpening, "It is advisory.".to_owned());
        assert_eq!(
            found("//! The lock of a\n//! store.\n//!\n//! It is advisory.\nuse a;"),
            [second]
        );
        let question = (1, Rule::DocOpening, "What locks".to_owned());
        assert_eq!(found("//! What locks\n//! do.\n\n/// A lock.\nstruct A;"), [question]);
    }

    #[test]
    fn strings_with_rust_inside_are_not_source() {
        assert_eq!(found("const A: &str = \"/// What is this.\";"), []);
    }

    #[test]
    fn help_of_commands_and_subcommands_is_imperative() {
        let text = "/// Shows it.\n#[derive(Debug, clap::Args)]\n#[command(after_help = X)]\nstruct A {\n    /// Number of lines.\n    n: u8,\n}\n\
                    #[derive(Subcommand)]\nenum B {\n    /// The list.\n    C,\n    /// Show it.\n    D,\n}\n";
        let found = found(text);
        let lines: Vec<(usize, Rule)> =
            found.iter().map(|(line, rule, _)| (*line, *rule)).collect();
        assert_eq!(lines, [(1, Rule::HelpOpening), (10, Rule::HelpOpening)]);
    }

    #[test]
    fn messages_are_found_where_errors_are_made() {
        let text = "#[error(\"Not good\")]\nstruct A;\nfn b() { bail!(\"it stopped.\") }\n\
                    fn c() { AppError::usage(format!(\"No {x}\")) }\nfn d() { bail!(\"fine\") }";
        let rules: Vec<(usize, Rule)> =
            found(text).iter().map(|(line, rule, _)| (*line, *rule)).collect();
        assert_eq!(rules, [(1, Rule::ErrorForm), (3, Rule::ErrorForm), (4, Rule::ErrorForm)]);
    }

    #[test]
    fn names_of_tests_are_checked_and_of_other_functions_not() {
        let found = found("#[test]\nfn what_is_kept() {}\nfn what_is_this() {}");
        assert_eq!(found, [(2, Rule::TestName, "what_is_kept".to_owned())]);
    }

    #[test]
    fn public_types_are_declared() {
        let file =
            read("pub struct A; pub(crate) enum B {} struct C; pub fn d() {}").expect("Rust");
        let names: Vec<String> = file.declarations.into_iter().map(|d| d.name).collect();
        assert_eq!(names, ["A", "B"]);
    }
}
