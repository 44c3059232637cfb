import type { Arena } from './arena.js';
import type { Component } from './component.js';
import { digitsIn } from './digits.js';
import { copyWordsAlong, type Axis } from './strided.js';

/** Words of memory at constant distances, as they lie there: what is fastest to copy. */
export interface Stretches {
  /** Words of a copy. */
  readonly length: number;
  /** Copies them out of the memory. */
  readonly read: (into: Int32Array) => void;
  /** Copies them back. */
  readonly write: (from: Int32Array) => void;
}

/** The word that a stretch begins with, and its axes: outermost first, and in the end the words that follow one another. */
interface Stretch {
  readonly first: number;
  readonly axes: readonly Side[];
}

type Side = Pick<Axis, 'side' | 'step'>;

/**
 * The stretches of some components, and the components of which there are none: they are stored in a format or less than a word long,
 * or do not lie at constant distances. What is adjacent is copied at once.
 */
export const stretchesOf = (
  arena: Arena,
  components: readonly Component[],
): { readonly stretches: Stretches; readonly others: readonly Component[] } => {
  const found = components.map((c) => stretchOf(arena, c));
  const joined = together(together(found.filter((s) => s !== undefined)));
  let length = 0;
  const copies = joined.map(({ first, axes }) => {
    const inCopy = axes.map((_, a) => axes.slice(a + 1).reduce((n, { side }) => n * side, 1));
    const at = length;
    length += axes[0].side * inCopy[0];
    const paired = (back: boolean): readonly Axis[] => [
      ...(axes.length === 1 ? [{ side: 1, step: 0, targetStep: 0 }] : []),
      ...axes.map(({ side, step }, a) =>
        back ? { side, step: inCopy[a], targetStep: step } : { side, step, targetStep: inCopy[a] },
      ),
    ];
    return { at, first, reading: paired(false), writing: paired(true) };
  });
  const memory = arena.words;
  return {
    stretches: {
      length,
      read: (array) => {
        for (const { at, first, reading } of copies)
          copyWordsAlong({ array: memory, first }, { array, first: at }, reading);
      },
      write: (array) => {
        for (const { at, first, writing } of copies)
          copyWordsAlong({ array, first: at }, { array: memory, first }, writing);
      },
    },
    others: components.filter((_, n) => found[n] === undefined),
  };
};

const stretchOf = (arena: Arena, component: Component): Stretch | undefined => {
  const { start, digits } = digitsIn(arena, component) ?? {};
  if (start === undefined || [start, component.bytes, ...digits!.map((d) => d.bytes)].some((b) => b % WORD !== 0))
    return undefined;
  const sides = digits!
    .filter((d) => d.extent > 1)
    .map((d): Side => ({ side: d.extent, step: d.bytes / WORD }))
    .sort((a, b) => b.step - a.step);
  return { first: start / WORD, axes: joinedSides([...sides, { side: component.bytes / WORD, step: 1 }]) };
};

/** Axes of which one goes on where the next one ends count as one. */
const joinedSides = (sides: readonly Side[]): readonly Side[] =>
  sides.reduceRight<readonly Side[]>((inner, { side, step }) => {
    const [next, ...rest] = inner;
    return next && step === next.side * next.step
      ? [{ side: side * next.side, step: next.step }, ...rest]
      : [{ side, step }, ...inner];
  }, []);

/** Stretches whose rows follow one another are one with longer rows. */
const together = (list: readonly Stretch[]): readonly Stretch[] => {
  const joined: Stretch[] = [];
  for (const s of [...list].sort((a, b) => a.first - b.first)) {
    const at = joined.findIndex((t) => goesOn(t, s));
    if (at < 0) joined.push(s);
    else joined[at] = { first: joined[at].first, axes: joinedSides(longer(joined[at].axes, rowOf(s))) };
  }
  return joined;
};

const rowOf = ({ axes }: Stretch): number => axes[axes.length - 1].side;

const longer = (axes: readonly Side[], by: number): readonly Side[] =>
  axes.map((a, n) => (n === axes.length - 1 ? { side: a.side + by, step: 1 } : a));

const goesOn = (a: Stretch, b: Stretch): boolean =>
  a.first + rowOf(a) === b.first &&
  a.axes.length === b.axes.length &&
  a.axes.slice(0, -1).every(({ side, step }, n) => side === b.axes[n].side && step === b.axes[n].step);

/** Bytes of a word. */
const WORD = 4;
