import { elementsAt, placeOfField, type Touched } from '@filigree/autodiff';
import type { Scalar } from '@filigree/ir';
import { visitElements } from '@filigree/sparse/cells';
import type { Arena } from '../fields/arena.js';
import { isInList } from './active-elements.js';
import { componentsIn } from '../fields/component.js';

/** What has been left in fields, by which it is seen whether the same is left again. */
export interface Leavings {
  /**
   * A field in which something else is now, by more than rounding in another order does.
   *
   * @param mixed whether lists may have the same in another order
   */
  readonly differs: (mixed?: boolean) => string | undefined;
}

/** Elements of a field that were written: by each coordinate, where it is known. */
export interface Written {
  readonly field: string;
  readonly at: readonly (number | undefined)[];
}

/** The elements that a launch writes of the fields that are asked for. */
export const writtenOf = (
  written: readonly Touched[],
  args: readonly Scalar[],
  fields: ReadonlySet<string>,
): readonly Written[] =>
  [...fields].flatMap((field) =>
    written.flatMap((w) => (w.place === placeOfField(field) ? [{ field, at: elementsAt(w, args) }] : [])),
  );

/** Takes note of what is in elements: of each set of them two sums, in which every element has a weight of its own. */
export const leavingsOf = (arena: Arena, all: readonly Written[]): Leavings => {
  const sets = [...new Map(all.map((w) => [`${w.field} ${w.at.join()}`, w])).values()];
  const now = (): readonly Sums[] => sets.map((w) => sumsOf(arena, w));
  const then = now();
  return {
    differs: (mixed = false) => {
      const later = now();
      return sets.find((_, n) => !areNear(then[n], later[n], mixed))?.field;
    },
  };
};

interface Sums {
  readonly weighted: number;
  /** Of elements of lists, with the weight of their list. */
  readonly mixed: number;
  readonly magnitude: number;
  readonly relative: number;
}

const sumsOf = (arena: Arena, { field, at }: Written): Sums => {
  const { field: decl } = arena.storage.layout.fields.get(field)!;
  const [{ path, nodes, get }] = componentsIn(arena, decl);
  arena.ready(undefined, new Set([nodes[0]]));
  let [weighted, mixed, magnitude] = [0, 0, 0];
  const isList = isInList(arena.storage.layout, field);
  const box = {
    from: path.axes.map((_, n) => at[n] ?? -Infinity),
    to: path.axes.map((_, n) => (at[n] === undefined ? Infinity : at[n] + 1)),
  };
  visitElements(
    arena,
    path,
    (cell, place) => {
      const value = Number(get(cell));
      weighted += value * weightOf(place);
      if (isList) mixed += value * weightOf(place.slice(0, -1));
      magnitude += Math.abs(value);
    },
    box,
  );
  return { weighted, mixed: isList ? mixed : weighted, magnitude, relative: decl.type === 'f64' ? 1e-6 : 1e-2 };
};

/** Between 1 and 2, scattered: multiples of powers of the golden ratio without their whole parts. */
const weightOf = (place: readonly number[]): number => {
  let sum = 0;
  for (let n = 0, by = GOLDEN; n < place.length; n++, by *= GOLDEN) sum += by * place[n];
  return 1 + sum - Math.floor(sum);
};

const GOLDEN = (Math.sqrt(5) - 1) / 2;

const areNear = (a: Sums, b: Sums, mixed: boolean): boolean => {
  const [was, is] = mixed ? [a.mixed, b.mixed] : [a.weighted, b.weighted];
  return Object.is(was, is) || Math.abs(was - is) <= a.relative * Math.max(a.magnitude, b.magnitude);
};
