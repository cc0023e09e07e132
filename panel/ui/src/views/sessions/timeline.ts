/** What a timeline shows of the events of a session. */
import type { Entry, Session, SessionDetail } from '../../lib/api';

const ENDS = new Set(['tool_finished', 'tool_failed']);

/** Clients that are closed send no end: after this long without an event a session counts as ended. */
const SILENCE = 60 * 60_000;

export const isRunning = ({ ended, state, last_at }: Session, now = Date.now()): boolean =>
  !ended && state !== 'done' && now - Date.parse(last_at) < SILENCE;

/** Leaves out the start of each tool call whose end is shown, too: it says the same. */
export function withoutStarts(timeline: readonly Entry[]): Entry[] {
  const ended = new Map<string, number>();
  return timeline
    .toReversed()
    .filter(({ kind, tool, subject }) => {
      const call = `${tool} ${subject}`;
      const open = ended.get(call) ?? 0;
      if (ENDS.has(kind)) ended.set(call, open + 1);
      if (kind !== 'tool_starting' || open === 0) return true;
      ended.set(call, open - 1);
      return false;
    })
    .toReversed();
}

/** Loads the newest pages of a session, and joins their events. */
export async function loadPages(load: (before?: string) => Promise<SessionDetail>, pages: number): Promise<SessionDetail> {
  const newest = await load();
  let { timeline, earlier } = newest;
  for (let page = 1; page < pages && earlier !== null; page += 1) {
    const before = await load(earlier);
    timeline = [...before.timeline, ...timeline];
    earlier = before.earlier;
  }
  return { ...newest, timeline, earlier };
}
