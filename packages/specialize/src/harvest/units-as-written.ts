import type { Grouping } from '../group/group.js';
import { countFrom } from '../trace/count-from.js';
import type { ElementRoots } from './element-roots.js';

/**
 * Units in the order of the program. Elements of one kind have numbers in a row; where those of a level are of several kinds, as cells at the boundary of a grid and within, they come in
 * turns in the program, and what reads their values mostly reads neighbours in that order.
 */
export const unitsAsWritten = (
  { needs, elementLevels }: Pick<Grouping, 'needs' | 'elementLevels'>,
  { elements, ptr }: Pick<ElementRoots, 'elements' | 'ptr'>,
): Int32Array => {
  const order = countFrom(0, ptr.length - 1);
  const ofLevels = new Map<number, number[]>();
  needs.elements.forEach(({ places }, k) => {
    if (places === undefined || elements[k].calls.length === 0) return;
    const { values } = elementLevels[k];
    const known = ofLevels.get(values);
    if (known) known.push(k);
    else ofLevels.set(values, [k]);
  });
  for (const of of ofLevels.values()) {
    const units = of.flatMap((k) =>
      Array.from(needs.elements[k].places!, (place, e) => ({ place, unit: elements[k].firstUnit + e })),
    );
    const numbers = Int32Array.from(units, ({ unit }) => unit).sort();
    units.sort((a, b) => a.place - b.place).forEach(({ unit }, i) => (order[numbers[i]] = unit));
  }
  return order;
};
