//! Cues: situations in which a memory helps. They lead to a memory and are never shown as its
//! content.

use serde::{Deserialize, Serialize};

use super::values::line;
use super::words::checked_text;
use crate::field::Problem;

checked_text! {
    /// A situation in which a memory helps, such as `checkout times out under load`: one line of at
    /// most 200 characters.
    Cue, |text| line(text, Cue::MOST_CHARACTERS)
}

impl Cue {
    /// The most characters of a cue.
    pub const MOST_CHARACTERS: usize = 200;

    /// Returns true if two cues differ only in case and white space.
    pub fn is_same(&self, other: &Cue) -> bool {
        self.0 == other.0 || self.folded().eq(other.folded())
    }

    fn folded(&self) -> impl Iterator<Item = String> + '_ {
        self.0.split_whitespace().map(str::to_lowercase)
    }
}

/// The cues of a memory in the order in which they were added, no two of them the same.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Cue>")]
pub struct Cues(Vec<Cue>);

impl Cues {
    /// The most cues a memory can have.
    pub const LIMIT: usize = 8;

    /// Collects cues; the first of several that are the same stays. Fails above [`Cues::LIMIT`].
    pub fn collect(cues: impl IntoIterator<Item = Cue>) -> Result<Cues, Problem> {
        let mut kept = Cues::default();
        for cue in cues {
            if !kept.contains(&cue) {
                kept.0.push(cue);
            }
        }
        if kept.0.len() > Cues::LIMIT {
            return Err(Problem::TooMany { max: Cues::LIMIT, actual: kept.0.len() });
        }
        Ok(kept)
    }

    /// Adds as many other cues as fit; those that are there stay. Returns the rest.
    pub fn merged(&self, others: &Cues) -> (Cues, Vec<Cue>) {
        let (mut merged, mut left_out) = (self.clone(), Vec::new());
        for cue in others.0.iter().filter(|cue| !self.contains(cue)) {
            let list = if merged.0.len() < Cues::LIMIT { &mut merged.0 } else { &mut left_out };
            list.push(cue.clone());
        }
        (merged, left_out)
    }

    /// Iterates over the cues, oldest first.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Cue> {
        self.0.iter()
    }

    /// Returns true if there are no cues.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns true if the same cue is there.
    pub fn contains(&self, cue: &Cue) -> bool {
        self.0.iter().any(|other| other.is_same(cue))
    }
}

impl TryFrom<Vec<Cue>> for Cues {
    type Error = Problem;

    fn try_from(cues: Vec<Cue>) -> Result<Cues, Problem> {
        Cues::collect(cues)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cue(text: &str) -> Cue {
        Cue::new(text).unwrap()
    }

    fn numbered(numbers: std::ops::Range<usize>) -> Vec<Cue> {
        numbers.map(|number| cue(&format!("situation {number}"))).collect()
    }

    #[test]
    fn cues_are_single_lines_of_limited_length() {
        assert_eq!(cue("  checkout times out ").as_str(), "checkout times out");
        assert!(Cue::new("é".repeat(200)).is_ok());
        assert_eq!(
            Cue::new("x".repeat(201)).unwrap_err().to_string(),
            "is 201 characters long; the limit is 200"
        );
        assert_eq!(Cue::new(" \t "), Err(Problem::Empty));
        assert!(Cue::new("two\nlines").is_err());
    }

    #[test]
    fn no_two_cues_are_the_same() {
        let cues = [cue("Checkout times  out"), cue("other"), cue("checkout TIMES out")];
        let kept = Cues::collect(cues).unwrap();
        let texts: Vec<&str> = kept.iter().map(Cue::as_str).collect();
        assert_eq!(texts, ["Checkout times  out", "other"]);
        assert!(kept.contains(&cue("OTHER")));
    }

    #[test]
    fn a_memory_has_at_most_eight_cues() {
        assert!(Cues::collect(numbered(0..8)).is_ok());
        assert_eq!(Cues::collect(numbered(0..9)), Err(Problem::TooMany { max: 8, actual: 9 }));
    }

    #[test]
    fn merging_keeps_the_oldest_cues() {
        let known = Cues::collect(numbered(0..7)).unwrap();
        let new = Cues::collect(numbered(5..9)).unwrap();
        let (merged, left_out) = known.merged(&new);
        assert_eq!(merged, Cues::collect(numbered(0..8)).unwrap());
        assert_eq!(left_out, numbered(8..9));
    }
}
