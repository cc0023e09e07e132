//! What modules are, as memories: a card of what was measured, in the words of a model where one is
//! configured.

use std::collections::BTreeSet;

use serde_json::{Map, json};
use tacit_core::{
    BuiltinType, Draft, Memory, MemoryId, MemoryType, Module, Modules, Reasoning, RepoPath, Review,
    Source, Status, Title, clean, harmless,
};
use tacit_models::Prompt;
use tacit_store::{ActionKind, Filter, ListOrder};

use crate::engine::{Engine, StoreScope};
use crate::error::{EngineError, EngineResult};
use crate::generation::{GenerationError, GenerationPurpose};
use crate::remember::{RememberOutcome, RememberRequest, index};

const TASK: &str = include_str!("../prompts/module.md");
/// Who wrote a card that no model did.
const RULES: &str = "rules";
/// How many memories of a module are looked through for its card.
const LOOKED_AT: usize = 20;
/// How many cards are looked through for those of modules that are gone.
const MOST_CARDS: usize = 10_000;
/// Why a card leaves use that nobody forgot; it comes back with its module.
const GONE: &str = "there is no such module any more";
/// How long a paragraph may be, in characters.
const SHORTEST: usize = 60;
const LONGEST: usize = 1_200;
/// How many tokens a model may write.
const MOST_TOKENS: u32 = 400;
/// How many characters of files a model is shown.
const MOST_SHOWN: usize = 6_000;

/// What was measured of a module.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModuleCard {
    /// Its directory; `.` for the root.
    pub name: String,
    /// What was measured, in words.
    pub text: String,
    /// Where one starts to read.
    pub files: Vec<String>,
    /// The beginning of some of its files, for whoever puts the card into words.
    pub excerpt: String,
}

/// What became of a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CardOutcome {
    /// It is remembered.
    New,
    /// The memory was brought up to date.
    Changed,
    /// Nothing of it changed.
    Same,
    /// Somebody forgot it, and it stays forgotten.
    Forgotten,
    /// Somebody vouches for what the memory says, so that it stays as it is.
    Vouched,
    /// Its module goes by another name, and so does the memory.
    Renamed,
    /// Its module is gone, and the memory is no longer in use.
    Gone,
}

impl CardOutcome {
    /// In words.
    pub fn as_str(self) -> &'static str {
        match self {
            CardOutcome::New => "remembered",
            CardOutcome::Changed => "brought up to date",
            CardOutcome::Same => "known",
            CardOutcome::Forgotten => "forgotten before, left so",
            CardOutcome::Vouched => "verified by somebody, left so",
            CardOutcome::Renamed => "renamed",
            CardOutcome::Gone => "gone, no longer in use",
        }
    }
}

/// A card whose module is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrphanedCard {
    id: MemoryId,
    /// The name of the module.
    pub module: String,
    /// The files that it names.
    pub files: Vec<RepoPath>,
}

/// How cards are put into words.
#[derive(Debug, Default)]
pub struct CardWriter {
    /// Why no model is asked any more: one that failed once is not asked for each module.
    failed: Option<String>,
}

impl CardWriter {
    /// Why a model that is configured did not write, if it did not.
    pub fn failure(&self) -> Option<&str> {
        self.failed.as_deref()
    }
}

impl ModuleCard {
    /// Tells one card from another. Numbers do not count: they change with every file, and say
    /// little that would be put into other words.
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

/// What the memory of a module is called.
fn title(name: &str) -> String {
    match name {
        "." => "What the root of the project is".to_owned(),
        name => format!("What {name} is"),
    }
}

impl Engine<'_> {
    /// Whether there is a memory of what a module is.
    pub fn has_card(&self, card: &ModuleCard) -> EngineResult<bool> {
        Ok(self.known_card(card)?.is_some())
    }

    /// Whether there was one, and it left use only because the module was gone.
    pub fn had_card(&self, card: &ModuleCard) -> EngineResult<bool> {
        Ok(self.left_card(&card.name)?.is_some_and(|left| left_with_its_module(&left)))
    }

    /// Keeps what a module is, through the write gate; what is there is brought up to date. A model
    /// is asked only if the card is another than the one with this digest.
    pub fn keep_card(
        &mut self,
        card: &ModuleCard,
        before: Option<i64>,
        wording: &mut CardWriter,
    ) -> EngineResult<CardOutcome> {
        let Some(known) = self.known_card(card)? else {
            return match self.left_card(&card.name)? {
                None => {
                    let (content, generator) = self.worded(card, wording);
                    self.new_card(card, content, generator)
                }
                Some(left) if left_with_its_module(&left) => self.card_again(&left, card, wording),
                Some(_) => Ok(CardOutcome::Forgotten),
            };
        };
        let written = known.body.origin.generator.as_ref().is_some_and(|by| by.as_str() != RULES);
        let same = match (written, self.writer()) {
            // What a model wrote holds until the card says something else.
            (true, _) => before == Some(card.digest()),
            // Who can have it put into words now, does.
            (false, Some(_)) if wording.failed.is_none() => false,
            (false, _) => known.body.content.as_str() == card.text,
        };
        if same {
            return Ok(CardOutcome::Same);
        }
        if known.body.trust.review == Review::Verified {
            return Ok(CardOutcome::Vouched);
        }
        let (content, generator) = self.worded(card, wording);
        // Better words that are a little behind than none.
        if (written && generator == RULES) || known.body.content.as_str() == content {
            return Ok(CardOutcome::Same);
        }
        let mut patch = Map::new();
        patch.insert("content".into(), json!(content));
        patch.insert("generator".into(), json!(generator));
        patch.insert("related_files".into(), json!(card.files));
        match self.edit(&known.id.to_string(), &patch, None) {
            Ok(_) => Ok(CardOutcome::Changed),
            Err(EngineError::SameAs(_)) => Ok(CardOutcome::Same),
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
            Err(EngineError::Resurrection { .. }) => Ok(CardOutcome::Forgotten),
            Err(error) => Err(error),
        }
    }

