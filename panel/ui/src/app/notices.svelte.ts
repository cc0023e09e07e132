/** Short messages at the foot of the window, and the changes that can be taken back. */
import { api, ApiError, type Undo } from '../lib/api';
import { say, t } from '../lib/i18n/index.svelte';

export type Notice = { id: number; text: string; undo: Undo; tone: 'plain' | 'error' };

const SECONDS = 8;
const KEPT_UNDOS = 100;

let next = 1;
let notices = $state.raw<Notice[]>([]);
const undos: { undo: Undo; after: () => void }[] = [];

export const visibleNotices = (): readonly Notice[] => notices;

export function dismiss(id: number): void {
  notices = notices.filter((notice) => notice.id !== id);
}

function show(text: string, undo: Undo, tone: Notice['tone']): void {
  const notice: Notice = { id: next++, text, undo, tone };
  // One at a time: `Undo` always means what the person just did. An error stays beside it.
  notices = [...notices.filter((shown) => shown.tone === 'error').slice(-1), notice];
  // An error waits until it was read.
  if (tone === 'plain') setTimeout(() => dismiss(notice.id), SECONDS * 1000);
}

/** Tells what was done; `undo` makes it revocable with the button and with `u`, and `after` runs when it was taken back. */
export function notify(text: string, undo: Undo = [], after: () => void = () => {}): void {
  if (undo.length > 0) undos.push({ undo, after });
  if (undos.length > KEPT_UNDOS) undos.shift();
  show(text, undo, 'plain');
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

/** Takes back the last change of this tab that was not taken back yet. */
export async function undoLast(): Promise<void> {
  const last = undos.pop();
  if (!last) return show(t('undo.nothing'), [], 'plain');
  try {
    await api.undo(last.undo);
    notices = [];
    show(t('undo.done'), [], 'plain');
    last.after();
  } catch (error) {
    notifyError(error);
  }
}
