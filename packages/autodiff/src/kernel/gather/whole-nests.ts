import { Builder, cloneOps, type IdSource, type Op, type OpTable, type Scalar, type Value } from '@filigree/ir';
import { runsInAnyOrder } from './any-order.js';
import { saidBy, type Fact } from '../indices/conjuncts.js';
import { cutAtClamps, edgesOf, type Between } from './cut-clamps.js';
import type { IntegerForms } from '../indices/integer-forms.js';
import { outOfBranches } from './out-of-branches.js';

/** Loops within one another, and what is in the innermost of them. */
export interface Nest {
  readonly loops: readonly Op[];
  /** What is in them all, as if it were in the innermost. Branches only read. */
  readonly ops: readonly Op[];
  /** Between which numbers iterations do something, where that is fewer than the loops say: from, and to below, for each loop. */
  readonly narrowed?: readonly Between[];
  /** Whether it has branches, so that what an iteration does not write may be outside of a field. */
  readonly hasBranches: boolean;
}

/** What is known around nests. */
export interface NestSetting {
  readonly table: OpTable;
  readonly ids: IdSource;
  readonly constants: ReadonlyMap<number, Scalar>;
  readonly forms: IntegerForms;
}

/** The nest that a loop is; nothing where there is more in it than one loop, whose iterations may run in any order, and what this needs. */
export const nestOf = (loop: Op, s: NestSetting): Nest | undefined => {
  const found = straight(loop, s.table);
  if (!found) return undefined;
  return flattened(narrowed(found, s) ?? found, s);
};

const flattened = (nest: Omit<Nest, 'hasBranches'>, s: NestSetting): Nest | undefined => {
  const flat = outOfBranches(nest.ops, s.table, s.ids);
  return flat && { ...nest, ops: flat, hasBranches: nest.ops.some((op) => op.regions.length > 0) };
};

/** The inner part of a nest, where what keeps indices within a field does nothing, see `cutAtClamps`, and the same as it was in what is around that. */
export const cutNestOf = (
  loop: Op,
  s: NestSetting,
): { readonly inner: Nest; readonly edges: readonly Op[] } | undefined => {
  const found = straight(loop, s.table);
  if (!found) return undefined;
  const { loops, ops, narrowed: given } = { narrowed: undefined, ...(narrowed(found, s) ?? found) };
  const numberIn = (v: Value): number => numberOf(v, s.constants, s.forms);
  const whole = given ?? loops.map(({ operands: [from, to] }): Between => [numberIn(from), numberIn(to)]);
  if (whole.flat().some(Number.isNaN)) return undefined;
  const counters = loops.map(({ regions: [{ params }] }) => params[0]);
  const known = (v: Value): number | undefined => (Number.isNaN(numberIn(v)) ? undefined : numberIn(v));
  const cut = cutAtClamps(counters, whole, ops, known);
  const inner = cut && flattened({ loops, ops: cut.ops, narrowed: cut.inner }, s);
  return inner && { inner, edges: edgesOf(whole, cut.inner).flatMap((box) => nestOver(loops, box, ops, s)) };
};

/** The nest over a part of its box. */
const nestOver = (
  loops: readonly Op[],
  box: readonly Between[],
  ops: readonly Op[],
  { table, ids }: NestSetting,
): readonly Op[] => {
  const b = new Builder(table, new Map(), ids);
  const along = (counters: readonly Value[]): void => {
    const d = counters.length;
    if (d === loops.length) {
      const start = new Map(loops.map(({ regions: [{ params }] }, n) => [params[0].id, counters[n]]));
      cloneOps(ops.slice(0, -1), ids, start).ops.forEach((op) => b.append(op));
    } else {
      const [from, to] = box[d];
      b.for(b.i32(from), b.i32(to), b.i32(1), loops[d].attrs, [], (n) => (along([...counters, n]), []));
    }
  };
  return b.collect(() => {
    b.loc = loops[0].loc;
    along([]);
  }).ops;
};

