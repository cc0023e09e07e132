import type { Sentence } from '../api/types';
import type en from './en';
import { fill } from './fill';
import type { Arguments, Message, Translation } from './types';

export type Language = 'en' | 'fr';
export type Key = keyof typeof en;
export const LANGUAGES: readonly Language[] = ['en', 'fr'];

type Catalogue = Translation<typeof en>;
const STORED = 'tacit.language';

type Sentences = Readonly<Record<string, Message>>;

/** English needs no sentences: the server sends them. */
const load: Record<Language, () => Promise<{ default: Catalogue; phrases?: Sentences }>> = {
  en: () => import('./en'),
  fr: () => import('./fr'),
};
const help = { en: null, fr: () => import('./fr/config') };

let language = $state<Language>('en');
let locale = $state('en');
let catalogue = $state.raw<Catalogue>({} as Catalogue);
let phrases = $state.raw<Sentences>({});

/** Returns the language chosen earlier, otherwise the browser's first one that is known. */
export function preferredLanguage(
  stored: string | null,
  browser: readonly string[],
): Language {
  const known = (tag: string) => LANGUAGES.find((code) => tag.toLowerCase().split('-')[0] === code);
  return (stored && known(stored)) || browser.map(known).find(Boolean) || 'en';
}

export async function startLanguage(): Promise<void> {
  await setLanguage(preferredLanguage(localStorage.getItem(STORED), navigator.languages));
}

export async function setLanguage(next: Language): Promise<void> {
  const loaded = await load[next]();
  catalogue = loaded.default;
  phrases = loaded.phrases ?? {};
  language = next;
  locale = localeOf(next, globalThis.navigator?.languages ?? []);
  document.documentElement.lang = next;
}

/** Switches the language and remembers the choice. */
export async function chooseLanguage(next: Language): Promise<void> {
  localStorage.setItem(STORED, next);
  await setLanguage(next);
}

export const currentLanguage = (): Language => language;

/** Returns the form of a language that the browser asks for, such as `en-GB`: it decides how dates are written. */
export function localeOf(language: Language, browser: readonly string[]): string {
  return browser.find((tag) => tag.toLowerCase().split('-')[0] === language) ?? language;
}

/** Returns the language with its region, for dates and numbers. */
export const currentLocale = (): string => locale;

/** Returns the message of `key`, with its parameters filled in, in the current language. */
export function t<K extends Key>(key: K, ...values: Arguments<(typeof en)[K]>): string {
  return fill(catalogue[key] as Message, values[0] as Record<string, string | number>, locale);
}

/** Returns the message of a key put together from a value of the server, or the value if none is known. */
export function word(area: string, value: string): string {
  const message = (catalogue as Record<string, Message>)[`${area}.${value}`];
  return typeof message === 'string' ? message : value.replaceAll('_', ' ');
}

/** Returns a sentence of the server in the current language. What has no translation stays as it is, and `lang` says so. */
export function say(sentence: Sentence): { text: string; lang: 'en' | undefined } {
  const { text, phrase } = sentence;
  const message = phrase && phrases[phrase.code];
  if (!message) return { text, lang: language === 'en' ? undefined : 'en' };
  const values: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(phrase.values)) {
    if (Array.isArray(value)) values[name] = new Intl.ListFormat(locale).format(value);
    else values[name] = typeof value === 'object' ? say(value).text : value;
  }
  return { text: fill(message, values, locale), lang: undefined };
}

/** Returns what configuration keys do in the current language, by key; empty for the language of the server. */
export async function configHelp(of: Language): Promise<Readonly<Record<string, string>>> {
  return (await help[of]?.())?.default ?? {};
}
