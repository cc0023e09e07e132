import { expect, test } from 'vitest';
import { live, noteJob, noteJobs } from '../src/app/live.svelte';
import type { Job } from '../src/lib/api';

const job = (id: string, state: Job['state']) => ({ id, state }) as Job;
const states = () => Object.values(live.jobs).map(({ id, state }) => `${id} ${state}`);

test('a job that has ended does not run again when an answer is late', () => {
  noteJob(job('1', 'running'));
  noteJob(job('1', 'done'));
  noteJob(job('1', 'running'));
  expect(states()).toEqual(['1 done']);
});

test('a job that the list of all does not have runs no longer', () => {
  noteJob(job('2', 'running'));
  noteJobs([job('1', 'running'), job('3', 'running')]);
  expect(states()).toEqual(['1 done', '3 running']);
});
