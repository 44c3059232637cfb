import type { Builder, Value } from '@filigree/ir';
import { plus, valueOf, type Count } from './tiles/tile-loops.js';

/** A part of a row of a dense matrix that one load or store moves: `lanes` elements from `at` on. */
export interface Slot {
  readonly at: number;
  readonly lanes: number;
}

/** A row of `width` elements as slots, the widest first. */
export const slotsOf = (width: number, lanes: number): readonly Slot[] => {
  const slots: Slot[] = [];
  for (let at = 0, n = lanes; at < width; at += n) {
    while (n > width - at) n /= 2;
    slots.push({ at, lanes: n });
  }
  return slots;
};

/** A row in passes of at most this many slots: those of full vectors are one loop, the rest follows. */
export const forEachPass = (
  b: Builder,
  slots: readonly Slot[],
  most: number,
  visit: (slots: readonly Slot[], from: Count) => void,
): void => {
  const whole = slots.filter((s) => s.lanes === slots[0].lanes).length;
  const passes = Math.floor(whole / most);
  const step = most * slots[0].lanes;
  const rest = slots.slice(passes * most);
  if (passes === 1) visit(slots.slice(0, most), 0);
  if (passes > 1) {
    b.for(b.i32(0), b.i32(passes), b.i32(1), {}, [], (n) => visit(slots.slice(0, most), b.mul(n, b.i32(step))));
  }
  if (rest.length > 0)
    visit(
      rest.map((s) => ({ ...s, at: s.at - passes * step })),
      passes * step,
    );
};

/** Loads the slot of a pass, of the row that begins at `row` of a dense matrix. */
export const loadSlot = (b: Builder, buffer: string, row: Value, from: Count, { at, lanes }: Slot): Value =>
  b.load(buffer, slotIndex(b, row, from, at), lanes);

export const slotIndex = (b: Builder, row: Value, from: Count, at: number): Value =>
  valueOf(b, plus(b, plus(b, row, from), at));

/** A number on all lanes of a slot. */
export const onSlot = (b: Builder, value: Value, { lanes }: Slot): Value =>
  lanes === 1 ? value : b.splat(value, lanes);

export const zeroOf = (b: Builder, dtype: 'f32' | 'f64', { lanes }: Slot): Value =>
  b.constant(0, lanes === 1 ? dtype : { lanes, of: dtype });
