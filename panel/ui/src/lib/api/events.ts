/** Server-sent events read with fetch, because EventSource cannot send the token. */
import { send } from './client';
import type { Job, StoreName } from './types';

export type LiveEvent =
  | { name: 'hello'; data: { version: string; now: string } }
  | {
      name: 'memories';
      data: {
        changes: { store: StoreName; change: number; kind: string; actor: string; memories: string[] }[];
        all: boolean;
        /** Another database is in the place of a store: the numbers of earlier changes mean nothing in it. */
        replaced: boolean;
      };
    }
  | { name: 'sessions'; data: { session: string | null } }
  | { name: 'job'; data: Job }
  | { name: 'settings'; data: object }
  | { name: 'bye'; data: { reason: 'idle' | 'stopped' } };

/** Takes the complete events out of `buffer`; returns them and the rest. */
export function splitEvents(buffer: string): { events: LiveEvent[]; rest: string } {
  const blocks = buffer.split(/\r?\n\r?\n/);
  const rest = blocks.pop() ?? '';
  const events: LiveEvent[] = [];
  for (const block of blocks) {
    let name = '';
    const data: string[] = [];
    for (const line of block.split(/\r?\n/)) {
      const [, field, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
      if (field === 'event') name = value ?? '';
      if (field === 'data') data.push(value ?? '');
    }
    if (name) events.push({ name, data: JSON.parse(data.join('\n') || '{}') } as LiveEvent);
  }
  return { events, rest };
}

/** Reads events until the stream ends or is aborted. */
export async function readEvents(
  receive: (event: LiveEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  const response = await send('GET', '/events', { signal });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const { events, rest } = splitEvents(buffer + value);
    buffer = rest;
    events.forEach(receive);
  }
}
