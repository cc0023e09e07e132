import type { Answer, Entry, Explained, Health, Modules, Session, SessionDetail, SessionReview } from '../src/lib/api/types';
import { card, injection } from './cards';
import { iso, itemOf, NOW, random, SESSIONS } from './generate';
import { MODULES } from './sentences';
import type { MockStore } from './store';
import { say } from './say';

const DAY = 86_400_000;

const coverage = MODULES.map((path, index) => ({
  path, files: 64 - 4 * index, memories: 900 - 61 * index, e2e: path.startsWith('web') ? 41 - index : 0, covered: [0.82, 0.74, 0.69, 0.61, 0.55, 0.48, 0.42, 0.37, 0.3, 0.22, 0.14, 0.06][index]!,
}));

export function health(store: MockStore): Health {
  const active = store.select(new URLSearchParams());
  const count = (query: Record<string, string>) => store.select(new URLSearchParams(query)).length;
  const waiting = count({ review: 'needed' });
  const next = random(3);
  return {
    totals: {
      all: store.memories.size, active: active.length, stale: count({ stale: 'true' }), retired: count({ status: 'retired' }),
      archived: count({ status: 'archived' }), needs_review: waiting, auto_confirmed: 214,
    },
    tokens_saved: 1_284_000,
    score: 81,
    reasons: [
      { id: 'review_waiting', text: `${waiting} memories wait for review`, points: 9, count: waiting, action: { kind: 'open', view: 'review' } },
      { id: 'stale', text: 'memories are stale', points: 6, count: count({ stale: 'true' }), action: { kind: 'open', view: 'memories', query: { stale: 'true' } } },
      { id: 'no_vectors', text: '38 memories have no vector', points: 3, count: 38, action: { kind: 'job', job: 'reindex' } },
      { id: 'store_problem', text: 'one problem', points: 1, count: 1, action: { kind: 'command', command: 'tacit doctor --fix' } },
    ],
    modules: coverage,
    methodology: { id: 'native', name: say('Native (specs and subtasks)', 'methodology.native'), phase: 'implement', unit: 'coupon-codes' },
    sessions: { total: 412, last: { id: SESSIONS[0]!, client: 'Claude Code', at: iso(NOW - 1_500_000) }, injections_7_days: 186, tokens_7_days: 11_420, memories_7_days: 23 },
    injections: {
      days: Array.from({ length: 60 }, (_, index) => {
        const shown = 12 + Math.floor(next() * 14 + index / 5);
        const helped = Math.floor(shown * (0.22 + index / 400));
        const acted_on = Math.floor(shown * (0.2 + index / 500));
        return {
          day: iso(NOW - (59 - index) * DAY).slice(0, 10), shown, known_errors: 4 + (index % 3), answered: 2 + (index > 20 ? index % 2 : 0) + (index > 44 ? 1 : 0),
          fates: { helped, acted_on, cited: Math.floor(shown * 0.14), ignored: Math.floor(shown * 0.2), flagged: next() > 0.9 ? 1 : 0 },
        };
      }),
      precision: 0.74, recall: 0.61,
    },
    problems: [],
  };
}

export function modules(): Modules {
  return {
    modules: coverage.map((module, index) => ({
      path: module.path, name: module.path.split('/').at(-1)!, purpose: index === 6 ? 'Turns supplier files into products.' : null,
      files: module.files, lines: module.files * 140, tests: 3 + index, memories: module.memories, e2e: module.e2e, covered: module.covered, entry_points: [], used: 40 - 3 * index,
    })),
    imports: [[0, 1], [0, 2], [0, 3], [0, 7], [1, 4], [2, 4], [2, 5], [3, 4], [6, 4], [7, 4], [8, 6], [8, 5], [9, 11], [10, 11], [9, 3]].map(
      ([from, to]) => ({ from: MODULES[from!]!, to: MODULES[to!]!, count: 4 + from! }),
    ),
    cochange: [[2, 9], [1, 10], [6, 7]].map(([a, b]) => ({ a: MODULES[a!]!, b: MODULES[b!]!, weight: 0.4, count: 9 })),
  };
}

const session = (index: number): Session => ({
  id: SESSIONS[index]!, client: ['Claude Code', 'Claude Code', 'Codex CLI', 'OpenCode'][index % 4]!,
  started_at: iso(NOW - index * 9 * 3_600_000 - 4_100_000), last_at: iso(NOW - index * 9 * 3_600_000 - 1_500_000),
  ended: index === 0 ? null : 'exit', state: index === 0 ? null : 'done',
  counts: { injections: (index * 5) % 14, learnt: (index * 3) % 5 },
});

