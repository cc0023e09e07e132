//! The name of a project on a team's server, the same for every clone.

use tacit_core::Config;

use crate::app::App;
use crate::error::{AppError, AppResult};

/// The remote that names a project.
const REMOTE: &str = "origin";
/// The longest name of a project, in bytes.
const LONGEST: usize = 300;

/// Returns the name of the project: the configured one, otherwise one made from the address of its git
/// remote.
pub fn project_identity(app: &App) -> AppResult<String> {
    let name = match configured(app.config()) {
        Some(name) => name,
        None => {
            let worktree = app.repository.as_ref().map(|repository| &repository.worktree);
            let url = worktree.and_then(|worktree| tacit_git::remote_url(worktree, REMOTE));
            let name = url.as_deref().and_then(from_remote);
            name.ok_or_else(|| {
                AppError::usage("this project has no git remote `origin` to take its name from")
                    .hint(
                        "set a name that all clones use: `tacit config set database.project NAME`",
                    )
            })?
        }
    };
    if name.len() > LONGEST || name.chars().any(char::is_control) {
        return Err(AppError::usage(format!(
            "the name of the project must be one line of at most {LONGEST} bytes"
        ))
        .hint("set another name: `tacit config set database.project NAME`"));
    }
    Ok(name)
}

fn configured(config: &Config) -> Option<String> {
    let name = config.database_project.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

/// Reduces the address of a remote to the host and the path, which are the same for every protocol: drops
/// protocol, user, password, port and `.git`. A path on this machine stays a path.
fn from_remote(url: &str) -> Option<String> {
    let url = url.trim().trim_end_matches('/');
    let (host, path) = match url.split_once("://") {
        Some(("file", path)) => return local(path),
        Some((_, rest)) => rest.split_once('/')?,
        None => match url.split_once(':') {
            // `host:path` as in scp. In a path, a slash or a drive letter comes before the colon.
            Some((host, path)) if host.len() > 1 && !host.contains(['/', '\\']) => (host, path),
            _ => return local(url),
        },
    };
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let host = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    };
    let path = without_suffix(path.trim_start_matches(['/', '~']));
    (!host.is_empty() && !path.is_empty()).then(|| format!("{}/{path}", host.to_ascii_lowercase()))
}

fn local(path: &str) -> Option<String> {
    let path = without_suffix(path);
    if !path.starts_with('/') {
        return (!path.is_empty()).then(|| path.to_owned());
    }
    // `git clone ../shop.git` notes the steps upwards, which differ from clone to clone.
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    (!parts.is_empty()).then(|| format!("/{}", parts.join("/")))
}

fn without_suffix(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    path.strip_suffix(".git").unwrap_or(path).trim_end_matches('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_fetch_a_project_gives_one_name() {
        for url in [
            "git@github.com:acme/shop.git",
            "ssh://git@github.com/acme/shop.git",
            "ssh://git@GitHub.com:22/acme/shop",
            "https://github.com/acme/shop.git",
            "https://ada:secret@github.com/acme/shop/",
            "git://github.com:9418/acme/shop.git/",
            "github.com:acme/shop",
        ] {
            assert_eq!(from_remote(url).as_deref(), Some("github.com/acme/shop"), "{url}");
        }
    }

    #[test]
    fn a_path_names_a_project_on_this_machine() {
        for (url, expected) in [
            ("/srv/git/shop.git", Some("/srv/git/shop")),
            ("file:///srv/git/shop.git", Some("/srv/git/shop")),
            ("/home/ada/../../srv/git/./shop.git", Some("/srv/git/shop")),
            ("../shop.git", Some("../shop")),
            ("C:\\git\\shop.git", Some("C:\\git\\shop")),
            ("./a:b", Some("./a:b")),
            ("", None),
            (".git", None),
            ("https://github.com/", None),
        ] {
            assert_eq!(from_remote(url).as_deref(), expected, "{url}");
        }
    }
}
