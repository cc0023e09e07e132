import { app } from './app';
import { card } from './card';
import { memories } from './memories';
import { words } from './words';

export default { ...app, ...words, ...memories, ...card };
