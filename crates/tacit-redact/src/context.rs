//! Detectors for secrets without a prefix of their own, which are recognised by the text around
//! them.

pub(crate) mod assignment;
mod command;
mod header;
mod htpasswd;
mod key;
mod kubeconfig;
mod ldap;
mod literal;
mod pem;
pub(crate) mod private;
mod putty;
mod terraform;
mod url;

use crate::keywords::Detector;

/// The word that an assignment was recognised by.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stem {
    Pass,
    Pwd,
    Secret,
    Token,
    Key,
    Auth,
    Credential,
    /// A personal access token: `AZURE_DEVOPS_EXT_PAT`.
    Pat,
    /// The word for a password in another language, with its possible endings after the keyword.
    Foreign(&'static [&'static str]),
}

/// The keywords, matched in any case, in order of precedence.
pub(crate) const KEYWORDS: &[(&str, Detector)] = &[
    (private::KEYWORD, Detector::Other(private::find)),
    ("private key", Detector::Other(pem::find)),
    ("://", Detector::Other(url::find)),
    ("authorization", Detector::Other(header::authorization)),
    ("bearer ", Detector::Other(header::bearer)),
    ("basic ", Detector::Other(header::basic)),
    ("cookie:", Detector::Other(header::cookie)),
    (" -u", Detector::Other(command::user)),
    (" --user", Detector::Other(command::user)),
    (" -p", Detector::Other(command::flag)),
    (" -a", Detector::Other(command::flag)),
    (" -w", Detector::Other(command::flag)),
    ("htpasswd ", Detector::Other(htpasswd::find)),
    ("bindpw", Detector::Other(ldap::find)),
    ("rootpw", Detector::Other(ldap::find)),
    ("client-key-data", Detector::Other(kubeconfig::find)),
    ("private-lines:", Detector::Other(putty::find)),
    ("variable \"", Detector::Other(terraform::find)),
    ("pass", Detector::Assignment(Stem::Pass)),
    ("pwd", Detector::Assignment(Stem::Pwd)),
    ("secret", Detector::Assignment(Stem::Secret)),
    ("token", Detector::Assignment(Stem::Token)),
    ("key", Detector::Assignment(Stem::Key)),
    ("auth", Detector::Assignment(Stem::Auth)),
    ("credential", Detector::Assignment(Stem::Credential)),
    ("pat", Detector::Assignment(Stem::Pat)),
    ("senha", Detector::Assignment(Stem::Foreign(&[]))),
    ("contrase", Detector::Assignment(Stem::Foreign(&["ña", "n\u{303}a", "na", "nya"]))),
    ("kennwort", Detector::Assignment(Stem::Foreign(&[]))),
    ("mot de passe", Detector::Assignment(Stem::Foreign(&[]))),
    ("has\u{142}o", Detector::Assignment(Stem::Foreign(&[]))),
    ("haslo", Detector::Assignment(Stem::Foreign(&[]))),
    ("heslo", Detector::Assignment(Stem::Foreign(&[]))),
    ("parola", Detector::Assignment(Stem::Foreign(&[]))),
    ("wachtwoord", Detector::Assignment(Stem::Foreign(&[]))),
    ("l\u{f6}senord", Detector::Assignment(Stem::Foreign(&[]))),
    ("salasana", Detector::Assignment(Stem::Foreign(&[]))),
    ("adgangskode", Detector::Assignment(Stem::Foreign(&[]))),
    ("jelsz\u{f3}", Detector::Assignment(Stem::Foreign(&[]))),
    ("пароль", Detector::Assignment(Stem::Foreign(&[]))),
    ("Пароль", Detector::Assignment(Stem::Foreign(&[]))),
    ("ПАРОЛЬ", Detector::Assignment(Stem::Foreign(&[]))),
    ("密码", Detector::Assignment(Stem::Foreign(&[]))),
    ("密碼", Detector::Assignment(Stem::Foreign(&[]))),
    ("パスワード", Detector::Assignment(Stem::Foreign(&[]))),
    ("비밀번호", Detector::Assignment(Stem::Foreign(&[]))),
];

/// The rule ids of these detectors.
pub(crate) const IDS: &[&str] = &[
    private::ID,
    putty::ID,
    kubeconfig::ID,
    terraform::ID,
    ldap::ID,
    command::PASSWORD,
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
    assignment::NAMED[5].0,
];
