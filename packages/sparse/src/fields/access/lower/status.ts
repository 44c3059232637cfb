import type { Value } from '@filigree/ir';
import { STATUS, STATUS_WORDS } from '../../storage/storage.js';
import { cas, fixed, store, type Emit } from './address.js';

/**
 * Reports what went wrong, unless something was reported before: the thread that changes the first word of the status
 * writes the others, so that they belong together.
 *
 * @param where a site or a node, as `what` has it
 */
export const report = (e: Emit, what: keyof typeof STATUS, where: number, coordinates: readonly Value[]): void => {
  const { b, storage } = e;
  const none = b.i32(STATUS.fine);
  const before = cas(e, none, b.i32(STATUS[what]), fixed(storage.status));
  b.if(b.cmp('eq', before, none), () => {
    [b.i32(where), ...coordinates]
      .slice(0, STATUS_WORDS - 1)
      .forEach((word, n) => store(e, word, fixed(storage.status + 4 * (n + 1)), 'i32'));
  });
};
