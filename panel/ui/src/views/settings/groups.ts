/** The keys of the configuration in groups, by the first part of their names. */
import type { ConfigKey } from '../../lib/api';

export type Group = { readonly name: string; readonly keys: readonly ConfigKey[] };

/** Returns the groups in the order of their names; keys that stand alone in theirs come together at the end. */
export function groupsOf(keys: readonly ConfigKey[]): Group[] {
  const byName = new Map<string, ConfigKey[]>();
  for (const entry of keys) {
    const name = entry.key.split('.')[0]!;
    byName.set(name, [...(byName.get(name) ?? []), entry]);
  }
  const names = [...byName.keys()].sort();
  const groups = names.filter((name) => byName.get(name)!.length > 1).map((name) => ({ name, keys: byName.get(name)! }));
  const alone = names.filter((name) => byName.get(name)!.length === 1).flatMap((name) => byName.get(name)!);
  return alone.length > 0 ? [...groups, { name: '', keys: alone }] : groups;
}

/** Returns the keys with what they do in another language; `help` is empty for the language of the server. */
export function translated(keys: readonly ConfigKey[], help: Readonly<Record<string, string>>): ConfigKey[] {
  return keys.map((entry) => ({ ...entry, help: help[entry.key] ?? entry.help }));
}

/** Returns the keys that contain every word, in their name or their help. */
export function matching(keys: readonly ConfigKey[], text: string, changedOnly: boolean): ConfigKey[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return keys.filter(({ key, help, origin }) => {
    const all = `${key} ${help}`.toLowerCase();
    return (!changedOnly || origin.kind !== 'default') && words.every((word) => all.includes(word));
  });
}
