import type { phrases } from '../src/lib/i18n/server';
import type { Phrase, Sentence } from '../src/lib/api/types';

/** Returns a sentence as the server sends it: in English, with its code and values. */
export function say(text: string, code: keyof typeof phrases, values: Phrase['values'] = {}): Sentence {
  return { text, phrase: { code, values } };
}
