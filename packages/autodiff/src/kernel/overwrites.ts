import { fail, isLoop, locText, walk, type ControlOf, type Kernel, type Op } from '@filigree/ir';
import type { ElementOpOf } from './element-ops.js';
import type { Needs } from './needs.js';
import { indexKeys, type IndexKeys } from './index-keys.js';
import { areApart, coordinatesOf, textOf, type Touched } from './touched.js';

/**
 * Refuses an adjoint that reads an element which its primal may have overwritten since it read it. Allowed is what was written before it was
 * read, in a loop before or at the same index, and what is certainly another element: `x[t + 1][j]` and `x[t][k]`. Error:
 * `adjoint/overwritten`.
 */
export const refuseOverwrites = (
  primal: Kernel,
  adjoint: Kernel,
  elementOf: ElementOpOf,
  controlOf: ControlOf,
): Needs => {
  const keys = indexKeys();
  const before = usesOf(primal, elementOf, keys);
  const reads = before.filter((u) => !u.writes);
  const writes = before.filter((u) => u.writes);
  const needed = usesOf(adjoint, elementOf, keys).filter((u) => !u.writes);
  for (const need of needed) {
    const alike = reads.filter((r) => r.key === need.key);
    const sources = alike.length > 0 ? alike : reads.filter((r) => r.touched.place === need.touched.place);
    for (const write of writes) {
      if (areApart(write.touched, need.touched)) continue;
      if (sources.every((read) => isOver(write, read, controlOf))) continue;
      const read = sources.find((r) => !isOver(write, r, controlOf))?.op.loc;
      const wasRead = read ? `, as they were read at ${locText(read)}` : '';
      const message = `kernel '${primal.name}' may overwrite ${textOf(write.touched)}, whose values its derivative needs${wasRead}`;
      fail('adjoint/overwritten', message, {
        loc: write.op.loc ?? need.op.loc,
        remedy: 'write into another field, or into other elements, such as those of the next step: x[t + 1][i]',
      });
    }
  }
  /* Of needs the primal knows where in its text they were read. */
  const readAt = (need: Use): Use['op']['loc'] => (reads.find((r) => r.key === need.key) ?? need).op.loc;
  const distinct = (uses: readonly Use[], locOf = (u: Use) => u.op.loc): readonly Touched[] => [
    ...new Map(uses.map((u) => [JSON.stringify(u.touched), { ...u.touched, loc: locOf(u) }])).values(),
  ];
  return { needed: distinct(needed, readAt), written: distinct(writes) };
};

/**
 * Refuses minima and maxima in place of which something else may stand in the end, or which are read while they are found: which value an element had
 * from is seen from what it has in the end. Error: `adjoint/extremum`.
 */
export const refuseRunningExtrema = (primal: Kernel, elementOf: ElementOpOf, active: ReadonlySet<number>): void => {
  const uses = usesOf(primal, elementOf, indexKeys());
  const isExtremum = ({ op }: Use): boolean => op.attrs.kind === 'min' || op.attrs.kind === 'max';
  for (const use of uses) {
    if (!isExtremum(use) || !use.op.operands.some((v) => active.has(v.id))) continue;
    const other = uses.find(
      (u) =>
        !areApart(u.touched, use.touched) &&
        !(isExtremum(u) && u.op.attrs.kind === use.op.attrs.kind) &&
        (u.writes ? u.top >= use.top : u.top === use.top),
    );
    if (other)
      fail('adjoint/extremum', `kernel '${primal.name}' finds extrema in ${use.touched.place}, and uses it meanwhile`, {
        loc: other.op.loc ?? use.op.loc,
        remedy: 'read it after the loop that finds them, and write it in a kernel of its own',
      });
  }
};

/** Whether an element has been written for the last time when it is read. */
const isOver = (write: Use, read: Use, controlOf: ControlOf): boolean => {
  if (write.top !== read.top) return write.top < read.top;
  if (write.key !== read.key || write.order > read.order) return false;
  /* Another iteration of a loop around both must mean another element. */
  return write.parents.every((op, depth) => {
    const control = controlOf(op);
    return op !== read.parents[depth] || !control || !isLoop(control) || write.tells.has(`${op.name}.${depth}`);
  });
};

/** An op on an element of what may outlive the kernel. */
interface Use {
  readonly op: Op;
  readonly writes: boolean;
  readonly touched: Touched;
  /** The place and what its index is computed from: the same within an iteration, where it is the same text. */
  readonly key: string;
  /** The loops, by name and depth, whose parameters the index is computed from. */
  readonly tells: ReadonlySet<string>;
  readonly order: number;
  /** The number of the outermost op around it. */
  readonly top: number;
  readonly parents: readonly Op[];
}

const usesOf = (kernel: Kernel, elementOf: ElementOpOf, keys: IndexKeys): readonly Use[] => {
  const keyOf = keys(kernel);
  const coordinate = coordinatesOf(kernel);
  const tops = new Map(kernel.body.ops.map((op, n) => [op, n]));
  const uses: Use[] = [];
  walk(kernel.body, (op, parents) => {
    const element = elementOf(op);
    if (!element) return;
    const { does, place, index } = element;
    uses.push({
      op,
      writes: does !== 'load',
      touched: { place, index: index.map(coordinate) },
      key: `${place}[${index.map((v) => keyOf(v).key).join()}]`,
      tells: new Set(index.flatMap((v) => [...keyOf(v).tells])),
      order: uses.length,
      top: tops.get(parents[0] ?? op)!,
      parents,
    });
  });
  return uses;
};
