import { fail } from '@filigree/ir';
import type { IndexBox as Box, Path } from '@filigree/sparse/fields';

/** The box given, checked, or all of a field. Error: `field/box`. */
export const boxOf = (name: string, { extents, axes }: Path, box: Box | undefined): Box => {
  if (box !== undefined) {
    if (
      ![box?.from, box?.to].every((s) => Array.isArray(s) && s.length === axes.length && s.every(Number.isSafeInteger))
    )
      refuse(
        `the box of field '${name}' has not ${axes.length} whole numbers a side`,
        'give { from: […], to: […] }, an index an axis',
      );
    const inside = axes.every(
      (_, a) =>
        box.from[a] <= box.to[a] && (extents[a] === undefined || (box.from[a] >= 0 && box.to[a] <= extents[a]!)),
    );
    if (!inside)
      refuse(
        `the box from [${box.from.join(', ')}] to [${box.to.join(', ')}] is not inside field '${name}'`,
        `its indices are below [${extents.map((n) => n ?? '∞').join(', ')}]`,
      );
    return box;
  }
  if (extents.includes(undefined))
    return refuse(`field '${name}' has no bounds`, 'give a box; bounds() is the smallest that holds all');
  return { from: axes.map(() => 0), to: extents as readonly number[] };
};

/** Whether a box is all of a field that has bounds. */
export const isAll = ({ extents }: Path, { from, to }: Box): boolean =>
  extents.every((n, a) => from[a] === 0 && to[a] === n);

const refuse = (message: string, remedy: string): never => fail('field/box', message, { remedy });

/** Visits the indices of a box row by row, always in the same list. */
export const visitBox = ({ from, to }: Box, visit: (indices: readonly number[]) => void): void => {
  if (from.some((x, a) => x >= to[a])) return;
  const indices = [...from];
  for (;;) {
    visit(indices);
    let a = indices.length - 1;
    while (a >= 0 && ++indices[a] === to[a]) {
      indices[a] = from[a];
      a--;
    }
    if (a < 0) return;
  }
};

/** Values in a box, row by row. */
export const sizeOfBox = ({ from, to }: Box): number => from.reduce((n, x, a) => n * (to[a] - x), 1);
