/** Memories made from a seed: the same ones in every run, so that screenshots can be compared. */
import type { Item, Memory } from '../src/lib/api/types';
import { FILES, MODULES, SENTENCES, SYMBOLS, TAGS } from './sentences';
import { say } from './say';

export const NOW = Date.parse('2026-11-18T10:30:00Z');
const DAY = 86_400_000;

export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export const iso = (time: number): string => new Date(time).toISOString();
const hex = (value: number, length: number) => Math.floor(value).toString(16).padStart(length, '0').slice(-length);

const WEIGHTED_TYPES = [
  ...Array<string>(8).fill('gotcha'), ...Array<string>(5).fill('decision'), ...Array<string>(5).fill('error_pattern'),
  ...Array<string>(5).fill('pattern'), ...Array<string>(4).fill('module_insight'), ...Array<string>(4).fill('e2e_observation'),
  'preference', 'preference', 'requirement', 'causal_dependency', 'causal_dependency', 'prefetch_pattern',
  'work_state', 'dead_end', 'dead_end', 'work_unit_outcome', 'context_cost',
];
const SOURCES: Readonly<Record<string, readonly string[]>> = {
  e2e_observation: ['mcp_auto'],
  work_unit_outcome: ['commit_auto'],
  preference: ['user_taught'],
  decision: ['user_taught', 'agent_explicit', 'file'],
  error_pattern: ['observer_inferred', 'qa_auto'],
};
const PHASES = ['define', 'implement', 'validate', 'refine', 'explore', 'reflect'];

export const SESSIONS = Array.from({ length: 120 }, (_, index) => `${hex(0xa3f90000 + index * 7919, 8)}-session`);

function memory(index: number, next: () => number): Memory {
  const pick = <T,>(list: readonly T[]): T => list[Math.floor(next() * list.length)]!;
  const type = pick(WEIGHTED_TYPES);
  const module = pick(MODULES);
  const file = `${module}/${pick(FILES)}.${module.startsWith('web') ? 'ts' : 'rs'}`;
  const content = pick(SENTENCES[type]!)
    .replaceAll('{f}', file)
    .replaceAll('{s}', pick(SYMBOLS))
    .replaceAll('{n}', String(2 + Math.floor(next() * 58)));
  const source = pick(SOURCES[type] ?? ['observer_inferred', 'agent_explicit', 'user_taught']);
  const age = Math.floor(index ** 1.75 * 900 + next() * 4_000_000);
  const created = Math.max(NOW - age - 180_000, NOW - 900 * DAY);
  const updated = Math.min(NOW - 60_000, created + Math.floor(next() * 20 * DAY));
  const used = Math.floor(next() ** 3 * 40);
  const gone = next() < 0.05;
  const short = hex((index + 1) * 2_654_435_761, 8);
  return {
    id: `01a1dec1-b840-7000-aa3d-${hex(index, 4)}${short}`,
    short_id: short,
    store: next() < 0.06 ? 'global' : 'project',
    type,
    content,
    confidence: Math.round((0.35 + next() * 0.64) * 100) / 100,
    ...(type === 'e2e_observation' ? { details: { observation_type: 'precondition', mcp_tool_used: 'take_screenshot' } } : {}),
    tags: [...new Set([pick(TAGS), pick(TAGS)])],
    related_files: [file],
    related_modules: [module],
    scope: type === 'context_cost' ? 'module' : 'global',
    ...(index % 29 === 3 ? { visibility: 'private' as const } : {}),
    source,
    ...(source === 'user_taught' ? { author: 'ada' } : { sessions: [pick(SESSIONS)], phase: pick(PHASES) }),
    ...(next() < 0.4 ? { commit: hex(next() * 2 ** 40, 10) } : {}),
    review: source === 'user_taught' || next() < 0.35 ? 'verified' : source === 'file' ? 'committed' : next() < 0.012 ? 'needed' : 'none',
    ...(next() < 0.05 ? { stale_at: iso(NOW - next() * 20 * DAY), stale_kind: pick(['file_missing', 'code_changed', 'reported']) } : {}),
    status: gone ? { state: pick(['retired', 'archived'] as const), at: iso(updated), reason: 'no longer true' } : { state: 'active' },
    observations: 1 + Math.floor(next() * 4),
    created_at: iso(created),
    updated_at: iso(updated),
    access_count: used,
    last_accessed_at: iso(Math.min(NOW - 120_000, updated + next() * 6 * DAY)),
  };
}

/** Returns a memory as the server shows it. */
export function itemOf(memory: Memory): Item {
  const file = memory.related_files?.[0];
  const shown = memory.content;
  return {
    memory,
    headline: memory.title ?? shown.split('\n')[0]!,
    effective_confidence: memory.confidence,
    dots: memory.confidence >= 0.8 ? 3 : memory.confidence >= 0.5 ? 2 : 1,
    trust: memory.review === 'verified' ? 'verified' : 'unconfirmed',
    stale: memory.stale_at
      ? { at: memory.stale_at, kind: memory.stale_kind!, why: memory.stale_kind === 'code_changed' ? say('`open_pool` in src/db/pool.rs changed since this was learnt', 'stale.symbol_changed', { name: 'open_pool', path: 'src/db/pool.rs' }) : null }
      : null,
    out_of_use: null,
    verify: memory.stale_kind === 'code_changed',
    needs_review: memory.review === 'needed',
    provisional: memory.review === 'none',
    shown: memory.access_count,
    citation: `[↗ Memory: ${memory.type}${file ? ` in ${file}` : ''}]`,
  };
}

export function generate(count: number): Memory[] {
  const next = random(7);
  return Array.from({ length: count }, (_, index) => memory(index, next));
}
