/** Why a search found a memory: for a word of the query, or for what it means. */
import type { Memory } from '../../lib/api';

const WORDS = /[\p{L}\p{N}_]{3,}/gu;

/** Cuts off what an ending may change: `retries` and `retry` are one word. */
const stem = (word: string) => word.slice(0, word.length - (word.length > 6 ? 3 : word.length > 3 ? 1 : 0));

/** Returns true if no word of the query is in the memory, whatever its ending. */
export function foundByMeaning(query: string, memory: Memory): boolean {
  const words = query.toLowerCase().match(WORDS) ?? [];
  const text = [
    memory.content, memory.title, memory.reasoning, memory.type, memory.short_id,
    ...(memory.tags ?? []), ...(memory.cues ?? []), ...(memory.related_files ?? []), ...(memory.related_symbols ?? []),
  ].join('\n').toLowerCase();
  return words.length > 0 && !words.some((word) => text.includes(stem(word)));
}
