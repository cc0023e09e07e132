import type en from './en';
import { fill } from './fill';
import type { Arguments, Message, Translation } from './types';

export type Language = 'en' | 'fr';
export type Key = keyof typeof en;
export const LANGUAGES: readonly Language[] = ['en', 'fr'];

type Catalogue = Translation<typeof en>;
const STORED = 'tacit.language';

const load: Record<Language, () => Promise<{ default: Catalogue }>> = {
  en: () => import('./en'),
  fr: () => import('./fr'),
};

let language = $state<Language>('en');
let catalogue = $state.raw<Catalogue>({} as Catalogue);

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
  catalogue = (await load[next]()).default;
  language = next;
  document.documentElement.lang = next;
}

/** Switches the language and remembers the choice. */
export async function chooseLanguage(next: Language): Promise<void> {
  localStorage.setItem(STORED, next);
  await setLanguage(next);
}

export const currentLanguage = (): Language => language;

/** Returns the message of `key`, with its parameters filled in, in the current language. */
export function t<K extends Key>(key: K, ...values: Arguments<(typeof en)[K]>): string {
  return fill(catalogue[key] as Message, values[0] as Record<string, string | number>, language);
}

/** Returns the message of a key put together from a value of the server, or the value if none is known. */
export function word(area: string, value: string): string {
  const message = (catalogue as Record<string, Message>)[`${area}.${value}`];
  return typeof message === 'string' ? message : value.replaceAll('_', ' ');
}
