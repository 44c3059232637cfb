import { rare } from '#rare';
import type { AnyNode } from 'acorn';
import { literal, type Scalar } from '../../code/scalar.js';
import { refuse, type Context } from '../context/context.js';
import { iterated } from '../terms/iterated.js';
import { indexed, isWhole, loaded, rowsOf } from '../terms/member.js';
import {
  isLiteral,
  tupleOf,
  type ArrayArgument,
  type Bounds,
  type Element,
  type LoopHead,
  type Term,
} from '../context/term.js';
import { eachItem } from '../terms/items.js';

/** An item that is computed where it is visited, and whether it is there where that is known only when the kernel runs. */
export interface Visited {
  readonly item: () => Term;
  readonly there?: Scalar | undefined;
}

/** What a loop visits: items, each computed where it is visited, or indices that are known only when the kernel runs. */
export const visitedBy = (cx: Context, node: AnyNode, over: Term): readonly Visited[] | RunLoop => {
  if (over.is === 'sieve') return over.items.map(({ term, there }) => ({ item: () => term, there }));
  if (over.is === 'one-of') return rare().itemsOfOne(cx, node, over);
  if (over.is === 'array') return rowLoop(over, over.length);
  if (over.is === 'element' && !isWhole(cx, node, over)) return rowLoop(over, literal(rowsOf(cx, node, over)));
  if (over.is !== 'loop') return eachItem(cx, node, over).map((item) => ({ item }));
  const { space, order } = over;
  if (space.over === 'items') return iterated(cx, node, space).map((item, k) => ({ item, there: space.there?.[k] }));
  return order === 'unrolled' ? allIndices(cx, node, space) : { space, order };
};

/** A loop that runs in the kernel. */
export interface RunLoop extends Pick<LoopHead, 'order'> {
  readonly space: Exclude<LoopHead['space'], { over: 'items' }>;
}

/** A field by its rows, an array by its elements: one after the other in loops, at once where it stands outermost, as a range does. */
const rowLoop = (rows: Element | ArrayArgument, to: Scalar): RunLoop => ({
  space: { over: 'range', bounds: [{ from: literal(0), to, step: literal(1) }], single: true, rows },
  order: 'parallel',
});

/** What an iteration is given: its index or indices, or the row that this names. */
export const visitedAt = (cx: Context, node: AnyNode, space: RunLoop['space'], index: readonly Scalar[]): Term => {
  if (space.over === 'range' && space.rows) {
    const row = loaded(cx, node, indexed(cx, node, space.rows, index[0]));
    return space.paired ? tupleOf([index[0], row]) : row;
  }
  return space.over === 'range'
    ? space.single
      ? index[0]
      : tupleOf(index)
    : index.length === 1
      ? index[0]
      : tupleOf(index);
};

/** All that a loop visits that is unrolled. */
export const allIndices = (cx: Context, node: AnyNode, space: RunLoop['space']): readonly Visited[] =>
  indicesOf(cx, node, space).map((item) => ({ item: () => item }));

/** How often a loop over ranges runs, where that is known. */
export const timesOf = (space: RunLoop['space']): number | undefined =>
  space.over === 'range' && !space.rows
    ? space.bounds.reduce<number | undefined>((n, bounds) => {
        const some = numbersOf(bounds);
        return some && n !== undefined ? n * some.length : undefined;
      }, 1)
    : undefined;

/** What a range counts through, where that is known. */
const numbersOf = ({ from, to, step }: Bounds): readonly number[] | undefined => {
  const known = [from, to, step].map((x) => (isLiteral(x) && Number.isInteger(x.value) ? Number(x.value) : undefined));
  const [first, end, by] = known;
  return first === undefined || end === undefined || by === undefined ? undefined : steps(first, end, by);
};

const MOST = 4096;

/** All indices of a loop that is unrolled; its bounds must be known. */
const indicesOf = (cx: Context, node: AnyNode, space: RunLoop['space']): readonly Term[] => {
  if (space.over === 'active')
    return refuse(
      cx,
      node,
      'lang/unrolled',
      'which elements are active is not known at compile time',
      'unroll a range',
    );
  const known = space.bounds.map(
    (bounds) =>
      numbersOf(bounds) ??
      refuse(
        cx,
        node,
        'lang/unrolled',
        'the bounds of an unrolled loop must be whole numbers known at compile time',
        'use numbers, and constants of the scope; or leave unrolled(…) out',
      ),
  );
  const total = known.reduce((n, list) => n * list.length, 1);
  if (total > MOST)
    return refuse(
      cx,
      node,
      'lang/unrolled',
      `a loop of ${total} iterations is too long to unroll (${MOST} at most)`,
      'leave unrolled(…) out',
    );
  const all = known.reduce<readonly (readonly number[])[]>(
    (rows, list) => rows.flatMap((row) => list.map((x) => [...row, x])),
    [[]],
  );
  return all.map((row) => (space.single ? literal(row[0]) : tupleOf(row.map(literal))));
};

const steps = (from: number, to: number, step: number): readonly number[] =>
  step > 0
    ? Array.from({ length: Math.min(MOST + 1, Math.max(0, Math.ceil((to - from) / step))) }, (_, k) => from + k * step)
    : [];
