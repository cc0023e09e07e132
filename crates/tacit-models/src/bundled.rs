//! The embedding model that is part of the program: tacit-embed-s in int8, Snowflake's arctic-embed-s
//! fine-tuned to find the note about a repository that a prompt, symptom or failure calls for.
//!
//! A BERT of twelve layers and 384 dimensions, computed like the publisher's own ONNX export. The
//! weights are stored in the executable in the layout that the kernels read, so a process can embed
//! without parsing, copying or repacking anything; the first text only pays for the pages it
//! touches. The same text gives the same bits on every machine, alone or in a batch.

mod categories;
mod embedder;
pub mod format;
mod forward;
mod prompts;
mod tokenizer;
pub mod vocab;
mod weights;

use std::num::NonZeroUsize;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use forward::Scratch;
pub use prompts::{ORDINARY_PROMPT, TELLING_DIRECTION};
use tacit_simd::gemm::Kernel;
use tacit_simd::map::{page_in, prefer_large_pages};
use weights::ModelWeights;

pub use crate::embedder::TextKind;
pub use embedder::BundledEmbedder;

/// The model and its quantisation. Vectors of different models are not comparable.
pub const MODEL_ID: &str = "tacit-embed-s/int8";
/// Length of a vector.
pub const DIMENSIONS: usize = 384;
/// Maximum number of tokens that the model reads; the rest is cut off.
pub const MAX_TOKENS: usize = 512;

/// The prefix that queries had in training. Without it, recall drops by a third.
const QUERY_PREFIX: &str = "Represent this sentence for searching relevant passages: ";

/// An embedding of length one, so that a dot product is a cosine.
pub type Vector = [f32; DIMENSIONS];

fn prefix(kind: TextKind) -> &'static str {
    match kind {
        TextKind::Query => QUERY_PREFIX,
        TextKind::Passage => "",
    }
}

/// Forces the alignment that typed views of the weights need; on Linux, that of 2 MB pages.
#[cfg_attr(target_os = "linux", repr(C, align(0x20_0000)))]
#[cfg_attr(not(target_os = "linux"), repr(C, align(4096)))]
struct Aligned<Bytes: ?Sized>(Bytes);

static WEIGHTS: &Aligned<[u8]> = &Aligned(*include_bytes!("../weights/tacit-embed-s.tacit"));

/// The bundled model, ready to embed.
#[derive(Clone, Copy, Debug)]
pub struct BundledModel {
    weights: &'static ModelWeights<'static>,
    kernel: Kernel,
}

impl BundledModel {
    /// Returns the model on the best kernels the processor has.
    ///
    /// # Panics
    /// Panics if the weights were built for another version of this crate, which the tests rule
    /// out.
    pub fn load() -> &'static Self {
        static WEIGHTS_VIEW: OnceLock<ModelWeights<'static>> = OnceLock::new();
        static MODEL: OnceLock<BundledModel> = OnceLock::new();
        MODEL.get_or_init(|| {
            prefer_large_pages(&WEIGHTS.0);
            let open = || ModelWeights::open(&WEIGHTS.0).expect("the bundled weights are whole");
            Self { weights: WEIGHTS_VIEW.get_or_init(open), kernel: Kernel::best() }
        })
    }

    /// Maps the weights into memory on this thread while another one embeds.
    pub fn page_in(&self) {
        page_in(self.weights.layer_bytes);
    }

    /// Returns the model on other kernels, for tests and benchmarks.
    #[must_use]
    pub fn with_kernel(&self, kernel: Kernel) -> Self {
        Self { kernel, ..*self }
    }

    /// Returns the kernels this model runs on.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// Embeds one text.
    pub fn embed(&self, text: &str, kind: TextKind) -> Vector {
        self.embed_with(text, kind, &mut Scratch::default())
    }

    /// Embeds texts on up to `threads` threads and returns their vectors in order. Each is bit for
    /// bit the vector that [`BundledModel::embed`] returns.
    pub fn embed_batch<Text: AsRef<str> + Sync>(
        &self,
        texts: &[Text],
        kind: TextKind,
        threads: NonZeroUsize,
    ) -> Vec<Vector> {
        let next = AtomicUsize::new(0);
        let work = || {
            let mut scratch = Scratch::default();
            let mut done = Vec::new();
            while let at = next.fetch_add(1, Ordering::Relaxed)
                && let Some(text) = texts.get(at)
            {
                done.push((at, self.embed_with(text.as_ref(), kind, &mut scratch)));
            }
            done
        };
        let mut vectors = vec![[0.0; DIMENSIONS]; texts.len()];
        let mut store = |done: Vec<(usize, Vector)>| {
            for (at, vector) in done {
                vectors[at] = vector;
            }
        };
        std::thread::scope(|scope| {
            // If a thread cannot be started, this one takes its share.
            let helpers: Vec<_> = (1..threads.get().min(texts.len()))
                .map_while(|_| std::thread::Builder::new().spawn_scoped(scope, work).ok())
                .collect();
            store(work());
            for helper in helpers {
                match helper.join() {
                    Ok(done) => store(done),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
        });
        vectors
    }

    /// Returns the token ids of a passage as the model reads it: `[CLS]` first, `[SEP]` last, cut
    /// to [`MAX_TOKENS`].
    pub fn tokenize(&self, text: &str) -> Vec<u32> {
        self.ids(text, TextKind::Passage)
    }

    /// Returns the number of tokens of a text, uncut and without `[CLS]` and `[SEP]`; the model
    /// reads at most [`MAX_TOKENS`] less two.
    pub fn token_count(&self, text: &str) -> usize {
        let mut ids = Vec::new();
        tokenizer::encode(&self.weights.vocab, text, usize::MAX, &mut ids);
        ids.len()
    }

    fn ids(&self, text: &str, kind: TextKind) -> Vec<u32> {
        let mut ids = vec![tokenizer::CLS];
        // The prefix ends in a space, so encoding it separately gives the same tokens.
        for part in [prefix(kind), text] {
            tokenizer::encode(&self.weights.vocab, part, MAX_TOKENS - 1, &mut ids);
        }
        ids.push(tokenizer::SEP);
        ids
    }

    fn embed_with(&self, text: &str, kind: TextKind, scratch: &mut Scratch) -> Vector {
        let ids = self.ids(text, kind);
        forward::embed(self.weights, self.kernel, &ids, scratch)
    }
}
