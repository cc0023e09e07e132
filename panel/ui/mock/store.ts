/** The mock's memories, with filters, changes and undo as the server has them. */
import type { Change, Memory, Undo } from '../src/lib/api/types';
import { generate, iso, NOW } from './generate';

type Snapshot = { id: string; before: Memory | undefined };

export class MockStore {
  readonly memories = new Map<string, Memory>();
  private readonly changes: Snapshot[][] = [];
  private order: Memory[] | undefined;

  constructor(count: number) {
    for (const memory of generate(count)) this.memories.set(memory.id, memory);
  }

  find(id: string): Memory | undefined {
    return this.memories.get(id) ?? [...this.memories.values()].find((memory) => memory.short_id.startsWith(id));
  }

  /** Replaces memories as one change. */
  write(next: Memory[]): Undo {
    this.order = undefined;
    this.changes.push(next.map(({ id }) => ({ id, before: this.memories.get(id) })));
    for (const memory of next) this.memories.set(memory.id, memory);
    return [{ store: 'project', change: this.changes.length }];
  }

  undo(undo: Undo): Memory[] {
    this.order = undefined;
    return undo.flatMap(({ change }) =>
      (this.changes[change - 1] ?? []).flatMap(({ id, before }) => {
        if (before) this.memories.set(id, before);
        else this.memories.delete(id);
        return before ? [before] : [];
      }),
    );
  }

  select(query: URLSearchParams): Memory[] {
    this.order ??= [...this.memories.values()].sort((a, b) => b.created_at.localeCompare(a.created_at));
    const list = (name: string, value: string | undefined) => {
      const wanted = query.getAll(name);
      return wanted.length === 0 || (value !== undefined && wanted.includes(value));
    };
    const some = (name: string, values: readonly string[] = []) => query.getAll(name).every((wanted) => values.includes(wanted));
    const status = query.get('status') ?? 'active';
    const least = Number(query.get('min_confidence') ?? 0);
    const since = query.get('since');
    const until = query.get('until');
    const found = this.order.filter(
      (memory) =>
        list('type', memory.type) &&
        list('source', memory.source) &&
        list('module', memory.related_modules?.[0]) &&
        list('methodology', memory.work_unit?.methodology ?? 'native') &&
        list('review', memory.review) &&
        some('file', memory.related_files) &&
        some('tag', memory.tags) &&
        (status === 'all' || memory.status.state === status) &&
        memory.confidence >= least &&
        (!since || memory.created_at >= resolveDate(since)) &&
        (!until || memory.created_at <= resolveDate(until)) &&
        (!query.has('stale') || Boolean(memory.stale_at) === (query.get('stale') === 'true')),
    );
    const key = { changed: 'updated_at', used: 'last_accessed_at', confidence: 'confidence' } as const;
    const sort = query.get('sort') as keyof typeof key | null;
    if (sort && key[sort]) return found.sort((a, b) => (b[key[sort]] > a[key[sort]] ? 1 : -1));
    return query.get('sort') === 'oldest' ? found.reverse() : found;
  }

  history(memory: Memory): Change[] {
    const change = (number: number, kind: string, at: string, actor: string): Change => ({
      store: 'project', change: number, kind, at, actor, reason: null, reverted_by: null, fields: [],
    });
    return [change(42, 'edit', memory.updated_at, 'ada'), change(7, 'remember', memory.created_at, 'tacit')];
  }
}

function resolveDate(text: string): string {
  const days = /^(\d+)([dw])$/.exec(text);
  if (!days) return text;
  return iso(NOW - Number(days[1]) * (days[2] === 'w' ? 7 : 1) * 86_400_000);
}
