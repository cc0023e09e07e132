//! The index entries of memories: text, signature, fingerprint, and the hash of what is embedded.

use rusqlite::{Connection, params};
use tacit_core::{FingerprintDigest, Signature};
use tacit_store::IndexEntry;

/// Indexes a memory, replacing its earlier entry.
pub(crate) fn put(connection: &Connection, seq: i64, entry: &IndexEntry) -> rusqlite::Result<()> {
    remove_bands(connection, seq)?;
    let mut kept = Vec::new();
    for band in entry.signature.iter().flat_map(bands) {
        connection
            .prepare_cached("INSERT OR IGNORE INTO memory_bands (band, memory) VALUES (?, ?)")?
            .execute(params![band, seq])?;
        kept.extend_from_slice(&(band as u32).to_le_bytes());
    }
    let fingerprint = entry.fingerprint.as_ref().map(FingerprintDigest::as_str);
    connection
        .prepare_cached("UPDATE memories SET bands = ?, fingerprint = ? WHERE seq = ?")?
        .execute(params![(!kept.is_empty()).then_some(kept), fingerprint, seq])?;
    crate::vectors::note_meaning(connection, seq, entry.embedding_hash)?;
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO memory_text (rowid, title, body, labels) VALUES (?, ?, ?, ?)",
        )?
        .execute(params![
            seq,
            entry.title.joined(),
            entry.text.joined(),
            // The final score weighs cues on their own; here they only have to be found.
            format!("{} {}", entry.labels.joined(), entry.cues.joined())
        ])?;
    Ok(())
}

/// Returns the bands as stored: 32 bits distinguish them well enough, in half the space.
pub(crate) fn bands(signature: &Signature) -> impl Iterator<Item = i64> {
    signature.bands().iter().map(|band| i64::from(*band as u32))
}

pub(crate) fn remove_bands(connection: &Connection, seq: i64) -> rusqlite::Result<()> {
    let kept: Option<Vec<u8>> = connection
        .prepare_cached("SELECT bands FROM memories WHERE seq = ?")?
        .query_row([seq], |row| row.get(0))?;
    for band in kept.unwrap_or_default().chunks_exact(4) {
        let band = u32::from_le_bytes([band[0], band[1], band[2], band[3]]);
        connection
            .prepare_cached("DELETE FROM memory_bands WHERE band = ? AND memory = ?")?
            .execute(params![band, seq])?;
    }
    Ok(())
}
