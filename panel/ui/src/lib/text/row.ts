/** The one line of a memory in a list. */
import type { Item } from '../api';

export type RowText = { readonly head: string; readonly rest: string };
type Worded = { readonly headline: string; readonly memory: { readonly content: string } };

/** Letters by which the beginning of a text is recognised in a headline. */
const BEGINNING = 12;

/** A text in one line, without the marks of bold text and of blocks of code. */
const flat = (text: string) => text.replace(/\*\*|```\w*/g, '').replace(/\s+/g, ' ').trim();

/** Returns what a headline says before it repeats the text, as far as it goes; null if it does not repeat it. */
function labelOf({ headline, memory }: Worded): string | null {
  const content = flat(memory.content);
  const start = flat(headline).replace(/(…|\.\.\.)$/, '').trimEnd();
  if (content.startsWith(start)) return '';
  const label = start.indexOf(content.slice(0, BEGINNING));
  return label >= 0 && content.startsWith(start.slice(label)) ? start.slice(0, label) : null;
}

/** Returns the headline, and what the text says beyond it: a row is as wide as the window, a headline is not. */
export function rowText(item: Worded): RowText {
  const content = flat(item.memory.content);
  const label = labelOf(item);
  return label === null ? { head: flat(item.headline), rest: content } : { head: label + content, rest: '' };
}

/** Returns the title to show above the text, or null: what only repeats the beginning of the text says nothing. */
export function titleOf({ memory }: Pick<Item, 'memory'>): string | null {
  const { title } = memory;
  if (!title) return null;
  const label = labelOf({ headline: title, memory });
  return label === null ? title : label.replace(/:\s*$/, '') || null;
}
