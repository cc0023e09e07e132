//! Selects the best rows from a stream of scores.

/// A row and its score in one number: larger is better, and of equal scores the earlier row.
///
/// All values differ, so the best of a set do not depend on the order in which it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ScoredRow(u64);

impl ScoredRow {
    pub(crate) fn new(score: f32, row: u32) -> Self {
        // Flipping the sign bit, and all other bits of negative numbers, makes the bits of a float
        // sort like its value.
        let bits = score.to_bits();
        let flip = ((bits.cast_signed() >> 31).cast_unsigned()) | 0x8000_0000;
        Self(u64::from(bits ^ flip) << 32 | u64::from(!row))
    }

    pub(crate) fn row(self) -> u32 {
        !(self.0 as u32)
    }
}

/// The best `limit` rows offered so far.
#[derive(Debug)]
pub(crate) struct TopRows {
    limit: usize,
    rows: Vec<ScoredRow>,
    /// Lower scores are rejected.
    bar: f32,
    /// The worst row that was kept when the bar was last raised.
    floor: ScoredRow,
}

impl TopRows {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, rows: Vec::new(), bar: f32::NEG_INFINITY, floor: ScoredRow(0) }
    }

    /// Returns true if a score is worth offering. NaN never is.
    pub(crate) fn admits(&self, score: f32) -> bool {
        score >= self.bar
    }

    pub(crate) fn offer(&mut self, score: f32, row: u32) {
        let scored = ScoredRow::new(score, row);
        if scored <= self.floor || self.limit == 0 {
            return;
        }
        self.rows.push(scored);
        // Cutting only at twice the limit keeps the average cost of an offer low.
        if self.rows.len() >= self.limit.saturating_mul(2).max(64) {
            self.cut();
            if let Some(&worst) = self.rows.last() {
                self.floor = worst;
                self.bar = worst.score();
            }
        }
    }

    /// Returns the best rows, best first.
    pub(crate) fn into_rows(mut self) -> Vec<u32> {
        self.cut();
        self.rows.sort_unstable_by(|a, b| b.cmp(a));
        self.rows.into_iter().map(ScoredRow::row).collect()
    }

    /// Keeps the best `limit` rows, the worst of them last.
    fn cut(&mut self) {
        if self.rows.len() > self.limit {
            self.rows.select_nth_unstable_by(self.limit - 1, |a, b| b.cmp(a));
            self.rows.truncate(self.limit);
        }
    }
}

impl ScoredRow {
    fn score(self) -> f32 {
        let bits = (self.0 >> 32) as u32;
        let flip = if bits >> 31 == 1 { 0x8000_0000 } else { u32::MAX };
        f32::from_bits(bits ^ flip)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scored_rows_sort_by_score_then_row() {
        let scores = [f32::NEG_INFINITY, -1.5, -0.0, 0.0, 1e-40, 0.25, 1.0, f32::INFINITY];
        for pair in scores.windows(2) {
            assert!(ScoredRow::new(pair[0], 0) < ScoredRow::new(pair[1], 9));
        }
        assert!(ScoredRow::new(0.5, 3) > ScoredRow::new(0.5, 4));
        for score in scores {
            let scored = ScoredRow::new(score, 17);
            assert_eq!((scored.score().to_bits(), scored.row()), (score.to_bits(), 17));
        }
    }

    #[test]
    fn the_best_rows_do_not_depend_on_order() {
        let scores: Vec<f32> = (0..10_000_u32).map(|i| (i * 7919 % 1009) as f32).collect();
        let mut sorted: Vec<u32> = (0..10_000).collect();
        sorted.sort_by(|&a, &b| scores[b as usize].total_cmp(&scores[a as usize]).then(a.cmp(&b)));
        for limit in [1, 10, 100, 5000, 20_000] {
            let mut top = TopRows::new(limit);
            // 3001 shares no factor with the number of rows, so each row comes once, out of order.
            for row in (0..10_000).map(|i| i * 3001 % 10_000) {
                if top.admits(scores[row as usize]) {
                    top.offer(scores[row as usize], row);
                }
            }
            assert_eq!(top.into_rows(), sorted[..limit.min(10_000)]);
        }
        assert!(!TopRows::new(3).admits(f32::NAN));
    }
}
