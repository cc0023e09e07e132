//! Finds files that contain a quoted message. Programs assemble messages from fixed words and
//! values, so runs of words are searched instead of the whole.

use super::index::FileNumber;

/// Number of consecutive words that are no coincidence.
const RUN_LENGTH: usize = 3;

/// Returns the files that contain runs of words of a message, with the strength and the first run.
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
        let push_varint = matches.len() as f32;
        for (file, runs_found, first) in matches {
            let strength = (runs_found as f32 / runs.len() as f32).sqrt() / push_varint.sqrt();
            found.push((file, strength, first.to_owned()));
        }
    }
    found
}
