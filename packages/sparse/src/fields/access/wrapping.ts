import {
  byteSize,
  definitions,
  isInteger,
  walk,
  type Op,
  type Region,
  type ScalarType,
  type Value,
} from '@filigree/ir';

/**
 * The sums, differences, negations and products with small numbers of `i32` (by the id of their result) of which only bits are used, as
 * `(a + b) | 0` and `(31 * h + c) | 0` do: wrapped or not, their last 32 bits are the same, and those are what JavaScript takes too, as
 * long as a double holds the number. So they are meant to wrap.
 */
export const wrapping = (body: Region): ReadonlySet<number> => {
  const made = definitions(body);
  const found = new Set([...made].flatMap(([id, op]) => (mayWrap(op, made) ? [id] : [])));
  let before = Infinity;
  while (found.size < before) {
    before = found.size;
    walk(body, (op) => {
      const passes = op.name !== 'arith.mul' && op.results.some((r) => found.has(r.id));
      if (!passes && !takesBits(op)) for (const x of op.operands) found.delete(x.id);
    });
  }
  return found;
};

type Made = ReadonlyMap<number, Op>;

const mayWrap = ({ name, results, operands }: Op, made: Made): boolean =>
  results[0]?.type === 'i32' &&
  (name === 'arith.add' ||
    name === 'arith.sub' ||
    name === 'arith.neg' ||
    (name === 'arith.mul' && operands.some((x) => isSmall(x, made))));

/** Whether products of a number with all of `i32`, and sums of a few of these, are exact in a double. */
const isSmall = (x: Value, made: Made): boolean => {
  const op = made.get(x.id);
  return op?.name === 'arith.constant' && Math.abs(Number(op.attrs.value)) <= 2 ** 20;
};

/** Whether an op is one on the last 32 bits of its operands, or of fewer. */
const takesBits = ({ name, results }: Op): boolean => {
  const type = results[0]?.type as ScalarType;
  return BITS.has(name) || (name === 'arith.cast' && isInteger(type) && byteSize(type) <= 4);
};

const BITS: ReadonlySet<string> = new Set([
  'arith.and',
  'arith.or',
  'arith.xor',
  'arith.not',
  'arith.shl',
  'arith.shr',
]);
