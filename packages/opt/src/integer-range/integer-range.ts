import {
  bufferMap,
  isWide,
  mapKernels,
  scalarOf,
  substituteOperands,
  opWith,
  type Buffers,
  type Kernel,
  type Loc,
  type Op,
  type Region,
  type Scalar,
  type Type,
  type Value,
} from '@filigree/ir';
import { constantPool } from '../support/constant-pool.js';
import { constantOfOp } from '../support/constant-in.js';
import { corePass } from '../support/core-pass.js';
import { factsOf, type Facts } from '../support/facts.js';
import { freshValues, simpleOp } from '../support/values.js';
import { rangesOf } from './analysis.js';
import type { RangeContext } from './context.js';
import { foldByRange } from './fold.js';

/**
 * Simplifies integer code by what is known about its values: intervals and low zero bits, derived from constants and
 * constant buffers, the bounds of loops, masks, shifts and remainders, and the conditions that guard a place. Minima,
 * maxima and comparisons whose outcome is known disappear; so do remainders and masks of values that are small enough,
 * and the parts of a sum that they cut off. A remainder of what goes round once at most becomes a comparison. Quotients
 * of sums of multiples are taken term by term: `(8a + b) ÷ 8` is `a` where 0 ≤ b < 8. Divisions of non-negative values
 * by powers of two become shifts and masks. Branches and unused ops are left to `canonicalize` and `dce`.
 */
export const integerRange = corePass('integer-range', {}, (dialects) => {
  const facts = factsOf(dialects);
  return (module) => {
    const buffers = bufferMap(module.buffers);
    return mapKernels(module, (k) => simplifyKernel(k, facts, buffers));
  };
});

const simplifyKernel = (kernel: Kernel, facts: Facts, buffers: Buffers): Kernel => {
  const ranges = rangesOf(kernel, buffers, facts);
  const fresh = freshValues(kernel);
  const pool = constantPool(fresh);
  const now = new Map<number, Value>();
  const definitions = new Map<number, Op>();
  let out: Op[] = [];
  let place: Loc | undefined;

  const append = (op: Op): void => {
    for (const v of op.results) definitions.set(v.id, op);
    ranges.note(op);
    out.push(op);
  };
  const context: RangeContext = {
    range: ranges.of,
    real: ranges.real,
    def: (v) => definitions.get(v.id),
    exact: ranges.exact,
    constant: (value, type) => pool.value(scalarOfType(value, type), type, append),
    build: (name, operands, type, attrs = {}) => {
      const op = simpleOp(name, operands, attrs, fresh(type), place);
      ranges.noteMade(op);
      const folded = foldByRange(op, context);
      if (folded) return folded;
      append(op);
      return op.results[0]!;
    },
  };

  const visitRegion = (region: Region): Region => {
    const outer = out;
    out = [];
    pool.enter();
    for (const op of region.ops) visit(op);
    pool.leave();
    const ops = out;
    out = outer;
    return ops.length === region.ops.length && ops.every((op, i) => op === region.ops[i])
      ? region
      : { params: region.params, ops };
  };
  const visit = (original: Op): void => {
    const op = substituteOperands(original, now);
    place = op.loc;
    if (op.regions.length > 0) {
      const regions = op.regions.map((r) => ranges.within(op, r, () => visitRegion(r)));
      append(regions.every((r, i) => r === op.regions[i]) ? op : opWith(op, { regions }));
      return;
    }
    const constant = constantOfOp(op, facts);
    if (constant !== undefined) pool.note(op, constant);
    else if (op.results.length === 1 && facts.def(op)) {
      const value = foldByRange(op, context);
      if (value) {
        now.set(op.results[0]!.id, value);
        return;
      }
    }
    append(op);
  };

  const body = visitRegion(kernel.body);
  return body === kernel.body ? kernel : { ...kernel, body };
};

const scalarOfType = (value: number, type: Type): Scalar =>
  scalarOf(type) === 'i1' ? value !== 0 : isWide(type) ? BigInt(value) : value + 0;
