//! `tacit recall`

mod answer;
mod as_hook;

use std::io::Write;

use serde_json::{Value, json};
use tacit_app::AppResult;
use tacit_app::filter::split_paths;
use tacit_app::graph::CodeTarget;
use tacit_app::human_time;
use tacit_app::recall::{AT_LEAST, RequestedPeriod};
use tacit_core::SymbolRef;
use tacit_core::log::NoteRecord;
use tacit_engine::{
    CLEAR, HypotheticalAnswer, OmittedResult, RankProfile, RecallPeriod, RecallRequest as Question,
    RecallResult, RecallResults, RemovalReason, ScoreBreakdown, SearchChannels, Strictness,
};
use tacit_store::Note;

use crate::app::CliApp;
use crate::commands::{count, footer};
use crate::filter_args::{FilterArgs, at_least_one};
use crate::render;
use crate::ui::Tone;

/// Search the memories.
///
/// Searches this project's memories and your own, by words and by meaning. Words are matched in any
/// form: `caching` finds `cache`, `token_refresh` finds `tokenRefresh`. Error codes, flags and paths
/// are matched whole.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit recall connection pool
  tacit recall E0308 --type error_pattern
  tacit recall --file src/auth            everything about a directory, newest first
  tacit recall migration --since 2w --json
  tacit recall --recent-sessions 3        from the last three sessions
  tacit recall deploy --around 3f2a91c4   from the time of a memory, or of a date
  tacit recall why do sockets leak --explain
  tacit recall --answer what do we know about pools
  tacit recall --as-hook \"the workers leak sockets after the fork\"")]
pub(crate) struct RecallArgs {
    /// The query; without one, the newest memories that pass the filters.
    #[arg(value_name = "WORDS")]
    words: Vec<String>,
    /// Largest number of results.
    #[arg(long, short = 'n', value_name = "COUNT", value_parser = at_least_one)]
    limit: Option<usize>,
    /// Show the score of each result, and what was left out.
    #[arg(long)]
    explain: bool,
    /// Show what hooks would inject for this text: only verified memories that are clearly about it.
    #[arg(long, conflicts_with_all = ["strict", "all", "words_only", "phase", "near", "budget",
          "recent_sessions", "around", "FilterArgs"])]
    as_hook: bool,
    /// Answer a question from memories, with citations: written by the text model if one is configured,
    /// otherwise quoted.
    #[arg(long, conflicts_with_all = ["explain", "as_hook", "strict", "all", "words_only", "phase", "near",
          "budget", "recent_sessions", "around", "limit", "FilterArgs"])]
    answer: bool,
    /// Show only memories that are clearly about the query.
    #[arg(long, conflicts_with = "all")]
    strict: bool,
    /// Show all results, even unlikely ones.
    #[arg(long)]
    all: bool,
    /// Search by words alone.
    #[arg(long)]
    words_only: bool,
    /// The phase of work: define, implement, validate, refine, explore or reflect, or a name of the
    /// active methodology.
    #[arg(long, value_name = "PHASE")]
    phase: Option<String>,
    /// Files or symbols that you work on; memories about them rank higher.
    #[arg(long = "near", value_name = "PATH[::SYMBOL]")]
    near: Vec<String>,
    /// Tokens that all results together may take.
    #[arg(long, value_name = "TOKENS")]
    budget: Option<usize>,
    /// Only from the last COUNT sessions that taught something.
    #[arg(long, value_name = "COUNT", value_parser = at_least_one, help_heading = "Filters",
          conflicts_with = "around")]
    recent_sessions: Option<usize>,
    /// Only from around a memory (its id) or a time, such as 3d or 2026-11-15.
    #[arg(long, value_name = "EVENT", help_heading = "Filters")]
    around: Option<String>,
    /// The span before and after that: 3d, 12h, 2w.
    #[arg(
        long,
        value_name = "SPAN",
        default_value = "3d",
        help_heading = "Filters",
        requires = "around"
    )]
    within: String,
    #[command(flatten)]
    filter: FilterArgs,
}

