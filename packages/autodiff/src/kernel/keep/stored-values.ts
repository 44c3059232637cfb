import type { Kernel, Op, Region, Value } from '@filigree/ir';
import type { Layout } from '@filigree/sparse/fields';
import type { Settled } from './hold.js';
import type { IntegerForms } from '../indices/integer-forms.js';
import { isRounded } from '../elements/rounded.js';
import type { Use } from '../elements/accesses.js';

/**
 * Values that a kernel stores and that their elements have in the end, by id: an adjoint may read them there instead of computing them again, from what is not there any more. Where it is computed the value is stored too, since both are in one region; what an arm
 * of a branch hands on as it is the same.
 *
 * @param stores of which each element has in the end what it was given (`lastStores`)
 */
export const storedValues = (
  kernel: Kernel,
  layout: Layout,
  { within }: IntegerForms,
  stores: readonly Use[],
): ReadonlyMap<number, Settled> => {
  const places = placesIn(kernel.body);
  const found = new Map<number, Settled>();
  const settle = (v: Value, region: Region, element: Settled): void => {
    const made = places.get(v.id);
    if (made?.region !== region || !made.op) return;
    const isThere = (index: Value): boolean => {
      const at = places.get(index.id);
      return at?.region !== region || at.position < made.position;
    };
    if (!element.index.every(isThere)) return;
    if (!found.has(v.id)) found.set(v.id, element);
    const n = made.op.results.findIndex((r) => r.id === v.id);
    if (made.op.name === 'scf.if')
      for (const arm of made.op.regions) settle(arm.ops[arm.ops.length - 1].operands[n], arm, element);
  };
  for (const { op } of stores) {
    const field = String(op.attrs.field);
    const { extents, unbounded } = layout.fields.get(field)!;
    const [value, ...index] = op.operands;
    /* Outside of a field another element is written, and without activation perhaps none. */
    const isInside = unbounded || index.every((v, n) => within(v, extents[n]));
    if (isInside && op.attrs.activate !== false && !isRounded(layout, field))
      settle(value, places.get(op)!.region, { field, index });
  }
  return found;
};

/** Where ops stand, and what values are the results of; none of parameters. */
interface Place {
  readonly region: Region;
  readonly position: number;
  readonly op: Op | undefined;
}

const placesIn = (body: Region): ReadonlyMap<Op | number, Place> => {
  const found = new Map<Op | number, Place>();
  const visit = (region: Region): void => {
    for (const p of region.params) found.set(p.id, { region, position: -1, op: undefined });
    region.ops.forEach((op, position) => {
      found.set(op, { region, position, op });
      for (const r of op.results) found.set(r.id, { region, position, op });
      op.regions.forEach(visit);
    });
  };
  visit(body);
  return found;
};
