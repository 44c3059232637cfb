import { isLoop, type Control, type ControlOf, type Op } from '@filigree/ir';
import { tripCount } from '@filigree/opt';
import type { Accesses, Use } from './accesses.js';
import type { LoopFacts } from '../indices/loop-facts.js';
import type { OwnedIn } from './own.js';
import { areApart, placeOfField, type Touched } from './touched.js';

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

export type StandingOf = (read: Op) => Standing | undefined;

type ConstantOf = LoopFacts['constantOf'];

/** What the reads of a kernel find of what it writes. */
export const standings = (
  { uses }: Accesses,
  controlOf: ControlOf,
  constantOf: ConstantOf,
  ownedIn: OwnedIn,
): StandingOf => {
  const comesFirst = ordering(controlOf, constantOf, ownedIn);
  const writes = uses.filter((u) => u.writes);
  const known = new Map<Op, Standing>();
  for (const read of uses) {
    if (read.writes) continue;
    const touching = writes.filter((w) => !areApart(w.touched, read.touched));
    const after = touching.find((w) => !comesFirst(w, read));
    const was = touching.every((w) => comesFirst(read, w));
    known.set(read.op, { stays: !after, was, touched: read.touched, overwritten: after?.op });
  }
  return (read) => known.get(read);
};

/** The stores whose elements have in the end what they are given: all else that may write an element does so before, and a store gives each element something once. */
export const lastStores = (
  { uses }: Accesses,
  controlOf: ControlOf,
  constantOf: ConstantOf,
  ownedIn: OwnedIn,
): readonly Use[] => {
  const comesFirst = ordering(controlOf, constantOf, ownedIn);
  const writes = uses.filter((u) => u.writes);
  return writes.filter(
    (store) =>
      store.op.name === 'field.store' &&
      store.touched.place === placeOfField(String(store.op.attrs.field)) &&
      writes.every((w) =>
        w === store
          ? isOnceEach(store, controlOf, constantOf)
          : areApart(w.touched, store.touched) || comesFirst(w, store),
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

/** Whether an access to an element comes before another one to it, in all that a kernel does. */
const ordering =
  (controlOf: ControlOf, constantOf: ConstantOf, ownedIn: OwnedIn) =>
  (first: Use, then: Use): boolean => {
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
      const owns = ownedIn(op);
      const areOwn = (together || op.name === 'scf.for') && owns(first.op) && owns(then.op);
      if (!(together && isToldAlike(first, then, loop)) && !areOwn) return false;
    }
    return first.order < then.order;
  };

export const hasOneIteration = ({ count }: Control, constantOf: ConstantOf): boolean =>
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
