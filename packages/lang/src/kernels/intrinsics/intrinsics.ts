/* eslint no-console: off -- what kernels print is printed */
import * as vocabulary from '../vocabulary/core.js';
import { refuse } from '../elaborate/context.js';
import { algebraFunction, sizedFunction } from './algebra.js';
import { accumulate, atomic } from './atomics.js';
import { assertion, print } from './debug.js';
import { assumeInRange, cache, cacheL1, permutation, random, randomInt } from './hints.js';
import { active, ndrange, ordered, range } from './loops.js';
import { castIntrinsic, idiv, mathIntrinsics } from './math.js';
import { at, put } from './places.js';
import { splineNodes } from './spline.js';
import { sum } from './sum.js';
import { activate, append, clear, deactivate, isActive, length, parent } from './structure.js';
import type { Intrinsic } from './intrinsic.js';

/** The meaning of a function in kernels, where it has one of its own; known by the function, whatever it is called. */
export const intrinsicOf = (fn: unknown): Intrinsic | undefined => known.get(fn) ?? ofConsole(fn);

/* Whoever catches what is printed puts another function there. */
const ofConsole = (fn: unknown): Intrinsic | undefined =>
  fn === console.log ? print : fn === console.assert ? assertion : undefined;

const hostOnly =
  (name: string): Intrinsic =>
  (cx, e) =>
    refuse(cx, e, 'lang/unsupported-call', `${name} is for the host`, 'call it before the launch');

/** Words that the compiler knows but for one that is kernel code itself, what is for the host, and `math`, whose functions are words. */
type Word = Exclude<keyof typeof vocabulary, 'LoopSpace' | 'math' | 'isVec' | 'isMat' | 'quadraticSpline'>;

const table = (): ReadonlyMap<unknown, Intrinsic> => {
  const words: Readonly<Record<Word, Intrinsic>> = {
    range,
    ndrange,
    active,
    unrolled: ordered('unrolled'),
    serially: ordered('serial'),
    vec: algebraFunction('vec'),
    mat: algebraFunction('mat'),
    columns: algebraFunction('columns'),
    diag: algebraFunction('diag'),
    identity: sizedFunction('identity'),
    zeros: sizedFunction('zeros'),
    hostGrid: hostOnly('hostGrid'),
    sparseGrid: hostOnly('sparseGrid'),
    seedRandom: hostOnly('seedRandom'),
    inlined: hostOnly('inlined'),
    withGradient: hostOnly('withGradient'),
    at,
    put,
    splineNodes,
    sum,
    isActive,
    activate,
    deactivate,
    parent,
    append,
    length,
    clear,
    accumulate,
    atomicAdd: atomic('add'),
    atomicMin: atomic('min'),
    atomicMax: atomic('max'),
    atomicAnd: atomic('and'),
    atomicOr: atomic('or'),
    atomicXor: atomic('xor'),
    atomicExchange: atomic('exchange'),
    random,
    randomInt,
    i8: castIntrinsic('i8'),
    i16: castIntrinsic('i16'),
    i32: castIntrinsic('i32'),
    i64: castIntrinsic('i64'),
    u8: castIntrinsic('u8'),
    u16: castIntrinsic('u16'),
    u32: castIntrinsic('u32'),
    u64: castIntrinsic('u64'),
    f32: castIntrinsic('f32'),
    f64: castIntrinsic('f64'),
    idiv,
    cache,
    cacheL1,
    assumeInRange,
    permutation,
    print,
    assert: assertion,
  };
  const byFunction = Object.entries(words).map(([name, intrinsic]): [unknown, Intrinsic] => [
    (vocabulary as Readonly<Record<string, unknown>>)[name],
    intrinsic,
  ]);
  return new Map([...mathIntrinsics(), ...byFunction]);
};

const known = /* @__PURE__ */ table();
