//! A clock and identifiers that tests control.

use std::cell::Cell;

use tacit_core::{Clock, IdSource, MemoryId, Timestamp};

/// A clock that only moves when told to.
#[derive(Debug)]
pub struct ManualClock(Cell<i64>);

impl Default for ManualClock {
    fn default() -> ManualClock {
        // 2026-11-15T10:30:00Z
        ManualClock(Cell::new(1_794_738_600_000))
    }
}

impl ManualClock {
    /// Moves the clock by milliseconds.
    pub fn advance(&self, millis: i64) {
        self.0.set(self.0.get() + millis);
    }

    /// Moves the clock by hours.
    pub fn advance_hours(&self, hours: i64) {
        self.advance(hours * 3_600_000);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.get()).unwrap_or(Timestamp::MIN)
    }
}

/// An identifier source with the same identifiers in every run.
#[derive(Debug, Default)]
pub struct FixedIds(Cell<u64>);

impl IdSource for FixedIds {
    fn next_id(&self, at: Timestamp) -> MemoryId {
        let number = self.0.get() + 1;
        self.0.set(number);
        let spread = number.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes();
        let mut random = [0; 10];
        random[2..].copy_from_slice(&spread);
        MemoryId::from_parts(at, random)
    }
}
