import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { match } from '../src/app/routes';
import { ago, bytes, compact, dots, duration, percent, shortDate } from '../src/lib/text/format';
import { parts } from '../src/lib/text/prose';
import { precisionByDay, recallByDay } from '../src/views/health/precision';
import { labelsOf, layOut } from '../src/views/map/layout';
import { clearSent, useDraft } from '../src/lib/draft.svelte';
import { draftOf, EMPTY, withFiles } from '../src/views/teach/draft';
import { modules } from '../mock/reports';

const NOW = Date.parse('2026-11-18T10:30:00Z');

describe('times', () => {
  test.each([
    ['2026-11-18T10:29:40Z', 'en', 'just now'],
    ['2026-11-18T10:29:40Z', 'fr-CA', 'à l’instant'],
    ['2026-11-18T10:05:00Z', 'en', '25 min. ago'],
    ['2026-11-15T10:30:00Z', 'en', '3 days ago'],
    ['2026-11-15T10:30:00Z', 'fr', 'il y a 3 j'],
    ['2026-08-11T10:30:00Z', 'fr', 'il y a 3 mois'],
    ['2024-11-15T10:30:00Z', 'en', '2 years ago'],
    ['2026-11-16T11:30:00Z', 'en', 'yesterday'],
    ['2026-10-29T10:30:00Z', 'en', '3 wk. ago'],
    ['2026-09-19T10:30:00Z', 'en', '2 months ago'],
    ['2024-12-18T10:30:00Z', 'fr', 'il y a 2 ans'],
  ])('%s in %s is %s', (iso, language, expected) => expect(ago(iso, language, NOW).replace(/\s/gu, ' ')).toBe(expected));
  test('of another year name it', () => expect(shortDate('2024-03-02T12:00:00Z', 'en', NOW)).toBe('Mar 2, 2024'));
  test.each([[45, '45 sec'], [720, '12 min'], [7500, '2 hr 5 min']])('%i s last %s', (seconds, expected) => expect(duration(seconds, 'en')).toBe(expected));
});

describe('amounts', () => {
  test.each([[0, '0 byte'], [38_420_480, '38.4 MB']])('%i bytes', (count, expected) => expect(bytes(count, 'en')).toBe(expected));
  test('are written as the language does', () => {
    expect(percent(0.743, 'fr').replace(/\s/u, ' ')).toBe('74 %');
    expect(compact(1_284_000, 'en')).toBe('1.3M');
  });
  test.each([[0.1, 1], [0.5, 2], [0.79, 2], [0.8, 3]])('a confidence of %d has %i dots', (confidence, expected) => expect(dots(confidence)).toBe(expected));
});

describe('prose', () => {
  test('has code and citations', () =>
    expect(parts('Run `just` first [1], not [7].', 1)).toEqual([
      { kind: 'text', text: 'Run ' }, { kind: 'code', text: 'just' }, { kind: 'text', text: ' first ' },
      { kind: 'citation', n: 1, text: '[1]' }, { kind: 'text', text: ', not [7].' },
    ]));
  test('has bold words and blocks of code', () =>
    expect(parts('**Note.** Run\n```sh\ncargo build\n```')).toEqual([
      { kind: 'bold', text: 'Note.' }, { kind: 'text', text: ' Run\n' }, { kind: 'block', text: 'cargo build' },
    ]));
  test('loses no character of hostile text', () => {
    const text = '<img src=x onerror=alert(1)> ` [1] `` {@html x}';
    expect(parts(text, 0).map((part) => (part.kind === 'code' ? `\`${part.text}\`` : part.text)).join('')).toBe(text);
  });
});

test.each([
  ['/', 'health', undefined], ['/m/27734d01', 'memories', '27734d01'], ['/sessions/a%2Fb', 'sessions', 'a/b'], ['/nothing', undefined, undefined],
])('%s is %s', (path, view, rest) => expect(match(path)).toEqual({ view, rest }));

