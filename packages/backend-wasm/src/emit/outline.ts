import { freeValues, opWith, makeOp, type Kernel, type Op, type Region, type Value, lanesOf } from '@filigree/ir';
import { captureSlots } from '../memory/layout.js';

/** A parallel loop taken out of its kernel, so that several threads can call it, each for a part of its iterations. */
export interface OutlinedLoop {
  /** Values of the kernel that the loop reads: its lower bound, its step, and what its body captures. */
  readonly captures: readonly Value[];
  /** The loop, with the constants that it reads in front of its body. */
  readonly loop: Op;
  readonly constants: readonly Op[];
}

/** A kernel whose outermost parallel loops are `wasm.fork` ops, and those loops. */
export interface Outlined {
  readonly body: Region;
  readonly loops: readonly OutlinedLoop[];
}

/**
 * Takes the outermost parallel loops out of a kernel. In the place of each stands `wasm.fork {loop}`, a number, with
 * operands lower bound, upper bound, step, captures. A loop that captures more than the control block holds stays where it is.
 */
export const outline = (kernel: Kernel): Outlined => {
  const loops: OutlinedLoop[] = [];
  const constants = new Map<number, Op>();

  const region = (r: Region): Region => ({ params: r.params, ops: r.ops.map(visit) });
  const visit = (op: Op): Op => {
    if (op.name === 'arith.constant') constants.set(op.results[0].id, op);
    if (op.name === 'scf.for' && op.attrs.parallel === true) {
      const free = readBy(op);
      const captured = free.filter((v) => !constants.has(v.id));
      if (captured.reduce((n, v) => n + slots(v), 0) <= captureSlots) {
        const own = free.flatMap((v) => constants.get(v.id) ?? []);
        const loop = loops.push({ captures: captured, loop: op, constants: own }) - 1;
        return makeOp('wasm.fork', [...op.operands.slice(0, 3), ...captured], [], { loop }, [], undefined);
      }
    }
    return op.regions.length === 0 ? op : opWith(op, { regions: op.regions.map(region) });
  };

  return { body: region(kernel.body), loops };
};

/* The widest vector is kept in as many v128 as its lanes need at 8 bytes each. */
const slots = (v: Value): number => Math.max(1, Math.ceil(lanesOf(v.type) / 2));

/** Values that the loop reads and does not define, in order of first use; the upper bound only if its body reads it. */
const readBy = ({ operands: [lower, , step], regions }: Op): readonly Value[] => [
  ...new Map([lower, step, ...regions.flatMap((r) => freeValues(r))].map((v) => [v.id, v])).values(),
];
