//! The choice of sessions from which everything is withheld, to measure what showing memories is
//! worth.

use sha2::{Digest, Sha256};

use crate::domain::values::SessionId;

/// Returns true if a session is held out, given the share of sessions that are. The choice depends on
/// the session's identifier alone, and a session that is held out stays so if the share grows.
pub fn is_held_out(session: &SessionId, share: f64) -> bool {
    let mut hasher = Sha256::new();
    hasher.update(b"held out ");
    hasher.update(session.as_str().as_bytes());
    let hash = hasher.finalize();
    let number = hash.iter().take(4).fold(0_u32, |number, byte| (number << 8) | u32::from(*byte));
    f64::from(number) / (f64::from(u32::MAX) + 1.0) < share
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held_out(share: f64) -> Vec<bool> {
        let session = |number: u32| SessionId::new(format!("session-{number}")).expect("an id");
        (0..2_000).map(|number| is_held_out(&session(number), share)).collect()
    }

    #[test]
    fn about_the_wanted_share_of_sessions_is_held_out() {
        for (share, least, most) in
            [(0.0, 0, 0), (0.1, 160, 240), (0.5, 920, 1_080), (1.0, 2_000, 2_000)]
        {
            let count = held_out(share).into_iter().filter(|out| *out).count();
            assert!((least..=most).contains(&count), "{share}: {count}");
        }
    }

    #[test]
    fn a_larger_share_keeps_those_of_a_smaller_one() {
        let (few, many) = (held_out(0.1), held_out(0.3));
        assert!(few.iter().zip(&many).all(|(few, many)| *many || !*few));
    }
}
