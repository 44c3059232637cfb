import { walk, type Op, type Region } from '@filigree/ir';
import type { ElementOpOf } from './element-ops.js';

/**
 * Single elements that a kernel sets and adds to in one part and reads in later ones: the sums of parallel loops. Whoever reads them then finds what they have in the end. What has not been set first may hold
 * something from before.
 */
export const settledPlaces = ({ ops }: Region, elementOf: ElementOpOf): ReadonlySet<string> => {
  const found = new Map<string, { readonly index: number; last: number } | undefined>();
  const constants = new Map<number, unknown>();
  ops.forEach((top, n) => {
    const visit = (op: Op, around: readonly Op[]): void => {
      if (op.name === 'arith.constant') constants.set(op.results[0].id, op.attrs.value);
      const element = elementOf(op);
      if (!element || element.lasting) return;
      const { does, place, index } = element;
      const at = index.length === 1 ? constants.get(index[0].id) : undefined;
      const known = found.get(place);
      if (!found.has(place) && does === 'store' && around.length === 0 && typeof at === 'number')
        found.set(place, { index: at, last: n });
      else if (!known || known.index !== at || (does !== 'load' && known.last === Infinity))
        found.set(place, undefined);
      else if (does !== 'load') known.last = n;
      else if (known.last < n) found.set(place, { ...known, last: Infinity });
      else if (known.last !== Infinity) found.set(place, undefined);
    };
    visit(top, []);
    for (const region of top.regions) walk(region, (op, parents) => visit(op, [top, ...parents]));
  });
  return new Set([...found].flatMap(([place, known]) => (known ? [place] : [])));
};
