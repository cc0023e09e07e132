/** A part of a text: plain, code between backticks, or a citation such as [1]. */
export type Part = { kind: 'text' | 'code'; text: string } | { kind: 'citation'; n: number; text: string };

const PARTS = /`([^`\n]+)`|\[(\d{1,2})\]/g;

/** Splits a text into parts that are drawn as elements, so that no text of a memory ever becomes markup. */
export function parts(text: string, citations = 0): Part[] {
  const found: Part[] = [];
  let end = 0;
  for (const match of text.matchAll(PARTS)) {
    const n = Number(match[2]);
    if (match[2] && (n < 1 || n > citations)) continue;
    if (match.index > end) found.push({ kind: 'text', text: text.slice(end, match.index) });
    found.push(match[2] ? { kind: 'citation', n, text: match[0] } : { kind: 'code', text: match[1]! });
    end = match.index + match[0].length;
  }
  if (end < text.length) found.push({ kind: 'text', text: text.slice(end) });
  return found;
}