    /// Brings back the card of a module that is back.
    fn card_again(
        &mut self,
        left: &Memory,
        card: &ModuleCard,
        wording: &mut CardWriter,
    ) -> EngineResult<CardOutcome> {
        match self.restore(&left.id.to_string()) {
            Err(EngineError::SameAs(_)) => return Ok(CardOutcome::Same),
            restored => drop(restored?),
        }
        self.keep_card(card, None, wording)?;
        Ok(CardOutcome::New)
    }

    /// The cards of modules that are not among these; of those that left use, the ones that
    /// somebody forgot.
    pub fn gone_cards(&self, there: &BTreeSet<String>) -> EngineResult<Vec<OrphanedCard>> {
        let gone = |memory: Memory| {
            let module = memory.body.modules.iter().next()?.to_string();
            let is_card = memory.headline() == title(&module) && !left_with_its_module(&memory);
            let files = memory.body.files.iter().cloned().collect();
            (is_card && !there.contains(&module)).then_some(OrphanedCard {
                id: memory.id,
                module,
                files,
            })
        };
        Ok(self.cards(None, MOST_CARDS)?.into_iter().filter_map(gone).collect())
    }

    /// Lets a card follow its module to the name that has it now, unless that has a card of its own;
    /// else it leaves use. What somebody verified does not.
    pub fn settle_card(
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
            None => (ActionKind::Forget, GONE.to_owned()),
        };
        let action = self.machine_action(kind, &reason);
        let at = action.at;
        let mut transaction = self.store_mut(StoreScope::Project)?.begin(action)?;
        let Some(before) = transaction.read(&[gone.id])?.pop() else {
            return Ok(CardOutcome::Same);
        };
        let mut after = before.clone();
        let kept = match (now, Reasoning::new(GONE)) {
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
                CardOutcome::Gone
            }
            _ => return Ok(CardOutcome::Same),
        };
        transaction.update(&before, &after)?;
        index(transaction.as_mut(), &after)?;
        transaction.commit()?;
        Ok(kept)
    }

    /// The memory of what a module is; of those that left use, none.
    fn known_card(&self, card: &ModuleCard) -> EngineResult<Option<Memory>> {
        let cards = self.cards_of(&card.name)?;
        Ok(cards.into_iter().find(|memory| memory.status == Status::Active))
    }

    /// The memory of what a module is that left use last.
    fn left_card(&self, module: &str) -> EngineResult<Option<Memory>> {
        let cards = self.cards_of(module)?.into_iter();
        Ok(cards.max_by_key(|memory| memory.status.left().map(|(at, _)| at)))
    }

    /// The memories of what a module is, in use or not.
    fn cards_of(&self, module: &str) -> EngineResult<Vec<Memory>> {
        let Ok(label) = Module::new(module) else { return Ok(Vec::new()) };
        let title = title(module);
        let cards = self.cards(Some(label), LOOKED_AT)?.into_iter();
        Ok(cards.filter(|memory| memory.headline() == title).collect())
    }

    /// What was concluded of a module, or of all.
    fn cards(&self, module: Option<Module>, most: usize) -> EngineResult<Vec<Memory>> {
        let filter = Filter {
            types: vec![MemoryType::Builtin(BuiltinType::ModuleInsight)],
            sources: vec![Source::ObserverInferred],
            modules: module.into_iter().collect(),
            ..Filter::everything()
        };
        let found = self.list(Some(StoreScope::Project), &filter, ListOrder::Oldest, most, 0)?;
        Ok(found.into_iter().map(|found| found.memory).collect())
    }

    /// A card in the words of a model, and who wrote them; else as it is.
    fn worded(&self, card: &ModuleCard, wording: &mut CardWriter) -> (String, String) {
        let plain = (card.text.clone(), RULES.to_owned());
        let (Some(name), None) = (self.writer().map(str::to_owned), &wording.failed) else {
            return plain;
        };
        let excerpt: String =
            tacit_redact::redact(&card.excerpt).text.chars().take(MOST_SHOWN).collect();
        let data = format!("{}\n\n{excerpt}", tacit_redact::redact(&card.text).text);
        let prompt = Prompt {
            system: TASK.to_owned(),
            user: format!("<module_data>\n{}\n</module_data>\n", harmless(&data)),
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

/// Whether a card is out of use because its module was gone, and not because somebody forgot it.
fn left_with_its_module(card: &Memory) -> bool {
    card.status.left().is_some_and(|(_, reason)| reason.as_str() == GONE)
}

/// An answer, if it is what was asked for.
fn paragraph(answer: &str) -> Option<String> {
    let text = clean(answer).text.trim().to_owned();
    let begins = |c: char| "#*-•>|<{[`".contains(c) || c.is_ascii_digit();
    // A name of code may begin a sentence; a block of it may not.
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
    fn an_answer_is_one_paragraph_or_nothing() {
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
    fn numbers_alone_make_no_other_card() {
        let card = |text: &str| ModuleCard { text: text.into(), ..ModuleCard::default() };
        assert_eq!(card("Tests: 10 files").digest(), card("Tests: 7 files").digest());
        assert_ne!(card("Tests: 10 files").digest(), card("Tests: 10 folders").digest());
    }
}
