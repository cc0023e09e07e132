//! The files of the page. They are part of the program, so no path of a request reaches the disk.

/// A file of the page.
#[derive(Debug, Clone, Copy)]
pub struct Asset {
    /// The path in the address, such as `/assets/index-1a2b.js`.
    pub path: &'static str,
    /// The contents.
    pub bytes: &'static [u8],
}

/// The built page; empty if `panel/dist` was missing when this program was built.
pub const ASSETS: &[Asset] = include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// The page itself.
const INDEX: &str = "/index.html";
/// Files below this have a hash of their contents in their names, so they never change.
const HASHED: &str = "/assets/";
/// The first segments of the paths that the page shows itself, as `panel/ui/src/app/routes.ts` lists them. `m` is short
/// for citations.
const VIEWS: [&str; 9] =
    ["memories", "m", "review", "sessions", "recipes", "map", "chat", "teach", "settings"];

impl Asset {
    /// Returns the file for the path of an address; the page for each of its views, so that one can be reloaded.
    pub(crate) fn find(assets: &[Asset], path: &str) -> Option<Asset> {
        let first = path.split('/').nth(1).unwrap_or_default();
        let path = if path == "/" || VIEWS.contains(&first) { INDEX } else { path };
        assets.iter().copied().find(|asset| asset.path == path)
    }

    /// Returns the media type, by the ending of the name.
    pub(crate) fn media_type(&self) -> &'static str {
        match self.path.rsplit('.').next().unwrap_or_default() {
            "html" => "text/html; charset=utf-8",
            "js" => "text/javascript; charset=utf-8",
            "css" => "text/css; charset=utf-8",
            "json" | "map" => "application/json",
            "svg" => "image/svg+xml",
            "png" => "image/png",
            "ico" => "image/x-icon",
            "webmanifest" => "application/manifest+json",
            "woff2" => "font/woff2",
            "txt" => "text/plain; charset=utf-8",
            _ => "application/octet-stream",
        }
    }

    /// Returns the directive for caches.
    pub(crate) fn cache_control(&self) -> &'static str {
        if self.path.starts_with(HASHED) {
            "public, max-age=31536000, immutable"
        } else {
            "no-cache"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &[Asset] = &[
        Asset { path: "/index.html", bytes: b"" },
        Asset { path: "/assets/index-1a2b.js", bytes: b"" },
    ];

    fn found(path: &str) -> Option<&'static str> {
        Asset::find(PAGE, path).map(|asset| asset.path)
    }

    #[test]
    fn every_view_of_the_page_can_be_reloaded() {
        let routes = include_str!("../../../panel/ui/src/app/routes.ts");
        let paths: Vec<&str> = routes
            .lines()
            .filter_map(|line| line.split_once("path: '")?.1.split('\'').next())
            .collect();
        assert_eq!(paths.len(), VIEWS.len(), "each but `/m/`, and `/`: {paths:?}");
        for path in paths.into_iter().chain(["/m/27734d01", "/sessions/a.b", "/settings/storage"]) {
            assert_eq!(found(path), Some("/index.html"), "{path}");
        }
    }

    #[test]
    fn other_paths_are_files_or_nothing() {
        assert_eq!(found("/assets/index-1a2b.js"), Some("/assets/index-1a2b.js"));
        for path in ["", "memories", "/memoriesx", "//memories", "/assets/memories", "/etc/passwd"]
        {
            assert_eq!(found(path), None, "{path}");
        }
    }

    #[test]
    fn the_page_is_embedded_with_every_file_that_it_names() {
        let page = ASSETS.iter().find(|asset| asset.path == INDEX).expect("the page");
        let page = str::from_utf8(page.bytes).expect("text");
        let named: Vec<&str> = page
            .split('"')
            .filter(|value| value.starts_with(HASHED) || *value == "/icon.svg")
            .collect();
        assert!(named.len() > 2, "{page}");
        for name in named {
            let asset = Asset::find(ASSETS, name).unwrap_or_else(|| panic!("no {name}"));
            assert_ne!(asset.media_type(), "application/octet-stream", "{name}");
        }
    }
}
