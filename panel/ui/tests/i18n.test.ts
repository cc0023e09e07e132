import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import en from '../src/lib/i18n/en';
import fr from '../src/lib/i18n/fr';
import { fill } from '../src/lib/i18n/fill';
import { preferredLanguage } from '../src/lib/i18n/index.svelte';
import type { Message } from '../src/lib/i18n/types';

const names = (message: Message) =>
  [...new Set([...JSON.stringify(message).matchAll(/\{(\w+)\}/g)].map((match) => match[1]))].sort();
const keys = Object.keys(en) as (keyof typeof en)[];

describe('the catalogues', () => {
  test('have the same keys', () => expect(Object.keys(fr).sort()).toEqual([...keys].sort()));
  test('have the same parameters', () => {
    for (const key of keys) expect([key, names(fr[key])]).toEqual([key, names(en[key])]);
  });
  test('leave no message empty', () => {
    for (const message of [...Object.values(en), ...Object.values(fr)]) {
      for (const form of typeof message === 'string' ? [message] : Object.values(message)) expect(form.trim()).not.toBe('');
    }
  });
  test('have no message that nothing uses', () => {
    const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.(svelte|ts)$/.test(path) && !path.includes('i18n/en') && !path.includes('i18n/fr'))
      .map((path) => readFileSync(`src/${path}`, 'utf8'))
      .join('\n');
    const composed = [...sources.matchAll(/`([\w.]+)\.\$\{/g)].map((match) => `${match[1]}.`);
    const areas = [...sources.matchAll(/(?:word|named)\('(\w+)'/g)].map((match) => `${match[1]}.`);
    // Storage passes the area as a variable.
    const used = (key: string) =>
      sources.includes(`'${key}'`) || [...composed, ...areas, 'scope.', 'status.'].some((prefix) => key.startsWith(prefix));
    expect(keys.filter((key) => !used(key))).toEqual([]);
  });
});

describe('a message', () => {
  const memories = { one: '{count} memory', other: '{count} memories' };
  test.each([
    [1, 'en', '1 memory'],
    [0, 'en', '0 memories'],
    [12_000, 'en', '12,000 memories'],
  ])('of %i in %s is counted', (count, language, expected) => expect(fill(memories, { count }, language)).toBe(expected));
  test('counts zero as singular in French', () =>
    expect(fill({ one: '{count} souvenir', other: '{count} souvenirs' }, { count: 0 }, 'fr')).toBe('0 souvenir'));
  test('keeps braces without a parameter', () => expect(fill('a {b}', {}, 'en')).toBe('a {b}'));
});

describe('the language', () => {
  test.each([
    ['fr', ['en-US'], 'fr'],
    [null, ['fr-CA', 'en'], 'fr'],
    [null, ['de', 'fr'], 'fr'],
    ['xx', ['de'], 'en'],
  ])('stored %s, browser %j is %s', (stored, browser, expected) => expect(preferredLanguage(stored, browser)).toBe(expected));
});
