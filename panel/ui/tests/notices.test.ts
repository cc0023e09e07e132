import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { Busy } from '../src/app/busy.svelte';
import { dismiss, notify, notifyBulk, notifyChanged, notifyError, undoLast, visibleNotices } from '../src/app/notices.svelte';
import { inOrder } from '../src/app/writes';
import { api, ApiError, type Changed } from '../src/lib/api';
import { setLanguage, t } from '../src/lib/i18n/index.svelte';

const change = (number: number) => [{ store: 'project' as const, change: number }];
const texts = () => visibleNotices().map(({ text }) => text);
const undone = vi.spyOn(api, 'undo');
const failure = (status: number) => new ApiError(status, 'x', { text: `refused with ${status}`, phrase: null });
const done: Changed = { items: [], undo: [], notes: [] };

beforeAll(async () => {
  vi.stubGlobal('document', { documentElement: {} });
  await setLanguage('en');
});
beforeEach(() => {
  undone.mockReset().mockResolvedValue(done);
});
/** Takes back what a test left, and clears the messages. */
afterEach(async () => {
  undone.mockResolvedValue(done);
  while (!texts().includes(t('undo.nothing'))) await undoLast();
  visibleNotices().forEach(({ id }) => dismiss(id));
});

describe('messages', () => {
  test('leave the last change revocable', () => {
    notify('Deleted', change(1));
    notify('a note');
    notify('Maintenance: done');
    notifyError('some failed');
    expect(texts()).toEqual(['Deleted', 'Maintenance: done', 'some failed']);
    expect(visibleNotices()[0]!.undo).toEqual(change(1));
  });
  test('have the notes of a change beside it', () => {
    const notes = ['its file is gone', 'it is private'].map((text) => ({ text, phrase: null }));
    notifyChanged('Restored', { items: [], undo: change(1), notes });
    expect(texts()).toEqual(['Restored', 'its file is gone · it is private']);
  });
  test('name one change, the last', () => {
    notify('Deleted', change(1));
    notify('Confirmed', change(2));
    expect(texts()).toEqual(['Confirmed']);
  });
  test('keep the last error beside', () => {
    notifyError('first');
    notifyError('second');
    notifyError('third');
    expect(texts()).toEqual(['second', 'third']);
  });
  test('of many memories say why some failed, each reason once', () => {
    const failed = ['locked', 'locked', 'gone'].map((text, id) => ({ id: String(id), message: { text, phrase: null } }));
    notifyBulk('7 memories deleted', { changed: 7, undo: change(3), failed, cancelled: false }, () => {});
    expect(texts()).toEqual(['7 memories deleted', '3 memories could not be changed: locked · gone']);
  });
});

describe('undo', () => {
  test('takes back the changes, the last first', async () => {
    notify('Deleted', change(1));
    notify('Confirmed', change(2));
    await undoLast();
    await undoLast();
    expect(undone.mock.calls).toEqual([[change(2)], [change(1)]]);
  });
  test('pressed twice takes back one change', async () => {
    notify('Deleted', change(1));
    notify('Confirmed', change(2));
    await Promise.all([undoLast(), undoLast()]);
    expect(undone.mock.calls).toEqual([[change(2)]]);
  });
  test.each([0, 429, 503])('that fails with %i is tried again', async (status) => {
    notify('Deleted', change(1));
    notify('Confirmed', change(2));
    undone.mockRejectedValueOnce(failure(status));
    await undoLast();
    await undoLast();
    expect(undone.mock.calls).toEqual([[change(2)], [change(2)]]);
  });
  test('that is refused does not bar the way to earlier changes', async () => {
    notify('Deleted', change(1));
    notify('Confirmed', change(2));
    undone.mockRejectedValueOnce(failure(409));
    await undoLast();
    expect(texts()).toContain('refused with 409');
    await undoLast();
    expect(undone.mock.calls).toEqual([[change(2)], [change(1)]]);
  });
  test('waits for a change that is under way', async () => {
    notify('Deleted', change(1));
    const busy = new Busy();
    let answer = () => {};
    const write = busy.run(async () => {
      await new Promise<void>((go) => (answer = go));
      notify('Confirmed', change(2));
    });
    const undo = undoLast();
    await Promise.resolve();
    answer();
    await Promise.all([write, undo]);
    expect(undone.mock.calls).toEqual([[change(2)]]);
  });
});

describe('a busy button', () => {
  test('sends one request for two clicks, and then another', async () => {
    const busy = new Busy();
    const work = vi.fn(() => Promise.resolve());
    expect(await Promise.all([busy.run(work), busy.run(work)])).toEqual([true, false]);
    expect(busy.now).toBe(false);
    await busy.run(work);
    expect(work).toHaveBeenCalledTimes(2);
  });
  test('tells an error and works again', async () => {
    const busy = new Busy();
    expect(await busy.run(() => Promise.reject(failure(503)))).toBe(false);
    expect([texts(), busy.now]).toEqual([['refused with 503'], false]);
  });
});

test('writes keep their order, whatever becomes of them', async () => {
  const log: string[] = [];
  const slow = inOrder(async () => {
    await new Promise((go) => setTimeout(go, 5));
    log.push('slow');
    throw new Error('failed');
  });
  const quick = inOrder(async () => void log.push('quick'));
  await expect(slow).rejects.toThrow('failed');
  await quick;
  expect(log).toEqual(['slow', 'quick']);
});
