/** Every request of the panel, one line each. */
import { request, send, type Query } from './client';
import type * as Wire from './types';

export { ApiError } from './client';
export type * from './types';

const memory = (id: string) => `/memories/${encodeURIComponent(id)}`;

export const api = {
  about: () => request<Wire.About>('GET', '/about'),
  vocabulary: () => request<Wire.Vocabulary>('GET', '/vocabulary'),
  health: () => request<Wire.Health>('GET', '/health'),
  modules: () => request<Wire.Modules | null>('GET', '/modules'),

  memories: (query: Query, signal?: AbortSignal) =>
    request<Wire.Page>('GET', '/memories', { query, signal }),
  search: (query: Query, signal?: AbortSignal) =>
    request<Wire.Found>('GET', '/search', { query, signal }),
  memory: (id: string) => request<Wire.One>('GET', memory(id)),
  duplicates: (id: string, q?: string) =>
    request<{ items: Wire.Item[] }>('GET', `${memory(id)}/duplicates`, { query: { q } }),
  teach: (body: Wire.Teach) => request<Wire.Taught>('POST', '/memories', { body }),
  patch: (id: string, fields: Wire.Patch, updated_at?: string) =>
    request<Wire.Changed>('PATCH', memory(id), { body: { fields, updated_at } }),
  confirm: (id: string) => request<Wire.Changed>('POST', `${memory(id)}/confirm`),
  correct: (id: string, body: Wire.Correction) =>
    request<Wire.Changed>('POST', `${memory(id)}/correct`, { body }),
  flag: (id: string, verdict: 'wrong' | 'outdated', note?: string) =>
    request<Wire.Changed>('POST', `${memory(id)}/flag`, { body: { verdict, note } }),
  remove: (id: string) => request<Wire.Changed>('DELETE', memory(id)),
  restore: (id: string) => request<Wire.Changed>('POST', `${memory(id)}/restore`),
  bulk: (body: Wire.Bulk) => request<Wire.BulkDone>('POST', '/memories/bulk', { body }),
  undo: (undo: Wire.Undo) => request<Wire.Changed>('POST', '/undo', { body: { undo } }),
  purgePreview: (ids: string[]) =>
    request<{ items: Wire.Item[] }>('POST', '/purge/preview', { body: { ids } }),
  purge: (ids: string[]) =>
    request<{ purged: string[]; left: string[]; notes: Wire.Sentence[] }>('POST', '/purge', {
      body: { ids, confirm: 'purge' },
    }),

  queue: (limit: number) => request<Wire.Queue>('GET', '/review', { query: { limit } }),
  sessionReview: (session: string) =>
    request<Wire.SessionReview>('GET', `/review/sessions/${encodeURIComponent(session)}`),
  decide: (id: string, decision: Wire.Decision, of?: string) =>
    request<Wire.Changed>('POST', `/review/${encodeURIComponent(id)}`, { body: { decision, of } }),
  finishReview: () => request<object>('POST', '/review/finish'),

  recipes: () => request<{ recipes: Wire.Recipe[] }>('GET', '/recipes'),
  addRecipe: (body: Wire.RecipeDraft) => request<Wire.Changed>('POST', '/recipes', { body }),
  editRecipe: (id: string, body: Wire.RecipeDraft) =>
    request<Wire.Changed>('PUT', `/recipes/${encodeURIComponent(id)}`, { body }),
  chat: (question: string, history: { question: string; answer: string }[], signal: AbortSignal) =>
    request<Wire.Answer>('POST', '/chat', { body: { question, history }, signal }),

  sessions: (offset: number) =>
    request<{ sessions: Wire.Session[]; total: number }>('GET', '/sessions', { query: { offset, limit: 50 } }),
  session: (id: string, before?: string) =>
    request<Wire.SessionDetail>('GET', `/sessions/${encodeURIComponent(id)}`, { query: { before } }),
  considered: (id: string) =>
    request<Wire.Explained>('GET', `/sessions/${encodeURIComponent(id)}/considered`),

  settings: () => request<Wire.Settings>('GET', '/settings'),
  set: (key: string, value: Wire.ConfigValue, layer: Wire.Layer) =>
    request<Wire.ConfigKey>('PUT', `/settings/${key}`, { body: { value, layer } }),
  unset: (key: string, layer: Wire.Layer) =>
    request<Wire.ConfigKey>('DELETE', `/settings/${key}`, { body: { layer } }),
  methodologies: () => request<Wire.Methodologies>('GET', '/methodologies'),
  storage: () => request<Wire.Storage>('GET', '/storage'),
  prunePreview: (body: Wire.Prune, signal?: AbortSignal) =>
    request<Wire.PrunePreview>('POST', '/prune/preview', { body, signal }),
  prune: (body: Wire.Prune & { expect: number }) => request<Wire.BulkDone>('POST', '/prune', { body }),
  workUnits: () => request<{ units: Wire.WorkUnit[] }>('GET', '/work-units'),
  backups: () => request<{ backups: Wire.Backup[] }>('GET', '/backups'),
  backUp: (store: Wire.StoreName) =>
    request<Wire.Backup>('POST', '/backups', { body: { store } }),
  restoreBackup: (store: Wire.StoreName, name: string) =>
    request<{ memories: number; replaced: string | null }>('POST', '/backups/restore', {
      body: { store, name, confirm: 'restore' },
    }),
  export: (format: 'jsonl' | 'markdown', store: Wire.StoreName) =>
    send('POST', '/export', { body: { format, store } }).then((response) => response.text()),

  jobs: () => request<{ jobs: Wire.Job[] }>('GET', '/jobs'),
  startJob: (job: Wire.JobKind) => request<Wire.Job>('POST', '/jobs', { body: { job } }),
  cancelJob: (id: string) => request<Wire.Job>('DELETE', `/jobs/${encodeURIComponent(id)}`),
};
