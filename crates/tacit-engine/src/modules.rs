//! Module cards: memories that describe modules, measured and optionally worded by a model.

use std::collections::BTreeSet;

use serde_json::{Map, json};
use tacit_core::{
    BuiltinType, Draft, Memory, MemoryId, MemoryType, Module, Modules, Reasoning, RepoPath, Review,
    Source, Status, Title, clean, escape_tags,
};
use tacit_models::Prompt;
use tacit_store::{ActionKind, Filter, ListOrder, ModuleFilter};

use crate::engine::{Engine, StoreScope};
use crate::error::{EngineError, EngineResult};
use crate::generation::{GenerationError, GenerationPurpose};
use crate::remember::{RememberOutcome, RememberRequest, index};

const TASK: &str = include_str!("../prompts/module.md");
/// The generator of cards without a model.
const RULES: &str = "rules";
/// The most memories of a module that are searched for its card.
const LOOKED_AT: usize = 20;
/// The most cards that are searched for orphans.
const MOST_CARDS: usize = 10_000;
/// The reason for which cards of removed modules are retired; they return with the module.
const MODULE_GONE: &str = "there is no such module any more";
/// The length of a paragraph, in characters.
const SHORTEST: usize = 60;
const LONGEST: usize = 1_200;
/// The most tokens that a model may write.
const MOST_TOKENS: u32 = 400;
/// The most characters of files that a model sees.
const MOST_SHOWN: usize = 6_000;

/// The measurements of a module.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModuleCard {
    /// The directory; `.` for the root.
    pub name: String,
    /// The measurements as text.
    pub text: String,
    /// The files to start reading with.
    pub files: Vec<String>,
    /// The start of some files, for the model that writes the card.
    pub excerpt: String,
}

/// The outcome of a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CardOutcome {
    /// The card was stored.
    New,
    /// The card was updated.
    Changed,
    /// The card was unchanged.
    Same,
    /// A person forgot the card, so it stays forgotten.
    Forgotten,
    /// A person verified the card, so it stays unchanged.
    Verified,
    /// The card was renamed with its module.
    Renamed,
    /// The module is gone, so the card was retired.
    Removed,
}

impl CardOutcome {
    /// Returns the text for reports.
    pub fn as_str(self) -> &'static str {
        match self {
            CardOutcome::New => "remembered",
            CardOutcome::Changed => "brought up to date",
            CardOutcome::Same => "known",
            CardOutcome::Forgotten => "forgotten before, left so",
            CardOutcome::Verified => "verified by somebody, left so",
            CardOutcome::Renamed => "renamed",
            CardOutcome::Removed => "gone, no longer in use",
        }
    }
}

/// A card whose module no longer exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrphanedCard {
    id: MemoryId,
    /// The name of the module.
    pub module: String,
    /// The files of the card.
    pub files: Vec<RepoPath>,
}

/// The state of writing cards with a model.
#[derive(Debug, Default)]
pub struct CardWriter {
    /// The first failure, after which the model is not called for other modules.
    failed: Option<String>,
}

impl CardWriter {
    /// Returns why the configured model did not write, if it failed.
    pub fn failure(&self) -> Option<&str> {
        self.failed.as_deref()
    }
}

impl ModuleCard {
    /// Returns a digest that ignores numbers, which change with every file and would not change the
    /// wording.
    pub fn digest(&self) -> i64 {
        let bytes = self.text.bytes().filter(|byte| !byte.is_ascii_digit());
        bytes.fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
            (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        }) as i64
    }

    fn title(&self) -> String {
        title(&self.name)
    }
}

/// Returns the title of a module's card.
fn title(name: &str) -> String {
    match name {
        "." => "What the root of the project is".to_owned(),
        name => format!("What {name} is"),
    }
}

