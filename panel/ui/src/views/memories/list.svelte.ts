/** The rows of the browser: pages are fetched as they come into sight, so that 100,000 memories cost as much as 100. */
import { api, type Found, type Item } from '../../lib/api';
import type { Query } from '../../lib/api/client';
import { pagesOf } from '../../lib/ui/range';

const PAGE = 100;
const SEARCHED = 100;

export class MemoryList {
  total = $state(0);
  loading = $state(true);
  error = $state.raw<unknown>();
  /** False if a search found nothing that clearly matches. */
  clear = $state(true);
  private rows = $state.raw<ReadonlyMap<number, Item>>(new Map());
  private query: Query = {};
  private requested = new Set<number>();
  private stop = new AbortController();

  at(index: number): Item | undefined {
    return this.rows.get(index);
  }

  indexOf(id: string): number {
    for (const [index, { memory }] of this.rows) if (memory.id === id || memory.short_id === id) return index;
    return -1;
  }

  /** Shows the memories of a query. The rows of the former one stay until the first of the new ones are there. */
  async show(query: Query): Promise<void> {
    this.stop.abort();
    this.stop = new AbortController();
    this.query = query;
    this.requested = new Set([0]);
    this.loading = true;
    await this.attempt(async (signal) => {
      const page = 'q' in query ? searched(await api.search({ ...query, limit: SEARCHED }, signal)) : await this.page(0, signal);
      if (signal.aborted) return;
      this.rows = new Map(page.items.map((item, index) => [index, item]));
      this.total = page.total;
      this.clear = page.clear;
      this.error = undefined;
      this.loading = false;
    });
  }

  reload(): Promise<void> {
    return this.show(this.query);
  }

  /** Fetches what is missing of a range of rows. */
  need(first: number, last: number): void {
    if ('q' in this.query) return;
    for (const number of pagesOf({ first, last }, PAGE)) {
      if (this.requested.has(number)) continue;
      this.requested.add(number);
      void this.attempt(async (signal) => {
        const page = await this.page(number, signal);
        if (signal.aborted) return;
        const rows = new Map(this.rows);
        page.items.forEach((item, index) => rows.set(number * PAGE + index, item));
        this.rows = rows;
      });
    }
  }

  /** Puts changed memories where their old forms are, without another request. */
  replace(items: readonly Item[]): void {
    const rows = new Map(this.rows);
    for (const item of items) {
      const index = this.indexOf(item.memory.id);
      if (index >= 0) rows.set(index, item);
    }
    this.rows = rows;
  }

  private async page(number: number, signal: AbortSignal) {
    const page = await api.memories({ ...this.query, limit: PAGE, offset: number * PAGE }, signal);
    return { ...page, clear: true };
  }

  private async attempt(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { signal } = this.stop;
    try {
      await work(signal);
    } catch (error) {
      if (signal.aborted) return;
      this.error = error;
      this.loading = false;
    }
  }
}

const searched = (found: Found) => ({ items: found.items, total: found.items.length, clear: found.clear });
