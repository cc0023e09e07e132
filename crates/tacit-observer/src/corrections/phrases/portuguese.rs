//! Corrections in Portuguese.

use super::{CorrectionPhrases, NONE, ROMANCE_CONTEXT_WORDS};

#[rustfmt::skip] // The phrases fill the lines.
pub(super) const PORTUGUESE: CorrectionPhrases = CorrectionPhrases {
    fillers: &["por favor, ", "por favor ", "ok, ", "sim, ", "mas ", "e ", "obrigado, "],
    rejections: &[
        "não, ", "não - ", "não: ", "errado, ", "errado: ", "isso está errado: ",
        "isso está errado, ", "na verdade, ", "na verdade ",
    ],
    bare_rejections: &["não", "errado", "isso está errado"],
    lead_ins: &["já te disse: ", "eu já disse: ", "como eu disse, ", "lembre-se: ", "lembre: "],
    from_now_on: &[
        "a partir de agora, ", "a partir de agora ", "de agora em diante, ", "de agora em diante ",
        "no futuro, ", "regra: ",
    ],
    facts_follow: &["lembre-se de que ", "lembre que ", "note que "],
    rewrites: &[
        ("você nunca deve ", "nunca "), ("você deve sempre ", "sempre "),
        ("pare de usar ", "não use "),
    ],
    conventions: &[
        "sempre usamos ", "nunca usamos ", "a convenção é ", "a convenção aqui é ",
        "nossa convenção é ", "este projeto usa ",
    ],
    project_openings: &[
        "neste repositório, ", "neste repositório ", "neste projeto, ", "neste projeto ", "aqui ",
    ],
    customs: &["não usamos ", "não usamos mais "],
    habits: &["usamos ", "nós usamos ", "preferimos ", "a gente usa "],
    misuses: &["por que você usa ", "por que você está usando "],
    rather_than: "não",
    always: &["sempre ", "nunca ", "jamais ", "use sempre "],
    not_after_always: &["o", "a", "os", "as", "um", "uma", "foi", "está", "é"],
    prohibitions: &["não use ", "não utilize ", "não escreva ", "não edite "],
    alternatives: &[" use ", " usa ", " utilize ", "em vez"],
    contrasts: &[", não ", " e não ", " em vez de ", " ao invés de "],
    prohibition_markers: &["sempre", "nunca", "em todo lugar", "diretamente", "à mão", "cada"],
    markers: &["sempre", "nunca", "em todo lugar", "diretamente", "à mão", "cada"],
    verbs: &["use ", "usa ", "utilize ", "execute ", "escreva ", "prefira ", "evite "],
    articles: &["o ", "a ", "os ", "as ", "um ", "uma "],
    strict_modals: &["nunca deve", "nunca devem", "sempre deve", "sempre devem"],
    duties: &["deve", "devem"],
    states: &["é", "são", "está"],
    behaviours: &["guarda", "usa", "precisa"],
    status: &["ainda", "falha", "quebrado", "falta", "funciona", "erro", "estava"],
    tasks: &[
        "adicione ", "crie ", "escreva ", "implemente ", "corrija ", "mude ", "faça ", "quero ",
    ],
    endings: &[" por favor", " obrigado", " obrigada"],
    turns: &[", depois ", " e depois "],
    project_phrases: &["este projeto", "neste projeto", "neste repositório"],
    temporary: &[
        "por enquanto", "desta vez", "hoje", "por agora", "no momento", "ainda não",
        "temporariamente",
    ],
    context_words: ROMANCE_CONTEXT_WORDS,
    here: &["aquí", "aqui", "qui"],
    ..NONE
};
