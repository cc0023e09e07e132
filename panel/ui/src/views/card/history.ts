/** The history of a memory as a person reads it. */
import type { Change } from '../../lib/api';

export type Line = {
  /** The latest of the changes. */
  readonly change: Change;
  readonly count: number;
  readonly fields: readonly string[];
  /** The text that the change replaced. */
  readonly textBefore: string | null;
};

const SILENT = ['updated_at', 'last_accessed_at'];

function lineOf(change: Change, id: string): Line {
  const { before, after } = change.fields.find(({ memory }) => memory === id) ?? {};
  const both = before && after;
  const names = both ? [...new Set([...Object.keys(before), ...Object.keys(after)])] : [];
  const text = both ? before.content : null;
  return { change, count: 1, fields: names.filter((name) => !SILENT.includes(name)), textBefore: typeof text === 'string' ? text : null };
}

const sense = ({ change, fields, textBefore }: Line) =>
  JSON.stringify([change.kind, change.actor, change.reason, change.reverted_by !== null, fields, textBefore]);

/** Returns the changes, latest first; neighbours that say the same are one line with their number. */
export function linesOf(changes: readonly Change[], id: string): Line[] {
  const lines: Line[] = [];
  for (const change of changes) {
    const line = lineOf(change, id);
    const last = lines.at(-1);
    if (last && sense(last) === sense(line)) lines[lines.length - 1] = { ...last, count: last.count + 1 };
    else lines.push(line);
  }
  return lines;
}
