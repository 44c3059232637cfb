import { inlined } from './inline.js';

/*
 * The methods of arrays whose length is known only when the kernel runs, those that a launch gives: loops in order, as JavaScript has them.
 */

type Numbers = ArrayLike<number>;
type Reducer = (so: number, x: number, k: number, of: Numbers) => number;
type Question = (x: number, k: number, of: Numbers) => boolean;

const forEach = inlined((of: Numbers, f: (x: number, k: number, of: Numbers) => void): void => {
  for (let k = 0; k < of.length; k++) f(of[k], k, of);
});

const reduceFrom = inlined((of: Numbers, f: Reducer, first: number): number => {
  let so = first;
  for (let k = 0; k < of.length; k++) so = f(so, of[k], k, of);
  return so;
});

const reduceAll = inlined((of: Numbers, f: Reducer): number => {
  let so = of[0];
  for (let k = 1; k < of.length; k++) so = f(so, of[k], k, of);
  return so;
});

const reduceRightFrom = inlined((of: Numbers, f: Reducer, first: number): number => {
  let so = first;
  for (let k = of.length - 1; k >= 0; k--) so = f(so, of[k], k, of);
  return so;
});

const reduceRightAll = inlined((of: Numbers, f: Reducer): number => {
  let so = of[of.length - 1];
  for (let k = of.length - 2; k >= 0; k--) so = f(so, of[k], k, of);
  return so;
});

const some = inlined((of: Numbers, f: Question): boolean => {
  for (let k = 0; k < of.length; k++) if (f(of[k], k, of)) return true;
  return false;
});

const every = inlined((of: Numbers, f: Question): boolean => {
  for (let k = 0; k < of.length; k++) if (!f(of[k], k, of)) return false;
  return true;
});

const find = inlined((of: Numbers, f: Question): number | undefined => {
  for (let k = 0; k < of.length; k++) {
    const x = of[k];
    if (f(x, k, of)) return x;
  }
  return undefined;
});

const findLast = inlined((of: Numbers, f: Question): number | undefined => {
  for (let k = of.length - 1; k >= 0; k--) {
    const x = of[k];
    if (f(x, k, of)) return x;
  }
  return undefined;
});

const findIndex = inlined((of: Numbers, f: Question): number => {
  for (let k = 0; k < of.length; k++) if (f(of[k], k, of)) return k;
  return -1;
});

const findLastIndex = inlined((of: Numbers, f: Question): number => {
  for (let k = of.length - 1; k >= 0; k--) if (f(of[k], k, of)) return k;
  return -1;
});

const indexOf = inlined((of: Numbers, x: number): number => {
  for (let k = 0; k < of.length; k++) if (of[k] === x) return k;
  return -1;
});

const lastIndexOf = inlined((of: Numbers, x: number): number => {
  for (let k = of.length - 1; k >= 0; k--) if (of[k] === x) return k;
  return -1;
});

const includes = inlined((of: Numbers, x: number): boolean => {
  for (let k = 0; k < of.length; k++) if (of[k] === x || (Number.isNaN(of[k]) && Number.isNaN(x))) return true;
  return false;
});

const leastOf = inlined((of: Numbers, first: number, from: number): number => {
  let least = first;
  for (let k = from; k < of.length; k++) least = Math.min(least, of[k]);
  return least;
});

const greatestOf = inlined((of: Numbers, first: number, from: number): number => {
  let greatest = first;
  for (let k = from; k < of.length; k++) greatest = Math.max(greatest, of[k]);
  return greatest;
});

export const wordsOfExtremes = { min: leastOf, max: greatestOf } as const;

type Word = (...args: never[]) => unknown;

/** What a method is, with so many arguments. */
export const wordsOfGivenArrays: Readonly<Record<string, readonly [arguments: number, word: Word][]>> = {
  forEach: [[1, forEach]],
  reduce: [
    [1, reduceAll],
    [2, reduceFrom],
  ],
  reduceRight: [
    [1, reduceRightAll],
    [2, reduceRightFrom],
  ],
  some: [[1, some]],
  every: [[1, every]],
  find: [[1, find]],
  findLast: [[1, findLast]],
  findIndex: [[1, findIndex]],
  findLastIndex: [[1, findLastIndex]],
  indexOf: [[1, indexOf]],
  lastIndexOf: [[1, lastIndexOf]],
  includes: [[1, includes]],
};
