import type { Accesses } from './accesses.js';
import type { Harvest } from '../harvest/harvested.js';

/** Values in a cache line, as a power of two: eight of 8 bytes. */
const LINE_BITS = 3;
const LINE = 1 << LINE_BITS;
/** A line is taken to be gone from a cache after so many other accesses: those that one of about half a megabyte holds, and one of a few. */
const REUSE = { near: 1 << 13, far: 1 << 16 };

/** Of an order with more accesses than this, stretches are counted: so many, */
const ALL = 1 << 20;
const STRETCHES = 6;
/** each of so many accesses, after those of which the far cache is full. */
const COUNTED = 1 << 16;

/** How many cache lines an order of instances loads into a near cache and into a far one, and how many there are. */
export interface LineLoads {
  readonly near: number;
  readonly far: number;
  readonly lines: number;
}

/**
 * Counts cache-line loads of running all units level by level in an order, from the time between uses of each line; of many units by those of some.
 * Inputs and outputs stand where the program has them; intermediates stand in the order in which they are made.
 *
 * @param order unit at each place
 */
export const lineLoads = (h: Harvest, touched: Accesses, order: Int32Array): LineLoads => {
  const line = valueLines(h, touched, order);
  const outputBase = outputLines(h, line.count);
  const last = new Int32Array(outputBase.end).fill(-1 - REUSE.far);
  const { ptr: destPtr, output, position } = h.destinations;
  let time = 0;
  let [near, far] = [0, 0];
  const use = (l: number): void => {
    const since = time - last[l];
    if (since > REUSE.near) near++;
    if (since > REUSE.far) far++;
    last[l] = time++;
  };
  const units = byLevel(h, order);
  /* Runs units from place k on until the time has come, and returns where it was then. */
  const runUntil = (k: number, end: number): number => {
    for (; k < units.length && time < end; k++) {
      const unit = units[k];
      for (let i = touched.ptr[unit]; i < touched.ptr[unit + 1]; i++) use(line.of[touched.values[i]]);
      for (let d = destPtr[h.ptr[unit]]; d < destPtr[h.ptr[unit + 1]]; d++)
        use(outputBase.first[output[d]] + (position[d] >> LINE_BITS));
    }
    return k;
  };
  const accesses = touched.values.length + output.length;
  if (accesses <= ALL) {
    runUntil(0, Infinity);
    let lines = 0;
    for (let l = 0; l < last.length; l++) if (last[l] >= 0) lines++;
    return { near, far, lines };
  }
  const found = { near: 0, far: 0, accesses: 0 };
  for (let s = 0; s < STRETCHES; s++) {
    const first = runUntil(Math.floor((s * units.length) / STRETCHES), time + REUSE.far);
    const before = { near, far, time };
    runUntil(first, time + COUNTED);
    found.near += near - before.near;
    found.far += far - before.far;
    found.accesses += time - before.time;
    /* Then nothing of it is in a cache any more. */
    time += REUSE.far;
  }
  const all = accesses / found.accesses;
  return { near: all * found.near, far: all * found.far, lines: last.length };
};

/** The line of each input and intermediate. */
const valueLines = (h: Harvest, touched: Accesses, order: Int32Array): { of: Int32Array; count: number } => {
  const { variables, count } = touched;
  const of = new Int32Array(count);
  let line = 0;
  for (const { first, length } of h.inputs) {
    for (let i = 0; i < length; i++) of[first + i] = line + (i >> LINE_BITS);
    line += Math.ceil(length / LINE);
  }
  let made = 0;
  for (let k = 0; k < order.length; k++)
    for (let r = h.ptr[order[k]]; r < h.ptr[order[k] + 1]; r++) of[variables + r] = line + (made++ >> LINE_BITS);
  return { of, count: line + Math.ceil(made / LINE) };
};

const outputLines = (h: Harvest, first: number): { first: number[]; end: number } => {
  const starts: number[] = [];
  let at = first;
  for (const { length } of h.outputs) {
    starts.push(at);
    at += Math.ceil(length / LINE);
  }
  return { first: starts, end: at };
};

const byLevel = (h: Harvest, order: Int32Array): Int32Array => {
  const { level } = h;
  let levels = 0;
  for (let u = 0; u < level.length; u++) if (level[u] >= levels) levels = level[u] + 1;
  const next = new Int32Array(levels + 1);
  for (let u = 0; u < level.length; u++) next[level[u] + 1]++;
  for (let l = 0; l < levels; l++) next[l + 1] += next[l];
  const out = new Int32Array(order.length);
  for (let k = 0; k < order.length; k++) out[next[level[order[k]]]++] = order[k];
  return out;
};
