import { byteSize, scalarOf, type Op, type Region, type Value } from '@filigree/ir';
import { accessesOf } from '../core-ops.js';
import { type Writer } from '../writer.js';
import { strideIn } from './strides.js';
import { constantNumber } from './variables.js';

/**
 * Loops within a loop that add to a sum which it carries as well, over elements in a row, as the channels of a convolution: `for (q …) for (c …) s += x[q][c] * w[q][c]`. A compiler that writes out the few iterations of such
 * a loop has no lanes for it: the loop around waits for the sum.
 */
export const sumsInRows = (w: Writer, loop: Op): readonly Op[] => {
  const [body] = loop.regions as readonly [Region];
  const carried = new Map(body.params.slice(1).map((p, k) => [p.id, k]));
  const next = body.ops.at(-1)!.operands;
  const own = new Map(
    body.ops.filter((op) => op.name === 'arith.constant').map((op) => [op.results[0]!.id, op.attrs['value']]),
  );
  const number = (v: Value): number | undefined => {
    const value = own.get(v.id);
    return typeof value === 'number' ? value : constantNumber(w, v);
  };
  return body.ops.filter((op) => {
    if (op.name !== 'scf.for' || op.results.length !== 1 || op.regions[0]!.ops.some((o) => o.regions.length > 0))
      return false;
    const place = carried.get(op.operands[3]!.id);
    const goesOn = place !== undefined && next[place]!.id === op.results[0]!.id;
    return goesOn && fillsRegister(op, number) && readsRows(w, op);
  });
};

/** Bytes of a register of vectors that is worth a loop of its own. */
const REGISTER = 32;

const fillsRegister = ({ operands, results: [sum] }: Op, number: (v: Value) => number | undefined): boolean => {
  const [from, to, step] = operands.slice(0, 3).map(number);
  if (from === undefined || to === undefined || step !== 1) return false;
  return (to - from) * byteSize(scalarOf(sum!.type)) >= REGISTER;
};

/** Whether all that it reads lies side by side, or is one element for all iterations. */
const readsRows = (w: Writer, loop: Op): boolean => {
  const stride = strideIn(w, loop);
  const strides = loop.regions[0]!.ops.flatMap((op) =>
    (accessesOf(op) ?? []).map(({ index }) => index[0] && stride(index[0])),
  );
  return strides.includes(1) && strides.every((s) => s === 0 || s === 1);
};
