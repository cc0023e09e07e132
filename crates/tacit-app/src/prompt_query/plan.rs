//! Whether a prompt asks for a plan, in the languages that most people write to agents in.

mod words;

use words::{LANGUAGES, UNSPACED};

/// Commands of planning, in any tool.
const COMMANDS: [&str; 3] = ["plan", "propose", "specify"];

/// Whether a prompt asks for a plan: by the command it is, by its first verb, or by a phrase.
pub(crate) fn asks_for_plan(prompt: &str) -> bool {
    let prompt = prompt.trim().replace('\u{2019}', "'").to_lowercase();
    if let Some(command) = prompt.strip_prefix('/') {
        let command = command.split_whitespace().next().unwrap_or_default();
        return command.split([':', '.', '-', '_']).any(|part| COMMANDS.contains(&part));
    }
    let words: Vec<&str> = prompt
        .split(|c: char| !(c.is_alphanumeric() || c == '\''))
        .filter(|word| !word.is_empty())
        .collect();
    let asked = LANGUAGES.iter().any(|language| {
        let mut asked = words.iter().skip_while(|word| language.polite.contains(word));
        // `plan the move`, `plan a move`, but not `plan B failed`.
        let is_about = |next: &&str| next.chars().count() > 1 || matches!(*next, "a" | "o" | "à");
        let verb = asked.next().is_some_and(|first| language.verbs.contains(first))
            && asked.next().is_some_and(is_about);
        verb || language.phrases.iter().any(|phrase| {
            let phrase: Vec<&str> = phrase.split(' ').collect();
            words.windows(phrase.len()).any(|found| found == phrase)
        })
    });
    asked || UNSPACED.iter().any(|phrase| prompt.contains(phrase))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn who_asks_for_a_plan() {
        for (prompt, expected) in [
            ("Plan the move to the new API", true),
            ("Please plan how tokens are refreshed.", true),
            ("Let\u{2019}s plan the export", true),
            ("Can you make a plan for the login page?", true),
            ("I need an implementation plan: two-factor login", true),
            ("How should we implement retries?", true),
            ("Outline the steps first, then stop", true),
            ("Add a webhook. Don't write any code yet!", true),
            ("Plan a way to refresh tokens", true),
            ("/plan add a webhook", true),
            ("/opsx:propose add-webhook", true),
            ("/speckit.specify a webhook", true),
            ("/explain planning", false),
            ("Explain the parser", false),
            ("Go on with the plan", false),
            ("According to the plan, step 3 is next", false),
            ("plan B failed", false),
            ("Fix the payment plan page", false),
            ("plan", false),
            ("", false),
            // German
            ("Plane den Umbau der Datenbank", true),
            ("Bitte erstelle einen Plan für den Export", true),
            ("Füge einen Webhook hinzu, aber schreib noch keinen Code", true),
            ("Der Plan ist gut, mach weiter", false),
            ("Die Seite mit den Tarifplänen ist kaputt", false),
            // French
            ("Planifie la migration vers la nouvelle API", true),
            ("Peux-tu proposer un plan d\u{2019}implémentation ?", true),
            ("Avant d'écrire du code, explique ton approche", true),
            ("Le plan est bon, continue", false),
            // Spanish
            ("Planifica la migración a la nueva API", true),
            ("Por favor, haz un plan para el inicio de sesión", true),
            ("No escribas código todavía", true),
            ("El plan de pagos no se muestra", false),
            // Portuguese
            ("Planeje a migração para a nova API", true),
            ("Crie um plano para o login", true),
            ("Ainda não escreva código", true),
            ("Corrige a página do plano de pagamento", false),
            // Italian
            ("Pianifica il passaggio alla nuova API", true),
            ("Puoi scrivere un piano per il login?", true),
            ("Non scrivere ancora codice", true),
            ("Il piano tariffario non si vede", false),
            // Russian
            ("Спланируй переход на новый API", true),
            ("Пожалуйста, составь план для входа", true),
            ("Пока не пиши код", true),
            ("План хороший, продолжай", false),
            // Chinese
            ("先制定一个计划，再迁移数据库", true),
            ("请规划一下登录页面", true),
            ("先不要写代码", true),
            ("計畫一下匯出功能", true),
            ("按照计划继续", false),
            // Japanese
            ("データベース移行の計画を立ててください", true),
            ("実装計画を書いて", true),
            ("まだコードは書かないで", true),
            ("計画どおりに続けて", false),
            // Korean
            ("데이터베이스 이전 계획을 세워 줘", true),
            ("구현 계획을 작성해 주세요", true),
            ("아직 코드는 작성하지 마", true),
            ("계획대로 계속해", false),
        ] {
            assert_eq!(asks_for_plan(prompt), expected, "{prompt}");
        }
    }

    proptest! {
        #[test]
        fn no_prompt_is_too_strange(prompt in ".{0,80}") {
            asks_for_plan(&prompt);
        }
    }
}
