import {
  algebraOf,
  freeValues,
  isFloat,
  scalarOf,
  walk,
  type Builder,
  type Kernel,
  type Op,
  type Region,
  type Value,
} from '@filigree/ir';
import type { DerivativeTable } from '../../table/derivative.js';
import { rowOf } from './rule.js';

/** Whether what is computed again is what was found. */
export interface FoundAgain {
  /**
   * A truth value: whether a value of the primal kernel is the one that an extremum has been found to be. Where more than one operation rounds it may differ in the last places, since compilers are free to
   * contract, to reassociate and to take other functions on lanes than for numbers; then it is to be as near as a bound of first order on these roundings says (N. J. Higham, Accuracy and Stability
   * of Numerical Algorithms, §3.3, running error analysis). Values that lie so near to one another are as good as equal.
   *
   * @param valueOf what values of the primal kernel are now
   */
  readonly is: (b: Builder, v: Value, found: Value, valueOf: (v: Value) => Value) => Value;
}

export const foundAgain = ({ body }: Kernel, derivatives: DerivativeTable): FoundAgain => {
  const made = new Map<number, { readonly op: Op; readonly at: number }>();
  walk(body, (op) => op.results.forEach((r) => made.set(r.id, { op, at: made.size })));
  /** Ops that a value is made of, the last first. */
  const sourcesOf = (v: Value): readonly Op[] => {
    const found = new Map<Op, number>();
    const visit = (x: Value): void => {
      const source = made.get(x.id);
      if (!source || !isFloat(x.type) || found.has(source.op)) return;
      found.set(source.op, source.at);
      takenBy(source.op).forEach(visit);
    };
    visit(v);
    return [...found].sort(([, a], [, b]) => b - a).map(([op]) => op);
  };
  return {
    is: (b, v, found, valueOf) => {
      const equal = b.cmp('eq', valueOf(v), found);
      const sources = sourcesOf(v);
      const rounding = sources.filter((op) => roundings(op) > 0);
      if (rounding.length === 0 || (rounding.length === 1 && isPlain(rounding[0]))) return equal;
      const bound = boundOf(b, v, sources, derivatives, valueOf);
      const near = b.cmp('le', b.math('abs', b.sub(valueOf(v), found)), bound);
      /* What is infinite on the way bounds nothing. */
      return b.or(equal, b.and(near, b.cmp('lt', bound, b.constant(Infinity, v.type))));
    },
  };
};

/** How far a value may be from what it was, by what its sources may have rounded. */
const boundOf = (
  b: Builder,
  v: Value,
  sources: readonly Op[],
  derivatives: DerivativeTable,
  valueOf: (v: Value) => Value,
): Value => {
  const to = (x: Value, type: Value['type']): Value => (x.type === type ? x : b.cast(x, scalarOf(type)));
  /** By how much the value changes with each of its sources. */
  const slopes = new Map<number, Value>([[v.id, b.constant(1, v.type)]]);
  const add = (x: Value, slope: Value): void => {
    const before = slopes.get(x.id);
    slopes.set(x.id, before ? b.add(before, slope) : slope);
  };
  let bound = b.constant(0, v.type);
  for (const op of sources) {
    const [result] = op.results.filter((r) => slopes.has(r.id));
    const slope = result && slopes.get(result.id);
    if (!slope) continue;
    if (roundings(op) > 0) {
      const unit = result.type === 'f32' ? 2 ** -24 : 2 ** -53;
      const size = b.mul(b.math('abs', valueOf(result)), slope);
      bound = b.add(bound, to(b.mul(size, b.constant(roundings(op) * unit, size.type)), v.type));
    }
    if (op.name === 'arith.cast' && isFloat(op.operands[0].type)) add(op.operands[0], to(slope, op.operands[0].type));
    /* What rounds nothing hands on, or chooses, what it is given. */
    if (op.regions.length > 0 && roundings(op) === 0)
      for (const x of takenBy(op)) if (isFloat(x.type)) add(x, to(slope, x.type));
    const row = rowOf(derivatives, op);
    if (op.regions.length > 0 || op.name === 'arith.cast' || row?.is !== 'rule') continue;
    const terms = row.times(algebraOf(b, result.type), slope, valueOf(result), ...op.operands.map(valueOf));
    op.operands.forEach((x, n) => terms[n] && isFloat(x.type) && add(x, b.math('abs', terms[n])));
  }
  return bound;
};

/** What an op is given, and what its regions take from around it. */
const takenBy = ({ operands, regions }: Op): readonly Value[] => [...operands, ...regions.flatMap(freeValues)];

/** Whether an op gives the same wherever it stands alone; branches do in each arm of which no more than one op rounds, and that is such. */
const isPlain = (op: Op): boolean =>
  op.name === 'scf.if'
    ? op.regions.every((arm) => {
        const rounding = roundingIn(arm);
        return rounding.length === 0 || (rounding.length === 1 && isPlain(rounding[0]));
      })
    : PLAIN.has(op.name);

const PLAIN: ReadonlySet<string> = new Set(['arith.add', 'arith.sub', 'arith.mul']);

const EXACT: ReadonlySet<string> = new Set([
  'arith.constant',
  'arith.neg',
  'arith.min',
  'arith.max',
  'arith.select',
  'arith.bitcast',
  'arith.cast',
  'math.abs',
  'math.floor',
  'math.ceil',
  'math.round',
  'math.trunc',
  'math.sign',
]);

/** By how many units roundoff two ways to compute the result may be apart, where its operands are the same; of loops and branches in which something rounds, whose sums nobody follows, by as many as sums of some thousand terms. */
const roundings = (op: Op): number => {
  if (op.regions.length > 0) return op.regions.every((r) => roundingIn(r).length === 0) ? 0 : 256;
  if (EXACT.has(op.name) || !/^(arith|math)\./.test(op.name) || !op.results.every((r) => isFloat(r.type))) return 0;
  return op.name.startsWith('math.') && op.name !== 'math.sqrt' && op.name !== 'math.fma' ? 16 : 4;
};

/** The ops right in a region that round. */
const roundingIn = ({ ops }: Region): readonly Op[] => ops.filter((op) => roundings(op) > 0);
