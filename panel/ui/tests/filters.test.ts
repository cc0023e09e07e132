import { describe, expect, test } from 'vitest';
import { queryString } from '../src/lib/api/client';
import { bulkFilter, isFiltered, NO_FILTERS, readFilters, serverQuery, writeFilters, type Filters } from '../src/views/memories/filters';

const read = (query: string) => readFilters(new URLSearchParams(query));

describe('filters in the address', () => {
  test.each<Partial<Filters>>([
    {},
    { q: 'pool & fork' },
    { type: ['gotcha', 'dead_end'], source: ['mcp_auto'], confidence: '0.8' },
    { module: ['src/db'], methodology: ['tdd'], since: '30d', status: 'stale', sort: 'used' },
    { file: ['src/a b.rs'], tag: ['retry', 'tests'] },
  ])('survive the way there and back: %j', (part) => {
    const filters = { ...NO_FILTERS, ...part };
    expect(read(writeFilters(filters))).toEqual(filters);
  });
  test('are absent by default', () => expect(writeFilters(NO_FILTERS)).toBe(''));
  test('of links from Health are understood', () => {
    expect(read('?stale=true').status).toBe('stale');
    expect(read('?review=needed').status).toBe('review');
  });
  test.each(['status=x', 'sort=x', 'confidence=2', 'since=<script>'])('that make no sense are dropped: %s', (query) =>
    expect(read(query)).toEqual(NO_FILTERS));
  test('an order is no filter', () => expect(isFiltered({ ...NO_FILTERS, sort: 'used' })).toBe(false));
});

describe('the query for the server', () => {
  const query = (part: Partial<Filters>) => queryString(serverQuery({ ...NO_FILTERS, ...part }));
  test.each<[Partial<Filters>, string]>([
    [{}, '?sort=newest'],
    [{ q: ' pool ' }, '?q=pool'],
    [{ type: ['gotcha', 'decision'] }, '?type=gotcha&type=decision&sort=newest'],
    [{ status: 'review' }, '?review=needed&sort=newest'],
    [{ status: 'all', confidence: '0.5' }, '?min_confidence=0.5&status=all&sort=newest'],
  ])('of %j is %s', (part, expected) => expect(query(part)).toBe(expected));
});

test.each<[Partial<Filters>, object]>([
  [{}, {}],
  [{ q: 'pool', sort: 'used' }, {}],
  [{ type: ['gotcha'], methodology: ['tdd'], confidence: '0.8' }, { type: ['gotcha'], methodology: 'tdd', min_confidence: 0.8 }],
  [{ status: 'review', file: ['src/a.rs'] }, { review: ['needed'], file: ['src/a.rs'] }],
  [{ status: 'stale', since: '7d' }, { stale: true, since: '7d' }],
])('a change of all memories that pass %j has the filter %j', (part, expected) =>
  expect(bulkFilter({ ...NO_FILTERS, ...part })).toEqual(expected));
