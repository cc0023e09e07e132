//! The default of a Terraform variable that is sensitive by its name or by its own word.

use crate::bytes::{ALNUM, BLANK, WORD, find_folded};
use crate::scan::{Hit, Outcome, Place, named};
use crate::value::{Form, Promise, is_given_password, is_secret};

pub(super) const ID: &str = "terraform-default";

const LONGEST_BLOCK: usize = 2048;

pub(super) fn find(place: &Place<'_>) -> Outcome {
    let bytes = place.bytes;
    let start = place.at + place.keyword.len();
    let length = WORD.run(bytes, start, 96);
    let name = &bytes[start..start + length];
    let mut at = start + length;
    if name.is_empty() || bytes.get(at) != Some(&b'"') {
        return Outcome::No;
    }
    at += 1 + BLANK.run(bytes, at + 1, 16);
    if bytes.get(at) != Some(&b'{') {
        return Outcome::No;
    }
    let block = &bytes[at..bytes.len().min(at + LONGEST_BLOCK)];
    let next =
        find_folded(&block[1..], place.keyword.as_bytes()).map_or(block.len(), |next| next + 1);
    let block = &block[..next];
    let promise = if is_marked(block) { Some(Promise::Password) } else { promise(name) };
    let (Some(promise), Some((from, to))) = (promise, default(block)) else { return Outcome::No };
    let value = &block[from..to];
    let secret = match promise {
        Promise::Password => is_given_password(value),
        promise => is_secret(promise, Form::Quoted, value),
    };
    if !secret || value.iter().any(u8::is_ascii_whitespace) {
        return Outcome::No;
    }
    Outcome::Found(named(bytes, place.floor, Hit { start: at + from, end: at + to, rule: ID }))
}

/// `sensitive = true`
fn is_marked(block: &[u8]) -> bool {
    let Some(at) = find_folded(block, b"sensitive") else { return false };
    let rest = block[at + b"sensitive".len()..].trim_ascii_start();
    rest.strip_prefix(b"=").is_some_and(|rest| rest.trim_ascii_start().starts_with(b"true"))
}

/// Classifies a variable by the last word of its name.
fn promise(name: &[u8]) -> Option<Promise> {
    let mut words = name.rsplit(|b| *b == b'_');
    let last = words.next()?;
    let is = |known: &str| known.split(' ').any(|word| word.as_bytes().eq_ignore_ascii_case(last));
    if is("password passwd pass pwd secret passphrase credential credentials") {
        Some(Promise::Password)
    } else if is("token key pat apikey") {
        Some(Promise::Token)
    } else {
        None
    }
}

/// Returns the quoted value of `default` in a block.
fn default(block: &[u8]) -> Option<(usize, usize)> {
    let mut from = 0;
    loop {
        let at = from + find_folded(&block[from..], b"default")?;
        from = at + b"default".len();
        if block[..at].last().is_some_and(|b| ALNUM.has(*b) || *b == b'_') {
            continue;
        }
        let mut value = from + BLANK.run(block, from, 32);
        if block.get(value) != Some(&b'=') {
            continue;
        }
        value += 1 + BLANK.run(block, value + 1, 32);
        if block.get(value) != Some(&b'"') {
            return None;
        }
        value += 1;
        let length = block[value..].iter().position(|b| matches!(b, b'"' | b'\n'))?;
        return Some((value, value + length));
    }
}
