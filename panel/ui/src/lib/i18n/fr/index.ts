import { app } from './app';
import { card } from './card';
import { health } from './health';
import { memories } from './memories';
import { review } from './review';
import { sessions } from './sessions';
import { settings } from './settings';
import { words } from './words';

export { phrases } from './phrases';
export default { ...app, ...words, ...memories, ...card, ...health, ...review, ...sessions, ...settings };
