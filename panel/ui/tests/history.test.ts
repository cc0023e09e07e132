import { expect, test } from 'vitest';
import type { Change } from '../src/lib/api';
import { linesOf } from '../src/views/card/history';

const change = (number: number, fields: Change['fields'] = [], actor = 'tacit'): Change => ({
  store: 'project', change: number, kind: 'remember', at: `2026-11-${number}T10:00:00Z`, actor, reason: null, reverted_by: null, fields,
});
const edit = (before: object, after: object): Change['fields'] => [{ memory: 'm', before: before as never, after: after as never }];

test('equal neighbours are one line with their number and the latest time', () => {
  const lines = linesOf([change(18), change(17), change(16, [], 'ada'), change(15)], 'm');
  expect(lines.map(({ change: { change: number }, count }) => [number, count])).toEqual([[18, 2], [16, 1], [15, 1]]);
});

test('a line names what changed, and has the text that was replaced', () => {
  const [line] = linesOf([change(18, edit({ content: 'old', updated_at: '1' }, { content: 'new', review: 'verified', updated_at: '2' }))], 'm');
  expect(line).toMatchObject({ fields: ['content', 'review'], textBefore: 'old' });
});

test('other replaced texts are other lines', () =>
  expect(linesOf([change(18, edit({ content: 'b' }, { content: 'c' })), change(17, edit({ content: 'a' }, { content: 'b' }))], 'm')).toHaveLength(2));
