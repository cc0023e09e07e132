import { describe, expect, test } from 'vitest';
import type { Entry, Session, SessionDetail } from '../src/lib/api';
import { isRunning, loadPages, withoutStarts } from '../src/views/sessions/timeline';

const entry = (kind: string, subject: string | null = null): Entry => ({
  at: '2026-11-18T10:30:00Z', kind, tool: subject && 'Bash', subject, text: '', injection: null, memory: null,
});
const shown = (...timeline: Entry[]) => withoutStarts(timeline).map(({ kind, subject }) => [kind, subject].filter(Boolean).join(' '));

describe('a timeline', () => {
  test('shows a finished call once', () =>
    expect(shown(entry('tool_starting', 'just check'), entry('injection'), entry('tool_failed', 'just check'))).toEqual(['injection', 'tool_failed just check']));
  test('shows a call that was stopped or still runs', () =>
    expect(shown(entry('tool_starting', 'make wipe'), entry('tool_finished', 'ls'), entry('tool_starting', 'ls'))).toEqual([
      'tool_starting make wipe', 'tool_finished ls', 'tool_starting ls',
    ]));
  test('pairs repeated calls one by one', () =>
    expect(shown(entry('tool_starting', 'ls'), entry('tool_starting', 'ls'), entry('tool_finished', 'ls'))).toEqual(['tool_starting ls', 'tool_finished ls']));
});

test.each<[Partial<Session>, boolean]>([
  [{ last_at: '2026-11-18T10:20:00Z' }, true],
  [{ last_at: '2026-11-18T10:20:00Z', ended: 'other' }, false],
  [{ last_at: '2026-11-18T10:20:00Z', state: 'waits' }, true],
  [{ last_at: '2026-11-18T10:20:00Z', state: 'done' }, false],
  [{ last_at: '2026-11-18T09:20:00Z' }, false],
])('a session with %j runs: %s', (fields, expected) =>
  expect(isRunning({ ended: null, state: null, ...fields } as Session, Date.parse('2026-11-18T10:30:00Z'))).toBe(expected));

describe('the pages of a timeline', () => {
  const page = (text: string, earlier: string | null) => ({ timeline: [{ ...entry('note'), text }], earlier, events: 3 }) as unknown as SessionDetail;
  const load = (before?: string) => Promise.resolve(before === undefined ? page('c', '2.b') : before === '2.b' ? page('b', '1.a') : page('a', null));
  const loaded = async (pages: number) => {
    const { timeline, earlier } = await loadPages(load, pages);
    return [timeline.map(({ text }) => text).join(''), earlier];
  };
  test('follow each other, the oldest first', async () => {
    expect(await loaded(1)).toEqual(['c', '2.b']);
    expect(await loaded(2)).toEqual(['bc', '1.a']);
    expect(await loaded(3)).toEqual(['abc', null]);
  });
  test('end with the first event', async () => expect(await loaded(9)).toEqual(['abc', null]));
});
