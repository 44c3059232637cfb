import { areTogether, encodedTogether, type Component } from '../component.js';
import type { Elements } from './elements.js';

/**
 * Writes values of components, from one of them on, into an element whose first component lies in a cell: what is encoded together is
 * written together.
 */
export const elementWriter = (
  components: readonly Component[],
  grow: Elements['grow'],
): ((cell: number, at: ArrayLike<number>, values: ArrayLike<number | bigint>, from?: number) => void) => {
  const groups = encodedTogether(components).map((group) => ({ group, all: group.map((n) => components[n]) }));
  const together = areTogether(components);
  return (cell, indices, values, from = 0) => {
    for (const { group, all } of groups) {
      const [n] = group;
      const at = together || n === 0 ? cell : grow(n, indices);
      if (group.length === 1) all[0].set(at, values[from + n]);
      else all[0].setAll!(at, all, group.map((k) => values[from + k])); // prettier-ignore
    }
  };
};
