//! Compilers and linters that print one line with the file and the position.

use super::javascript::unix_eslint;
use super::jvm::with_symbol;
use super::output::{
    FilePosition, FindingsByLine, OutputLines, is_rule_code, position, rule_at_end,
};
use super::{Finding, FindingKind};

/// Finds the errors that are told on one line behind a position.
pub(super) fn compilers_and_linters(lines: &mut OutputLines<'_>, found: &mut FindingsByLine) {
    let mut in_vet = false;
    let is_ruff = lines.iter().any(|(_, line)| {
        line.starts_with("Found ") && line.contains(" error") || line.contains("fixable with")
    });
    for at in 0..lines.len() {
        let line = lines.get(at);
        if let Some(package) = line.strip_prefix("# ") {
            in_vet = package.starts_with('[');
        }
        let levels = ["vet: ", "[WARN] ", "[ERROR] "];
        let line = levels.iter().find_map(|level| line.strip_prefix(level)).unwrap_or(line);
        let Some(place) = position(line).filter(|place| !place.rest.is_empty()) else {
            if let Some(finding) = without_position(lines, at) {
                found.push((at, finding));
            }
            continue;
        };
        let finding = match place.extension() {
            "go" => go(lines, at, &place, in_vet),
            "py" | "pyi" => python(&place, is_ruff),
            "rs" => rust(&place),
            "rb" => ruby(&place),
            "sh" | "bash" | "zsh" => shellcheck(&place),
            "kt" | "kts" => ktlint(&place),
            "java" if is_checkstyle(&place) => checkstyle(&place),
            "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "vue" => {
                unix_eslint(&place).map(|(message, rule)| {
                    Finding::new(FindingKind::Lint, "eslint", message).rule(rule)
                })
            }
            "md" => markdown(&place),
            _ => msbuild(&place).or_else(|| with_error(lines, at, &place)),
        };
        if let Some(finding) = finding {
            found.push((at, finding.at(place.file.trim_start_matches("./"), Some(place.line))));
        }
    }
}

fn go(
    lines: &OutputLines<'_>,
    at: usize,
    place: &FilePosition<'_>,
    in_vet: bool,
) -> Option<Finding> {
    let mut message = place.rest.to_owned();
    // A quoted string in the message may have several lines.
    if go_rule(&message).is_none() && message.matches('`').count() % 2 == 1 {
        let end = (at + 1..at + 6).find(|at| go_rule(lines.get(*at)).is_some());
        for at in at + 1..end.map_or(0, |end| end + 1) {
            message = format!("{message} {}", lines.get(at).trim());
        }
    }
    if let Some((message, rule)) = go_rule(&message) {
        return Some(match rule {
            "typecheck" => Finding::new(FindingKind::Compile, "go", message),
            code if is_rule_code(code) => {
                Finding::new(FindingKind::Lint, "staticcheck", message).rule(code)
            }
            rule => Finding::new(FindingKind::Lint, "golangci-lint", message).rule(rule),
        });
    }
    if !place.column || message == "too many errors" || message.starts_with("warning") {
        return None;
    }
    Some(if in_vet {
        Finding::new(FindingKind::Lint, "go vet", &message)
    } else {
        Finding::new(FindingKind::Compile, "go", &message)
    })
}

/// Splits a message from the linter of golangci-lint or staticcheck that is named at its end.
fn go_rule(message: &str) -> Option<(&str, &str)> {
    rule_at_end(message, '(', ')')
        .filter(|(_, rule)| !rule.contains(['/', '.', ':', ',']) && rule.len() > 2)
}

fn python(place: &FilePosition<'_>, is_ruff: bool) -> Option<Finding> {
    if let Some(message) = place.rest.strip_prefix("error: ") {
        let (message, rule) = rule_at_end(message, '[', ']').unwrap_or((message, ""));
        let kind = if rule == "syntax" { FindingKind::Compile } else { FindingKind::Types };
        return Some(Finding::new(kind, "mypy", message).rule(rule));
    }
    let (code, message) = place.rest.split_once(' ')?;
    if let Some(code) = code.strip_suffix(':').filter(|code| is_rule_code(code)) {
        let (message, rule) = rule_at_end(message, '(', ')').unwrap_or((message, code));
        return Some(Finding::new(FindingKind::Lint, "pylint", message).rule(rule));
    }
    (is_rule_code(code) && place.column).then(|| {
        let message = message.trim().strip_prefix("[*] ").unwrap_or(message);
        let tool = if is_ruff { "ruff" } else { "flake8" };
        Finding::new(FindingKind::Lint, tool, message).rule(code)
    })
}

