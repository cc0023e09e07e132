/** Which rows of a long list exist as elements. Both ends are included; `last` is -1 for an empty list. */
export type Range = { readonly first: number; readonly last: number };

/** Rows kept above and below the visible ones, so that quick scrolling meets drawn rows. */
const MARGIN = 12;

export function visibleRange(top: number, height: number, rowHeight: number, count: number): Range {
  const first = Math.max(0, Math.min(Math.floor(top / rowHeight) - MARGIN, count - 1));
  const last = Math.min(count - 1, Math.ceil((top + height) / rowHeight) + MARGIN);
  return { first, last };
}

/** Returns the numbers of the pages of `size` rows that cover a range. */
export function pagesOf(range: Range, size: number): number[] {
  if (range.last < range.first) return [];
  const first = Math.floor(range.first / size);
  const last = Math.floor(range.last / size);
  return Array.from({ length: last - first + 1 }, (_, offset) => first + offset);
}
