//! Questions to text models.

/// A question to a text model. Whoever asks it takes out secrets before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The task, which is the same each time.
    pub task: &'static str,
    /// The data it is about.
    pub about: String,
    /// The most tokens of an answer.
    pub max_tokens: u32,
}