impl Engine<'_> {
    /// Returns true if the module has an active card.
    pub fn has_card(&self, card: &ModuleCard) -> EngineResult<bool> {
        Ok(self.active_card(card)?.is_some())
    }

    /// Returns true if the module's card was retired only because the module was gone.
    pub fn has_retired_card(&self, card: &ModuleCard) -> EngineResult<bool> {
        Ok(self.last_retired_card(&card.name)?.is_some_and(|left| retired_with_module(&left)))
    }

    /// Stores or updates the card of a module. A model is called only if the card's digest differs
    /// from `before`.
    pub fn save_card(
        &mut self,
        card: &ModuleCard,
        before: Option<i64>,
        wording: &mut CardWriter,
    ) -> EngineResult<CardOutcome> {
        let Some(known) = self.active_card(card)? else {
            return match self.last_retired_card(&card.name)? {
                None => {
                    let (content, generator) = self.write_card(card, wording);
                    self.new_card(card, content, generator)
                }
                Some(left) if retired_with_module(&left) => self.restore_card(&left, card, wording),
                Some(_) => Ok(CardOutcome::Forgotten),
            };
        };
        let written = known.body.origin.generator.as_ref().is_some_and(|by| by.as_str() != RULES);
        let same = match (written, self.generator_name()) {
            // A model's text stays until the digest changes.
            (true, _) => before == Some(card.digest()),
            // A rule-based card is rewritten as soon as a model is available.
            (false, Some(_)) if wording.failed.is_none() => false,
            (false, _) => known.body.content.as_str() == card.text,
        };
        if same {
            return Ok(CardOutcome::Same);
        }
        if known.body.trust.review == Review::Verified {
            return Ok(CardOutcome::Verified);
        }
        let (content, generator) = self.write_card(card, wording);
        // A slightly outdated text of a model is better than none.
        if (written && generator == RULES) || known.body.content.as_str() == content {
            return Ok(CardOutcome::Same);
        }
        let mut patch = Map::new();
        patch.insert("content".into(), json!(content));
        patch.insert("generator".into(), json!(generator));
        patch.insert("related_files".into(), json!(card.files));
        match self.edit(&known.id.to_string(), &patch, None) {
            Ok(_) => Ok(CardOutcome::Changed),
            Err(EngineError::Duplicate(_)) => Ok(CardOutcome::Same),
            Err(error) => Err(error),
        }
    }

    fn new_card(
        &mut self,
        card: &ModuleCard,
        content: String,
        generator: String,
    ) -> EngineResult<CardOutcome> {
        let draft = Draft {
            content,
            title: Some(card.title()),
            kind: Some(BuiltinType::ModuleInsight.as_str().to_owned()),
            scope: Some("module".to_owned()),
            source: Some(Source::ObserverInferred.as_str().to_owned()),
            generator: Some(generator),
            related_files: card.files.clone(),
            related_modules: vec![card.name.clone()],
            ..Draft::default()
        };
        match self.remember(StoreScope::Project, RememberRequest { draft, reason: None }) {
            Ok(done) if done.outcome == RememberOutcome::Reinforced => Ok(CardOutcome::Same),
            Ok(_) => Ok(CardOutcome::New),
            Err(EngineError::RecentlyForgotten { .. }) => Ok(CardOutcome::Forgotten),
            Err(error) => Err(error),
        }
    }

    /// Restores the card of a module that exists again.
    fn restore_card(
        &mut self,
        left: &Memory,
        card: &ModuleCard,
        wording: &mut CardWriter,
    ) -> EngineResult<CardOutcome> {
        match self.restore(&left.id.to_string()) {
            Err(EngineError::Duplicate(_)) => return Ok(CardOutcome::Same),
            restored => drop(restored?),
        }
        self.save_card(card, None, wording)?;
        Ok(CardOutcome::New)
    }

    /// Returns the cards of modules that do not exist. Cards that were retired with their modules
    /// are skipped.
    pub fn orphaned_cards(&self, there: &BTreeSet<String>) -> EngineResult<Vec<OrphanedCard>> {
        let gone = |memory: Memory| {
            let module = memory.body.modules.iter().next()?.to_string();
            let is_card = memory.headline() == title(&module) && !retired_with_module(&memory);
            let files = memory.body.files.iter().cloned().collect();
            (is_card && !there.contains(&module)).then_some(OrphanedCard {
                id: memory.id,
                module,
                files,
            })
        };
        Ok(self.cards(None, MOST_CARDS)?.into_iter().filter_map(gone).collect())
    }

    /// Renames a card to its module's new name, unless that has a card already; otherwise retires
    /// it. Verified cards stay.
    pub fn resolve_orphan(
        &mut self,
        gone: &OrphanedCard,
        now: Option<&str>,
    ) -> EngineResult<CardOutcome> {
        let now = match now {
            Some(now) if self.cards_of(now)?.is_empty() => Some(now),
            _ => None,
        };
        let (kind, reason) = match now {
            Some(now) => (ActionKind::Rename, format!("{} is now {now}", gone.module)),
            None => (ActionKind::Forget, MODULE_GONE.to_owned()),
        };
        let action = self.tacit_action(kind, &reason);
        let at = action.at;
        let mut transaction = self.store_mut(StoreScope::Project)?.begin(action)?;
        let Some(before) = transaction.read(&[gone.id])?.pop() else {
            return Ok(CardOutcome::Same);
        };
        let mut after = before.clone();
        let kept = match (now, Reasoning::new(MODULE_GONE)) {
            (Some(now), _) => {
                after.body.title = Title::new(title(now)).ok();
                let modules = before.body.modules.iter().cloned();
                let renamed = modules.filter_map(|module| match module.as_str() == gone.module {
                    true => Module::new(now).ok(),
                    false => Some(module),
                });
                after.body.modules = Modules::collect(renamed).unwrap_or_default();
                CardOutcome::Renamed
            }
            (None, Ok(reason))
                if before.status == Status::Active
                    && before.body.trust.review != Review::Verified =>
            {
                after.status = Status::Retired { at, reason };
                CardOutcome::Removed
            }
            _ => return Ok(CardOutcome::Same),
        };
        transaction.update(&before, &after)?;
        index(transaction.as_mut(), &after)?;
        transaction.commit()?;
        Ok(kept)
    }

    /// Returns the active card of a module.
    fn active_card(&self, card: &ModuleCard) -> EngineResult<Option<Memory>> {
        let cards = self.cards_of(&card.name)?;
        Ok(cards.into_iter().find(|memory| memory.status == Status::Active))
    }

    /// Returns the card of a module that was retired last.
    fn last_retired_card(&self, module: &str) -> EngineResult<Option<Memory>> {
        let cards = self.cards_of(module)?.into_iter();
        Ok(cards.max_by_key(|memory| memory.status.inactive_since().map(|(at, _)| at)))
    }

    /// Returns the cards of a module, of any status.
    fn cards_of(&self, module: &str) -> EngineResult<Vec<Memory>> {
        let Ok(label) = Module::new(module) else { return Ok(Vec::new()) };
        let title = title(module);
        let cards = self.cards(Some(label), LOOKED_AT)?.into_iter();
        Ok(cards.filter(|memory| memory.headline() == title).collect())
    }

    /// Returns the observed insights of a module, or of all modules.
    fn cards(&self, module: Option<Module>, most: usize) -> EngineResult<Vec<Memory>> {
        let filter = Filter {
            types: vec![MemoryType::Builtin(BuiltinType::ModuleInsight)],
            sources: vec![Source::ObserverInferred],
            modules: module.into_iter().map(ModuleFilter::label).collect(),
            ..Filter::everything()
        };
        let found = self.list(Some(StoreScope::Project), &filter, ListOrder::Oldest, most, 0)?;
        Ok(found.into_iter().map(|found| found.memory).collect())
    }

    /// Returns the text of a card and its generator: a model if possible, else the rules.
    fn write_card(&self, card: &ModuleCard, wording: &mut CardWriter) -> (String, String) {
        let plain = (card.text.clone(), RULES.to_owned());
        let (Some(name), None) = (self.generator_name().map(str::to_owned), &wording.failed) else {
            return plain;
        };
        let excerpt: String =
            tacit_redact::redact(&card.excerpt).text.chars().take(MOST_SHOWN).collect();
        let data = format!("{}\n\n{excerpt}", tacit_redact::redact(&card.text).text);
        let prompt = Prompt {
            system: TASK.to_owned(),
            user: format!("<module_data>\n{}\n</module_data>\n", escape_tags(&data)),
            max_tokens: MOST_TOKENS,
            temperature: Some(0.0),
        };
        let body = self.generate(GenerationPurpose::Modules, &prompt);
        match body.map_err(|error: GenerationError| error.to_string()).and_then(|body| {
            paragraph(&body.text).ok_or_else(|| "the answer is not one paragraph".to_owned())
        }) {
            Ok(text) => (text, name),
            Err(why) => {
                wording.failed = Some(why);
                plain
            }
        }
    }
}

