import { tick } from 'svelte';

/** Gives the focus to an element after the one that had it is gone, so that the next Tab does not start at the top. */
export async function keepFocus(find: () => HTMLElement | null | undefined): Promise<void> {
  await tick();
  if (document.activeElement === document.body) find()?.focus({ preventScroll: true });
}
