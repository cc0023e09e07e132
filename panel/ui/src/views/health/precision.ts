/** Figures over time, each of the seven days up to a day. */
import type { Health } from '../../lib/api';

type Day = NonNullable<Health['injections']>['days'][number];
type Share = readonly [part: number, all: number];
const USES = ['helped', 'acted_on', 'cited'];
const WINDOW = 7;

/** Returns the share of each window; null where there is nothing to take a share of. */
function shares(days: readonly Day[], of: (day: Day) => Share): (number | null)[] {
  const counted = days.map(of);
  return counted.map((_, index) => {
    const window = counted.slice(Math.max(0, index - WINDOW + 1), index + 1);
    const [part, all] = window.reduce(([parts, wholes], [one, whole]) => [parts + one, wholes + whole], [0, 0]);
    return all > 0 ? part / all : null;
  });
}

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);

/** Returns the share of judged injections that were of use. */
export const precisionByDay = (days: readonly Day[]): (number | null)[] =>
  shares(days, ({ fates }) => [sum(USES.map((fate) => fates[fate] ?? 0)), sum(Object.values(fates))]);

/** Returns the share of known errors for which a memory was shown. */
export const recallByDay = (days: readonly Day[]): (number | null)[] =>
  shares(days, ({ known_errors, answered }) => [answered ?? 0, known_errors ?? 0]);
