import type { Component } from 'svelte';
import type { ViewName } from './routes';

// Some views have no parameter, and a component type without properties accepts no others.
type Page = Component<any>;

/** The views come after the frame, together: what they have in common is most of them. */
export const PAGES: Readonly<Record<ViewName, () => Promise<{ default: Page }>>> = {
  health: () => import('../views/health/Health.svelte'),
  memories: () => import('../views/memories/Memories.svelte'),
  review: () => import('../views/review/Review.svelte'),
  sessions: () => import('../views/sessions/Sessions.svelte'),
  recipes: () => import('../views/recipes/Recipes.svelte'),
  map: () => import('../views/map/Map.svelte'),
  chat: () => import('../views/chat/Chat.svelte'),
  teach: () => import('../views/teach/Teach.svelte'),
  settings: () => import('../views/settings/Settings.svelte'),
};
