import { notifyError } from './notices.svelte';
import { inOrder } from './writes';

/**
 * What a button or a key that changes something starts. While its work runs, it is busy: a second click is no second
 * request. Its button keeps the focus, so it is marked `aria-disabled` and not `disabled`. Errors become notices.
 */
export class Busy {
  now = $state(false);

  /** Returns true if the work was done. */
  async run(work: () => Promise<void>): Promise<boolean> {
    if (this.now) return false;
    this.now = true;
    try {
      await inOrder(work);
      return true;
    } catch (error) {
      notifyError(error);
      return false;
    } finally {
      this.now = false;
    }
  }
}
