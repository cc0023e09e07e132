/** The bearer token: it arrives in the fragment, which browsers send to no server, and stays in this tab. */

const STORED = 'tacit.token';

type Arrival = { token: string | null; open: string | null };

/** Reads `#token=…&open=…`. */
export function readFragment(hash: string): Arrival {
  const fragment = new URLSearchParams(hash.replace(/^#/, ''));
  return { token: fragment.get('token'), open: fragment.get('open') };
}

/** Stores a token from the address and removes it from the address bar and from the history. */
export function takeToken(): void {
  const { token, open } = readFragment(location.hash);
  if (token) sessionStorage.setItem(STORED, token);
  if (location.hash) {
    const path = open ? `/memories/${encodeURIComponent(open)}` : location.pathname + location.search;
    history.replaceState(null, '', path);
  }
}

export const token = (): string | null => sessionStorage.getItem(STORED);
