//! Model providers and the tools around them.

use super::TokenPart::{AtLeast, Literal, Run};
use super::{Token, token};
use crate::bytes::{ALNUM, HEX, LETTER, LOWER_HEX, URL64};

pub(super) const RULES: &[Token] = &[
    token("anthropic-key", &["sk-ant-"], &[AtLeast(URL64, 20)]).lone(),
    token("openrouter-key", &["sk-or-v1-"], &[Run(LOWER_HEX, 64, 64)]).lone(),
    token(
        "openai-key",
        &["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"],
        &[AtLeast(URL64, 20)],
    )
    .lone(),
    // The first generation of keys, whose form several compatible services share.
    token("openai-key", &["sk-"], &[AtLeast(ALNUM, 32)]).lone(),
    token("openai-session", &["sess-"], &[Run(ALNUM, 40, 40)]).lone(),
    token("huggingface-token", &["hf_"], &[Run(ALNUM, 34, 40)]),
    token("huggingface-org-token", &["api_org_"], &[Run(LETTER, 34, 34)]),
    token("groq-key", &["gsk_"], &[Run(ALNUM, 48, 64)]),
    token("xai-key", &["xai-"], &[Run(ALNUM, 70, 90)]).lone(),
    token("perplexity-key", &["pplx-"], &[Run(ALNUM, 40, 64)]),
    token("replicate-token", &["r8_"], &[Run(ALNUM, 36, 40)]),
    token("nvidia-key", &["nvapi-"], &[AtLeast(URL64, 60)]),
    token(
        "langsmith-key",
        &["lsv2_pt_", "lsv2_sk_"],
        &[Run(HEX, 32, 32), Literal("_"), Run(HEX, 10, 10)],
    ),
    token("tavily-key", &["tvly-"], &[AtLeast(URL64, 28)]),
    token("firecrawl-key", &["fc-"], &[Run(LOWER_HEX, 32, 32)]).lone(),
];
