import { describe, expect, test } from 'vitest';
import { pagesOf, visibleRange } from '../src/lib/ui/range';

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