/// Reads what rustc prints with `--message-format short`.
fn rust(place: &FilePosition<'_>) -> Option<Finding> {
    let rest = place.rest.strip_prefix("error")?;
    if let Some((code, message)) = rest.strip_prefix('[').and_then(|rest| rest.split_once("]: ")) {
        return Some(Finding::new(FindingKind::Compile, "rustc", message).rule(code));
    }
    rest.strip_prefix(": ").map(|message| Finding::new(FindingKind::Compile, "rustc", message))
}

/// Reads `C: [Correctable] Style/Name: message` of rubocop.
fn ruby(place: &FilePosition<'_>) -> Option<Finding> {
    let (severity, rest) = place.rest.split_once(": ")?;
    if !matches!(severity, "C" | "W" | "E" | "F" | "I" | "R") {
        return None;
    }
    let rest = rest
        .strip_prefix("[Correctable] ")
        .or_else(|| rest.strip_prefix("[Corrected] "))
        .unwrap_or(rest);
    let (cop, message) = rest.split_once(": ")?;
    cop.contains('/').then(|| Finding::new(FindingKind::Lint, "rubocop", message).rule(cop))
}

/// Reads `warning: message [SC2086]` of shellcheck.
fn shellcheck(place: &FilePosition<'_>) -> Option<Finding> {
    let (message, rule) = rule_at_end(place.rest, '[', ']')?;
    let (_, message) = message.split_once(": ")?;
    rule.starts_with("SC")
        .then(|| Finding::new(FindingKind::Lint, "shellcheck", message).rule(rule))
}

fn ktlint(place: &FilePosition<'_>) -> Option<Finding> {
    if let Some(message) = place.rest.strip_prefix("error: ") {
        return Some(Finding::new(FindingKind::Compile, "kotlinc", message));
    }
    let (message, rule) =
        rule_at_end(place.rest, '(', ')').or_else(|| rule_at_end(place.rest, '[', ']'))?;
    let tool = if place.rest.ends_with(']') { "detekt" } else { "ktlint" };
    place.column.then(|| Finding::new(FindingKind::Lint, tool, message).rule(rule))
}

/// Returns true for `message [MagicNumber]` behind a line and a column.
fn is_checkstyle(place: &FilePosition<'_>) -> bool {
    place.column
        && rule_at_end(place.rest, '[', ']').is_some_and(|(_, rule)| {
            rule.starts_with(|c: char| c.is_ascii_uppercase())
                && rule.chars().all(|c| c.is_ascii_alphanumeric())
        })
}

fn checkstyle(place: &FilePosition<'_>) -> Option<Finding> {
    let (message, rule) = rule_at_end(place.rest, '[', ']')?;
    Some(Finding::new(FindingKind::Lint, "checkstyle", message).rule(rule))
}

/// Reads `MD001/heading-increment message` of markdownlint.
fn markdown(place: &FilePosition<'_>) -> Option<Finding> {
    let rest = place.rest.strip_prefix("error ").unwrap_or(place.rest);
    let (rule, message) = rest.split_once(' ')?;
    let (code, _) = rule.split_once('/')?;
    (code.starts_with("MD") && is_rule_code(code))
        .then(|| Finding::new(FindingKind::Lint, "markdownlint", message).rule(rule))
}

/// Reads `error CS0103: message [project]`.
fn msbuild(place: &FilePosition<'_>) -> Option<Finding> {
    let (code, message) = place.rest.strip_prefix("error ")?.split_once(": ")?;
    let is_code = code.bytes().any(|byte| byte.is_ascii_digit())
        && code.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let message = message.rsplit_once(" [").map_or(message, |(message, project)| {
        if project.ends_with("proj]") { message } else { place.rest }
    });
    let is_style = ["IDE", "CA", "SA", "RCS", "S"].iter().any(|start| {
        code.strip_prefix(start).is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
    });
    is_code.then(|| {
        let kind = if is_style { FindingKind::Lint } else { FindingKind::Compile };
        let tool = if place.extension() == "cpp" { "msvc" } else { "dotnet" };
        Finding::new(kind, tool, message).rule(code)
    })
}

