import type { IdSource, Op, OpTable, Scalar, Value } from '@filigree/ir';
import type { IntegerForms } from '../indices/integer-forms.js';
import { limitOfNumber, limitOfValue, type Between, type Limit } from './limits.js';

/** What is known around nests. */
export interface NestSetting {
  readonly table: OpTable;
  readonly ids: IdSource;
  readonly constants: ReadonlyMap<number, Scalar>;
  readonly forms: IntegerForms;
}

/** What is the same for all iterations of a nest: what is there before, and what is computed from that alone, from elements too that the nest does not change. */
export interface Same {
  readonly has: (v: Value) => boolean;
  readonly limitOf: (v: Value) => Limit | undefined;
  /** Between which limits a loop counts, if its bounds are the same for all; of extrema each operand is one. */
  readonly between: (loop: Op) => Between | undefined;
}

/** @param ops what is in the innermost of the loops */
export const sameIn = (loops: readonly Op[], ops: readonly Op[], { constants, forms }: NestSetting): Same => {
  const all = withInner(ops);
  const inside = new Set<number>();
  const definitions = new Map<number, Op>();
  const written = new Set<unknown>();
  for (const op of [...loops, ...all]) {
    for (const { params } of op.regions) for (const p of params) inside.add(p.id);
    for (const r of op.results) inside.add(r.id);
  }
  for (const op of flatOf(ops)) for (const r of op.results) definitions.set(r.id, op);
  for (const { name, attrs } of all) if (name !== 'field.load') written.add(attrs.field);
  const known = new Map<number, boolean>();
  const has = (v: Value): boolean => {
    const found = known.get(v.id) ?? isSame(v);
    known.set(v.id, found);
    return found;
  };
  const isSame = (v: Value): boolean => {
    if (!inside.has(v.id)) return true;
    const op = definitions.get(v.id);
    if (!op || op.regions.length > 0) return false;
    const isRead = op.name === 'field.load' && !written.has(op.attrs.field);
    return (isRead || op.name.startsWith('arith.')) && op.operands.every(has);
  };
  const numberOf = (v: Value): number | undefined => {
    const number = constants.get(v.id);
    const { terms, plus } = forms.formOf(v);
    return typeof number === 'number' ? number : terms.size === 0 ? plus : undefined;
  };
  const limitOf = (v: Value): Limit | undefined => {
    const number = numberOf(v);
    if (number !== undefined) return limitOfNumber(number);
    return v.type === 'i32' && has(v) ? limitOfValue(v, forms.formOf(v)) : undefined;
  };
  const limitsOf = (v: Value, extremum: string): readonly Limit[] => {
    const op = definitions.get(v.id) ?? forms.madeBy(v);
    if (op?.name === extremum && has(v)) return op.operands.flatMap((o) => limitsOf(o, extremum));
    const limit = limitOf(v);
    return limit ? [limit] : [];
  };
  return {
    has,
    limitOf,
    between: ({ operands: [lower, upper, step], regions: [{ params }] }) => {
      if (numberOf(step) !== 1 || params[0].type !== 'i32' || !limitOf(lower) || !limitOf(upper)) return undefined;
      return { from: limitsOf(lower, 'arith.max'), to: limitsOf(upper, 'arith.min') };
    },
  };
};

/** Ops, and those in their regions. */
export const withInner = (ops: readonly Op[]): readonly Op[] =>
  ops.flatMap((op) => [op, ...op.regions.flatMap((r) => withInner(r.ops))]);

/** Whether an op is a loop within the iterations of a nest, such as one over the taps of a filter. */
export const isTaps = ({ name, results }: Op): boolean => name === 'scf.for' && results.length === 0;

/** Whether an op with regions computes its results from what it reads alone, as a loop that sums up does. */
export const onlyReads = (op: Op, table: OpTable): boolean =>
  op.results.length > 0 &&
  (op.name === 'scf.for' || op.name === 'scf.if') &&
  withInner(op.regions.flatMap((r) => r.ops)).every((o) =>
    o.regions.length > 0
      ? o.name === 'scf.for' || o.name === 'scf.if'
      : o.name === 'field.load' || table.get(o.name)!.traits.terminator || table.get(o.name)!.effects(o).length === 0,
  );

/** Ops as if loops within an iteration had one iteration. */
export const flatOf = (ops: readonly Op[]): readonly Op[] =>
  ops.flatMap((op) => (isTaps(op) ? [op, ...flatOf(op.regions[0].ops.slice(0, -1))] : [op]));

/** The loops within an iteration around ops. */
export const tapsAround = (ops: readonly Op[], around: readonly Op[] = []): ReadonlyMap<Op, readonly Op[]> =>
  new Map(
    ops.flatMap((op): readonly (readonly [Op, readonly Op[]])[] => [
      [op, around],
      ...(isTaps(op) ? tapsAround(op.regions[0].ops, [...around, op]) : []),
    ]),
  );