test('precision looks at seven days and is unknown without judged ones', () => {
  const day = (fates: Record<string, number>) => ({ day: '', shown: 0, fates, known_errors: 0, answered: 0 });
  expect(precisionByDay([day({}), day({ helped: 3, ignored: 1 })])).toEqual([null, 0.75]);
});

test('recall counts the errors of seven days that a memory answered', () => {
  const day = (known_errors: number, answered: number) => ({ day: '', shown: 0, fates: {}, known_errors, answered });
  const days = [day(0, 0), day(2, 1), ...Array<ReturnType<typeof day>>(6).fill(day(1, 1)), day(0, 0)];
  expect(recallByDay(days).map((share) => share && Math.round(100 * share))).toEqual([null, 50, 67, 75, 80, 83, 86, 88, 100]);
  // A server that does not count errors yet has no recall.
  expect(recallByDay([{ day: '', shown: 1, fates: {} } as ReturnType<typeof day>])).toEqual([null]);
});

test('a draft leaves out what is empty', () =>
  expect(draftOf({ ...EMPTY, content: ' x ', files: 'a\n\n b ', tags: 'p, q' })).toEqual({ content: 'x', store: 'project', files: ['a', 'b'], tags: ['p', 'q'] }));

describe('what is typed', () => {
  test('is there when the view is opened again', () => {
    useDraft('x', EMPTY).content = 'half a sentence';
    expect(useDraft('x', EMPTY).content).toBe('half a sentence');
    expect(useDraft('y', EMPTY).content).toBe('');
  });
  test('while the server answers stays', () => {
    const sent = { ...EMPTY, content: 'sent', tags: 'a', files: 'f' };
    const form = { ...sent, content: 'the next one' };
    clearSent(form, sent, EMPTY, ['files']);
    expect(form).toEqual({ ...EMPTY, content: 'the next one', files: 'f' });
  });
  test.each([
    ['', 'old', [], ''],
    ['', 'old', ['a', 'b'], 'a\nb'],
    ['typed', 'old', ['a'], 'old\na'],
    ['typed', 'a', ['a'], 'a'],
    ['typed', 'old', [], 'old'],
  ])('as %j about %j gets the files %j of a link', (content, files, linked, expected) =>
    expect(withFiles({ ...EMPTY, content, files }, linked)).toBe(expected));
});

test('the map is the same each time and no two modules overlap', () => {
  const size = { width: 900, height: 700 };
  const [first, second] = [layOut(modules(), size), layOut(modules(), size)];
  expect(first).toEqual(second);
  for (const a of first.nodes) for (const b of first.nodes) if (a !== b) expect(Math.hypot(a.x - b.x, a.y - b.y)).toBeGreaterThan(a.radius + b.radius);
});

test.each([[1, 900, 700], [12, 300, 400], [60, 1200, 700]])('%i modules fit into a picture of %i × %i with their labels', (count, width, height) => {
  const many = Array.from({ length: count }, (_, index) => ({ ...modules().modules[0]!, path: `src/module-${index}`, files: 1 + 7 * index }));
  const { nodes } = layOut({ modules: many, imports: [], cochange: [] }, { width, height });
  for (const { x, y, radius } of nodes) {
    expect(Math.min(x, y) - radius).toBeGreaterThanOrEqual(0);
    expect(x + radius).toBeLessThanOrEqual(width);
    expect(y + radius).toBeLessThanOrEqual(height);
  }
});

test('modules are called by the shortest end of their path that no other has', () =>
  expect(labelsOf(['src/db', 'src/api', 'web/api', '', 'xtask'])).toEqual(['db', 'src/api', 'web/api', '/', 'xtask']));

describe('the sources', () => {
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((path) => /\.(svelte|ts)$/.test(path));
  const forbidden = [/\{@html/, /innerHTML/, /\sstyle="/, /document\.write/, /https?:\/\//, /\beval\(/];
  test.each(sources)('%s makes no markup or style of text', (path) => {
    const source = readFileSync(`src/${path}`, 'utf8');
    for (const pattern of forbidden) expect(source).not.toMatch(pattern);
  });
});
