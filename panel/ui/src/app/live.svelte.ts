/** The stream of events, connected for as long as the panel is open. */
import { readEvents, type LiveEvent } from '../lib/api/events';
import { ApiError, type Job } from '../lib/api';

type Handler = (event: LiveEvent) => void;
type LiveState = 'connecting' | 'on' | 'off' | 'ended';

const FIRST_WAIT = 1000;
const LONGEST_WAIT = 15_000;

let state = $state<LiveState>('connecting');
const jobs = $state<Record<string, Job>>({});
const handlers = new Set<Handler>();

export const live = {
  get state() {
    return state;
  },
  /** Every job heard of, by its id. */
  get jobs() {
    return jobs;
  },
};

/** Takes over what is heard of a job. An answer that is late never makes one run that has ended. */
export function noteJob(job: Job): void {
  const known = jobs[job.id];
  if (!known || known.state === 'running') jobs[job.id] = job;
}

/** Takes over the list of all jobs: one that it does not have runs no longer. */
export function noteJobs(all: readonly Job[]): void {
  all.forEach(noteJob);
  for (const { id, state } of Object.values(jobs)) {
    if (state === 'running' && !all.some((job) => job.id === id)) delete jobs[id];
  }
}

function receive(event: LiveEvent): void {
  if (event.name === 'hello') {
    const first = state === 'connecting';
    state = 'on';
    // The stream is asked for before any data: only after a loss may something have been missed.
    if (first) return;
  }
  if (event.name === 'job') noteJob(event.data);
  if (event.name === 'bye') state = 'ended';
  handlers.forEach((handler) => handler(event));
}

/** Connects, and again after each loss, waiting longer each time. Ends with the server or with a wrong token. */
export async function startLive(): Promise<void> {
  let wait = FIRST_WAIT;
  while (state !== 'ended') {
    try {
      await readEvents(receive, new AbortController().signal);
      wait = FIRST_WAIT;
    } catch (error) {
      if (error instanceof ApiError && [401, 403, 421].includes(error.status)) state = 'ended';
    }
    if (state === 'ended') return;
    state = 'off';
    await new Promise((resolve) => setTimeout(resolve, wait));
    wait = Math.min(2 * wait, LONGEST_WAIT);
  }
}

/** Calls `handler` for the events of these names while the component is mounted. `hello` tells of a reconnection. */
export function onLive(names: readonly LiveEvent['name'][], handler: Handler): void {
  $effect(() => {
    const filtered: Handler = (event) => {
      if (names.includes(event.name)) handler(event);
    };
    handlers.add(filtered);
    return () => void handlers.delete(filtered);
  });
}
