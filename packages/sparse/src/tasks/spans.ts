import {
  bufferMap,
  type AccessesOf,
  type Buffer,
  type Control,
  type Dialect,
  type IntegerRange,
  type Kernel,
  type Op,
  type Region,
} from '@filigree/ir';
import { factsOf, rangesOf, type Ranges } from '@filigree/opt';

/** Of each buffer which stretches of it the iterations of a loop touch, as text, if no two iterations touch the same. */
export type Spans = (place: string) => string | undefined;

/**
 * Follows the iterations of a loop one by one, through tables whose contents are known, and takes note of the first and the last element that
 * each may touch. For loops of which the index alone does not tell: traced programs have tiles whose bounds are tables.
 *
 * @param loop counts from the first number to the second
 */
export const spansOf = (
  kernel: Kernel,
  loop: Op,
  [first, last]: readonly [number, number],
  { buffers, dialects }: { readonly buffers: readonly Buffer[]; readonly dialects: readonly Dialect[] },
  { control, accesses }: Asking,
): Spans => {
  if (last - first >= MOST) return () => undefined;
  const known = bufferMap(buffers);
  const facts = factsOf(dialects);
  const counter = loop.regions[0].params[control(loop)!.count!.counter!];
  const around = placesIn(kernel.body, loop, accesses);
  const stretches = new Map<string, (Stretch | undefined)[]>();
  for (let n = first; n <= last; n++) {
    const ranges = rangesOf(kernel, known, facts, {
      counters: new Map([[counter.id, { lo: n, hi: n, align: 1 }]]),
      slices: true,
    });
    const note = (region: Region): void => {
      for (const op of region.ops) {
        for (const { place, index, count } of accesses(op) ?? []) {
          const list = stretches.get(place) ?? [];
          stretches.set(place, list);
          const range = index.length === 1 ? ranges.of(index[0]) : undefined;
          list[n - first] = together(list[n - first], range, count, !(n - first in list));
        }
        if (!isIdle(control(op), ranges)) op.regions.forEach(note);
      }
    };
    note(loop.regions[0]);
  }
  return (place) => (around.has(place) ? undefined : textOf(stretches.get(place) ?? []));
};

/** What is asked of ops. */
interface Asking {
  readonly control: (op: Op) => Control | undefined;
  readonly accesses: AccessesOf;
}

/** Whether a loop runs no iteration. */
const isIdle = (control: Control | undefined, { of }: Ranges): boolean => {
  if (!control?.count) return false;
  const { lower, upper } = control.count;
  const least = typeof lower === 'number' ? lower : of(lower)?.lo;
  const end = typeof upper === 'number' ? upper : of(upper)?.hi;
  return least !== undefined && end !== undefined && end <= least;
};

/** From the first element to the last. */
export type Stretch = readonly [number, number];

const together = (
  before: Stretch | undefined,
  range: IntegerRange | undefined,
  count: number,
  isFirst: boolean,
): Stretch | undefined => {
  if (range === undefined) return undefined;
  const [lo, hi] = [range.lo, range.hi + count - 1];
  if (isFirst) return [lo, hi];
  return before && [Math.min(before[0], lo), Math.max(before[1], hi)];
};

/** Places that ops outside of a loop touch. */
const placesIn = (body: Region, loop: Op, accesses: AccessesOf): ReadonlySet<string> => {
  const places = new Set<string>();
  const look = (region: Region): void =>
    region.ops.forEach((op) => {
      if (op === loop) return;
      for (const { place } of accesses(op) ?? []) places.add(place);
      op.regions.forEach(look);
    });
  look(body);
  return places;
};

const textOf = (stretches: readonly (Stretch | undefined)[]): string | undefined => {
  const all = stretches.flatMap((s) => (s ? [s] : []));
  /* Where an iteration touches nothing there is a hole. */
  if (Object.keys(stretches).length !== all.length) return undefined;
  const sorted = [...all].sort((a, b) => a[0] - b[0]);
  const apart = sorted.every((s, n) => n === 0 || sorted[n - 1][1] < s[0]);
  return apart ? stretchesText(stretches) : undefined;
};

/** Stretches of the iterations of a loop, from the first on, as text; undefined where one touches nothing. */
export const stretchesText = (stretches: readonly (Stretch | undefined)[]): string =>
  Array.from(stretches, (s) => s?.join(':') ?? '').join();

/** The stretches that a text tells, if it is of such and each iteration has one. */
export const stretchesIn = (text: string): readonly Stretch[] | undefined =>
  /^\d+:\d+(,\d+:\d+)*$/.test(text)
    ? text.split(',').map((s) => s.split(':').map(Number) as unknown as Stretch)
    : undefined;

/** Iterations beyond which it is not worth the while to follow each. */
const MOST = 2048;
