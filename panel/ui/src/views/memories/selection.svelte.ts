/** Which memories are selected: some, or all that pass the filters but some. */
import { SvelteSet } from 'svelte/reactivity';
import type { BulkDone } from '../../lib/api';

export class Selection {
  /** Every memory that passes the filters is selected, loaded or not, but those that are marked. */
  everything = $state(false);
  private readonly marked = new SvelteSet<string>();

  has(id: string): boolean {
    return this.everything !== this.marked.has(id);
  }

  /** Returns how many are selected of all. */
  count(total: number): number {
    return this.everything ? Math.max(0, total - this.marked.size) : this.marked.size;
  }

  /** Returns the ids of a selection of some. */
  ids(): string[] {
    return [...this.marked];
  }

  /** True if nothing is left out of all. */
  get complete(): boolean {
    return this.everything && this.marked.size === 0;
  }

  toggle(id: string): void {
    if (!this.marked.delete(id)) this.marked.add(id);
  }

  add(ids: readonly string[]): void {
    for (const id of ids) if (this.everything) this.marked.delete(id); else this.marked.add(id);
  }

  all(): void {
    this.clear();
    this.everything = true;
  }

  clear(): void {
    this.marked.clear();
    this.everything = false;
  }
}

/** What was done before an error. */
export type PartlyDone = BulkDone & { error?: unknown };

/** Ids that the server takes at once. */
const MOST = 1000;

/**
 * Changes many memories in as many requests as the server needs. If one fails, `error` says so, and what was changed
 * before can be taken back; if the first one fails, nothing was changed and the error is thrown.
 */
export async function inParts(ids: readonly string[], send: (ids: string[]) => Promise<BulkDone>): Promise<PartlyDone> {
  const done: BulkDone = { changed: 0, undo: [], failed: [], cancelled: false };
  for (let first = 0; first < ids.length && !done.cancelled; first += MOST) {
    try {
      const part = await send(ids.slice(first, first + MOST));
      done.changed += part.changed;
      done.undo.push(...part.undo);
      done.failed.push(...part.failed);
      done.cancelled = part.cancelled;
    } catch (error) {
      if (first === 0) throw error;
      return { ...done, error };
    }
  }
  return done;
}
