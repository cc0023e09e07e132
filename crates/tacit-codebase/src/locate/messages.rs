//! Which files have a message that was quoted. What a program prints is put together of fixed words
//! and values, so runs of words are looked for, not the whole.

use super::index::FileAt;

/// So many words in a row are no accident.
const RUN: usize = 3;

/// The files that have runs of words of a message, with how surely, and the words.
pub(crate) fn find(
    messages: &[String],
    paths: &[(FileAt, &str)],
    read: &dyn Fn(&str) -> Option<String>,
) -> Vec<(FileAt, f32, String)> {
    let texts: Vec<(FileAt, String)> =
        paths.iter().filter_map(|(file, path)| Some((*file, read(path)?))).collect();
    let mut found = Vec::new();
    for message in messages {
        let words: Vec<&str> = message.split_whitespace().collect();
        let runs: Vec<String> =
            words.windows(RUN).map(|run| run.join(" ")).filter(|run| run.len() >= 10).collect();
        if runs.is_empty() {
            continue;
        }
        let mut holders: Vec<(FileAt, usize, &str)> = Vec::new();
        for (file, text) in &texts {
            let held: Vec<&String> =
                runs.iter().filter(|run| text.contains(run.as_str())).collect();
            if let Some(first) = held.first() {
                holders.push((*file, held.len(), first));
            }
        }
        let number = holders.len() as f32;
        for (file, held, first) in holders {
            let strength = (held as f32 / runs.len() as f32).sqrt() / number.sqrt();
            found.push((file, strength, first.to_owned()));
        }
    }
    found
}