export const sessions = (offset: number) => ({
  sessions: SESSIONS.slice(offset, offset + 50).map((_, index) => session(offset + index)), total: SESSIONS.length,
});

export function sessionDetail(store: MockStore, id: string): SessionDetail {
  const index = Math.max(0, SESSIONS.indexOf(decodeURIComponent(id)));
  const memories = store.select(new URLSearchParams()).slice(index, index + 5);
  const start = Date.parse(session(index).started_at);
  const entry = (minutes: number, kind: string, text: string, rest: Partial<Entry> = {}): Entry => ({
    at: iso(start + minutes * 60_000), kind, tool: null, subject: null, text, injection: null, memory: null, ...rest,
  });
  const shown = (minutes: number, place: number) =>
    entry(minutes, 'injection', memories[place]!.content, { injection: injection(memories[place]!, place), memory: memories[place]!.id });
  return {
    session: session(index),
    timeline: [
      entry(0, 'session_started', ''), entry(1, 'prompt_submitted', 'The import of supplier files hangs after the deploy. Find out why and fix it.'), shown(1, 0), shown(1, 1),
      entry(2, 'tool_finished', '', { tool: 'Read', subject: 'src/importer/queue.rs' }), entry(4, 'tool_finished', '', { tool: 'Edit', subject: 'src/importer/queue.rs' }),
      entry(6, 'tool_finished', 'failed with exit code 101', { tool: 'Bash', subject: 'cargo nextest run -p shop-importer' }), shown(6, 2),
      entry(9, 'tool_finished', '', { tool: 'Edit', subject: 'src/db/pool.rs' }), shown(9, 3), entry(12, 'tool_finished', 'passed', { tool: 'Bash', subject: 'cargo nextest run -p shop-importer' }), shown(13, 4),
      entry(14, 'note', 'The pool must be closed before the fork.'), entry(15, 'learnt', memories[0]!.content, { memory: memories[0]!.id }), entry(16, 'session_ended', ''),
    ],
    events: 12, earlier: null, learnt: memories.slice(0, 1).map(itemOf),
  };
}

export function explained(): Explained {
  return {
    verdict: 'passed', concluded: true,
    considered: [
      { basis: 'fix', about: say('flaky test `restarts`', 'about.flaky', { test: 'restarts' }), occurrences: 1, score: 0.81, kept: true, why: say('passed every stage', 'learn.passed') },
      { basis: 'co-access', about: say('`src/db/pool.rs` and `src/importer/queue.rs`', 'about.pair', { first: 'src/db/pool.rs', second: 'src/importer/queue.rs' }), occurrences: 2, score: 0.33, kept: false, why: say('2 of 3 sessions', 'learn.sessions', { count: 2, least: 3 }) },
    ],
  };
}

export function sessionReview(store: MockStore, id: string): SessionReview {
  const all = store.select(new URLSearchParams());
  return {
    session: id === 'last' ? SESSIONS[0]! : decodeURIComponent(id),
    applied: all.filter(({ review }) => review === 'verified').slice(0, 3).map(itemOf),
    new: all.filter(({ review }) => review === 'needed').slice(0, 6).map(card),
    auto_confirmed: all.filter(({ source }) => source === 'commit_auto').slice(0, 2).map((memory) => ({ ...itemOf(memory), why: 'commit' })),
    rule: { confidence_above: 0.9, shown_at_least: 3 },
  };
}

export function chat(store: MockStore, question: string): Answer {
  const word = question.toLowerCase().match(/pool|coupon|import|settings|retry|money|session/)?.[0];
  const found = word ? store.select(new URLSearchParams()).filter(({ content }) => content.toLowerCase().includes(word)) : [];
  const cited = [...new Map(found.map((memory) => [memory.content.slice(0, 30), memory])).values()].slice(0, 3);
  return {
    known: cited.length > 0, by: null, notes: [],
    text: cited.length > 0 ? cited.map(({ content }, index) => `${content} [${index + 1}]`).join('\n\n') : 'No memory answers that.',
    citations: cited.map((memory, index) => ({ n: index + 1, item: itemOf(memory), likely: 0.8 })),
  };
}
