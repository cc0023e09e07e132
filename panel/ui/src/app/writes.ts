/** Requests that change something: one after the other, as they were asked for, and none twice. */

let last: Promise<unknown> = Promise.resolve();

/** Runs `work` after all that was asked for before, whether that succeeds or not. */
export function inOrder<T>(work: () => Promise<T>): Promise<T> {
  const mine = last.then(work);
  last = mine.catch(() => {});
  return mine;
}
