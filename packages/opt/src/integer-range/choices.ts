import { evaluateOp, type Op, type RuntimeValue, type Scalar, type Value } from '@filigree/ir';
import { constantOfOp } from '../support/constant-in.js';
import type { Facts } from '../support/facts.js';

/** What integers are one of two numbers by what conditions alone say: `c ? 0 : 1`, `2 * i32(c) + 3`. */
export interface Choices {
  /** Takes an op into account, in program order, after those in its regions. */
  readonly note: (op: Op) => void;
  readonly has: (v: Value) => boolean;
}

export const choicesBy = (facts: Facts): Choices => {
  const known = new Map<number, readonly Scalar[]>();
  const valuesOf = (v: Value): readonly Scalar[] | undefined =>
    known.get(v.id) ?? (v.type === 'i1' ? [false, true] : undefined);
  const learn = ({ id, type }: Value, values: readonly (Scalar | undefined)[]): void => {
    const all = [...new Set(values)];
    if ((type === 'i32' || type === 'i64') && all.length <= 2 && !all.includes(undefined))
      known.set(id, all as readonly Scalar[]);
  };
  const note = (op: Op): void => {
    const constant = constantOfOp(op, facts);
    if (constant !== undefined) return learn(op.results[0]!, [constant]);
    if (op.regions.length > 0) {
      const ends = op.regions.map((r) => r.ops.at(-1)).filter((end) => end !== undefined && facts.terminator(end));
      return op.results.forEach((r, k) => {
        const values = ends.map((end) => end!.operands[k] && valuesOf(end!.operands[k]));
        if (values.every((v) => v !== undefined)) learn(r, values.flat());
      });
    }
    const def = facts.def(op);
    const args = op.operands.map(valuesOf);
    if (!def || op.results.length !== 1 || args.length === 0 || !args.every((a) => a !== undefined)) return;
    const values = combined(args).map((a) => evaluateOp(op, def, a)?.[0]);
    learn(
      op.results[0]!,
      values.map((v) => (Array.isArray(v) ? undefined : (v as Scalar | undefined))),
    );
  };
  return { note, has: (v) => v.type !== 'i1' && known.get(v.id)?.length === 2 };
};

/** One of each, in all ways. */
const combined = (args: readonly (readonly Scalar[])[]): readonly (readonly RuntimeValue[])[] =>
  args.reduce<readonly (readonly Scalar[])[]>((all, values) => all.flatMap((a) => values.map((v) => [...a, v])), [[]]);
