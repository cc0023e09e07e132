import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import en from '../src/lib/i18n/en';
import fr, { phrases } from '../src/lib/i18n/fr';
import config from '../src/lib/i18n/fr/config';
import { fill } from '../src/lib/i18n/fill';
import { preferredLanguage, say, setLanguage } from '../src/lib/i18n/index.svelte';
import * as server from '../src/lib/i18n/server';
import type { Sentence } from '../src/lib/api/types';
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

describe('what the server says', () => {
  test.each([
    ['sentences', phrases, server.phrases],
    ['configuration keys', config, server.config],
  ])('has French for all %s and no others', (_, french, english) =>
    expect(Object.keys(french).sort()).toEqual(Object.keys(english).sort()));
  test('has the same parameters in French', () => {
    for (const key of Object.keys(phrases) as (keyof typeof phrases)[]) {
      expect([key, names(phrases[key])]).toEqual([key, names(server.phrases[key])]);
    }
  });
  test('names the same identifiers in French', () => {
    const identifiers = (text: string) => [...text.matchAll(/`[^`]+`/g)].map(([found]) => found).sort();
    for (const key of Object.keys(config) as (keyof typeof config)[]) {
      expect([key, identifiers(config[key])]).toEqual([key, identifiers(server.config[key])]);
    }
  });

  beforeAll(() => vi.stubGlobal('document', { documentElement: {} }));
  const unchecked = { text: 'no check passed after it', phrase: { code: 'learn.no_check', values: {} } };
  const rows: [Sentence, string, 'en' | undefined][] = [
    [{ text: '…', phrase: { code: 'learn.failed', values: { why: unchecked } } }, 'échec\u00a0: aucune vérification n’a réussi ensuite', undefined],
    [{ text: '…', phrase: { code: 'fate.no_sign', values: { count: 1 } } }, 'aucune trace dans l’appel suivant', undefined],
    [{ text: '…', phrase: { code: 'learn.score', values: { score: 0.42, least: 0.6 } } }, 'un score de 0,42 ne dépasse pas 0,6', undefined],
    [{ text: '…', phrase: { code: 'fate.wrote', values: { words: ['`a`', '`b`', '`c`'] } } }, 'l’agent a écrit `a`, `b` et `c`', undefined],
    [{ text: 'as an older version said', phrase: null }, 'as an older version said', 'en'],
    [{ text: 'as a newer version says', phrase: { code: 'of.tomorrow', values: {} } }, 'as a newer version says', 'en'],
  ];
  test.each(rows)('%j is said in French', async (sentence, text, lang) => {
    await setLanguage('fr');
    expect(say(sentence)).toEqual({ text, lang });
  });
  test('stays as it is in English', async () => {
    await setLanguage('en');
    expect(say(unchecked)).toEqual({ text: 'no check passed after it', lang: undefined });
  });
});

describe('French', () => {
  test('has no breaking space before or within its punctuation', () => {
    for (const [key, message] of Object.entries({ ...fr, ...phrases, ...config })) {
      for (const form of typeof message === 'string' ? [message] : Object.values(message)) {
        // What stands in backticks is code.
        expect([key, /[^\s] [;:?!»%]|« /.exec(form.replaceAll(/`[^`]*`/g, 'x'))]).toEqual([key, null]);
        // A colon has a wide space before it, the others a narrow one.
        expect([key, /\u00a0[;?!»%]|«\u00a0|\u202f:/.exec(form)]).toEqual([key, null]);
      }
    }
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
