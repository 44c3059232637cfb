import {
  fail,
  isLoop,
  locText,
  walk,
  type ControlOf,
  type Kernel,
  type Op,
  type Scalar,
  type Value,
} from '@filigree/ir';
import { tripCount } from '@filigree/opt';
import { isSparse, nodeOf, type Layout } from '@filigree/sparse/fields';
import type { ElementOpOf } from '../elements/element-ops.js';
import { coordinatesOf } from '../elements/touched.js';

/**
 * Refuses a parallel loop whose iterations certainly meet in an element in a way on which no derivative can rest: each writes it, or one reads it while others add to it. What
 * depends on the values at run time is found by watching (`watched`). Errors: `adjoint/written-twice`, `adjoint/unfinished`.
 */
export const refuseCertainRaces = (
  kernel: Kernel,
  layout: Layout,
  elementOf: ElementOpOf,
  controlOf: ControlOf,
  constantOf: (v: Value) => Scalar | undefined,
): void => {
  const coordinate = coordinatesOf(kernel);
  const repeats = (op: Op): boolean => {
    const control = controlOf(op);
    if (!control || !isLoop(control) || control.parallel !== true) return false;
    return (tripCount(control.count, constantOf) ?? elementsOf(layout, op)) > 1n;
  };
  const seen = new Map<Op, Map<string, { readonly op: Op; readonly writes: boolean }[]>>();
  walk(kernel.body, (op, parents) => {
    const element = elementOf(op);
    if (!element?.adjoint || !element.lasting) return;
    const from = parents.findIndex(repeats);
    /* Only what each iteration certainly does, to an element that is the same for all. */
    if (from < 0 || !parents.slice(from + 1).every((p) => runsAlways(p, controlOf, constantOf))) return;
    const at = element.index.map(coordinate);
    if (!at.every((c) => c !== undefined)) return;
    const again = element.does === 'store' || op.attrs.kind === 'exchange';
    if (again) refuseTwice(kernel.name, element.place, op);
    const elements = seen.get(parents[from]) ?? new Map<string, { op: Op; writes: boolean }[]>();
    seen.set(parents[from], elements);
    const key = `${element.place}${JSON.stringify(at)}`;
    const others = elements.get(key) ?? [];
    const writes = element.does === 'atomic';
    const other = others.find((o) => o.writes !== writes);
    if (other) refuseUnfinished(kernel.name, element.place, writes ? [other.op, op] : [op, other.op]);
    elements.set(key, [...others, { op, writes }]);
  });
};

/** How many elements a loop over a node certainly visits: of a sparse one nobody knows. */
const elementsOf = (layout: Layout, op: Op): bigint => {
  let node = op.name === 'field.for' ? nodeOf(layout, op) : undefined;
  let count = node ? 1n : 0n;
  while (node && node.parent >= 0) {
    if (isSparse(node) || node.kind === 'hash' || node.kind === 'dynamic') return 0n;
    for (const axis of node.axes) count *= BigInt(node.extents[axis]);
    node = layout.nodes[node.parent];
  }
  return count;
};

const runsAlways = (op: Op, controlOf: ControlOf, constantOf: (v: Value) => Scalar | undefined): boolean =>
  (tripCount(controlOf(op)?.count, constantOf) ?? 0n) > 0n;

const refuseTwice = (kernel: string, place: string, op: Op): never =>
  fail('adjoint/written-twice', `all iterations of a loop of kernel '${kernel}' write the same element of ${place}`, {
    loc: op.loc,
    remedy: 'let each iteration write elements of its own, or add to them by +=',
  });

const refuseUnfinished = (kernel: string, place: string, [read, sum]: readonly [Op, Op]): never =>
  fail(
    'adjoint/unfinished',
    `kernel '${kernel}' reads an element of ${place} in the loop whose iterations add to it${sum.loc ? ` (${locText(sum.loc)})` : ''}`,
    { loc: read.loc, remedy: 'read it in a loop of its own, after the one that adds' },
  );
