/** A part of a text: plain, bold, code between backticks, a block of code, or a citation such as [1]. */
export type Part = { kind: 'text' | 'bold' | 'code' | 'block'; text: string } | { kind: 'citation'; n: number; text: string };

const PARTS = /```\w*\n([\s\S]*?)\n?```|`([^`\n]+)`|\*\*([^*\n]+)\*\*|\[(\d{1,2})\]/g;

/** Splits a text into parts that are drawn as elements, so that no text of a memory ever becomes markup. */
export function parts(text: string, citations = 0): Part[] {
  const found: Part[] = [];
  let end = 0;
  for (const match of text.matchAll(PARTS)) {
    const [whole, block, code, bold, number] = match;
    const n = Number(number);
    if (number && (n < 1 || n > citations)) continue;
    if (match.index > end) found.push({ kind: 'text', text: text.slice(end, match.index) });
    if (number) found.push({ kind: 'citation', n, text: whole });
    else if (block !== undefined) found.push({ kind: 'block', text: block });
    else found.push(code ? { kind: 'code', text: code } : { kind: 'bold', text: bold! });
    end = match.index + whole.length;
  }
  if (end < text.length) found.push({ kind: 'text', text: text.slice(end) });
  return found;
}
