import {
  open,
  type Closable,
} from './pool';

export { open } from './pool';

export function end(it: Closable): void {
  it.close();
}

export function day(): void {
  const pool = open('day');
  end(pool);
  pool.close();
}
