import { isLoop, walk, type Control, type ControlOf, type Kernel, type Op, type Value } from '@filigree/ir';
import { tripCount } from '@filigree/opt';
import type { ClearedBy } from './cleared.js';
import type { ElementOpOf } from './element-ops.js';
import { indexKeys, type IndexKey } from './index-keys.js';
import { integerForms } from './integer-forms.js';
import type { LoopFacts } from './loop-facts.js';
import { residuesOf } from './residues.js';
import { areApart, coordinatesOf, placeOfField, type Touched } from './touched.js';

/** What has become of what an op reads, when the kernel has ended. */
export interface Standing {
  /** Whether the element has been written for the last time when it is read: it still has that value. */
  readonly stays: boolean;
  /** Whether it has not been written yet: it had that value before the launch. */
  readonly was: boolean;
  readonly touched: Touched;
  /** A write after which it may not have that value any more. */
  readonly overwritten: Op | undefined;
}

/** An op on an element of what may outlive the kernel. */
export interface Use {
  readonly op: Op;
  readonly writes: boolean;
  readonly touched: Touched;
  /** The place and what its index is computed from: the same within an iteration, where it is the same text. */
  readonly key: string;
  /** The loops, by name and depth, whose parameters the index is computed from. */
  readonly tells: ReadonlySet<string>;
  readonly index: readonly IndexKey[];
  readonly order: number;
  /** The number of the outermost op around it. */
  readonly top: number;
  readonly parents: readonly Op[];
}

type ConstantOf = LoopFacts['constantOf'];

/** What the reads of a kernel find of what it writes. */
export const standings = (
  kernel: Kernel,
  elementOf: ElementOpOf,
  cleared: ClearedBy,
  controlOf: ControlOf,
  constantOf: ConstantOf,
): ((read: Op) => Standing | undefined) => {
  const uses = usesOf(kernel, elementOf, cleared);
  const writes = uses.filter((u) => u.writes);
  const known = new Map<Op, Standing>();
  for (const read of uses) {
    if (read.writes) continue;
    const touching = writes.filter((w) => !areApart(w.touched, read.touched));
    const after = touching.find((w) => !comesFirst(w, read, controlOf, constantOf));
    const was = touching.every((w) => comesFirst(read, w, controlOf, constantOf));
    known.set(read.op, { stays: !after, was, touched: read.touched, overwritten: after?.op });
  }
  return (read) => known.get(read);
};

/** The stores whose elements have in the end what they are given: all else that may write an element does so before, and a store gives each element something once. */
export const lastStores = (
  kernel: Kernel,
  elementOf: ElementOpOf,
  cleared: ClearedBy,
  controlOf: ControlOf,
  constantOf: ConstantOf,
): readonly Use[] => {
  const writes = usesOf(kernel, elementOf, cleared).filter((u) => u.writes);
  return writes.filter(
    (store) =>
      store.op.name === 'field.store' &&
      store.touched.place === placeOfField(String(store.op.attrs.field)) &&
      writes.every((w) =>
        w === store
          ? isOnceEach(store, controlOf, constantOf)
          : areApart(w.touched, store.touched) || comesFirst(w, store, controlOf, constantOf),
      ),
  );
};

/** Whether no two iterations of the loops around an access touch the same element by it. */
const isOnceEach = (use: Use, controlOf: ControlOf, constantOf: ConstantOf): boolean =>
  use.parents.every((op, depth) => {
    const control = controlOf(op);
    if (!control || !isLoop(control) || hasOneIteration(control, constantOf)) return true;
    const loop = `${op.name}.${depth}`;
    const [least, most] = iterationsLater(use, use, loop);
    return (least === 0 && most === 0) || (control.parallel === true && use.tells.has(loop));
  });

/** Whether an access to an element comes before another one to it, in all that the kernel does. */
const comesFirst = (first: Use, then: Use, controlOf: ControlOf, constantOf: ConstantOf): boolean => {
  if (first.top !== then.top) return first.top < then.top;
  for (const [depth, op] of first.parents.entries()) {
    if (op !== then.parents[depth]) break;
    const control = controlOf(op);
    if (!control || !isLoop(control) || hasOneIteration(control, constantOf)) continue;
    const loop = `${op.name}.${depth}`;
    const [least, most] = iterationsLater(first, then, loop);
    const together = control.parallel === true;
    if (least > most || (least > 0 && !together)) return true;
    if (least === 0 && (most === 0 || !together)) continue;
    if (!together || !isToldAlike(first, then, loop)) return false;
  }
  return first.order < then.order;
};

const hasOneIteration = ({ count }: Control, constantOf: ConstantOf): boolean =>
  (tripCount(count, constantOf) ?? 2n) < 2n;

/** Whether what two indices have from a loop is the same: of iterations that run at once it is a rule that another one means another element then. */
const isToldAlike = (first: Use, then: Use, loop: string): boolean =>
  first.tells.has(loop) &&
  first.index.every((a, n) => {
    const b = then.index[n];
    return a.key === b?.key || !(a.tells.has(loop) || b?.tells.has(loop));
  });

/** How many iterations of a loop later another access finds the same element: what that lies between, which is nothing where it never does. */
const iterationsLater = (first: Use, then: Use, loop: string): readonly [least: number, most: number] => {
  let [least, most] = [-Infinity, Infinity];
  for (const [n, { counts }] of first.index.entries())
    for (const a of counts)
      for (const b of then.index[n]?.counts ?? []) {
        if (a.loop !== loop || b.loop !== loop || a.sign !== b.sign || a.rest !== b.rest) continue;
        const [from, to] = [a.least - b.most, a.most - b.least];
        least = Math.max(least, a.sign > 0 ? from : -to);
        most = Math.min(most, a.sign > 0 ? to : -from);
      }
  return [least, most];
};

/** The ops of a kernel on elements, in the order of its text. */
export const usesOf = (
  kernel: Kernel,
  elementOf: ElementOpOf,
  cleared: ClearedBy,
  keys = indexKeys(),
): readonly Use[] => {
  const keyOf = keys(kernel);
  const coordinate = coordinatesOf(kernel);
  const forms = integerForms(kernel);
  const residueOf = residuesOf(kernel, forms);
  const boundsIn = (extents: readonly number[], index: readonly Value[]): Touched['within'] =>
    index.map((v, n) => forms.within(v, extents[n]));
  const tops = new Map(kernel.body.ops.map((op, n) => [op, n]));
  const uses: Use[] = [];
  walk(kernel.body, (op, parents) => {
    const note = (place: string, index: readonly Value[], writes: boolean, extents?: readonly number[]): void => {
      const residue = extents && residueOf(op, index, extents);
      const within = extents && boundsIn(extents, index);
      uses.push({
        op,
        writes,
        touched: { place, index: index.map(coordinate), ...(residue && { residue }), ...(within && { within }) },
        key: `${place}[${index.map((v) => keyOf(v).key).join()}]`,
        tells: new Set(index.flatMap((v) => [...keyOf(v).tells])),
        index: index.map(keyOf),
        order: uses.length,
        top: tops.get(parents[0] ?? op)!,
        parents,
      });
    };
    const element = elementOf(op);
    if (element) note(element.place, element.index, element.does !== 'load', element.extents);
    if (element && element.does !== 'load')
      for (const field of element.encodedWith) note(placeOfField(field), element.index, true);
    for (const field of cleared(op)) note(placeOfField(field), [], true);
  });
  return uses;
};
