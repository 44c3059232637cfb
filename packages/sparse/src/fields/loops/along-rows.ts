import { walk, type Op } from '@filigree/ir';
import { elementOf } from '../access/field-dialect.js';
import type { Layout } from '../layout/layout.js';
import { functionsIn } from './determines.js';

/**
 * Whether all elements that a loop reads and writes lie in rows along which it goes, or are the same in all iterations: then what loops within it add up, as of `for o { for c { y[o] += x[c] * w[c][o] } }`, is added up for many iterations at once.
 *
 * @param ops what is around the loop and in it, by result
 */
export const goesAlongRows = (layout: Layout, ops: ReadonlyMap<number, Op>, loop: Op): boolean => {
  const [region] = loop.regions;
  const counter = `%${region!.params[0]!.id}`;
  const functionOf = functionsIn(region!, ops);
  const moved = (f: string): boolean =>
    f === counter || /^(?:[+-]\S+ )+/.exec(f)?.[0].length === f.length - counter.length;
  const dependent = dependentOn(loop);
  let [rows, strays] = [0, 0];
  walk(region!, (op) => {
    const element = elementOf(layout, op);
    if (!element) return;
    const [last, ...others] = [...element.index].reverse();
    if (last === undefined) return;
    if (others.some((v) => dependent.has(v.id))) strays++;
    if (!dependent.has(last.id)) return;
    const f = functionOf(last);
    if (f !== undefined && f.endsWith(counter) && moved(f)) rows++;
    else strays++;
  });
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
