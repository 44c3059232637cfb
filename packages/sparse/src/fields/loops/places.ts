import type { Op, OpTable, Region, Value } from '@filigree/ir';
import { elementOf, structureName, valueName, type ElementOf } from '../access/field-dialect.js';
import { isSparse, type Layout } from '../layout/layout.js';
import { beforeFirst } from './apart.js';
import { runsInTurn } from './runs-in-turn.js';

/** An element that is the same in all iterations of a loop, which updates it, and the ops that do. */
export interface Place {
  readonly element: ElementOf;
  /** What effects call the words of its field. */
  readonly word: string;
  /** Ops on it, in program order: `field.load`, `field.store` and `field.atomic`. */
  readonly accesses: readonly Op[];
}

/** What a coordinate is in all iterations of a loop: words that are equal where it is. Nothing where it may differ. */
export type SameOf = (coordinate: Value) => string | undefined;

/**
 * The elements that nothing in a loop touches but loads, stores and atomics on them, each at its top or within its branches and the loops that it runs in turn. Two elements of a
 * field are told apart by coordinates that are different numbers, or of which one is the counter and the other less than all that is counted.
 */
export const placesIn = (
  layout: Layout,
  table: OpTable,
  loop: Op,
  ops: ReadonlyMap<number, Op>,
  same: SameOf,
): readonly Place[] => {
  const found = new Map<string, Map<string, Draft>>();
  /** What else is read and written of a field, at coordinates that are not the same in all iterations. */
  const strays = new Map<string, ElementOf[]>();
  const before = beforeFirst(loop, ops);
  const counter = loop.regions[0]!.params[0]!.id;
  const meets = ({ index }: ElementOf, other: ElementOf): boolean =>
    !index.some((v, axis) => before(v) && other.index[axis]!.id === counter);
  const lost = new Set<string>();
  let unknown = false;
  const lose = (word: string | undefined): void => {
    if (word === undefined) unknown = true;
    else lost.add(word);
  };
  const visit = (region: Region, carries: boolean): void => {
    for (const op of region.ops) {
      const element = elementOf(layout, op);
      const leaf = element && layout.nodes[element.placed.path[element.placed.path.length - 1]];
      const key = element?.index.map(same);
      const effects = table.get(op.name)?.effects(op) ?? [{ buffer: undefined }];
      if (!(carries && leaf && leaf.stored === undefined && onElements.has(op.name)))
        for (const { buffer } of effects) lose(buffer);
      else if (key!.includes(undefined)) {
        const word = valueName(leaf);
        strays.set(word, [...(strays.get(word) ?? []), element]);
        for (const { buffer } of effects) if (buffer !== word) lose(buffer);
      } else {
        const word = valueName(leaf);
        const of = found.get(word) ?? new Map<string, Draft>();
        found.set(word, of);
        const draft = of.get(key!.join()) ?? { element, word, key: key as string[], accesses: [] };
        of.set(key!.join(), draft);
        draft.accesses.push(op);
        if (op.attrs.activate === false && element.placed.path.some((n) => isSparse(layout.nodes[n]))) lose(word);
      }
      const goesOn = carries && (op.name === 'scf.if' || runsInTurn(op));
      for (const inner of op.regions) visit(inner, goesOn);
    }
  };
  visit(loop.regions[0]!, true);
  if (unknown) return [];
  return [...found.values()].flatMap((of): readonly Place[] => {
    const all = [...of.values()];
    const apart = all.every((a, n) => all.slice(n + 1).every((b) => differ(a.key, b.key)));
    const isOf = ({ word, element }: Place): boolean =>
      !lost.has(word) && keepsCells(layout, element, lost) && !strays.get(word)?.some((other) => meets(element, other));
    return apart ? all.filter(isOf) : [];
  });
};

interface Draft extends Place {
  readonly key: readonly string[];
  readonly accesses: Op[];
}

const onElements: ReadonlySet<string> = new Set(['field.load', 'field.store', 'field.atomic']);

/** Whether nothing gives back or clears cells around an element, or asks which there are. */
const keepsCells = ({ nodes }: Layout, { placed }: ElementOf, lost: ReadonlySet<string>): boolean =>
  placed.path.every((n) => !lost.has(structureName(nodes[n])));

const differ = (a: readonly string[], b: readonly string[]): boolean =>
  a.some((x, axis) => x !== b[axis] && Number.isFinite(Number(x)) && Number.isFinite(Number(b[axis])));
