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
import { followed } from './followed.js';
import { stretchesText, type Asking, type Stretch } from './stretch.js';

/** Of each buffer which stretches of it the iterations of a loop touch, as text, if no two iterations touch the same. */
export type Spans = (place: string, writes: boolean) => string | undefined;

/**
 * Follows the iterations of a loop one by one, through tables whose contents are known, and takes note of the first and the last element that
 * each may touch. For loops of which the index alone does not tell: traced programs have tiles whose bounds are tables. Where these bounds seem to overlap,
 * as those of columns of one table do, loops within iterations of which something is written are followed too.
 *
 * @param loop counts from the first number to the second
 */
export const spansOf = (
  kernel: Kernel,
  loop: Op,
  [first, last]: readonly [number, number],
  { buffers, dialects }: { readonly buffers: readonly Buffer[]; readonly dialects: readonly Dialect[] },
  asking: Asking,
): Spans => {
  const { control, accesses } = asking;
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
  return (place, writes) => {
    if (around.has(place)) return undefined;
    const text = textOf(stretches.get(place) ?? []);
    if (text !== undefined || !writes) return text;
    const exact = followed(kernel, loop, [first, last], place, { ...asking, buffers: known });
    return exact && textOf(exact);
  };
};

/** Whether a loop runs no iteration. */
const isIdle = (control: Control | undefined, { of }: Ranges): boolean => {
  if (!control?.count) return false;
  const { lower, upper } = control.count;
  const least = typeof lower === 'number' ? lower : of(lower)?.lo;
  const end = typeof upper === 'number' ? upper : of(upper)?.hi;
  return least !== undefined && end !== undefined && end <= least;
};

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

/** Iterations beyond which it is not worth the while to follow each. */
const MOST = 2048;
