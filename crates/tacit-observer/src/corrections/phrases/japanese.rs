//! Corrections in Japanese.

use super::{CorrectionPhrases, NONE};

#[rustfmt::skip] // The phrases fill the lines.
pub(super) const JAPANESE: CorrectionPhrases = CorrectionPhrases {
    spaced: false,
    rejections: &[
        "いや、", "いいえ、", "違う、", "違います、", "違います。", "それは間違いです、",
        "間違いです、", "実は",
    ],
    bare_rejections: &["違う", "違います", "いいえ", "間違いです", "それは間違いです"],
    lead_ins: &[
        "前にも言いましたが、", "前にも言ったけど、", "言ったように、", "覚えておいて、",
        "覚えておいて：", "覚えておいてください。",
    ],
    from_now_on: &["今後は", "今後、", "これからは", "これからは、"],
    conventions: &["ここの規約は", "規約では"],
    project_openings: &[
        "このプロジェクトでは、", "このプロジェクトでは", "このリポジトリでは、",
        "このリポジトリでは", "うちでは",
    ],
    tasks: &["作って", "作成", "追加", "実装"],
    always: &["必ず", "常に", "絶対に", "いつも", "決して"],
    prohibitions: &["ではなく", "じゃなくて", "使わないで", "使うのをやめて", "使うのはやめて"],
    alternatives: &["使って", "使う", "代わりに", "使います"],
    contrasts: &["ではなく", "じゃなくて", "の代わりに"],
    prohibition_markers: &["必ず", "常に", "絶対に", "毎回", "どこでも"],
    markers: &["必ず", "常に", "絶対に", "毎回", "どこでも"],
    verbs: &[
        "使って", "使う", "使います", "書いて", "してください", "しないで", "使わないで",
        "使いません", "しません",
    ],
    status: &["失敗", "エラー", "まだ", "動かない", "動きません"],
    project_phrases: &["このプロジェクトでは", "このリポジトリでは"],
    temporary: &["とりあえず", "今回", "今日", "今は", "一旦"],
    context_words: &["これ", "それ", "あれ", "この", "その", "あの", "ここ", "上の"],
    ..NONE
};
