import { api, type JobKind } from '../lib/api';
import { noteJob } from './live.svelte';
import { notifyError } from './notices.svelte';

/** Starts a job of the server; the sidebar shows how far it is. */
export const startJob = (kind: JobKind): Promise<void> => api.startJob(kind).then(noteJob, notifyError);
export const cancelJob = (id: string): Promise<void> => api.cancelJob(id).then(noteJob, notifyError);
