import { countFrom } from '../trace/count-from.js';
import type { NeededElements } from '../decompose/needs.js';

/** For each leaf of what elements compute the node that it stands for, by element. */
export const leafColumns = ({ count, leaves, variables, columns }: NeededElements): readonly Int32Array[] =>
  Array.from(leaves, (leaf) => {
    const at = variables.indexOf(leaf);
    return at < 0 ? new Int32Array(count).fill(leaf) : columns[at];
  });

/** Members `0 .. count` whose leaves are of the same kinds. */
export interface OfKinds {
  readonly kinds: readonly number[];
  readonly members: Int32Array;
}

const areOf = (column: Int32Array, kind: number, kindOf: (id: number) => number): boolean => {
  for (let i = 1; i < column.length; i++) if (kindOf(column[i]) !== kind) return false;
  return true;
};

/** Members by the kinds of what they have in each column. */
export const membersByKinds = (
  count: number,
  columns: readonly Int32Array[],
  kindOf: (id: number) => number,
): readonly OfKinds[] => {
  const uniform = columns.map((column) => kindOf(column[0]));
  if (count > 0 && columns.every((column, c) => areOf(column, uniform[c], kindOf)))
    return [{ kinds: uniform, members: countFrom(0, count) }];
  const parts = new Map<string, { kinds: number[]; members: number[] }>();
  let last: { kinds: number[]; members: number[] } | undefined;
  for (let i = 0; i < count; i++) {
    let same = last !== undefined;
    for (let c = 0; same && c < columns.length; c++) same = last!.kinds[c] === kindOf(columns[c][i]);
    if (!same) {
      const kinds = columns.map((column) => kindOf(column[i]));
      const known = parts.get(kinds.join()) ?? { kinds, members: [] };
      parts.set(kinds.join(), known);
      last = known;
    }
    last!.members.push(i);
  }
  return [...parts.values()].map(({ kinds, members }) => ({ kinds, members: Int32Array.from(members) }));
};
