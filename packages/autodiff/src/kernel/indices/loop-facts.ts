import {
  evaluateOp,
  isInteger,
  isLoop,
  isVector,
  walk,
  type ControlOf,
  type Kernel,
  type Op,
  type OpTable,
  type Scalar,
  type Value,
} from '@filigree/ir';

/** What is known of the loops of a kernel before it is reversed. */
export interface LoopFacts {
  /** Loops by numbers of their own, in the order of the text. */
  readonly loops: ReadonlyMap<Op, number>;
  /** Whether an op lies in a parallel loop. */
  readonly isParallel: (op: Op) => boolean;
  /** Numbers by value; of integers also those that follow from numbers, as bounds of loops do. */
  readonly constants: ReadonlyMap<number, Scalar>;
  readonly constantOf: (v: Value) => Scalar | undefined;
}

export const loopFacts = ({ body }: Kernel, table: OpTable, controlOf: ControlOf): LoopFacts => {
  const loops = new Map<Op, number>();
  const parallel = new Set<Op>();
  const constants = new Map<number, Scalar>();
  walk(body, (op, parents) => {
    const control = controlOf(op);
    if (control && isLoop(control)) loops.set(op, loops.size);
    if (parents.some((p) => controlOf(p)?.parallel === true)) parallel.add(op);
    const { value } = op.attrs;
    if (op.name === 'arith.constant' && (typeof value === 'number' || typeof value === 'bigint'))
      constants.set(op.results[0].id, value);
    else if (isWhole(op)) {
      const args = op.operands.map((v) => constants.get(v.id));
      const known = args.every((x) => x !== undefined) ? evaluateOp(op, table.get(op.name)!, args) : undefined;
      if (known) constants.set(op.results[0].id, known[0] as Scalar);
    }
  });
  return { loops, isParallel: (op) => parallel.has(op), constants, constantOf: (v) => constants.get(v.id) };
};

/** Whether an op computes one integer from others. */
const isWhole = ({ name, operands, results }: Op): boolean =>
  name.startsWith('arith.') &&
  operands.length > 0 &&
  results.length === 1 &&
  [...operands, ...results].every(({ type }) => !isVector(type) && isInteger(type));
