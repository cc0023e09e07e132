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

impl Asset {
    /// Returns the file for the path of an address.
    pub(crate) fn find(assets: &[Asset], path: &str) -> Option<Asset> {
        let path = if path == "/" { INDEX } else { path };
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
