/** The rows of the browser: pages are fetched as they come into sight, so that 100,000 memories cost as much as 100. */
import { api, type Item, type Sentence } from '../../lib/api';
import type { Query } from '../../lib/api/client';
import { pagesOf, type Range } from '../../lib/ui/range';

const PAGE = 100;
/** The most rows that the server gives at once. */
const LARGEST_PAGE = 500;
/** Pages kept; the ones farthest from those in sight go first. */
const MOST = 40;
/** Milliseconds between requests while rows rush by. */
const PACE = 60;

type Pages = ReadonlyMap<number, readonly Item[]>;

export class MemoryList {
  total = $state(0);
  loading = $state(true);
  error = $state.raw<unknown>();
  /** False if a search found nothing that clearly matches. */
  clear = $state(true);
  /** Results that the search left out. */
  more = $state(0);
  notes = $state.raw<readonly Sentence[]>([]);
  private pages = $state.raw<Pages>(new Map());
  private query: Query = {};
  private asked = '';
  /** The query whose rows are shown. */
  private answered = '';
  /** Pages on their way. */
  private underway = new Set<number>();
  private sight: Range = { first: 0, last: 0 };
  /** A row that is loaded with those in sight, because it has the keyboard. */
  pinned = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private stop = new AbortController();

  at(index: number): Item | undefined {
    return this.pages.get(Math.floor(index / PAGE))?.[index % PAGE];
  }

  indexOf(id: string): number {
    for (const [number, items] of this.pages) {
      const place = items.findIndex(({ memory }) => memory.id === id || memory.short_id === id);
      if (place >= 0) return number * PAGE + place;
    }
    return -1;
  }

  /**
   * Shows the memories of a query. The rows on the screen stay until those that replace them are there. Returns true
   * for another query than before, whose rows start at the top.
   */
  show(query: Query): boolean {
    const asked = JSON.stringify(query);
    const other = asked !== this.asked;
    this.asked = asked;
    this.query = query;
    if (other) this.sight = { first: 0, last: 0 };
    void this.reload();
    return other;
  }

  /** Loads what is in sight again and forgets the rest. */
  async reload(): Promise<void> {
    this.stop.abort();
    this.stop = new AbortController();
    clearTimeout(this.timer);
    this.timer = undefined;
    const pinned = { first: this.pinned, last: this.pinned };
    const wanted = 'q' in this.query ? [0] : [...new Set([0, ...pagesOf(this.sight, PAGE), ...pagesOf(pinned, PAGE)])];
    const { asked, stop } = this;
    this.underway.clear();
    this.loading = true;
    await this.attempt(async (signal) => {
      const found = await Promise.all(wanted.map((number) => this.fetch(number, signal)));
      if (signal.aborted) return;
      const [first] = found;
      this.pages = new Map(wanted.map((number, place) => [number, found[place]!.items]));
      this.total = first!.total;
      this.clear = first!.clear;
      this.more = first!.more;
      this.notes = first!.notes;
      this.error = undefined;
      this.answered = asked;
      this.loading = false;
      // The rows in sight may be others by now.
      this.need(this.sight.first, this.sight.last);
    });
    // What an earlier query found is no answer to this one.
    if (stop === this.stop && this.error !== undefined && this.answered !== this.asked) {
      this.pages = new Map();
      this.total = 0;
      this.more = 0;
      this.notes = [];
    }
  }

  /** Says which rows are in sight; what is missing of them is fetched. */
  need(first: number, last: number): void {
    this.sight = { first, last };
    if (this.loading || 'q' in this.query || this.timer !== undefined || this.missing().length === 0) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      // Rows that rush by need no request.
      if (Math.abs(this.sight.first - first) > PAGE) this.need(this.sight.first, this.sight.last);
      else this.missing().forEach((number) => void this.load(number));
    }, PACE);
  }

  /** Puts changed memories where their old forms are, without another request. */
  replace(items: readonly Item[]): void {
    const changed = new Map(items.map((item) => [item.memory.id, item]));
    this.pages = new Map([...this.pages].map(([number, old]) => [number, old.map((item) => changed.get(item.memory.id) ?? item)]));
  }

  /** Returns the ids of a range of rows, loaded or not. */
  async ids(first: number, last: number): Promise<string[]> {
    const ids = new Set<string>();
    for (let place = first; place <= last; ) {
      const loaded = this.at(place);
      const rows = loaded ? [loaded] : (await api.memories({ ...this.query, limit: LARGEST_PAGE, offset: place })).items.slice(0, last - place + 1);
      if (rows.length === 0) break;
      rows.forEach(({ memory }) => ids.add(memory.id));
      place += rows.length;
    }
    return [...ids];
  }

  private missing(): number[] {
    return pagesOf(this.sight, PAGE).filter((number) => !this.pages.has(number) && !this.underway.has(number));
  }

  private async load(number: number): Promise<void> {
    this.underway.add(number);
    const { signal } = this.stop;
    await this.attempt(async (signal) => {
      const { items } = await this.fetch(number, signal);
      if (signal.aborted) return;
      const pages = new Map(this.pages).set(number, items);
      const far = [...pages.keys()].sort((a, b) => Math.abs(b - number) - Math.abs(a - number));
      far.slice(0, Math.max(0, pages.size - MOST)).forEach((page) => pages.delete(page));
      this.pages = pages;
      this.error = undefined;
    });
    if (!signal.aborted) this.underway.delete(number);
  }

  private async fetch(number: number, signal: AbortSignal) {
    if ('q' in this.query) {
      const found = await api.search({ ...this.query, limit: PAGE }, signal);
      return { ...found, total: found.items.length };
    }
    const page = await api.memories({ ...this.query, limit: PAGE, offset: number * PAGE }, signal);
    return { ...page, clear: true, more: 0, notes: [] };
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
