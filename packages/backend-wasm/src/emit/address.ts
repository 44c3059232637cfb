import { type Op, type Value, byteSize, scalarOf } from '@filigree/ir';
import type { MemoryLayout } from '../memory/layout.js';
import type { Facts } from './facts.js';

/** A byte address: the sum of `value · scale` over the terms, plus `offset`, plus `laneStep` times the lane. */
export interface Address {
  readonly terms: readonly Term[];
  readonly offset: number;
  readonly laneStep: number;
  /** Whether it counts from the start of the thread's scratch region. */
  readonly scratch: boolean;
  /** Whether the sum of the terms is never negative, so that `offset` fits a load's immediate. */
  readonly foldable: boolean;
}

/** Where a buffer begins: at an address, or that far behind the start of the thread's scratch region. */
export interface Base {
  readonly base: number;
  readonly scratch: boolean;
}

/** The beginning of a buffer. */
export const baseOf = (layout: MemoryLayout, buffer: string): Base => {
  const base = layout.offsetOf.get(buffer);
  return base === undefined ? { base: layout.scratchOf.get(buffer) ?? 0, scratch: true } : { base, scratch: false };
};

export interface Term {
  readonly value: Value;
  readonly scale: number;
}

/** How deep an index is looked into for constants. */
const deepest = 12;

/**
 * The address of an element, in the form that leaves least to compute: constants are collected over sums, differences,
 * products and shifts by constants, lane numbers over vectors. Sums of two unknowns are taken apart only where nothing
 * else (`uses`) needs them. 32-bit arithmetic wraps, and so does an address, so that no step of this can change its meaning.
 */
export const addressOf = (
  index: Value,
  elementBytes: number,
  { base, scratch }: Base,
  facts: Facts,
  uses: (v: Value) => number,
): Address => {
  const terms = new Map<number, { value: Value; scale: number }>();
  let offset = base;
  let laneStep = 0;

  const add = (v: Value, scale: number, depth: number): void => {
    const n = facts.constantInteger(v);
    if (n !== undefined) {
      offset += n * scale;
      return;
    }
    const op = depth < deepest ? facts.definition(v) : undefined;
    if (op && takeApart(op, scale, depth)) return;
    const term = terms.get(v.id);
    if (term) term.scale += scale;
    else terms.set(v.id, { value: v, scale });
  };

  const takeApart = (op: Op, scale: number, depth: number): boolean => {
    const [a, b] = op.operands;
    const [m, n] = [a && facts.constantInteger(a), b && facts.constantInteger(b)];
    const narrow = scalarOf(op.results[0].type) !== 'i32' && scalarOf(op.results[0].type) !== 'i64';
    if (narrow) return false;
    switch (op.name) {
      case 'arith.add':
        if (n === undefined && m === undefined && uses(op.results[0]) > 1) return false;
        add(a, scale, depth + 1);
        add(b, scale, depth + 1);
        return true;
      case 'arith.sub':
        if (n === undefined) return false;
        add(a, scale, depth + 1);
        offset -= n * scale;
        return true;
      case 'arith.mul':
        if (n !== undefined && small(scale * n)) return (add(a, scale * n, depth + 1), true);
        if (m !== undefined && small(scale * m)) return (add(b, scale * m, depth + 1), true);
        return false;
      case 'arith.shl':
        if (n === undefined || n < 0 || !small(scale * 2 ** n)) return false;
        add(a, scale * 2 ** n, depth + 1);
        return true;
      case 'arith.splat':
        add(a, scale, depth + 1);
        return true;
      case 'arith.iota':
        laneStep += scale;
        add(a, scale, depth + 1);
        return true;
      case 'arith.cast':
        /* A 64-bit index made from a 32-bit one: the address is the same modulo 2^32. */
        if (scalarOf(a.type) !== 'i32' && scalarOf(a.type) !== 'i64' && scalarOf(a.type) !== 'u32') return false;
        add(a, scale, depth + 1);
        return true;
      default:
        return false;
    }
  };

  add(index, elementBytes, 0);
  const kept = [...terms.values()].filter((t) => t.scale !== 0);
  const foldable = kept.every((t) => t.scale > 0 && facts.nonNegative(t.value)) && offset >= 0 && offset < 2 ** 31;
  return { terms: kept, offset, laneStep, scratch, foldable: foldable && laneStep >= 0 };
};

/* With scales this small, offsets stay exact in a double; they wrap once when they are written. */
const small = (scale: number): boolean => Math.abs(scale) < 2 ** 20;

export const elementBytes = (op: Op): number =>
  byteSize(scalarOf(loads.has(op.name) ? op.results[0].type : op.operands[0].type));

const loads = new Set(['mem.load', 'mem.loadFirst', 'mem.gather']);
