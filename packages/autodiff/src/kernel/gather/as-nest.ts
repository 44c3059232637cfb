import { Builder, cloneOps, type IdSource, type Op, type OpTable, type Scalar, type Value } from '@filigree/ir';
import { ANY_ORDER } from './any-order.js';
import { takenBy } from './out-of-branches.js';

/**
 * A parallel loop over all combinations of several ranges as loops within one another, preceded by their bounds: where its counter is divided by a number, and taken modulo the same, and is not used but for that. Nothing of other loops.
 *
 * @param constants numbers that are there before the loop, by value
 */
export const asNest = (
  loop: Op,
  constants: ReadonlyMap<number, Scalar>,
  table: OpTable,
  ids: IdSource,
): readonly Op[] | undefined => {
  const [lower, upper, step] = loop.operands.map((v) => constants.get(v.id));
  if (loop.name !== 'scf.for' || loop.operands.length > 3 || lower !== 0 || step !== 1 || typeof upper !== 'number')
    return undefined;
  const [{ params, ops }] = loop.regions;
  const numbers = new Map(constants);
  for (const { name, attrs, results } of ops)
    if (name === 'arith.constant') numbers.set(results[0].id, attrs.value as Scalar);
  const digits: { readonly extent: number; readonly values: readonly Value[] }[] = [];
  let [rest, values] = [upper, [params[0]] as readonly Value[]];
  for (;;) {
    const users = ops.filter((op) => takenBy(op).some((v) => values.some(({ id }) => id === v.id)));
    const divisors = new Set(
      users.map(({ name, operands: [of, by] }) =>
        (name === 'arith.div' || name === 'arith.rem') && values.some(({ id }) => id === of.id)
          ? numbers.get(by.id)
          : undefined,
      ),
    );
    const [by] = divisors;
    if (divisors.size !== 1 || typeof by !== 'number' || by < 1 || rest % by !== 0) break;
    const of = (name: string): readonly Value[] => users.flatMap((op) => (op.name === name ? op.results : []));
    digits.unshift({ extent: by, values: of('arith.rem') });
    [rest, values] = [rest / by, of('arith.div')];
  }
  if (digits.length === 0) return undefined;
  digits.unshift({ extent: rest, values });
  const b = new Builder(table, new Map(), ids);
  return b.collect(() => {
    b.loc = loop.loc;
    const [from, by, ends] = [b.i32(0), b.i32(1), digits.map(({ extent }) => b.i32(extent))];
    const along = (counters: readonly Value[]): void => {
      const n = counters.length;
      if (n < digits.length) {
        b.for(from, ends[n], by, n === 0 ? loop.attrs : ANY_ORDER, [], (at) => (along([...counters, at]), []));
        return;
      }
      const start = new Map(digits.flatMap((d, k) => d.values.map((v) => [v.id, counters[k]] as const)));
      const isDigit = ({ results }: Op): boolean => results.some((r) => start.has(r.id));
      const isLeft = (op: Op): boolean => !isDigit(op) && !takenBy(op).some((v) => v.id === params[0].id);
      cloneOps(ops.slice(0, -1).filter(isLeft), ids, start).ops.forEach((op) => b.append(op));
    };
    along([]);
  }).ops;
};