/// Reads `error: message` behind a position, as most compilers print it.
fn with_error(lines: &OutputLines<'_>, at: usize, place: &FilePosition<'_>) -> Option<Finding> {
    let message = ["error: ", "fatal error: ", "Error: "]
        .iter()
        .find_map(|start| place.rest.strip_prefix(start))?;
    let tool = match place.extension() {
        "java" => "javac",
        "swift" => "swiftc",
        "zig" => "zig",
        "dart" => "dart",
        "ex" | "exs" => "elixir",
        "c" | "h" | "cc" | "cpp" | "cxx" | "hpp" | "hh" | "hxx" | "m" | "mm" | "cu" | "inl" => "cc",
        "proto" => "protoc",
        "nix" => "nix",
        _ => return None,
    };
    if tool == "javac" {
        let symbol =
            (at + 1..at + 5).find_map(|at| lines.get(at).trim_start().strip_prefix("symbol:"));
        return Some(Finding::new(FindingKind::Compile, tool, &with_symbol(message, symbol)));
    }
    if tool == "swiftc"
        && let Some((message, rule)) =
            rule_at_end(message, '(', ')').filter(|(_, rule)| rule.contains('_'))
    {
        return Some(Finding::new(FindingKind::Lint, "swiftlint", message).rule(rule));
    }
    let (message, rule) = match rule_at_end(message, '[', ']').filter(|_| tool == "cc") {
        Some((message, rule)) => (message, rule),
        None => (message, ""),
    };
    let rule = rule.split(',').next().unwrap_or_default();
    let is_tidy = !rule.is_empty() && !rule.starts_with('-');
    let rule = rule.strip_prefix("-Werror=").unwrap_or(rule.trim_start_matches("-W"));
    Some(if is_tidy {
        Finding::new(FindingKind::Lint, "clang-tidy", message).rule(rule)
    } else {
        Finding::new(FindingKind::Compile, tool, message).rule(rule)
    })
}

/// Reads errors whose position is elsewhere in the line or on another line.
fn without_position(lines: &OutputLines<'_>, at: usize) -> Option<Finding> {
    let line = lines.get(at);
    if let Some(from) =
        line.find("undefined reference to").or_else(|| line.find("ld: cannot find -l"))
    {
        return Some(Finding::new(FindingKind::Compile, "ld", &line[from..]));
    }
    if line.starts_with("Undefined symbols for architecture") {
        let symbol = lines.get(at + 1).trim().split(", referenced").next().unwrap_or_default();
        return Some(Finding::new(
            FindingKind::Compile,
            "ld",
            &format!("undefined symbol {symbol}"),
        ));
    }
    let bare = line.trim_start();
    // shellcheck: `In file.sh line 12:`, the code, then `^-- SC2086 (info): message`.
    if let Some((_, rest)) = bare.split_once("-- SC").filter(|(marks, _)| marks.starts_with('^')) {
        let (rule, message) = rest.split_once(": ")?;
        let rule = rule.split(' ').next().unwrap_or(rule);
        let place = (1..6).find_map(|back| {
            let (file, number) =
                lines.get(at.checked_sub(back)?).strip_prefix("In ")?.split_once(" line ")?;
            Some((file, number.trim_end_matches(':').parse().ok()))
        });
        let finding =
            Finding::new(FindingKind::Lint, "shellcheck", message).rule(&format!("SC{rule}"));
        return Some(match place {
            Some((file, number)) => finding.at(file, number),
            None => finding,
        });
    }
    // php: `PHP Parse error:  message in file.php on line 12`.
    let php = line.strip_prefix("PHP ").unwrap_or(line);
    if let Some(message) =
        php.strip_prefix("Parse error:").or_else(|| php.strip_prefix("Fatal error:"))
    {
        let (rest, number) = message.rsplit_once(" on line ")?;
        let (message, file) = rest.rsplit_once(" in ")?;
        let finding = Finding::new(FindingKind::Compile, "php", message);
        return Some(finding.at(file, number.trim().parse().ok()));
    }
    // dart: `  error • message • lib/main.dart:1:2 • rule`.
    if let Some(rest) = bare.strip_prefix("error • ").or_else(|| bare.strip_prefix("error - ")) {
        let mut parts = rest.split(if rest.contains(" • ") { " • " } else { " - " });
        let (first, second, rule) = (parts.next()?, parts.next()?, parts.next()?);
        let (place, message) = match position(first) {
            Some(place) => (place, second),
            None => (position(second)?, first),
        };
        let finding = Finding::new(FindingKind::Types, "dart", message).rule(rule);
        return Some(finding.at(place.file, Some(place.line)));
    }
    // Elixir: `** (CompileError) lib/a.ex:1: message`.
    if let Some(rest) = line.strip_prefix("** (CompileError) ") {
        let place = position(rest)?;
        let finding = Finding::new(FindingKind::Compile, "elixir", place.rest);
        return Some(finding.at(place.file, Some(place.line)));
    }
    phpstan(lines, at)
}

/// Reads `  12     message` below `  Line   file.php`.
fn phpstan(lines: &OutputLines<'_>, at: usize) -> Option<Finding> {
    let (number, message) = lines.get(at).trim_start().split_once("  ")?;
    let number: u32 = number.trim_start_matches(':').parse().ok()?;
    let file = (1..40).map_while(|back| at.checked_sub(back)).find_map(|at| {
        let file = lines.get(at).trim_start().strip_prefix("Line ")?.trim();
        (file.contains('.') && !file.contains(' ')).then_some(file)
    })?;
    let rule = lines.get(at + 1).trim_start().strip_prefix("🪪").unwrap_or_default();
    Some(Finding::new(FindingKind::Types, "phpstan", message).rule(rule).at(file, Some(number)))
}
