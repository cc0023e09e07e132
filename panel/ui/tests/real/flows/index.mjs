// All flows, in the order in which they run: a name, and what a person does, given a new tab and the project.
import ask from './ask.mjs';
import browse from './browse.mjs';
import card from './card.mjs';
import everywhere from './everywhere.mjs';
import health from './health.mjs';
import live from './live.mjs';
import maintain from './maintain.mjs';
import map from './map.mjs';
import recipes from './recipes.mjs';
import review from './review.mjs';
import sessions from './sessions.mjs';
import settings from './settings.mjs';
import storage from './storage.mjs';
import teach from './teach.mjs';

const AREAS = { everywhere, health, map, browse, card, review, recipes, teach, ask, sessions, live, settings, storage, maintain };

export const FLOWS = Object.entries(AREAS).flatMap(([area, flows]) =>
  Object.entries(flows).map(([name, flow]) => [`${area}: ${name}`, flow]),
);
