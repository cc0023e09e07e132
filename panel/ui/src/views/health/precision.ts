/** Figures over time from the fates of each day. */
import type { Health } from '../../lib/api';

type Day = NonNullable<Health['injections']>['days'][number];
const USES = ['helped', 'acted_on', 'cited'];
const WINDOW = 7;

/** Returns the share of judged injections that were of use in the seven days up to each day; null where none was judged. */
export function precisionByDay(days: readonly Day[]): (number | null)[] {
  return days.map((_, index) => {
    let used = 0;
    let judged = 0;
    for (const { fates } of days.slice(Math.max(0, index - WINDOW + 1), index + 1)) {
      for (const [fate, count] of Object.entries(fates)) {
        judged += count;
        if (USES.includes(fate)) used += count;
      }
    }
    return judged > 0 ? used / judged : null;
  });
}
