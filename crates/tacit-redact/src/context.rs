//! Detectors that need the words around a value: a secret without a mark of its
//! own is known by where it stands.

pub(crate) mod assignment;
mod command;
mod header;
mod key;
mod literal;
mod pem;
mod url;

use crate::keywords::Detector;

/// The words that assignments are looked for at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stem {
    Pass,
    Pwd,
    Secret,
    Token,
    Key,
    Auth,
    Credential,
}

/// Keywords in any case, tried in this order where several fit.
pub(crate) const KEYWORDS: &[(&str, Detector)] = &[
    ("private key", Detector::Other(pem::find)),
    ("://", Detector::Other(url::find)),
    ("authorization", Detector::Other(header::authorization)),
    ("bearer ", Detector::Other(header::bearer)),
    ("basic ", Detector::Other(header::basic)),
    ("cookie:", Detector::Other(header::cookie)),
    (" -u", Detector::Other(command::user)),
    (" --user", Detector::Other(command::user)),
    ("pass", Detector::Assignment(Stem::Pass)),
    ("pwd", Detector::Assignment(Stem::Pwd)),
    ("secret", Detector::Assignment(Stem::Secret)),
    ("token", Detector::Assignment(Stem::Token)),
    ("key", Detector::Assignment(Stem::Key)),
    ("auth", Detector::Assignment(Stem::Auth)),
    ("credential", Detector::Assignment(Stem::Credential)),
];

/// The ids that these detectors give.
pub(crate) const IDS: [&str; 16] = [
    pem::ID,
    pem::SERVICE_ACCOUNT,
    url::ID,
    header::AUTHORIZATION,
    header::BEARER,
    header::BASIC,
    header::COOKIE,
    command::ID,
    assignment::ID,
    assignment::NETRC,
    assignment::CONNECTION,
    assignment::NAMED[0].0,
    assignment::NAMED[1].0,
    assignment::NAMED[2].0,
    assignment::NAMED[3].0,
    assignment::NAMED[4].0,
];
