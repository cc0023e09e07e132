//! Corrections in Spanish.

use super::{CorrectionPhrases, NONE, ROMANCE_CONTEXT_WORDS};

#[rustfmt::skip] // The phrases fill the lines.
pub(super) const SPANISH: CorrectionPhrases = CorrectionPhrases {
    fillers: &[
        "por favor, ", "por favor ", "ok, ", "vale, ", "sí, ", "pero ", "y ", "bien, ", "gracias, ",
    ],
    rejections: &[
        "no, ", "no - ", "no: ", "mal, ", "eso está mal: ", "eso está mal, ",
        "eso no es correcto: ", "eso no es correcto, ", "incorrecto: ", "en realidad, ",
        "en realidad ",
    ],
    bare_rejections: &["no", "mal", "eso está mal", "eso no es correcto", "incorrecto"],
    lead_ins: &[
        "ya te dije: ", "ya te dije que ", "te dije que ", "ya te lo dije: ", "como te dije, ",
        "como dije, ", "recuerda: ", "recuerda, ",
    ],
    from_now_on: &[
        "a partir de ahora, ", "a partir de ahora ", "de ahora en adelante, ",
        "de ahora en adelante ", "en el futuro, ", "regla: ", "convención: ",
    ],
    facts_follow: &["recuerda que ", "ten en cuenta que ", "nota: "],
    rewrites: &[
        ("nunca debes ", "nunca "), ("siempre debes ", "siempre "), ("debes siempre ", "siempre "),
        ("deja de usar ", "no uses "), ("dejad de usar ", "no uses "),
    ],
    conventions: &[
        "siempre usamos ", "nunca usamos ", "la convención es ", "la convención aquí es ",
        "nuestra convención es ", "este proyecto usa ", "este repo usa ",
    ],
    project_openings: &[
        "en este repo, ", "en este repo ", "en este repositorio, ", "en este repositorio ",
        "en este proyecto, ", "en este proyecto ", "aquí ",
    ],
    customs: &["no usamos ", "ya no usamos "],
    habits: &["usamos ", "nosotros usamos ", "preferimos ", "utilizamos "],
    denials: &["no tenemos ", "no hay "],
    denied_in: &[" aquí", " en "],
    misuses: &["por qué usas ", "¿por qué usas ", "por qué utilizas ", "¿por qué utilizas "],
    rather_than: "no",
    always: &[
        "siempre ", "nunca ", "jamás ", "usa siempre ", "no uses nunca ", "utiliza siempre ",
        "ejecuta siempre ", "escribe siempre ",
    ],
    not_after_always: &["el", "la", "los", "las", "un", "una", "he", "ha", "está", "es", "fue"],
    prohibitions: &[
        "no uses ", "no utilices ", "no escribas ", "no hagas mock", "no hagas push ", "no edites ",
    ],
    alternatives: &[" usa ", " utiliza ", "en su lugar", "en vez de", "sino "],
    contrasts: &[", no ", " y no ", " en vez de ", " en lugar de "],
    prohibition_markers: &[
        "siempre", "nunca", "en ningún sitio", "en todas partes", "directamente", "a mano",
        "a main", "a master", "cada",
    ],
    markers: &[
        "siempre", "nunca", "en ningún sitio", "en todas partes", "directamente", "a mano",
        "a main", "a master", "cada",
    ],
    verbs: &["usa ", "utiliza ", "ejecuta ", "escribe ", "prefiere ", "evita "],
    articles: &["el ", "la ", "los ", "las ", "un ", "una ", "todos "],
    subjects: &[
        "los tests", "las pruebas", "las migraciones", "los commits", "los comentarios",
        "los errores", "las funciones", "los archivos", "los secretos",
    ],
    modals: &["no deben", "deben", "van en"],
    strict_modals: &["nunca debe", "nunca deben", "siempre debe", "siempre deben"],
    duties: &["debe", "deben"],
    states: &["es", "son", "está", "están"],
    behaviours: &["guarda", "usa", "espera", "necesita"],
    status: &["todavía", "falla", "fallan", "roto", "falta", "funciona", "error", "estaba"],
    tasks: &[
        "añade ", "agrega ", "crea ", "escribe ", "implementa ", "corrige ", "cambia ", "haz ",
        "puedes ", "quiero ", "borra ", "elimina ",
    ],
    endings: &[" por favor", " gracias"],
    turns: &[", luego ", " y luego ", ", después "],
    project_phrases: &[
        "en este repositorio", "en este repo", "en este proyecto", "este proyecto", "este repo",
    ],
    temporary: &[
        "por ahora", "esta vez", "de momento", "por el momento", "hoy", "todavía", "temporalmente",
    ],
    context_words: ROMANCE_CONTEXT_WORDS,
    here: &["aquí", "aqui", "qui"],
    ..NONE
};
