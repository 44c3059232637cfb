import { fail } from '@filigree/ir';
import { isSparse, type FieldDecl, type Layout } from '@filigree/sparse/fields';
import type { Companions } from './companion-fields.js';

/** What derivatives fields hold, and whether what is written activates cells of theirs. */
export interface Held {
  readonly is: 'adjoint' | 'tangent';
  readonly activates: boolean;
}

/**
 * Refuses derivatives that a layout places where they are lost: each element of a primal needs a place of its own for its derivative. So the field has the axes
 * of its primal, and as many elements, and where nothing is activated no cells that may be missing where those of the primal are there. Errors: `adjoint/placed`, `tangent/placed`.
 */
export const refuseMisplaced = (
  layout: Layout,
  primals: readonly FieldDecl[],
  { of }: Companions,
  { is, activates }: Held,
): void => {
  const { fields, nodes } = layout;
  for (const primal of primals) {
    const companion = of(primal);
    const placed = fields.get(companion.name);
    if (!placed) continue;
    const refuse = (why: string, remedy: string): never =>
      fail(`${is}/placed`, `the layout places '${companion.name}', the ${is} of field '${primal.name}', ${why}`, {
        remedy,
      });
    if (placed.field !== companion)
      refuse('as another field of that name', `place ${is}Field(${primal.name}), or give the other field another name`);
    const own = fields.get(primal.name)!;
    if (placed.axes.join() !== own.axes.join()) refuse('along other axes', 'place both along the same axes');
    if (!placed.unbounded && (own.unbounded || own.extents.some((n, axis) => placed.extents[axis] < n)))
      refuse(
        `where there are ${placed.extents.join(' × ')} elements, of ${own.unbounded ? 'any number' : own.extents.join(' × ')}`,
        'give it as many elements as the field has, or leave it out: then it lies beside the field',
      );
    if (!activates && placed.path.some((n) => isSparse(nodes[n]) && !own.path.includes(n)))
      refuse(
        'in sparse nodes of its own: derivatives activate no cells, so what belongs into a cell that is not active would be lost',
        'place it beside the field or in dense nodes, or leave it out: then it lies beside the field',
      );
  }
};
