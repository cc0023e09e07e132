/** A value that is loaded: its states in one place for every view. */

export type Resource<T> = {
  readonly data: T | undefined;
  readonly error: unknown;
  readonly loading: boolean;
  reload(): Promise<void>;
  set(value: T): void;
};

/** Loads at once and whenever a reactive value read by `load` changes. A late answer never replaces a newer one. */
export function useResource<T>(load: () => Promise<T>): Resource<T> {
  let data = $state.raw<T>();
  let error = $state.raw<unknown>();
  let loading = $state(true);
  let latest = 0;

  async function follow(promise: Promise<T>): Promise<void> {
    const mine = ++latest;
    loading = true;
    try {
      const value = await promise;
      if (mine !== latest) return;
      data = value;
      error = undefined;
    } catch (problem) {
      if (mine !== latest) return;
      error = problem;
    }
    loading = false;
  }

  $effect(() => void follow(load()));

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
    reload: () => follow(load()),
    set: (value) => {
      latest += 1;
      data = value;
      loading = false;
    },
  };
}
