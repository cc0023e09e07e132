/** Answers of the API without a server: a function of the request over generated memories. */
import type { Decision, JobKind, Memory, Undo } from '../src/lib/api/types';
import { iso, itemOf, NOW } from './generate';
import { chat, explained, health, modules, sessionDetail, sessionReview, sessions } from './reports';
import { runJob, settingsRoutes } from './settings';
import { MockStore } from './store';
import { VOCABULARY } from './vocabulary';
import { recipes } from './recipes';
import { one, card } from './cards';

export type Reply = { status: number; body: unknown };
/** Every field of a request's body; each route reads its own. */
type Input = {
  decision: Decision;
  fields: Partial<Memory>;
  verdict: string;
  choice: string;
  content: string;
  type: string;
  ids?: string[];
  filter?: Record<string, string | string[]>;
  tags?: string[];
  action: string;
  undo: Undo;
  question: string;
  job: JobKind;
};
type Receive = (name: string, data: unknown) => void;

const ok = (body: unknown): Reply => ({ status: 200, body });
const missing: Reply = {
  status: 404,
  body: { error: { code: 'not_found', message: 'no such memory', message_phrase: null, hint: null, hint_phrase: null } },
};

export class MockServer {
  readonly store: MockStore;
  private readonly receivers = new Set<Receive>();

  constructor(count = 10_000) {
    this.store = new MockStore(count);
    for (const recipe of recipes()) this.store.memories.set(recipe.item.memory.id, recipe.item.memory);
  }

  subscribe(receive: Receive): () => void {
    this.receivers.add(receive);
    receive('hello', { version: '1.0.0', now: iso(NOW) });
    return () => void this.receivers.delete(receive);
  }

  emit(name: string, data: unknown): void {
    this.receivers.forEach((receive) => receive(name, data));
  }

  private changed(memories: Memory[]): Reply {
    const undo = this.store.write(memories);
    const ids = memories.map(({ id }) => id);
    this.emit('memories', { changes: [{ store: 'project', change: undo[0]!.change, kind: 'edit', actor: 'ada', memories: ids }], all: false });
    return ok({ items: memories.map(itemOf), undo, notes: [] });
  }

  private apply(memory: Memory, action: string, body: { content?: string; tags?: string[] }): Memory {
    const retired = { state: 'retired', at: iso(NOW), reason: action } as const;
    switch (action) {
      case 'confirm':
      case 'restore':
        return { ...memory, review: 'verified', status: { state: 'active' } };
      case 'reject':
      case 'delete':
      case 'duplicate':
        return { ...memory, review: 'none', status: retired };
      case 'archive':
        return { ...memory, status: { ...retired, state: 'archived' } };
      case 'wrong':
      case 'flag_wrong':
        return { ...memory, review: 'needed', confidence: memory.confidence / 2 };
      case 'outdated':
      case 'flag_outdated':
        return { ...memory, review: 'none', stale_at: iso(NOW), stale_kind: 'reported' };
      case 'tag':
        return { ...memory, tags: [...new Set([...(memory.tags ?? []), ...(body.tags ?? [])])] };
      default:
        return { ...memory, content: body.content ?? memory.content, review: 'verified' };
    }
  }

  handle(method: string, path: string, query: URLSearchParams, body: unknown): Reply {
    const input = (body ?? {}) as Input;
    const route = `${method} ${path}`;
    const simple = this.simple(route, query, input) ?? settingsRoutes(route, query, this);
    if (simple) return simple;
    const [, id, action] = /^\/memories\/([^/]+)(?:\/(\w+))?$/.exec(path) ?? [];
    const reviewed = /^\/review\/([^/]+)$/.exec(path)?.[1];
    const memory = this.store.find(decodeURIComponent(id ?? reviewed ?? ''));
    if (reviewed && memory) return this.changed([this.apply(memory, input.decision, {})]);
    if (!memory) return missing;
    if (method === 'GET' && !action) return ok(one(this.store, memory));
    if (method === 'GET' && action === 'duplicates') {
      const same = this.store.select(new URLSearchParams({ type: memory.type })).filter((other) => other !== memory);
      return ok({ items: same.slice(0, 5).map(itemOf) });
    }
    if (method === 'DELETE') return this.changed([this.apply(memory, 'delete', {})]);
    if (method === 'PATCH') return this.changed([{ ...memory, ...input.fields }]);
    const verb = action === 'flag' ? input.verdict : action === 'correct' ? input.choice : action;
    return this.changed([this.apply(memory, String(verb), input)]);
  }

