import { statusCodes } from '@filigree/backend';
import { kernelText } from './kernel.mjs';
import { arrayOf } from './types.mjs';

/**
 * A module as the body of a function of `view`, which gives the array of a buffer by its name, and `trap`, which ends a launch with a status. It
 * returns kernels by their names. Scratch is one array for all iterations: they go one after the other.
 */
export const moduleText = ({ buffers, kernels }) => {
  const memory = new Map(buffers.map(({ name, type, length }, number) => [name, { number, type, length }]));
  const arrays = buffers.map(({ name, role, type, length }, number) => {
    const array = role === 'scratch' ? `new ${arrayOf(type)}(${length})` : `view(${JSON.stringify(name)})`;
    return `const m${number} = ${array};`;
  });
  return [helpers, ...arrays, 'return {', ...kernels.map((kernel) => kernelText(kernel, memory)), '};', ''].join('\n');
};

const helpers = `'use strict';
const { fround } = Math;
const within = (index, length) => (index >= 0 && index < length ? Number(index) : trap(${statusCodes.bounds}));
const divisor = (x) => (x == 0 ? trap(${statusCodes.divisionByZero}) : x);
const forward = (step) => step > 0 || trap(${statusCodes.step});
const saturated = (x, lo, hi, made) => (x !== x ? made(0) : x <= lo ? lo : x >= hi ? hi : made(Math.trunc(x) + 0));
/* Rounded once: of bits that a double has no room for it only matters whether there are any. */
const single = (x) => {
  const size = x < 0n ? -x : x;
  if (size < 2n ** 53n) return fround(Number(x));
  const low = size & 0xfffn;
  return (x < 0n ? -1 : 1) * fround(Number(size - low + (low === 0n ? 0n : 0x800n)));
};`;