impl RecallArgs {
    pub(crate) fn run(self, app: &CliApp) -> AppResult<()> {
        if self.answer {
            return answer::print(app, &self.words.join(" "));
        }
        if self.as_hook {
            return as_hook::recall_as_hook(app, &self.words.join(" "), self.limit, self.explain);
        }
        let (question, when) = (self.question(app)?, self.when(app)?);
        tacit_app::files::sync_if_changed(app);
        let engine = app.with_generator(app.engine_for_query(&question)?);
        let here = app.here();
        let notes = tacit_app::recall::matching_notes(&engine, &here, &question);
        let answers = tacit_app::recall::recall(app, &engine, &here, question, &when)?;
        drop(engine);
        if app.json {
            for note in &answers.notes {
                // On standard error, where a person or a log sees it.
                let _ = writeln!(std::io::stderr(), "note: {}", render::visible(note));
            }
            let values: Vec<Value> = answers
                .shown
                .iter()
                .map(|answer| to_json(answer, answers.hypothetical.as_ref(), self.explain))
                .collect();
            return app.ui.json(&Value::Array(values));
        }
        app.ui.lines(
            answers.notes.iter().map(|note| app.ui.paint(Tone::Warn, &render::visible(note))),
        )?;
        if let (true, Some(supposed)) = (self.explain, &answers.hypothetical) {
            explain_supposed(app, supposed)?;
        }
        if answers.shown.is_empty() && notes.is_empty() {
            app.ui.line("No memory answers that.")?;
        }
        for (index, note) in notes.iter().enumerate() {
            app.ui.lines(render_note(app, note))?;
            if index + 1 < notes.len() || !answers.shown.is_empty() {
                app.ui.line("")?;
            }
        }
        if is_unclear(&answers) {
            app.ui.line("Nothing clearly matches; nearest:")?;
            app.ui.line("")?;
        }
        let now = app.now();
        for (index, answer) in answers.shown.iter().enumerate() {
            if index > 0 {
                app.ui.line("")?;
            }
            app.ui.lines(render::answer(&app.ui, &answer.found, now))?;
            let doubtful = answer.why.filter(|why| !self.explain && why.likelihood < CLEAR);
            if let Some(why) = doubtful {
                let likely = format!("  likely {:.0}%", why.likelihood * 100.0);
                app.ui.line(app.ui.paint(Tone::Dim, &likely))?;
            }
            if !answer.folded.is_empty() {
                let ids: Vec<String> =
                    answer.folded.iter().map(|id| id.short().to_string()).collect();
                app.ui.line(format!("  nearly the same: {}", ids.join(", ")))?;
            }
            if !answer.conflicts.is_empty() {
                let ids: Vec<String> =
                    answer.conflicts.iter().map(|id| id.short().to_string()).collect();
                app.ui.line(format!("  conflicts with: {}", ids.join(", ")))?;
            }
            if let (true, Some(why)) = (self.explain, &answer.why) {
                app.ui
                    .line(app.ui.paint(Tone::Dim, &format!("  {}", in_words(answer.score, why))))?;
                if only_supposed(answer, answers.hypothetical.as_ref()) {
                    app.ui.line(app.ui.paint(Tone::Dim, "  found with the hypothetical answer"))?;
                }
            }
        }
        if self.explain {
            explain_omitted(app, &answers.omitted)?;
        }
        let shown = answers.shown.len();
        if answers.more > 0 {
            app.ui.line("")?;
            return app.ui.footer(footer(0, shown, shown + answers.more));
        }
        if app.ui.interactive && shown > 0 {
            app.ui.line("")?;
            app.ui.line(count(shown, "memory", "memories"))?;
        }
        Ok(())
    }

    fn when(&self, app: &CliApp) -> AppResult<RequestedPeriod> {
        if let Some(count) = self.recent_sessions {
            return Ok(RequestedPeriod::RecentSessions(count));
        }
        let Some(event) = &self.around else { return Ok(RequestedPeriod::Any) };
        let now = app.now();
        let days = now.days_since(human_time::parse(&self.within, now)?).abs();
        Ok(RequestedPeriod::Around(event.clone(), days))
    }

    fn question(&self, app: &CliApp) -> AppResult<Question> {
        let phase = self.phase.as_deref().map(|word| app.phase(word)).transpose()?;
        let near = split_paths(app, &self.near);
        let near = near.iter().map(|typed| CodeTarget::parse(app, typed));
        let near: Vec<CodeTarget> = near.collect::<AppResult<_>>()?;
        let symbols = near
            .iter()
            .filter_map(|target| Some(SymbolRef::of(target.path.as_str(), target.symbol.as_ref()?)))
            .collect::<Result<_, _>>()?;
        let files = near.into_iter().map(|target| target.path).collect();
        let strictness = match (self.strict, self.all) {
            (true, _) => Strictness::Proactive,
            (_, true) => Strictness::Everything,
            _ => Strictness::Explicit,
        };
        Ok(Question {
            query: self.words.join(" "),
            filter: self.filter.filter(app)?,
            period: RecallPeriod::Any,
            limit: self.limit.unwrap_or(app.config().recall_limit as usize),
            at_least: if strictness == Strictness::Explicit { AT_LEAST } else { 0 },
            strictness,
            profile: RankProfile::default(),
            phase,
            files,
            symbols,
            token_budget: self.budget,
            channels: if self.words_only { SearchChannels::Words } else { SearchChannels::Both },
            seen: Vec::new(),
            embed_timeout: None,
        })
    }
}

