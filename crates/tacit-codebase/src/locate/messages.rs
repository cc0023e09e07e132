//! Which files have a message that was quoted. What a program prints is put together of fixed words
//! and values, so runs of words are looked for, not the whole.

use super::index::FileNumber;

/// So many words in a row are no accident.
const RUN_LENGTH: usize = 3;

/// The files that have runs of words of a message, with how surely, and the words.
pub(crate) fn find(
    messages: &[String],
    paths: &[(FileNumber, &str)],
    read: &dyn Fn(&str) -> Option<String>,
) -> Vec<(FileNumber, f32, String)> {
    let texts: Vec<(FileNumber, String)> =
        paths.iter().filter_map(|(file, path)| Some((*file, read(path)?))).collect();
    let mut found = Vec::new();
    for message in messages {
        let words: Vec<&str> = message.split_whitespace().collect();
        let runs: Vec<String> = words
            .windows(RUN_LENGTH)
            .map(|run| run.join(" "))
            .filter(|run| run.len() >= 10)
            .collect();
        if runs.is_empty() {
            continue;
        }
        let mut matches: Vec<(FileNumber, usize, &str)> = Vec::new();
        for (file, text) in &texts {
            let runs_found: Vec<&String> =
                runs.iter().filter(|run| text.contains(run.as_str())).collect();
            if let Some(first) = runs_found.first() {
                matches.push((*file, runs_found.len(), first));
            }
        }
        let number = matches.len() as f32;
        for (file, runs_found, first) in matches {
            let strength = (runs_found as f32 / runs.len() as f32).sqrt() / number.sqrt();
            found.push((file, strength, first.to_owned()));
        }
    }
    found
}
