/** The address bar as state. Paths have no `#`: the fragment belongs to the token alone. */

let path = $state(location.pathname);
let search = $state(location.search);

function read(): void {
  path = location.pathname;
  search = location.search;
}

export const router = {
  get path() {
    return path;
  },
  get query() {
    return new URLSearchParams(search);
  },
};

export function go(href: string, options: { replace?: boolean } = {}): void {
  if (options.replace) history.replaceState(null, '', href);
  else history.pushState(null, '', href);
  read();
}

/** Follows links of this page without a request; leaves modified clicks to the browser. */
function onClick(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = (event.target as Element).closest?.('a[href]');
  if (!(link instanceof HTMLAnchorElement) || link.target || link.origin !== location.origin) return;
  if (link.hasAttribute('download')) return;
  event.preventDefault();
  go(link.pathname + link.search);
}

export function startRouter(): void {
  // The token may have brought another path since this file was loaded.
  read();
  addEventListener('popstate', read);
  document.addEventListener('click', onClick);
}
