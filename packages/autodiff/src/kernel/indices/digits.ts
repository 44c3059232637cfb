import type { Op, Scalar, Value } from '@filigree/ir';

/** The coordinates of a box that loops within one another go over: their counters, or quotients and remainders of these. */
export interface Digits {
  readonly count: number;
  readonly values: readonly Value[];
  readonly has: (v: Value) => boolean;
  /** Whether a value is the counter, or what digits are made of. */
  readonly isMade: (v: Value) => boolean;
  /** A digit, as an index that goes round: `(digit + by) % extent`. */
  readonly shiftOf: (v: Value) => { readonly digit: Value; readonly by: number; readonly extent: number } | undefined;
}

/**
 * The digits of loops from 0 to numbers that are known, the outermost first; nothing where one counts otherwise.
 *
 * @param ops what is in the loops, but for these themselves
 */
export const digitsOf = (
  loops: readonly Op[],
  ops: readonly Op[],
  outer: ReadonlyMap<number, Scalar>,
): Digits | undefined => {
  const constants = new Map(outer);
  const definitions = new Map<number, Op>();
  for (const op of ops) {
    if (op.name === 'arith.constant') constants.set(op.results[0].id, op.attrs.value as Scalar);
    for (const r of op.results) definitions.set(r.id, op);
  }
  const number = (v: Value): number | undefined => {
    const value = constants.get(v.id);
    return typeof value === 'number' ? value : undefined;
  };
  const bounds = loops.map(({ operands }) => operands.map(number));
  if (!bounds.every(([lower, upper, step]) => lower === 0 && upper !== undefined && step === 1)) return undefined;
  const counters = loops.map(({ regions: [{ params }] }, n) => ({ value: params[0], extent: bounds[n][1]! }));

  /* What is divided by one number, and its remainder too: both with as many values as there are. */
  const extents = new Map(counters.map((c) => [c.value.id, c]));
  const split = new Map<number, number>();
  for (const op of ops) {
    if (op.name !== 'arith.div' && op.name !== 'arith.rem') continue;
    const [of, by] = op.operands;
    const whole = extents.get(of.id);
    const n = number(by);
    if (!whole || n === undefined || n <= 1 || whole.extent % n !== 0 || (split.get(of.id) ?? n) !== n) continue;
    split.set(of.id, n);
    extents.set(op.results[0].id, { value: op.results[0], extent: op.name === 'arith.rem' ? n : whole.extent / n });
  }
  const digits = new Map([...extents].filter(([id]) => !split.has(id)));
  /* Each quotient has its remainder, else digits do not tell the iteration. */
  const size = (all: Iterable<{ readonly extent: number }>): number =>
    [...all].reduce((n, { extent }) => n * extent, 1);
  if (size(digits.values()) !== size(counters)) return undefined;

  const distance = (v: Value): { readonly digit: Value; readonly by: number } | undefined => {
    if (digits.has(v.id)) return { digit: v, by: 0 };
    const op = definitions.get(v.id);
    if (op?.name !== 'arith.add' && op?.name !== 'arith.sub') return undefined;
    const [a, b] = op.operands;
    const [x, y] = [number(a), number(b)];
    if (op.name === 'arith.add' && x !== undefined) return further(distance(b), x);
    return y === undefined ? undefined : further(distance(a), op.name === 'arith.add' ? y : -y);
  };
  const shiftOf: Digits['shiftOf'] = (v) => {
    const itself = digits.get(v.id);
    if (itself) return { digit: v, by: 0, extent: itself.extent };
    const op = definitions.get(v.id);
    const extent = op && number(op.operands[1] ?? v);
    const found = op?.name === 'arith.rem' ? distance(op.operands[0]) : undefined;
    /* Below zero remainders do not go round. */
    if (!found || extent === undefined || found.by < 0 || digits.get(found.digit.id)!.extent !== extent)
      return undefined;
    return { digit: found.digit, by: found.by % extent, extent };
  };
  return {
    count: digits.size,
    values: [...digits.values()].map(({ value }) => value),
    has: (v) => digits.has(v.id),
    isMade: (v) => split.has(v.id),
    shiftOf,
  };
};

const further = (
  from: { readonly digit: Value; readonly by: number } | undefined,
  by: number,
): { readonly digit: Value; readonly by: number } | undefined => from && { digit: from.digit, by: from.by + by };
