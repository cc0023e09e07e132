/** What a person types and has not sent. */

const drafts = new Map<string, object>();

/** Returns a form that outlives its view, until the page is closed: what is typed in it survives a link that is followed. */
export function useDraft<T extends Record<string, string>>(name: string, empty: T): T {
  const found = drafts.get(name) as T | undefined;
  if (found) return found;
  const draft = $state({ ...empty });
  drafts.set(name, draft);
  return draft;
}

/** Empties the fields that are as they were sent, except the ones that are kept; what was typed meanwhile stays. */
export function clearSent<T extends Record<string, string>>(draft: T, sent: T, empty: T, kept: readonly (keyof T)[] = []): void {
  for (const name of Object.keys(empty) as (keyof T)[]) {
    if (draft[name] === sent[name] && !kept.includes(name)) draft[name] = empty[name];
  }
}
