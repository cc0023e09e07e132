import type { Message } from './types';

const rules = new Map<string, Intl.PluralRules>();
const numbers = new Map<string, Intl.NumberFormat>();

function cached<T>(map: Map<string, T>, key: string, make: () => T): T {
  const found = map.get(key) ?? make();
  map.set(key, found);
  return found;
}

/** Puts the parameters into a message and chooses its plural form by `count`. Numbers are written as the language does. */
export function fill(
  message: Message,
  parameters: Readonly<Record<string, string | number>> | undefined,
  language: string,
): string {
  let text = message as string;
  if (typeof message !== 'string') {
    const rule = cached(rules, language, () => new Intl.PluralRules(language));
    const category = rule.select(Number(parameters?.count ?? 0));
    text = (category in message ? message[category as 'one'] : undefined) ?? message.other;
  }
  if (!parameters) return text;
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = parameters[name];
    if (typeof value !== 'number') return value ?? whole;
    return cached(numbers, language, () => new Intl.NumberFormat(language)).format(value);
  });
}
