//! Embedding a text while whoever will ask for its vector is still getting ready.

use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::{EmbedError, Embedder, EmbedderReach, ModelId, TextKind};

type Vectors = Result<Vec<Vec<f32>>, EmbedError>;

/// An embedder that began with one text when it was made. For any other it is the one it stands
/// before.
pub struct PrefetchedEmbedding {
    embedder: Arc<dyn Embedder>,
    text: String,
    kind: TextKind,
    begun: Mutex<Option<Begun>>,
}

/// How far the text is that was begun with.
enum Begun {
    Running(JoinHandle<Vectors>),
    /// Kept for whoever asks again.
    Done(Vec<Vec<f32>>),
}

impl PrefetchedEmbedding {
    /// Begins to embed `text`.
    pub fn start(embedder: Arc<dyn Embedder>, text: String, kind: TextKind) -> PrefetchedEmbedding {
        let (other, copy) = (embedder.clone(), text.clone());
        let work = move || other.embed(&[&copy], kind, None);
        // Without a thread to be had, the text is embedded when it is asked for.
        let running = std::thread::Builder::new().spawn(work).ok();
        let begun = Mutex::new(running.map(Begun::Running));
        PrefetchedEmbedding { embedder, text, kind, begun }
    }
}

impl Embedder for PrefetchedEmbedding {
    fn model(&self) -> &ModelId {
        self.embedder.model()
    }

    fn reach(&self) -> EmbedderReach {
        self.embedder.reach()
    }

    fn has_started(&self, text: &str, kind: TextKind) -> bool {
        kind == self.kind && text == self.text
    }

    fn embed(&self, texts: &[&str], kind: TextKind, deadline: Option<Duration>) -> Vectors {
        if !matches!(texts, [text] if self.has_started(text, kind)) {
            return self.embedder.embed(texts, kind, deadline);
        }
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        let vectors = match begun.take() {
            Some(Begun::Running(running)) => {
                running.join().unwrap_or_else(|panic| resume_unwind(panic))?
            }
            Some(Begun::Done(vectors)) => vectors,
            None => self.embedder.embed(texts, kind, deadline)?,
        };
        *begun = Some(Begun::Done(vectors.clone()));
        Ok(vectors)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Counts what it is asked; its vectors tell how often it had been asked before.
    struct Counting(ModelId, AtomicUsize);

    impl Embedder for Counting {
        fn model(&self) -> &ModelId {
            &self.0
        }

        fn reach(&self) -> EmbedderReach {
            EmbedderReach::Bundled
        }

        fn embed(&self, texts: &[&str], _: TextKind, _: Option<Duration>) -> Vectors {
            let before = self.1.fetch_add(1, Ordering::SeqCst);
            Ok(vec![vec![before as f32]; texts.len()])
        }
    }

    #[test]
    fn what_was_begun_is_embedded_once_and_only_for_that_text() {
        let counting = Arc::new(Counting(ModelId::new("counting", 1), AtomicUsize::new(0)));
        let ahead =
            PrefetchedEmbedding::start(counting.clone(), "pool".to_owned(), TextKind::Query);
        let asked = |text, kind| ahead.embed(&[text], kind, None).expect("it never fails");
        assert!(ahead.has_started("pool", TextKind::Query));
        assert!(!ahead.has_started("pool", TextKind::Passage));
        assert_eq!(asked("pool", TextKind::Query), [[0.0]]);
        for (text, kind, before) in [
            ("pool", TextKind::Query, 0.0),
            ("pool", TextKind::Passage, 1.0),
            ("socket", TextKind::Query, 2.0),
            ("pool", TextKind::Query, 0.0),
        ] {
            assert_eq!(asked(text, kind), [[before]], "{text}");
        }
    }
}
