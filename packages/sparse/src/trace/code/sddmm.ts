import { declareBuffer, type Builder, type Value } from '@filigree/ir';
import type { CsrPattern } from '../../formats/patterns/csr.js';
import { checkedPattern } from '../../formats/patterns/check.js';
import { loadSlot, slotsOf, zeroOf, type Slot } from './dense-rows.js';
import { checkWidth, lanesOf, tileKernel, kernelOptions, type KernelOptions, type SparseKernel } from './kernel.js';
import { planSharedRows } from './tiles/shared-rows.js';
import { forEachEntry, sharedPosition } from './tiles/shared-loops.js';

/**
 * B = A ∘ (U·Vᵀ) at the entries of this pattern, the sampled dense–dense product, with inner dimension `width`: kernel
 * `sddmm`, buffers `A` and `B` (values in the order `from`), `U` (rows × width) and `V` (cols × width), both by rows. Throws
 * `DiagnosticError` on a pattern that is not well-formed, and `trace/width`.
 */
export const sddmmKernel = (pattern: CsrPattern, width: number, options?: KernelOptions): SparseKernel => {
  const { dtype = 'f64' } = kernelOptions('sddmmKernel', options);
  checkWidth('a dense factor', width, Math.max(pattern.rows, pattern.cols));
  const lanes = lanesOf(dtype);
  const slots = slotsOf(width, lanes);
  const plan = planSharedRows(checkedPattern(pattern), tallest(slots.length), lanes, slots.length);
  const buffers = [
    declareBuffer('A', dtype, plan.from.length, 'input'),
    declareBuffer('U', dtype, pattern.rows * width, 'input'),
    declareBuffer('V', dtype, pattern.cols * width, 'input'),
    declareBuffer('B', dtype, plan.from.length, 'output'),
  ];
  return tileKernel('sddmm', plan, plan.from, buffers, (b, { height }, tile) => {
    const us = Array.from({ length: height }, (_, h) => b.mul(tile.row(h), b.i32(width)));
    const dots = dotsWith(b, us, slots, dtype);
    forEachEntry(b, tile, [], (k, column) => {
      dots(b.mul(column, b.i32(width))).forEach((dot, h) => {
        const at = sharedPosition(b, tile, height, k, h);
        b.store('B', b.mul(b.load('A', at), dot), at);
      });
      return [];
    });
  });
};

/** Vectors of U that stay in registers, and sums that take turns. */
const REGISTERS = 8;
const TURNS = 4;

/** Rows that share loads of V: as many as fit in registers, if one does. */
const tallest = (slots: number): number =>
  slots > REGISTERS ? TURNS : Math.min(TURNS, 2 ** Math.floor(Math.log2(REGISTERS / slots)));

/** Σ_n U[u + n]·V[v + n] for each row u, given v; the rows of U stay in registers if they fit. */
const dotsWith = (
  b: Builder,
  us: readonly Value[],
  slots: readonly Slot[],
  dtype: 'f32' | 'f64',
): ((v: Value) => readonly Value[]) => {
  const product = (u: Value, v: Value, from: Value | 0, slot: Slot): Value =>
    b.mul(loadSlot(b, 'U', u, from, slot), loadSlot(b, 'V', v, from, slot));
  if (slots.length * us.length <= REGISTERS) {
    const rows = us.map((u) => slots.map((slot) => loadSlot(b, 'U', u, 0, slot)));
    return (v) => {
      const xs = slots.map((slot) => loadSlot(b, 'V', v, 0, slot));
      return rows.map((row) =>
        total(
          b,
          slots,
          row.map((u, s) => b.mul(u, xs[s])),
        ),
      );
    };
  }
  const turn = Math.max(1, TURNS / us.length);
  const whole = slots.filter((s) => s.lanes === slots[0].lanes).length;
  const passes = Math.floor(whole / turn);
  const [first, rest] = [slots.slice(0, turn), slots.slice(passes * turn)];
  return (v) => {
    const zeros = us.flatMap(() => first.map((slot) => zeroOf(b, dtype, slot)));
    const sums = b.for(b.i32(0), b.i32(passes), b.i32(1), {}, zeros, (n, before) => {
      const from = b.mul(n, b.i32(turn * first[0].lanes));
      return us.flatMap((u, h) => first.map((slot, s) => b.add(before[h * turn + s], product(u, v, from, slot))));
    });
    return us.map((u, h) => {
      const parts = [...sums.slice(h * turn, (h + 1) * turn), ...rest.map((slot) => product(u, v, 0, slot))];
      return total(b, [...first, ...rest], parts);
    });
  };
};

/**
 * The sum over all lanes of all slots. Those of full width are added lane by lane first, in several partial sums, since
 * additions to a single one would wait for each other.
 */
const total = (b: Builder, slots: readonly Slot[], parts: readonly Value[]): Value => {
  const sum = (values: readonly Value[]): Value => values.reduce((p, q) => b.add(p, q));
  const widths = [...new Set(slots.map((s) => s.lanes))];
  return sum(
    widths.map((lanes) => {
      const all = parts.filter((_, s) => slots[s].lanes === lanes);
      const turns = [0, 1].map((turn) => all.filter((_, s) => s % 2 === turn)).filter((own) => own.length > 0);
      const vector = sum(turns.map(sum));
      return lanes === 1 ? vector : acrossLanes(b, vector, lanes);
    }),
  );
};

/** The sum over the lanes, half with half: fewer steps than one by one. */
const acrossLanes = (b: Builder, vector: Value, lanes: number): Value => {
  let parts = Array.from({ length: lanes }, (_, lane) => b.extract(vector, lane));
  while (parts.length > 1) {
    const half = parts.length / 2;
    parts = parts.slice(0, half).map((p, k) => b.add(p, parts[half + k]));
  }
  return parts[0];
};
