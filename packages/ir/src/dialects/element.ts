import type { Machine, Scalar } from '../kernel/dialect.js';
import type { Op, TypedArray } from '../kernel/op.js';
import type { ScalarType } from '../kernel/type.js';

/**
 * A function that reads elements of a buffer (bare name), for evaluators. Reading an undefined element of a scratch
 * buffer traps.
 */
export const elementReader = (op: Op, machine: Machine, buffer: string, type: ScalarType): ((i: number) => Scalar) => {
  const read = plainReader(machine.buffer(buffer), type);
  const scratch = machine.scratch?.(buffer);
  if (!scratch) return read;
  return (i) =>
    scratch.written[i] === scratch.clock.now
      ? read(i)
      : machine.trap(op, `element ${i} of scratch buffer @${buffer} is read before it is written`);
};

/** Writes elements of a buffer (bare name) for an evaluator. */
export const elementWriter = (machine: Machine, buffer: string, type: ScalarType): ((i: number, x: Scalar) => void) => {
  const write = plainWriter(machine.buffer(buffer), type);
  const scratch = machine.scratch?.(buffer);
  if (!scratch) return write;
  return (i, x) => {
    scratch.written[i] = scratch.clock.now;
    write(i, x);
  };
};

/**
 * The index as a plain number, once it is known that `width` elements from it on lie within a buffer (bare name) of
 * `length`; else a trap.
 */
export const elementIndex = (
  op: Op,
  machine: Machine,
  buffer: string,
  length: number,
  width: number,
): ((index: unknown) => number) => {
  const last = length - width;
  return (value) => {
    const i = typeof value === 'bigint' ? Number(value) : (value as number);
    if (i < 0 || i > last) {
      const what = width > 1 ? `indices ${i} … ${i + width - 1} are` : `index ${i} is`;
      machine.trap(op, `${what} outside buffer @${buffer} of length ${length}`);
    }
    return i;
  };
};

/* Memory holds i1 as a byte; everywhere else it is a boolean. */
const plainReader = (data: TypedArray, type: ScalarType): ((i: number) => Scalar) =>
  type === 'i1' ? (i) => data[i] !== 0 : (i) => data[i];

const plainWriter = (data: TypedArray, type: ScalarType): ((i: number, x: Scalar) => void) => {
  if (type === 'i1') return (i, x) => void (data[i] = x ? 1 : 0);
  if (data instanceof BigInt64Array || data instanceof BigUint64Array) return (i, x) => void (data[i] = x as bigint);
  return (i, x) => void (data[i] = x as number);
};