  private simple(route: string, query: URLSearchParams, input: Input): Reply | undefined {
    const { store } = this;
    switch (route) {
      case 'GET /about':
        return ok({
          version: '1.0.0', api: 1, initialised: true, team: false, person: true, user: 'ada',
          project: { name: 'shop', root: '/home/ada/shop', worktree: '/home/ada/shop', branch: 'main' },
          methodology: { id: 'native', name: 'Native' }, text_model: null, embedding: 'bundled', now: iso(NOW), idle_minutes: null,
        });
      case 'GET /vocabulary':
        return ok(VOCABULARY);
      case 'GET /health':
        return ok(health(store));
      case 'GET /modules':
        return ok(modules());
      case 'GET /memories': {
        const all = store.select(query);
        const offset = Number(query.get('offset') ?? 0);
        const limit = Number(query.get('limit') ?? 100);
        return ok({ items: all.slice(offset, offset + limit).map(itemOf), total: all.length, next: null });
      }
      case 'GET /search': {
        const words = (query.get('q') ?? '').toLowerCase().split(/\s+/).filter(Boolean);
        const found = store.select(query).filter((memory) => words.every((word) => memory.content.toLowerCase().includes(word)));
        const items = found.slice(0, Number(query.get('limit') ?? 30)).map((memory, rank) => ({
          ...itemOf(memory), score: 1 - rank / 100, likely: 0.9, clear: true, folded: [], conflicts: [],
        }));
        return ok({ items, clear: items.length > 0, more: Math.max(0, found.length - items.length), by_meaning: true, notes: [] });
      }
      case 'POST /memories': {
        const id = `01a1dec1-b840-7000-aa3d-${String(store.memories.size).padStart(12, '0')}`;
        const draft = input;
        const created: Memory = {
          ...store.select(new URLSearchParams())[0]!, id, short_id: id.slice(-8), type: draft.type ?? 'gotcha', source: 'user_taught',
          content: draft.content ?? '', created_at: iso(NOW), updated_at: iso(NOW), review: 'verified', access_count: 0,
        };
        const reply = this.changed([created]).body as object;
        return ok({ ...reply, outcome: 'stored', type_inferred: !draft.type, similar: null });
      }
      case 'POST /memories/bulk': {
        const passing = Object.entries(input.filter ?? {}).flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)]));
        const chosen = input.ids?.flatMap((id) => store.find(id) ?? []) ?? store.select(new URLSearchParams(passing));
        const reply = this.changed(chosen.map((memory) => this.apply(memory, input.action, input)));
        return ok({ changed: chosen.length, undo: (reply.body as { undo: Undo }).undo, failed: [], cancelled: false });
      }
      case 'POST /undo': {
        const items = store.undo(input.undo).map(itemOf);
        this.emit('memories', { changes: [], all: true });
        return ok({ items, undo: [], notes: [] });
      }
      case 'POST /purge/preview':
        return ok({ items: (input.ids ?? []).flatMap((id) => store.find(id) ?? []).map(itemOf) });
      case 'POST /purge':
        return ok({ purged: input.ids, changes: 3, left: [], notes: [] });
      case 'GET /review': {
        const waiting = store.select(new URLSearchParams({ review: 'needed' }));
        return ok({
          cards: waiting.slice(0, Number(query.get('limit') ?? 50)).map(card), total: waiting.length,
          auto_confirmed: 214, rule: { confidence_above: 0.9, shown_at_least: 3 },
        });
      }
      case 'POST /review/finish':
        return ok({});
      case 'GET /recipes':
        return ok({ recipes: recipes() });
      case 'POST /recipes':
        return ok({ items: [recipes()[0]!.item], undo: [], notes: [] });
      case 'POST /chat':
        return ok(chat(store, input.question));
      case 'GET /sessions':
        return ok(sessions(Number(query.get('offset') ?? 0)));
    }
    if (route.startsWith('GET /review/sessions/')) return ok(sessionReview(store, route.slice(21)));
    if (route.endsWith('/considered')) return ok(explained());
    if (route.startsWith('GET /sessions/')) return ok(sessionDetail(store, route.slice(14)));
    if (route.startsWith('PUT /recipes/')) return ok({ items: [recipes()[0]!.item], undo: [], notes: [] });
    if (route === 'POST /jobs') return ok(runJob(this, input.job));
    return undefined;
  }
}
