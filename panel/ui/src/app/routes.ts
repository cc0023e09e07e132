export type ViewName =
  | 'health'
  | 'memories'
  | 'review'
  | 'sessions'
  | 'recipes'
  | 'map'
  | 'chat'
  | 'teach'
  | 'settings';

type View = { readonly path: string; readonly label: `nav.${ViewName}`; readonly key: string };

/** Every view with its path and the letter that opens it after `g`, in the order of the sidebar. */
export const VIEWS: Readonly<Record<ViewName, View>> = {
  health: { path: '/', label: 'nav.health', key: 'h' },
  memories: { path: '/memories', label: 'nav.memories', key: 'm' },
  review: { path: '/review', label: 'nav.review', key: 'r' },
  sessions: { path: '/sessions', label: 'nav.sessions', key: 's' },
  recipes: { path: '/recipes', label: 'nav.recipes', key: 'p' },
  map: { path: '/map', label: 'nav.map', key: 'o' },
  chat: { path: '/chat', label: 'nav.chat', key: 'c' },
  teach: { path: '/teach', label: 'nav.teach', key: 't' },
  settings: { path: '/settings', label: 'nav.settings', key: ',' },
};

export const VIEW_NAMES = Object.keys(VIEWS) as ViewName[];

/** Returns the view of a path and what follows its first segment: `/sessions/abc` is `sessions` and `abc`. */
export function match(path: string): { view: ViewName | undefined; rest: string | undefined } {
  const [first = '', rest] = path.slice(1).split('/');
  if (first === '') return { view: 'health', rest: undefined };
  // `/m/ID` is the address that citations print, short enough for a terminal.
  if (first === 'm') return { view: 'memories', rest };
  const view = VIEW_NAMES.find((name) => VIEWS[name].path === `/${first}`);
  return { view, rest: rest ? decodeURIComponent(rest) : undefined };
}
