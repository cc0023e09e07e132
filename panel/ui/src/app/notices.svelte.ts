/** Short messages at the foot of the window, and the changes that can be taken back. */
import { api, ApiError, type BulkDone, type Changed, type Undo } from '../lib/api';
import { say, t } from '../lib/i18n/index.svelte';
import { inOrder } from './writes';

export type Notice = { id: number; text: string; undo: Undo; tone: 'plain' | 'error' };

const SECONDS = 8;
const KEPT_UNDOS = 100;
/** Reasons named of changes that failed together. */
const REASONS = 3;

let next = 1;
let notices = $state.raw<Notice[]>([]);
const undos: { undo: Undo; after: () => void }[] = [];
let undoing = false;

export const visibleNotices = (): readonly Notice[] => notices;

export function dismiss(id: number): void {
  notices = notices.filter((notice) => notice.id !== id);
}

function show(text: string, undo: Undo, tone: Notice['tone']): void {
  const notice: Notice = { id: next++, text, undo, tone };
  const error = notices.findLast((shown) => shown.tone === 'error');
  // `Undo` always means what the person just did, and stays beside what is said later.
  const stays = (shown: Notice) => shown === error || (shown.tone === 'plain' && undo.length === 0 && (tone === 'error' || shown.undo.length > 0));
  notices = [...notices.filter(stays), notice];
  // An error waits until it was read.
  if (tone === 'plain') setTimeout(() => dismiss(notice.id), SECONDS * 1000);
}

/** Tells what was done; `undo` makes it revocable with the button and with `u`, and `after` runs when it was taken back. */
export function notify(text: string, undo: Undo = [], after: () => void = () => {}): void {
  if (undo.length > 0) undos.push({ undo, after });
  if (undos.length > KEPT_UNDOS) undos.shift();
  show(text, undo, 'plain');
}

/** Tells what was done with what the server notes about it. */
export function notifyChanged(text: string, { undo, notes }: Changed, after: () => void = () => {}): void {
  notify(text, undo, after);
  if (notes.length > 0) notify(notes.map((note) => say(note).text).join(' · '));
}

/** Tells what was done to many memories, and why some of them failed. */
export function notifyBulk(text: string, { undo, failed }: BulkDone, after: () => void): void {
  notify(text, undo, after);
  if (failed.length === 0) return;
  const reasons = [...new Set(failed.map(({ message }) => say(message).text))].slice(0, REASONS).join(' · ');
  notifyError(t('error.withHint', { message: t('bulk.failed', { count: failed.length }), hint: reasons }));
}

/** Returns the words for an error: the server's message with its hint, or the panel's own. */
export function explain(error: unknown): string {
  if (!(error instanceof ApiError)) return String(error);
  if (error.code === 'offline') return t('error.offline');
  const message = say(error.sentence).text;
  return error.hint ? t('error.withHint', { message, hint: say(error.hint).text }) : message;
}

export function notifyError(error: unknown): void {
  show(explain(error), [], 'error');
}

/** The server decided nothing: the same request may succeed later. */
const mayPass = (error: unknown) => error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);

/** Takes back the last change of this tab that was not taken back yet, after the changes that are still under way. */
export async function undoLast(): Promise<void> {
  if (undoing) return;
  undoing = true;
  try {
    await inOrder(async () => {
      const last = undos.at(-1);
      if (!last) return show(t('undo.nothing'), [], 'plain');
      try {
        await api.undo(last.undo);
      } catch (error) {
        if (!mayPass(error)) undos.pop();
        throw error;
      }
      undos.pop();
      notices = [];
      show(t('undo.done'), [], 'plain');
      last.after();
    });
  } catch (error) {
    notifyError(error);
  }
  undoing = false;
}
