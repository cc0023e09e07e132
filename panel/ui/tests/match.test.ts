import { expect, test } from 'vitest';
import type { Memory } from '../src/lib/api';
import { foundByMeaning } from '../src/views/memories/match';

const memory = { content: 'Retries use full jitter.', type: 'decision', short_id: 'a1b2c3d4', tags: ['network'] } as Memory;

test.each([
  ['jitter', false],
  ['retry', false],
  ['NETWORK errors', false],
  ['backoff delay', true],
  ['', false],
  ['to', false],
])('“%s” is found by meaning: %s', (query, expected) => {
  expect(foundByMeaning(query, memory)).toBe(expected);
});
