import type { JobKind } from '../../lib/api';

/** Reasons that lower the score and have a message of their own; others keep the server's words. */
const KNOWN = [
  'review_waiting', 'stale', 'conflicts', 'flagged', 'no_vectors', 'modules_uncovered',
  'store_problem', 'server_unreachable', 'undelivered', 'refused', 'never_maintained', 'no_store', 'no_graph',
] as const;
type Known = (typeof KNOWN)[number];

export const isKnownReason = (id: string): id is Known => (KNOWN as readonly string[]).includes(id);

/** Jobs that mend what the server has only a command for. */
export const JOBS: Readonly<Record<string, JobKind>> = { store_problem: 'maintain' };

/** Returns the key of a reason; `reason.flagged` is taken by the reasons of the review. */
export function messageOf<R extends Known>(id: R) {
  return `reason.${id === 'flagged' ? 'flaggedWrong' : (id as Exclude<Known, 'flagged'>)}` as const;
}
