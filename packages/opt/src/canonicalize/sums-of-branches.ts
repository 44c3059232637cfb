import {
  isFloat,
  opWith,
  useCounts,
  type Op,
  type Region,
  type Scalar,
  type ScalarType,
  type Value,
} from '@filigree/ir';
import { identityOf } from '../support/identity.js';
import { withTerminator } from '../support/slots.js';
import { bodyOf, terminatorOf } from '../support/values.js';
import type { CanonicalizeContext } from './context.js';

/** What an `if` adds to a value from outside, in place of the sum: that comes after it. */
export interface SumsOfBranches {
  readonly op: Op;
  /** Sums that follow it. */
  readonly sums: readonly Op[];
}

/**
 * An `if` that gives `s + x` or `s`, which a loop carries, gives `x` or nothing, and `s` is added to that afterwards: `s + (c ? x : 0)`. Likewise `s + x` or `s + y`, and minima and maxima. Then the loop
 * has a sum whatever its branches say, which goes on lanes; in a branch it does not, not even with target compilers where it wraps. To the last bit it
 * is the same. Only of branches that could be computed ahead, since the others keep what they skip.
 */
export const sumsOfBranches = (
  op: Op,
  context: CanonicalizeContext,
  accumulators: ReadonlySet<number>,
  fresh: (type: Value['type']) => Value,
): SumsOfBranches => {
  const none = { op, sums: [] };
  if (op.name !== 'scf.if' || op.results.length === 0) return none;
  if (!op.regions.every((r) => bodyOf(r).every(context.facts.speculatable))) return none;
  const sums: Op[] = [];
  const results = [...op.results];
  const yields = op.regions.map((r) => [...terminatorOf(r).operands]);
  for (const [k, result] of op.results.entries()) {
    const found = carriedSum(op, k, accumulators);
    const terms = found?.terms.map((term) => term ?? nothing(found.sum.name, result.type, context));
    if (!found || !terms || terms.includes(undefined)) continue;
    const part = fresh(result.type);
    terms.forEach((term, arm) => (yields[arm]![k] = term!));
    results[k] = part;
    sums.push(opWith(found.sum, { operands: [found.carried, part], results: [result] }));
  }
  if (sums.length === 0) return none;
  return { op: opWith(op, { results, regions: op.regions.map((r, arm) => withTerminator(r, yields[arm]!)) }), sums };
};

/** What both arms combine with one value from outside, in the same way; nothing where an arm leaves it as it is. */
const carriedSum = (op: Op, k: number, accumulators: ReadonlySet<number>) => {
  const values = op.regions.map((r) => terminatorOf(r).operands[k]!);
  const combined = op.regions.map((r, arm) => combination(r, values[arm]!));
  const sum = combined[0] ?? combined[1];
  if (!sum) return undefined;
  for (const carried of sum.operands.filter((v) => accumulators.has(v.id))) {
    const terms = combined.map((own, arm) =>
      values[arm]!.id === carried.id ? null : own?.name === sum.name ? termBeside(own, carried) : undefined,
    );
    if (!terms.includes(undefined)) return { sum, carried, terms: terms as (Value | null)[] };
  }
  return undefined;
};

/** The sum or extreme that a region yields as this value, and uses for nothing else. */
const combination = (region: Region, value: Value): Op | undefined => {
  const op = bodyOf(region).find((o) => o.results.length === 1 && o.results[0]!.id === value.id);
  return op && combining.has(op.name) && useCounts(region).get(value.id) === 1 ? op : undefined;
};

const termBeside = (op: Op, carried: Value): Value | undefined => {
  const [a, b] = op.operands as readonly [Value, Value];
  if (a.id === b.id) return undefined;
  return a.id === carried.id ? b : b.id === carried.id && op.name !== 'arith.sub' ? a : undefined;
};

const combining: ReadonlySet<string> = new Set(['arith.add', 'arith.sub', 'arith.min', 'arith.max']);

/** What changes nothing as the right operand, −0 and NaN included. */
const nothing = (name: string, type: Value['type'], context: CanonicalizeContext): Value | undefined =>
  typeof type !== 'string' || type === 'i1' ? undefined : context.constant(neutral(name, type), type);

const neutral = (name: string, type: ScalarType): Scalar => {
  if (name !== 'arith.sub') return identityOf(name.slice('arith.'.length), type);
  return isFloat(type) ? 0 : identityOf('add', type);
};
