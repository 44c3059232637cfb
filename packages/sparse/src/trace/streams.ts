import { fail } from '@filigree/ir';
import type { Plan, Stride } from './plan.js';

/**
 * Streams in the form in which they are searched: elements as doubles, and a symbol for each step from one element to
 * the next, equal for equal steps. A loop with a constant stride is a period of the string of symbols, however many
 * streams there are.
 */
export class Trace {
  readonly length: number;
  readonly width: number;
  /** `symbols[t]`: the step from element t to t + 1. */
  readonly symbols: Int32Array;
  /** The next place where the same `CONTEXT` symbols begin, or −1. */
  readonly next: Int32Array;

  constructor(readonly at: readonly Float64Array[]) {
    this.width = at.length;
    this.length = at[0].length;
    this.symbols = stepSymbols(at);
    this.next = nextOccurrences(this.symbols);
  }

  /** What back-tracking found, by the steps ahead: short bodies recur. */
  readonly bodies = new Map<number, Plan>();

  /** By distance, the stretch of steps found last that equal those so far behind them: distance, first, and end. */
  private readonly agreed = new Int32Array(3 * SLOTS);

  difference(to: number, from: number): number[] {
    return this.at.map((s) => s[to] - s[from]);
  }

  /** Whether element `to` is `times` strides after element `from`. */
  isAfter(to: number, from: number, stride: Stride, times = 1): boolean {
    for (let k = 0; k < this.width; k++) {
      const s = this.at[k];
      if (s[to] - s[from] !== times * stride[k]) return false;
    }
    return true;
  }

  /** How many steps from `b` on are equal to those from `a` on; a < b. */
  commonSteps(a: number, b: number): number {
    const { symbols, agreed } = this;
    const gap = b - a;
    const slot = 3 * (gap & (SLOTS - 1));
    const known = agreed[slot] === gap;
    if (known && agreed[slot + 1] <= a && a <= agreed[slot + 2]) return agreed[slot + 2] - a;
    const end = symbols.length;
    /* Searches come back to stretches of one period again and again: what is known of them is not compared again. */
    const [from, to] = known && a < agreed[slot + 1] ? [agreed[slot + 1], agreed[slot + 2]] : [end, end];
    let t = a;
    while (t < from && t + gap < end && symbols[t] === symbols[t + gap]) t++;
    if (t === from) t = to;
    agreed[slot] = gap;
    agreed[slot + 1] = a;
    agreed[slot + 2] = t;
    return t - a;
  }

  /** A hash of the steps from an element on, 32 bits. */
  stepsHash(start: number, steps: number): number {
    let h = 0;
    const end = Math.min(start + steps, this.symbols.length);
    for (let t = start; t < end; t++) h = mix(h, this.symbols[t]);
    return h;
  }
}

/** Distances for which a stretch is kept; a power of two. */
const SLOTS = 1024;

const mix = (h: number, x: number): number => Math.imul(h ^ x, 0x9e3779b1) ^ (h >>> 15);

/**
 * Checked streams. Throws `DiagnosticError`: `trace/streams` for none, `trace/length` for streams of several lengths,
 * `trace/value` for an element that is no whole number or beyond 2⁴⁵, where products with iterators leave exact doubles.
 */
export const traceOf = (streams: readonly ArrayLike<number>[]): Trace => {
  if (streams.length === 0) fail('trace/streams', 'there is no stream', { remedy: 'give at least one stream' });
  const length = streams[0].length;
  return new Trace(
    streams.map((s, k) => {
      if (s.length !== length) {
        fail('trace/length', `stream ${k} has ${s.length} elements, stream 0 has ${length}`, {
          remedy: 'give streams of one length: one element of each for every access',
        });
      }
      const out = Float64Array.from(s);
      for (let t = 0; t < length; t++) {
        if (!Number.isInteger(out[t]) || Math.abs(out[t]) > MAX_VALUE) {
          fail('trace/value', `element ${t} of stream ${k} is ${out[t]}`, {
            remedy: 'streams hold whole numbers of at most 2^45',
          });
        }
      }
      return out;
    }),
  );
};

const MAX_VALUE = 2 ** 45;

/** Steps that must agree before two places are taken for a possible period. */
const CONTEXT = 3;

const stepSymbols = (at: readonly Float64Array[]): Int32Array => {
  const steps = Math.max(0, at[0].length - 1);
  const symbols = new Int32Array(steps);
  const size = tableSize(steps);
  const table = new Int32Array(size).fill(-1);
  let symbol = 0;
  for (let t = 0; t < steps; t++) {
    let h = 0;
    for (const s of at) h = mix(h, (s[t + 1] - s[t]) | 0);
    let slot = (h ^ (h >>> 13)) & (size - 1);
    for (;;) {
      const r = table[slot];
      if (r < 0) {
        table[slot] = t;
        symbols[t] = symbol++;
        break;
      }
      if (at.every((s) => s[t + 1] - s[t] === s[r + 1] - s[r])) {
        symbols[t] = symbols[r];
        break;
      }
      slot = (slot + 1) & (size - 1);
    }
  }
  return symbols;
};

const nextOccurrences = (symbols: Int32Array): Int32Array => {
  const next = new Int32Array(symbols.length).fill(-1);
  const size = tableSize(symbols.length);
  const latest = new Int32Array(size).fill(-1);
  for (let t = symbols.length - CONTEXT; t >= 0; t--) {
    let h = 0;
    for (let k = 0; k < CONTEXT; k++) h = mix(h, symbols[t + k]);
    const slot = (h ^ (h >>> 13)) & (size - 1);
    next[t] = latest[slot];
    latest[slot] = t;
  }
  return next;
};

/** A power of two, at least twice the number of entries. */
const tableSize = (entries: number): number => 2 ** Math.ceil(Math.log2(2 * entries + 2));
