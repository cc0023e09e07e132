import { api, type JobKind } from '../lib/api';
import { noteJob } from './live.svelte';
import { notifyError } from './notices.svelte';

/** Starts a job of the server; the sidebar shows how far it is. */
export async function startJob(kind: JobKind): Promise<void> {
  try {
    noteJob(await api.startJob(kind));
  } catch (error) {
    notifyError(error);
  }
}
