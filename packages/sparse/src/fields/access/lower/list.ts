import type { Value } from '@filigree/ir';
import type { NodeStorage } from '../../storage/storage.js';
import { atomic, load, plus, type Address, type Emit } from './address.js';
import { report } from './status.js';

/**
 * Takes the next cell of a list and gives its number. A full list gives the number just past the last, where nothing is written,
 * and is reported. Its length is then corrected; a thread that sees it in between takes the maximum for the
 * length.
 */
export const append = (
  e: Emit,
  node: NodeStorage,
  container: Address,
  coordinates: readonly Value[],
  site: number,
): Value => {
  const { b } = e;
  const length = plus(container, node.length!);
  const most = b.i32(node.cells);
  const at = atomic(e, 'add', b.i32(1), length);
  return b.if(
    b.cmp('lt', at, most),
    () => at,
    () => {
      atomic(e, 'add', b.i32(-1), length);
      report(e, 'listFull', site, coordinates);
      return most;
    },
  )[0];
};

export const lengthOf = (e: Emit, node: NodeStorage, container: Address): Value =>
  e.b.min(load(e, plus(container, node.length!), 'i32'), e.b.i32(node.cells));
