import { walk, type Op, type Value, onceEach } from '@filigree/ir';
import { elementOf } from '../access/field-dialect.js';
import type { Layout } from '../layout/layout.js';

/**
 * Whether all elements that a loop reads and writes lie in rows along which it goes, or are the same in all iterations: then what loops within it add up, as of `for o { for c { y[o] += x[c] * w[c][o] } }`, is added up for many iterations at once.
 *
 * @param ops what is around the loop and in it, by result
 */
export const goesAlongRows = (layout: Layout, ops: ReadonlyMap<number, Op>, loop: Op): boolean => {
  const [region] = loop.regions;
  const counter = region!.params[0]!.id;
  const dependent = dependentOn(loop);
  /** How far a coordinate moves on from one iteration to the next, where that is told. */
  const stride = onceEach((v: Value): number | undefined => {
    if (v.id === counter) return 1;
    if (!dependent.has(v.id)) return 0;
    const op = ops.get(v.id);
    const [a, b] = op?.operands.map(stride) ?? [];
    if (a === undefined || b === undefined) return undefined;
    return op!.name === 'arith.add' ? a + b : op!.name === 'arith.sub' ? a - b : undefined;
  });
  let [rows, strays] = [0, 0];
  const count = (op: Op): void => {
    const index = elementOf(layout, op)?.index.map(stride);
    if (!index || index.length === 0) return;
    const last = index.pop();
    if (last === 1 && index.every((s) => s === 0)) rows++;
    else if (last !== 0 || index.some((s) => s !== 0)) strays++;
  };
  const isLoop = ({ name }: Op): boolean => name === 'scf.for';
  for (const op of region!.ops) if (isLoop(op)) for (const inner of op.regions) walk(inner, count);
  /* What loops within it have summed up costs little to store elsewhere as well. */
  const mayStray = rows > 0 && strays === 0;
  for (const op of region!.ops)
    if (!isLoop(op) && !(mayStray && op.name === 'field.store')) walk({ params: [], ops: [op] }, count);
  return rows > 0 && strays === 0;
};

/** What is made of the counter of a loop. */
const dependentOn = ({ regions: [region] }: Op): ReadonlySet<number> => {
  const found = new Set([region!.params[0]!.id]);
  walk(region!, ({ name, operands, results, regions }) => {
    if (!operands.some(({ id }) => found.has(id))) return;
    for (const { id } of results) found.add(id);
    /* What is carried begins elsewhere; what is counted does where the bounds do. */
    const counts = name === 'scf.for' && !operands.slice(0, 3).some(({ id }) => found.has(id));
    for (const { params } of regions) for (const { id } of params.slice(counts ? 1 : 0)) found.add(id);
  });
  return found;
};
