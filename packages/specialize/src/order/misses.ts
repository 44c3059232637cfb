import type { Harvest } from '../harvest/harvest.js';
import type { Accesses } from './accesses.js';

/** Values in a cache line: eight of 8 bytes. */
const LINE = 8;
/** A line is taken to be gone after this many other accesses: those that a cache of about half a megabyte holds. */
const REUSE = 1 << 13;

/** How many cache lines an order of instances loads, and how many there are. */
export interface LineLoads {
  readonly loads: number;
  readonly lines: number;
}

/**
 * Counts cache-line loads of running all units level by level in an order, from the time between uses of each line.
 * Inputs and outputs stand where the program has them; intermediates stand in the order in which they are made.
 *
 * @param order unit at each place
 */
export const lineLoads = (h: Harvest, touched: Accesses, order: Int32Array): LineLoads => {
  const line = nodeLines(h, order);
  const outputBase = outputLines(h, Math.ceil(line.count));
  const last = new Int32Array(outputBase.end).fill(-1 - REUSE);
  const { ptr: destPtr, output, position } = h.destinations;
  let time = 0;
  let loads = 0;
  const use = (l: number): void => {
    if (time - last[l] > REUSE) loads++;
    last[l] = time++;
  };
  for (const unit of byLevel(h, order)) {
    for (let i = touched.ptr[unit]; i < touched.ptr[unit + 1]; i++) use(line.of[touched.nodes[i]]);
    for (let d = destPtr[h.ptr[unit]]; d < destPtr[h.ptr[unit + 1]]; d++)
      use(outputBase.first[output[d]] + Math.floor(position[d] / LINE));
  }
  let lines = 0;
  for (let l = 0; l < last.length; l++) if (last[l] >= 0) lines++;
  return { loads, lines };
};

/** The line of each input and intermediate, by node. */
const nodeLines = (h: Harvest, order: Int32Array): { of: Int32Array; count: number } => {
  const of = new Int32Array(h.graph.length);
  let at = 0;
  for (const { firstNode, length } of h.inputs) {
    for (let i = 0; i < length; i++) of[firstNode + i] = Math.floor((at + i) / LINE);
    at = LINE * Math.ceil((at + length) / LINE);
  }
  for (const unit of order)
    for (let r = h.ptr[unit]; r < h.ptr[unit + 1]; r++) of[h.roots[r]] = Math.floor(at++ / LINE);
  return { of, count: at / LINE };
};

const outputLines = (h: Harvest, first: number): { first: number[]; end: number } => {
  const starts: number[] = [];
  let at = first;
  for (const { nodes } of h.outputs) {
    starts.push(at);
    at += Math.ceil(nodes.length / LINE);
  }
  return { first: starts, end: at };
};

const byLevel = (h: Harvest, order: Int32Array): Int32Array => {
  const start: number[] = [];
  for (const unit of order) start[h.level[unit] + 1] = (start[h.level[unit] + 1] ?? 0) + 1;
  start[0] = 0;
  for (let l = 1; l < start.length; l++) start[l] = (start[l] ?? 0) + start[l - 1];
  const out = new Int32Array(order.length);
  for (const unit of order) out[start[h.level[unit]]++] = unit;
  return out;
};
