import type { Card, Injection, Memory, One } from '../src/lib/api/types';
import { iso, itemOf, NOW, SESSIONS } from './generate';
import { say } from './say';
import type { MockStore } from './store';

const UNCONFIRMED = say('learnt by Tacit, not confirmed', 'review.learnt');
const FATES = ['helped', 'acted_on', 'cited', 'ignored'] as const;

export function injection(memory: Memory, index: number): Injection {
  const fate = FATES[index % FATES.length]!;
  const reasons = {
    helped: say('`cargo test` worked in place of `make test`', 'fate.in_place', { what: '`cargo test`', other: '`make test`' }),
    acted_on: say('`src/db/pool.rs` was opened in the next call', 'fate.opened_next', { what: '`src/db/pool.rs`' }),
    cited: say('the agent wrote `pool`, `fork` and `drain`', 'fate.wrote', { words: ['`pool`', '`fork`', '`drain`'] }),
    ignored: say('no sign of it in the 12 calls that followed', 'fate.no_sign', { count: 12 }),
  };
  return {
    at: iso(NOW - (index + 1) * 5_400_000), session: memory.sessions?.[0] ?? SESSIONS[index]!, event: 'prompt',
    layer: ['prompt_submitted', 'tool_starting', 'tool_failed'][index % 3]!, memory: memory.id, text: memory.content, why: say('about this file', 'shown.file'),
    tokens: 40 + 7 * index, withheld: index === 4, fate: { fate, why: reasons[fate] },
  };
}

export function one(store: MockStore, memory: Memory): One {
  return {
    item: itemOf(memory),
    review: memory.review === 'needed' ? { reason: 'unconfirmed', why: UNCONFIRMED } : null,
    provenance: {
      source: memory.source, session: memory.sessions?.[0] ?? null, phase: memory.phase ?? null,
      commit: memory.commit ?? null, author: memory.author ?? null, generator: null,
    },
    evidence: {
      commands: memory.type === 'error_pattern' ? ['cargo nextest run -p shop-db'] : [],
      error: memory.type === 'error_pattern' ? 'relation "orders_v2" does not exist' : null,
      changes: [], commit: null, reasoning: null,
    },
    locations: (memory.related_files ?? []).map((path) => ({ path, line: null, symbol: null, exists: memory.stale_kind !== 'file_missing' })),
    relations: [], others: [], history: store.history(memory),
    injections: [0, 1, 2].slice(0, Math.min(3, memory.access_count)).map((index) => injection(memory, index)),
  };
}

export function card(memory: Memory): Card {
  return {
    item: itemOf(memory), reason: 'unconfirmed', why: UNCONFIRMED, value: 1,
    phase: memory.phase ?? null, others: [],
    evidence: {
      commands: ['cargo nextest run -p shop'], changes: [], commit: null, reasoning: null,
      error: memory.type === 'error_pattern' ? 'relation "orders_v2" does not exist' : null,
    },
  };
}
