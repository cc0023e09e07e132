//! What a word is: a path, a number, an address, or something that tells one failure from another.

use super::codes::is_code;

const EXTENSIONS: [&str; 54] = [
    "a", "c", "cc", "cfg", "cjs", "conf", "cpp", "cs", "css", "csv", "env", "ex", "exs", "go",
    "gradle", "h", "hpp", "html", "ini", "java", "js", "json", "jsx", "kt", "lock", "log", "md",
    "mjs", "o", "php", "png", "proto", "py", "rb", "rs", "scala", "scss", "sh", "so", "sql",
    "svelte", "swift", "tf", "toml", "ts", "tsx", "txt", "vue", "wasm", "xml", "yaml", "yml",
    "zip", "pem",
];

const FILES: [&str; 4] = ["Makefile", "Dockerfile", "makefile", "Jenkinsfile"];

/// What stands for a word, or `None` if the word stays as it is.
pub(super) fn placeholder(word: &str) -> Option<&'static str> {
    if word.contains("://") || word.starts_with("git@") {
        return Some("<url>");
    }
    if is_path(word) {
        return Some("<path>");
    }
    if is_code(word) || !word.bytes().any(|byte| byte.is_ascii_digit()) {
        return is_long_hex(word).then_some("<hex>");
    }
    if is_uuid(word) {
        return Some("<uuid>");
    }
    if is_address(word) {
        return Some("<address>");
    }
    if is_time(word) {
        return Some("<time>");
    }
    if is_hex(word) {
        return Some("<hex>");
    }
    if is_quantity(word) {
        return Some("<n>");
    }
    None
}

/// A name without the numbers and random parts that machines put into names.
pub(super) fn plain_name(word: &str, out: &mut String) {
    if is_code(word) || !word.bytes().any(|byte| byte.is_ascii_digit()) {
        out.push_str(word);
        return;
    }
    for part in word.split_inclusive(['-', '_', '.', '#', ':', '@', '/']) {
        let (segment, separator) = match part.char_indices().next_back() {
            Some((at, last)) if !last.is_alphanumeric() => part.split_at(at),
            _ => (part, ""),
        };
        let has_digits = segment.bytes().any(|byte| byte.is_ascii_digit());
        if has_digits && segment.bytes().all(|byte| byte.is_ascii_digit()) {
            out.push_str("<n>");
        } else if has_digits && segment.len() >= 5 && letter_digit_changes(segment) >= 2 {
            out.push_str("<hex>");
        } else {
            out.push_str(segment);
        }
        out.push_str(separator);
    }
}

/// How often a word goes from letters to digits or back.
fn letter_digit_changes(word: &str) -> usize {
    let bytes = word.as_bytes();
    bytes.windows(2).filter(|two| two[0].is_ascii_digit() != two[1].is_ascii_digit()).count()
}

fn is_path(word: &str) -> bool {
    let name = without_position(word);
    if ["/", "./", "../", "~/", "\\\\"].iter().any(|start| name.starts_with(start)) {
        return name.len() > 1;
    }
    let bytes = name.as_bytes();
    if bytes.len() > 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':' && bytes[2] == b'\\' {
        return true;
    }
    let last = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let has_extension = last
        .rsplit_once('.')
        .is_some_and(|(stem, extension)| !stem.is_empty() && EXTENSIONS.contains(&extension));
    let is_product = matches!(name, "Node.js" | "Next.js" | "Vue.js" | "node.js");
    let slashes = bytes.iter().filter(|&&byte| byte == b'/' || byte == b'\\').count();
    (has_extension && !is_product)
        || FILES.contains(&last)
        || (slashes >= 2 && !name.starts_with('@') && !name.contains("//"))
}

/// A word without the line and column behind it.
fn without_position(mut word: &str) -> &str {
    while let Some((rest, number)) = word.rsplit_once(':')
        && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
    {
        word = rest;
    }
    word
}

fn is_uuid(word: &str) -> bool {
    word.len() == 36
        && word.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Addresses of machines, with or without a port.
fn is_address(word: &str) -> bool {
    let (host, port) = match word.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => (host, port),
        _ => (word, ""),
    };
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let is_ip = host.split('.').count() == 4 && host.split('.').all(is_number);
    let is_host = !port.is_empty() && host.starts_with(|c: char| c.is_ascii_alphabetic());
    let is_six = word.starts_with("::1:")
        || (word.split(':').count() > 4
            && word.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b':'));
    is_ip || is_six || (is_host && (host == "localhost" || host.contains('.')))
}

/// Dates and times of day.
fn is_time(word: &str) -> bool {
    let is_part = |c: char| c.is_ascii_digit() || "-:.+/TZ,".contains(c);
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let separators = word.bytes().filter(|byte| matches!(byte, b':' | b'-' | b'/')).count();
    word.starts_with(|c: char| c.is_ascii_digit())
        && word.chars().all(is_part)
        && digits >= 4
        && separators >= 2
}

fn is_hex(word: &str) -> bool {
    if let Some(digits) = word.strip_prefix("0x") {
        return !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    }
    let letters = word.bytes().filter(u8::is_ascii_alphabetic).count();
    let is_hash = word.len() >= 7 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash && letters > 0
}

fn is_long_hex(word: &str) -> bool {
    word.len() >= 16 && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Numbers with signs, points and units: `12`, `1.5s`, `300ms`, `12%`, `v1.2.3`, `^4.0.0-beta`.
fn is_quantity(word: &str) -> bool {
    let digits = word.trim_start_matches(['v', '-', '+', '~', '^', '$', '#', '.', 'V']);
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let is_version = digits.matches('.').count() >= 2
        && digits.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '+'));
    let unit = digits.trim_start_matches(|c: char| c.is_ascii_digit() || ".,_:/-".contains(c));
    let units = [
        "", "s", "ms", "us", "µs", "ns", "m", "min", "h", "d", "b", "B", "k", "K", "M", "G", "kB",
        "KB", "KiB", "MB", "MiB", "GB", "GiB", "px", "x", "st", "nd", "rd", "th", "%",
    ];
    is_version || units.contains(&unit) || is_compound(digits)
}

/// Durations in several units: `1m30s`.
fn is_compound(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_digit() || matches!(c, 'h' | 'm' | 's' | '.'))
}
