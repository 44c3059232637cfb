import type { NeededElements } from '../decompose/needs.js';
import type { Grouping } from '../group/group.js';
import { operationsOf } from '../place/lanes.js';
import { equalColumns } from '../trace/elements/column-from.js';
import { elementTemplate } from './element-template.js';
import { leafColumns } from './leaf-columns.js';

/** Calls before that are looked at: an energy and its derivatives follow one another. */
const COMPARED = 4;

/** Operations of what is computed together: registers and compilers have enough then. */
const MOST_OPERATIONS = 4096;

/** Values that are computed in the units of one call, over the columns of all its leaves. */
interface Host {
  readonly call: number;
  readonly parts: readonly NeededElements[];
  readonly columns: readonly Int32Array[];
}

/**
 * For each call of elements the call in whose units its values are computed: mostly its own. An energy and its derivatives, or these and second ones, are of the same elements
 * and compute much of the same, strains, lengths, exponentials; so they are one unit where the leaves of one are among those of the other, and half of the smaller is saved.
 */
export const hostsOf = ({
  graph,
  needs,
  elementLevels,
}: Pick<Grouping, 'graph' | 'needs' | 'elementLevels'>): readonly number[] => {
  const costOf = (parts: readonly NeededElements[], columns: readonly Int32Array[]): number => {
    const leaves = parts.flatMap((e) => [...e.leaves]);
    const slots = parts
      .flatMap(leafColumns)
      .map((c) => ({ variable: columns.findIndex((known) => equalColumns(known, c)) }));
    const roots = parts.flatMap(({ roots: all, needed }) => needed.map((r) => all[r]));
    return operationsOf(elementTemplate(graph, Int32Array.from(leaves), slots, columns.length, roots));
  };
  const found: Host[] = [];
  return needs.elements.map((e, k) => {
    if (e.needed.length === 0) return k;
    const own: Host = { call: k, parts: [e], columns: distinct(leafColumns(e)) };
    const level = (call: number): number => elementLevels[call].values;
    const at = found.findIndex(
      ({ call, parts: [first] }) => first.count === e.count && level(call) === level(k) && isPlacedAlike(first, e),
    );
    const together = at >= 0 ? joined(found[at], own, costOf) : undefined;
    if (together === undefined) {
      found.unshift(own);
      found.splice(COMPARED);
      return k;
    }
    found[at] = together;
    return together.call;
  });
};

const isPlacedAlike = ({ places: a }: NeededElements, { places: b }: NeededElements): boolean =>
  a === b || (a !== undefined && b !== undefined && equalColumns(a, b));

const joined = (
  host: Host,
  guest: Host,
  costOf: (parts: readonly NeededElements[], columns: readonly Int32Array[]) => number,
): Host | undefined => {
  const [more, less] = host.columns.length >= guest.columns.length ? [host, guest] : [guest, host];
  if (!less.columns.every((c) => isAmong(more.columns, c))) return undefined;
  const apart = [host, guest].map(({ parts, columns }) => costOf(parts, columns));
  const [first, second] = apart as [number, number];
  if (first + second > MOST_OPERATIONS) return undefined;
  const parts = [...host.parts, ...guest.parts];
  const saved = first + second - costOf(parts, more.columns);
  return 2 * saved >= Math.min(first, second) ? { call: host.call, parts, columns: more.columns } : undefined;
};

const isAmong = (columns: readonly Int32Array[], c: Int32Array): boolean =>
  columns.some((known) => equalColumns(known, c));

const distinct = (columns: readonly Int32Array[]): readonly Int32Array[] =>
  columns.reduce<readonly Int32Array[]>((known, c) => (isAmong(known, c) ? known : [...known, c]), []);