const straight = (loop: Op, table: OpTable): Pick<Nest, 'loops' | 'ops'> | undefined => {
  const [{ ops }] = loop.regions;
  const at = ops.findIndex((op) => op.regions.length > 0 && op.name !== 'scf.if');
  if (at < 0) return { loops: [loop], ops };
  const before = ops.slice(0, at);
  if (at !== ops.length - 2 || !runsInAnyOrder(ops[at])) return undefined;
  if (before.some((op) => op.regions.length > 0 || table.get(op.name)!.effects(op).length > 0)) return undefined;
  const inner = straight(ops[at], table);
  return inner && { loops: [loop, ...inner.loops], ops: [...before, ...inner.ops] };
};

/** A nest all of which is in a branch that is taken within a box, `if (i >= 2 && i < n - 2)`, as the box; nothing of another one. */
const narrowed = (
  { loops, ops }: Pick<Nest, 'loops' | 'ops'>,
  { table, constants, forms }: NestSetting,
): Pick<Nest, 'loops' | 'ops' | 'narrowed'> | undefined => {
  const branch = ops[ops.length - 2];
  const before = ops.slice(0, -2);
  if (branch?.name !== 'scf.if' || branch.results.length > 0) return undefined;
  if (before.some((op) => op.regions.length > 0 || table.get(op.name)!.effects(op).length > 0)) return undefined;
  const taken = branch.regions.findIndex(({ ops: arm }) => arm.length > 1);
  if (taken < 0 || branch.regions[1 - taken].ops.length > 1) return undefined;
  const { facts, isAll } = saidBy(branch.operands[0], taken === 0, forms.madeBy);
  const ranges = loops.map(({ operands: [from, to] }): [number, number] => [
    numberOf(from, constants, forms),
    numberOf(to, constants, forms),
  ]);
  if (!isAll || ranges.flat().some(Number.isNaN) || !facts.every((f) => narrow(ranges, loops, f, forms)))
    return undefined;
  return { loops, ops: [...before, ...branch.regions[taken].ops.slice(0, -1), ops[ops.length - 1]], narrowed: ranges };
};

const numberOf = (v: Value, constants: ReadonlyMap<number, Scalar>, { formOf }: IntegerForms): number => {
  const known = constants.get(v.id);
  const { terms, plus } = formOf(v);
  return typeof known === 'number' ? known : terms.size === 0 ? plus : NaN;
};

/** Narrows the range of a loop by what a comparison of its counter with a number says; false where it says something else. */
const narrow = (
  ranges: readonly [number, number][],
  loops: readonly Op[],
  { op, holds }: Fact,
  { formOf, liesIn }: IntegerForms,
): boolean => {
  if (op.name !== 'arith.cmp') return false;
  const [left, right] = op.operands.map(formOf);
  const [sum, number, turned] = right.terms.size === 0 ? [left, right, false] : [right, left, true];
  if (number.terms.size > 0 || sum.terms.size !== 1) return false;
  const [[id, times]] = sum.terms;
  const n = loops.findIndex(({ regions: [{ params }] }) => params[0].id === id);
  if (n < 0 || times !== 1 || !op.operands.every((v) => liesIn(v).every(Number.isFinite))) return false;
  const by = number.plus - sum.plus;
  const predicate = String(op.attrs.predicate);
  const said = turned ? (TURNED[predicate] ?? '') : predicate;
  const is = holds ? said : (DENIED[said] ?? '');
  const range = ranges[n];
  if (is === 'lt' || is === 'le') range[1] = Math.min(range[1], is === 'lt' ? by : by + 1);
  else if (is === 'gt' || is === 'ge') range[0] = Math.max(range[0], is === 'gt' ? by + 1 : by);
  else if (is === 'ne' && by === range[0]) range[0]++;
  else if (is === 'ne' && by === range[1] - 1) range[1]--;
  else return false;
  return true;
};

const TURNED: Readonly<Record<string, string>> = { lt: 'gt', le: 'ge', gt: 'lt', ge: 'le', eq: 'eq', ne: 'ne' };
const DENIED: Readonly<Record<string, string>> = { lt: 'ge', le: 'gt', gt: 'le', ge: 'lt', eq: 'ne', ne: 'eq' };

/** What an element is given once is computed by so many ops at most, else summing by atomics is cheaper. */
export const MOST_OPS = 40;
