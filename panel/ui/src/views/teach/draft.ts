/** The form of Teach and the draft that it makes. */
import type { StoreName, Teach } from '../../lib/api';

export type Form = {
  content: string;
  type: string;
  store: StoreName;
  files: string;
  cues: string;
  reasoning: string;
  tags: string;
};

export const EMPTY: Form = { content: '', type: '', store: 'project', files: '', cues: '', reasoning: '', tags: '' };

export const entries = (text: string, separator: RegExp) => text.split(separator).map((entry) => entry.trim()).filter(Boolean);

/** Returns the files of a form with those that a link names; without a text it is about them alone. */
export function withFiles({ content, files }: Form, linked: readonly string[]): string {
  const typed = content.trim() ? entries(files, /\n/) : [];
  return [...new Set([...typed, ...linked])].join('\n');
}

/** Returns the draft without the fields that were left empty: the server guesses or leaves them. */
export function draftOf(form: Form): Teach {
  const draft: Teach = { content: form.content.trim(), store: form.store };
  if (form.type) draft.type = form.type;
  if (form.reasoning.trim()) draft.reasoning = form.reasoning.trim();
  const lists = { files: entries(form.files, /\n/), cues: entries(form.cues, /\n/), tags: entries(form.tags, /[,\n]/) };
  for (const [name, list] of Object.entries(lists)) if (list.length > 0) draft[name as keyof typeof lists] = list;
  return draft;
}
