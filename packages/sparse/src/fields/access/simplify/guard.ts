import {
  cloneRegion,
  rewriteOps,
  substitute,
  walk,
  opWith,
  type Buffer,
  type Builder,
  type Dialect,
  type Kernel,
  type Op,
  type RewriteContext,
  type Value,
} from '@filigree/ir';
import { numberOf } from './number-of.js';
import { hasAtMost } from './size.js';

/**
 * Duplicates a loop over a row in which accesses follow a multiple of the index: one copy for rows in which none of
 * them leaves the bounds of its field, which are nearly all, and one for the others. The first copy is split where the
 * multiple enters the next block, as a row of coarse cells borders on two blocks of fine ones; within each piece the
 * block is the same.
 */
export const guardMultiples = (kernel: Kernel, dialects: readonly Dialect[], buffers: readonly Buffer[]): Kernel =>
  rewriteOps(
    kernel,
    dialects,
    (op, ctx) => {
      const plan = planOf(op, ctx);
      return plan && ctx.build((b) => write(op, plan, b, ctx));
    },
    buffers,
  );

/** times · index + plus, with the base of the index. */
interface Multiple {
  readonly base: Value;
  readonly attrs: Op['attrs'];
  readonly unit: number;
  readonly times: number;
  readonly plus: number;
}

interface Plan {
  /** Values clamped, and what they are clamped to. */
  readonly clamps: readonly { readonly op: Op; readonly multiple: Multiple; readonly extent: number }[];
  /** Where pieces begin, and where the last one ends. */
  readonly cuts: readonly number[];
}

/** The longest body worth duplicating, and the most pieces. */
const MAX_OPS = 1000;
const MAX_PIECES = 4;

const planOf = (loop: Op, ctx: RewriteContext): Plan | undefined => {
  if (loop.name !== 'scf.for' || loop.attrs.simd !== true || loop.attrs.parallel === true || loop.results.length > 0)
    return undefined;
  const [from, to, step] = loop.operands.map((v) => numberOf(ctx.definition(v)));
  if (from === undefined || to === undefined || step !== 1 || from >= to) return undefined;
  if (!hasAtMost(loop, MAX_OPS)) return undefined;
  const [counter] = loop.regions[0].params;
  const multiples = new Map<number, Multiple>();
  const bounded = new Map<number, Multiple>();
  const inside = new Map<number, Op>();
  const number = (v: Value): number | undefined => numberOf(inside.get(v.id) ?? ctx.definition(v));
  const clamps: { op: Op; multiple: Multiple; extent: number }[] = [];
  const cuts = new Set<number>();
  let innermost = true;
  walk(loop.regions[0], (op) => {
    if (op.name === 'scf.for' || op.name === 'scf.while') innermost = false;
    for (const r of op.results) inside.set(r.id, op);
    const multiple = multipleOf(op, counter, multiples, number);
    if (multiple && !inside.has(multiple.base.id)) multiples.set(op.results[0].id, multiple);
    const operand = op.operands.length > 0 ? multiples.get(op.operands[0].id) : undefined;
    if (op.name === 'snode.clamp' && operand && operand.times > 1) {
      clamps.push({ op, multiple: operand, extent: Number(op.attrs.extent) });
      bounded.set(op.results[0].id, operand);
    }
    const digit = op.name === 'snode.extract' ? bounded.get(op.operands[0].id) : undefined;
    if (digit) for (const cut of cutsOf(digit, Number(op.attrs.below), from, to)) cuts.add(cut);
  });
  if (!innermost || clamps.length === 0 || cuts.size + 1 > MAX_PIECES) return undefined;
  return { clamps, cuts: [from, ...[...cuts].sort((x, y) => x - y), to] };
};

const multipleOf = (
  op: Op,
  counter: Value,
  known: ReadonlyMap<number, Multiple>,
  number: (v: Value) => number | undefined,
): Multiple | undefined => {
  const [x, y] = op.operands;
  if (op.name === 'snode.index')
    return y.id === counter.id && typeof op.attrs.hi === 'number'
      ? { base: x, attrs: op.attrs, unit: Number(op.attrs.unit), times: 1, plus: 0 }
      : undefined;
  const sign = op.name === 'arith.sub' ? -1 : 1;
  const swapped = sign === 1 && !known.has(x?.id);
  const [left, right] = swapped ? [y, x] : [x, y];
  const multiple = left && known.get(left.id);
  const by = right && number(right);
  if (!multiple || by === undefined) return undefined;
  if (op.name === 'arith.add' || op.name === 'arith.sub') return { ...multiple, plus: multiple.plus + sign * by };
  const factor = op.name === 'arith.mul' ? by : op.name === 'arith.shl' && !swapped && by >= 0 ? 2 ** by : 0;
  const hi = Number(multiple.attrs.hi) * multiple.times * factor;
  return factor >= 1 && hi <= 2 ** 30
    ? { ...multiple, times: multiple.times * factor, plus: multiple.plus * factor }
    : undefined;
};

/** Digits at which a multiple enters another part of `below` elements, where that is one only for all rows. */
const cutsOf = ({ unit, times, plus }: Multiple, below: number, from: number, to: number): readonly number[] => {
  if (below === 1 || (unit * times) % below !== 0) return [];
  const part = (digit: number): number => Math.floor((times * digit + plus) / below);
  return Array.from({ length: to - from - 1 }, (_, n) => from + 1 + n).filter((d) => part(d) !== part(d - 1));
};

const write = (loop: Op, { clamps, cuts }: Plan, b: Builder, ctx: RewriteContext): readonly Value[] => {
  const ends = [cuts[0], cuts[cuts.length - 1] - 1];
  const seen = new Set<string>();
  const tests = clamps.flatMap(({ multiple, extent }) => {
    const key = `${multiple.base.id} ${multiple.times} ${multiple.plus} ${extent}`;
    if (seen.has(key)) return [];
    seen.add(key);
    return ends.map((digit) => {
      const at = valueAt(multiple, digit, b);
      return b.value('snode.inside', [b.value('snode.clamp', [at], { extent }), at]);
    });
  });
  const unclamped = new Map(clamps.map(({ op }) => [op.results[0].id, op.operands[0]] as const));
  const body = substitute(loop.regions[0], unclamped);
  const piece = (from: number, to: number): void => {
    const bounds = [from, to].map((n) => b.constant(n, loop.operands[0].type));
    b.append(opWith(loop, { operands: [...bounds, loop.operands[2]], regions: [cloneRegion(body, ctx.ids)] }));
  };
  b.if(
    tests.reduce(b.and),
    () => {
      cuts.slice(1).forEach((to, n) => piece(cuts[n], to));
      return [];
    },
    () => {
      /* On lanes it would be code of many times the length, for hardly any row. */
      const { simd: _simd, ...plain } = loop.attrs;
      b.append(opWith(loop, { attrs: plain }));
      return [];
    },
  );
  return [];
};

const valueAt = ({ base, attrs, times, plus }: Multiple, digit: number, b: Builder): Value => {
  const index = b.value('snode.index', [base, b.i32(digit)], attrs);
  return b.add(b.mul(index, b.i32(times)), b.i32(plus));
};
