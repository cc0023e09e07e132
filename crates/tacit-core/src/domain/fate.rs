//! The fates of injections: what followed from showing a memory to an agent.

use super::words::word_enum;

word_enum! {
    /// The effect of an injection, judged from the events after it.
    Fate, "a fate" {
        /// A known failure was answered with it, and the next try passed.
        Helped = "helped",
        /// The agent used its file, its command or its fix soon afterwards.
        ActedOn = "acted_on",
        /// The agent's words name it or repeat its distinctive words.
        Cited = "cited",
        /// Nothing in the session refers to it.
        Ignored = "ignored",
        /// The session showed that it does not hold.
        Contradicted = "contradicted",
        /// A person or an agent flagged it as wrong.
        Flagged = "flagged",
    }
}

impl Fate {
    /// Returns true if the injection was of use.
    pub fn is_use(self) -> bool {
        matches!(self, Fate::Helped | Fate::ActedOn | Fate::Cited)
    }
}
