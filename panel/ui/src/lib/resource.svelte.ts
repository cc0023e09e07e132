/** A value that is loaded: its states in one place for every view. */

import { ApiError } from './api';

export type Resource<T> = {
  readonly data: T | undefined;
  readonly error: unknown;
  readonly loading: boolean;
  reload(): Promise<void>;
};

/** Values kept for views that are opened again: they are drawn at once and replaced when the answer comes. */
const kept = new Map<string, unknown>();
const MOST_KEPT = 60;

function keep(name: string, value: unknown): void {
  kept.delete(name);
  kept.set(name, value);
  if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value!);
}

/**
 * Loads at once and whenever a reactive value read by `load` changes. A late answer never replaces a newer one. With a
 * `name`, the value is kept when the component is gone; another name shows what is kept under it, or that it loads.
 */
export function useResource<T>(load: () => Promise<T>, name?: () => string): Resource<T> {
  let shown = name?.();
  let data = $state.raw<T | undefined>(shown === undefined ? undefined : (kept.get(shown) as T | undefined));
  let error = $state.raw<unknown>();
  let loading = $state(true);
  let latest = 0;
  let again = false;
  let gone = false;

  async function follow(promise: Promise<T>): Promise<void> {
    const mine = ++latest;
    const under = shown;
    loading = true;
    try {
      const value = await promise;
      if (mine !== latest) return;
      data = value;
      error = undefined;
      if (under !== undefined) keep(under, value);
    } catch (problem) {
      if (mine !== latest) return;
      error = problem;
      // What does not exist any more is not shown, either: it may have been forgotten for good.
      if (problem instanceof ApiError && problem.status === 404) {
        data = undefined;
        if (under !== undefined) kept.delete(under);
      }
    }
    loading = false;
    if (again) await reload();
  }

  /** Loads again; while an answer is on its way, once more after it, however often something changed. */
  function reload(): Promise<void> {
    // The properties that `load` reads are gone with the component.
    if (gone) return Promise.resolve();
    again = loading;
    return again ? Promise.resolve() : follow(load());
  }

  $effect(() => {
    const next = name?.();
    if (next !== shown) {
      shown = next;
      data = kept.get(next!) as T | undefined;
      error = undefined;
    }
    void follow(load());
  });
  $effect(() => () => void (gone = true));

  return {
    get data() {
      return data;
    },
    get error() {
      return error;
    },
    get loading() {
      return loading;
    },
    reload,
  };
}