/// Renders a note that is no memory yet.
fn render_note(app: &CliApp, note: &Note) -> Vec<String> {
    let status = match &note.record {
        NoteRecord::QaFailure(_) => "found by QA, not fixed yet",
        _ => "noted in this session",
    };
    let width = app.ui.width().saturating_sub(2);
    let mut lines: Vec<String> = render::wrap(&render::visible(&note.text), width).collect();
    lines.push(app.ui.paint(Tone::Dim, &format!("  {status}")));
    lines
}

/// Returns true if there are results, but none clearly matches.
fn is_unclear(answers: &RecallResults) -> bool {
    !answers.shown.is_empty() && !answers.is_clear
}

/// Returns true if only the hypothetical answer found a result.
fn only_supposed(answer: &RecallResult, supposed: Option<&HypotheticalAnswer>) -> bool {
    supposed.is_some_and(|supposed| supposed.found.contains(&answer.found.memory.id))
}

fn explain_supposed(app: &CliApp, supposed: &HypotheticalAnswer) -> AppResult<()> {
    app.ui.line(format!(
        "The query found little, so Tacit also searched with a hypothetical answer by {} (HyDE):",
        render::visible(&supposed.by)
    ))?;
    let text: Vec<&str> = supposed.text.split_whitespace().collect();
    let width = app.ui.width().saturating_sub(4);
    app.ui.lines(
        render::wrap(&render::visible(&text.join(" ")), width)
            .map(|row| app.ui.paint(Tone::Dim, &format!("  | {row}"))),
    )?;
    app.ui.line("")
}

pub(super) fn to_json(
    answer: &RecallResult,
    supposed: Option<&HypotheticalAnswer>,
    explain: bool,
) -> Value {
    let mut value = render::to_json(&answer.found);
    if let Value::Object(fields) = &mut value {
        fields.insert("score".into(), json!(answer.score));
        if !answer.conflicts.is_empty() {
            fields.insert("conflicts".into(), json!(answer.conflicts));
        }
        if let Some(why) = &answer.why {
            fields.insert("likely".into(), json!(why.likelihood));
            fields.insert("clear".into(), json!(why.likelihood >= CLEAR));
        }
        if let (true, Some(why)) = (explain, &answer.why) {
            fields.insert(
                "why".into(),
                json!({
                    "words": why.words, "meaning": why.meaning, "bonus": why.bonus,
                    "context": why.context, "influence": why.influence,
                    "likelihood": why.likelihood, "bm25": why.bm25, "coverage": why.coverage,
                    "cosine": why.cosine,
                }),
            );
            let supposed = supposed.filter(|_| only_supposed(answer, supposed));
            let supposed = supposed.map(|one| json!({"by": one.by, "text": one.text}));
            fields.insert("supposed".into(), json!(supposed));
            fields.insert("folded".into(), json!(answer.folded));
        }
    }
    value
}

pub(super) fn in_words(score: f64, why: &ScoreBreakdown) -> String {
    let cosine = why.cosine.map_or("none".to_owned(), |cosine| format!("{cosine:.3}"));
    format!(
        "score {score:.3} = words {:+.2} (bm25 {:.2}, covers {:.0}%), meaning {:+.2} (cosine {cosine}), \
         files and time {:+.2}, context {:+.2}, age, use and trust {:+.3}; likely {:.0}%",
        why.words,
        why.bm25,
        why.coverage * 100.0,
        why.meaning,
        why.bonus,
        why.context,
        why.influence,
        why.likelihood * 100.0,
    )
}

pub(super) fn explain_omitted(app: &CliApp, omitted: &[OmittedResult]) -> AppResult<()> {
    const SHOWN: usize = 10;
    if omitted.is_empty() {
        return Ok(());
    }
    app.ui.line("")?;
    app.ui.line(format!("Left out ({}):", omitted.len()))?;
    for item in omitted.iter().take(SHOWN) {
        let why = match item.why {
            RemovalReason::Unlikely(likely) => {
                format!("unlikely to be about it ({:.0}%)", likely * 100.0)
            }
            RemovalReason::Seen => "shown before".into(),
            RemovalReason::Stale => "stale".into(),
            RemovalReason::Unused => "shown often and never used".into(),
            RemovalReason::Unproven => "learnt only once and not confirmed".into(),
            RemovalReason::SupersededBy(id) => format!("superseded by {}", id.short()),
            RemovalReason::FoldedInto(_) => "nearly the same as a result above".into(),
            RemovalReason::BeyondLimit => "beyond --limit".into(),
            RemovalReason::BeyondBudget => "beyond --budget".into(),
        };
        let id = app.ui.paint(Tone::Id, &item.found.memory.id.short().to_string());
        let headline = render::cut(&render::visible(&item.found.memory.headline()), 50);
        app.ui.line(format!("  {id}  {headline}  {why}"))?;
    }
    Ok(())
}
