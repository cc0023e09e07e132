import { expect, test } from 'vitest';
import type { Item } from '../src/lib/api';
import { rowText, titleOf } from '../src/lib/text/row';

test.each([
  ['Close the pool', 'Close the pool\n  before the fork.', { head: 'Close the pool before the fork.', rest: '' }],
  ['Close the po...', 'Close the pool.', { head: 'Close the pool.', rest: '' }],
  ['Errors: Close the po…', '**Close the pool.** Then fork.', { head: 'Errors: Close the pool. Then fork.', rest: '' }],
  ['Errors: the po…', 'Close the pool.', { head: 'Errors: the po…', rest: 'Close the pool.' }],
])('a row with the headline “%s”', (headline, content, expected) =>
  expect(rowText({ headline, memory: { content } } as Item)).toEqual(expected));

test.each([
  [undefined, null],
  ['Pools and forks', 'Pools and forks'],
  ['Close the po...', null],
  ['Tests: Close the po...', 'Tests'],
])('a title “%s” is shown as %s', (title, expected) =>
  expect(titleOf({ memory: { title, content: 'Close the pool.' } } as Item)).toBe(expected));
