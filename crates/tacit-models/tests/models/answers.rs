//! Reading answers never panics, and every vector it returns is valid.

use proptest::prelude::*;
use serde_json::Value;
use tacit_models::Prompt;
use tacit_models::answer::ExpectedVectors;
use tacit_models::protocol::{
    ANTHROPIC_CHAT, OLLAMA_CHAT, OLLAMA_EMBED, OPENAI_CHAT, OPENAI_EMBED,
};

const EXPECTED: ExpectedVectors<'_> =
    ExpectedVectors { endpoint: "http://127.0.0.1:1", count: 2, dims: 3 };

/// Reads bytes in both formats, checks the resulting vectors, and returns how many formats fit.
fn check(bytes: &[u8]) -> Result<usize, TestCaseError> {
    let mut valid = 0;
    for result in [OLLAMA_EMBED.vectors(bytes, EXPECTED), OPENAI_EMBED.vectors(bytes, EXPECTED)] {
        let Ok(vectors) = result else { continue };
        valid += 1;
        prop_assert_eq!(vectors.len(), EXPECTED.count);
        for vector in vectors {
            let length: f64 = vector.iter().map(|x| f64::from(*x).powi(2)).sum();
            prop_assert_eq!(vector.len(), EXPECTED.dims);
            prop_assert!((length - 1.0).abs() < 1e-5, "{:?}", vector);
        }
    }
    Ok(valid)
}

fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => any::<f64>().prop_filter_map("finite", |x| x.is_finite().then(|| format!("{x:e}"))),
        4 => (-1000..1000_i32).prop_map(|x| x.to_string()),
        1 => Just("NaN".to_owned()),
        1 => Just("null".to_owned()),
        1 => Just("\"1\"".to_owned()),
        1 => Just("1e400".to_owned()),
        1 => Just("18446744073709551616".to_owned()),
    ]
}

/// Answers that are almost valid, which random bytes never are.
fn almost_valid() -> impl Strategy<Value = String> {
    let vector =
        proptest::collection::vec(number(), 2..5).prop_map(|x| format!("[{}]", x.join(",")));
    let vectors = proptest::collection::vec((vector, 0..3_usize), 1..4);
    (vectors, any::<bool>()).prop_map(|(vectors, ollama)| {
        let items = vectors.into_iter().map(|(vector, index)| match ollama {
            true => vector,
            false => format!(r#"{{"index":{index},"embedding":{vector}}}"#),
        });
        let name = if ollama { "embeddings" } else { "data" };
        format!(r#"{{"{name}":[{}]}}"#, items.collect::<Vec<_>>().join(",\n"))
    })
}

/// Reads bytes as an answer to a prompt in each format and checks the resulting texts.
fn check_text(bytes: &[u8]) -> Result<Vec<String>, TestCaseError> {
    let prompt =
        Prompt { system: "s".to_owned(), user: "u".to_owned(), max_tokens: 9, temperature: None };
    let mut texts = Vec::new();
    for chat in [&OLLAMA_CHAT, &OPENAI_CHAT, &ANTHROPIC_CHAT] {
        if let Ok(answer) = chat.read(bytes, EXPECTED.endpoint, &prompt) {
            prop_assert!(!answer.text.is_empty());
            prop_assert_eq!(answer.text.trim(), &answer.text);
            texts.push(answer.text);
        }
    }
    Ok(texts)
}

/// Answers to prompts that are almost valid.
fn almost_valid_text() -> impl Strategy<Value = String> {
    let text = prop_oneof![
        any::<String>().prop_map(|text| Value::from(text).to_string()),
        Just("null".to_owned()),
        Just("[]".to_owned()),
    ];
    let count = prop_oneof![any::<i64>().prop_map(|n| n.to_string()), Just("1.5".to_owned())];
    (text, count, 0..3_usize).prop_map(|(text, count, format)| match format {
        0 => format!(r#"{{"message":{{"content":{text}}},"eval_count":{count}}}"#),
        1 => format!(
            r#"{{"choices":[{{"message":{{"content":{text}}}}}],"usage":{{"prompt_tokens":{count}}}}}"#
        ),
        _ => format!(
            r#"{{"content":[{{"type":"text","text":{text}}}],"usage":{{"input_tokens":{count}}}}}"#
        ),
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn random_bytes_do_not_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        check(&bytes)?;
        check_text(&bytes)?;
    }

    #[test]
    fn almost_valid_texts_do_not_panic(
        json in almost_valid_text(),
        cut in any::<prop::sample::Index>(),
        flip in any::<(prop::sample::Index, u8)>(),
    ) {
        check_text(json.as_bytes())?;
        check_text(&json.as_bytes()[..cut.index(json.len())])?;
        let mut flipped = json.into_bytes();
        let at = flip.0.index(flipped.len());
        flipped[at] = flip.1;
        check_text(&flipped)?;
    }

    #[test]
    fn texts_are_returned_trimmed_and_unchanged(text in any::<String>()) {
        let quoted = Value::from(text.as_str());
        let expected: Vec<String> =
            Some(text.trim().to_owned()).filter(|text| !text.is_empty()).into_iter().collect();
        for json in [
            format!(r#"{{"message":{{"content":{quoted}}}}}"#),
            format!(r#"{{"choices":[{{"message":{{"content":{quoted}}}}}]}}"#),
            format!(r#"{{"content":[{{"type":"text","text":{quoted}}}]}}"#),
        ] {
            prop_assert_eq!(check_text(json.as_bytes())?, expected.clone());
        }
    }

    #[test]
    fn almost_valid_answers_do_not_panic(
        json in almost_valid(),
        cut in any::<prop::sample::Index>(),
        flip in any::<(prop::sample::Index, u8)>(),
    ) {
        check(json.as_bytes())?;
        check(&json.as_bytes()[..cut.index(json.len())])?;
        let mut flipped = json.into_bytes();
        let at = flip.0.index(flipped.len());
        flipped[at] = flip.1;
        check(&flipped)?;
    }

    #[test]
    fn finite_numbers_become_vectors(numbers in proptest::collection::vec(-1e6..1e6_f64, 6)) {
        prop_assume!(numbers.chunks(3).all(|v| v.iter().any(|x| x.abs() > 1e-3)));
        let [a, b] = [&numbers[..3], &numbers[3..]];
        let ollama = format!(r#"{{"embeddings":[{a:?},{b:?}]}}"#);
        let openai = format!(
            r#"{{"data":[{{"embedding":{b:?},"index":1}},{{"embedding":{a:?},"index":0}}]}}"#
        );
        prop_assert_eq!(check(ollama.as_bytes())?, 1);
        prop_assert_eq!(check(openai.as_bytes())?, 1);
        prop_assert_eq!(
            OLLAMA_EMBED.vectors(ollama.as_bytes(), EXPECTED),
            OPENAI_EMBED.vectors(openai.as_bytes(), EXPECTED)
        );
    }
}

#[test]
fn deep_nesting_is_an_error() {
    for open in ["[", "{\"embeddings\":", "{\"data\":["] {
        assert!(check(open.repeat(100_000).as_bytes()).is_ok_and(|valid| valid == 0));
        assert!(check_text(open.repeat(100_000).as_bytes()).is_ok_and(|texts| texts.is_empty()));
    }
}