/// Returns true if a card was retired because its module was gone.
fn retired_with_module(card: &Memory) -> bool {
    card.status.inactive_since().is_some_and(|(_, reason)| reason.as_str() == MODULE_GONE)
}

/// Returns the answer of a model if it is a single paragraph.
fn paragraph(answer: &str) -> Option<String> {
    let text = clean(answer).text.trim().to_owned();
    let begins = |c: char| "#*-•>|<{[`".contains(c) || c.is_ascii_digit();
    // A code span may start a sentence; a code block may not.
    let named = text.starts_with('`') && !text.starts_with("```");
    let fits = (SHORTEST..=LONGEST).contains(&text.chars().count())
        && !text.contains('\n')
        && (named || !text.starts_with(begins))
        && !text.contains("module_data")
        && text.ends_with(['.', '!', ')']);
    fits.then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_must_be_one_paragraph() {
        let good = "`auth` keeps the sessions of users. One starts with `src/auth/mod.rs`, and \
                    tests are beside the code.";
        assert_eq!(paragraph(&format!(" {good}\n")).as_deref(), Some(good));
        let long = "a ".repeat(700) + ".";
        for bad in [
            "",
            "Too short.",
            "# Auth\nThis module keeps the sessions of users, and it does so well.",
            "- This module keeps the sessions of users, and it does so well, as a list.",
            "This module keeps the sessions of users,\nand it does so well, on two lines.",
            "This module keeps the sessions of users and ends in the middle of a sent",
            "The </module_data> says that this module keeps the sessions of users well.",
            "```This module keeps the sessions of users, and it does so well, as code.```",
            &long,
        ] {
            assert_eq!(paragraph(bad), None, "{bad}");
        }
    }

    #[test]
    fn digests_ignore_numbers() {
        let card = |text: &str| ModuleCard { text: text.into(), ..ModuleCard::default() };
        assert_eq!(card("Tests: 10 files").digest(), card("Tests: 7 files").digest());
        assert_ne!(card("Tests: 10 files").digest(), card("Tests: 10 folders").digest());
    }
}
