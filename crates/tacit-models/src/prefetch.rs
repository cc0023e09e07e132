//! Embeds a query in the background while the caller prepares its search.

use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::{EmbedError, Embedder, EmbedderReach, ModelId, TextKind};

type Vectors = Result<Vec<Vec<f32>>, EmbedError>;

/// An embedder that starts on one text when it is created. All other texts go to the embedder it
/// wraps.
pub struct PrefetchedEmbedding {
    embedder: Arc<dyn Embedder>,
    text: String,
    kind: TextKind,
    task: Mutex<Option<PrefetchTask>>,
}

/// The state of the text that was started.
enum PrefetchTask {
    Running(JoinHandle<Vectors>),
    /// Kept for repeated calls.
    Done(Vec<Vec<f32>>),
}

impl PrefetchedEmbedding {
    /// Starts embedding `text` on a new thread.
    pub fn start(embedder: Arc<dyn Embedder>, text: String, kind: TextKind) -> PrefetchedEmbedding {
        let (other, copy) = (embedder.clone(), text.clone());
        let work = move || other.embed(&[&copy], kind, None);
        // If no thread can be started, `embed` computes the vector instead.
        let running = std::thread::Builder::new().spawn(work).ok();
        let task = Mutex::new(running.map(PrefetchTask::Running));
        PrefetchedEmbedding { embedder, text, kind, task }
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
        let mut task = self.task.lock().unwrap_or_else(PoisonError::into_inner);
        let vectors = match task.take() {
            Some(PrefetchTask::Running(running)) => {
                running.join().unwrap_or_else(|panic| resume_unwind(panic))?
            }
            Some(PrefetchTask::Done(vectors)) => vectors,
            None => self.embedder.embed(texts, kind, deadline)?,
        };
        *task = Some(PrefetchTask::Done(vectors.clone()));
        Ok(vectors)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Counts calls; its vectors hold the number of earlier calls.
    struct Counting(ModelId, AtomicUsize);

    impl Embedder for Counting {
        fn model(&self) -> &ModelId {
            &self.0
        }

        fn reach(&self) -> EmbedderReach {
            EmbedderReach::Bundled
        }

        fn embed(&self, texts: &[&str], _: TextKind, _: Option<Duration>) -> Vectors {
            let calls = self.1.fetch_add(1, Ordering::SeqCst);
            Ok(vec![vec![calls as f32]; texts.len()])
        }
    }

    #[test]
    fn a_prefetched_text_is_embedded_once() {
        let embedder = Arc::new(Counting(ModelId::new("counting", 1), AtomicUsize::new(0)));
        let prefetched =
            PrefetchedEmbedding::start(embedder.clone(), "pool".to_owned(), TextKind::Query);
        let embed = |text, kind| prefetched.embed(&[text], kind, None).expect("it never fails");
        assert!(prefetched.has_started("pool", TextKind::Query));
        assert!(!prefetched.has_started("pool", TextKind::Passage));
        assert_eq!(embed("pool", TextKind::Query), [[0.0]]);
        for (text, kind, calls) in [
            ("pool", TextKind::Query, 0.0),
            ("pool", TextKind::Passage, 1.0),
            ("socket", TextKind::Query, 2.0),
            ("pool", TextKind::Query, 0.0),
        ] {
            assert_eq!(embed(text, kind), [[calls]], "{text}");
        }
    }
}
