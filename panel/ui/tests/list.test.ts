import { beforeEach, describe, expect, test, vi } from 'vitest';
import { generate } from '../mock/generate';
import { api, type Found, type Item, type Page } from '../src/lib/api';
import type { Query } from '../src/lib/api/client';
import { pagesOf, visibleRange } from '../src/lib/ui/range';
import { MemoryList } from '../src/views/memories/list.svelte';
import { inParts, Selection } from '../src/views/memories/selection.svelte';

describe('the visible range', () => {
  test.each([
    [0, 900, 100_000, { first: 0, last: 37 }],
    [36_000, 900, 100_000, { first: 988, last: 1037 }],
    [3_599_100, 900, 100_000, { first: 99_963, last: 99_999 }],
    [0, 900, 3, { first: 0, last: 2 }],
    [0, 900, 0, { first: 0, last: -1 }],
    [99_999, 900, 10, { first: 9, last: 9 }],
  ])('at %i of height %i among %i', (top, height, count, expected) =>
    expect(visibleRange(top, height, 36, count)).toEqual(expected));
  test('is never longer than the window and its margins', () => {
    for (let top = 0; top < 3_600_000; top += 8_731) {
      const { first, last } = visibleRange(top, 900, 36, 100_000);
      expect(last - first + 1).toBeLessThanOrEqual(51);
    }
  });
});

test.each([
  [{ first: 0, last: 99 }, [0]],
  [{ first: 95, last: 130 }, [0, 1]],
  [{ first: 0, last: -1 }, []],
])('pages of %j', (range, expected) => expect(pagesOf(range, 100)).toEqual(expected));

describe('the list of memories', () => {
  const all = generate(1000).map((memory) => ({ memory }) as Item);
  const id = (index: number) => all[index]!.memory.id;
  const pageOf = ({ limit, offset = 0 }: Query): Page => ({ items: all.slice(Number(offset), Number(offset) + Number(limit)), total: all.length, next: null });
  const asked = vi.spyOn(api, 'memories');
  const searched = vi.spyOn(api, 'search');
  let list: MemoryList;
  /** Lets timers and answers run. */
  const settle = () => vi.advanceTimersByTimeAsync(500);
  beforeEach(async () => {
    vi.useFakeTimers();
    asked.mockReset().mockImplementation((query) => Promise.resolve(pageOf(query)));
    searched.mockReset().mockResolvedValue({ items: all.slice(0, 2), clear: true, more: 0, by_meaning: false, notes: [] } as unknown as Found);
    list = new MemoryList();
    list.show({ sort: 'newest' });
    await settle();
    return () => vi.useRealTimers();
  });

  test('loads what comes into sight', async () => {
    list.need(450, 480);
    await settle();
    expect([list.total, list.at(455)?.memory.id, list.at(300)]).toEqual([1000, id(455), undefined]);
  });
  test('loads what comes into sight while it is loaded again', async () => {
    void list.reload();
    list.need(450, 480);
    await settle();
    expect(list.at(455)?.memory.id).toBe(id(455));
  });
  test('asks again for a page that failed', async () => {
    asked.mockRejectedValueOnce(new Error('503'));
    list.need(450, 480);
    await settle();
    expect([list.error, list.at(455)]).toEqual([new Error('503'), undefined]);
    list.need(451, 481);
    await settle();
    expect([list.error, list.at(455)?.memory.id]).toEqual([undefined, id(455)]);
  });
  test('keeps the row that has the keyboard', async () => {
    list.pinned = 750;
    await list.reload();
    expect(list.at(750)?.memory.id).toBe(id(750));
  });
  test('shows no earlier rows when a search fails', async () => {
    searched.mockRejectedValueOnce(new Error('503'));
    list.show({ q: 'pool' });
    await settle();
    expect([list.total, list.at(0), list.loading]).toEqual([0, undefined, false]);
    expect(list.error).toEqual(new Error('503'));
  });
  test('keeps its rows when they cannot be loaded again', async () => {
    asked.mockRejectedValueOnce(new Error('503'));
    await list.reload();
    expect([list.total, list.at(0)?.memory.id]).toEqual([1000, id(0)]);
  });
  test('knows the ids of rows that are not loaded', async () => {
    expect(await list.ids(90, 800)).toEqual(all.slice(90, 801).map(({ memory }) => memory.id));
    expect(await list.ids(3, 3)).toEqual([id(3)]);
  });
});

describe('a selection', () => {
  test('of all is all but what is taken out of it', () => {
    const selection = new Selection();
    selection.all();
    expect([selection.complete, selection.has('a'), selection.count(10)]).toEqual([true, true, 10]);
    selection.toggle('a');
    expect([selection.complete, selection.has('a'), selection.has('b'), selection.count(10)]).toEqual([false, false, true, 9]);
    selection.add(['a']);
    expect(selection.count(10)).toBe(10);
    selection.clear();
    expect([selection.has('a'), selection.count(10)]).toEqual([false, 0]);
  });
  test('of some is what was added', () => {
    const selection = new Selection();
    selection.add(['a', 'b']);
    selection.toggle('a');
    expect([selection.ids(), selection.complete]).toEqual([['b'], false]);
  });
});

describe('a change of many', () => {
  const ids = Array.from({ length: 2400 }, (_, index) => `m${index}`);
  const part = (changed: string[]) => Promise.resolve({ changed: changed.length, undo: [{ store: 'project' as const, change: changed.length }], failed: [], cancelled: false });
  test('is sent in parts and taken back as one', async () => {
    const sent: number[] = [];
    const done = await inParts(ids, (some) => (sent.push(some.length), part(some)));
    expect([sent, done.changed, done.undo.length]).toEqual([[1000, 1000, 400], 2400, 3]);
  });
  test('that fails midway tells what was done', async () => {
    const send = vi.fn(part).mockImplementationOnce(part).mockRejectedValueOnce(new Error('503'));
    expect(await inParts(ids, send)).toMatchObject({ changed: 1000, error: new Error('503') });
  });
  test('that is cancelled sends no further part', async () => {
    const send = vi.fn((some: string[]) => part(some).then((done) => ({ ...done, cancelled: true })));
    expect(await inParts(ids, send)).toMatchObject({ changed: 1000, cancelled: true });
    expect(send).toHaveBeenCalledTimes(1);
  });
  test('that fails at once did nothing', async () => {
    await expect(inParts(ids, () => Promise.reject(new Error('503')))).rejects.toThrow('503');
  });
});
