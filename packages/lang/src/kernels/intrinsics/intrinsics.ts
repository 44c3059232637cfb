/* oxlint-disable no-console -- what kernels print is printed */
import { rare } from '#rare';
import * as vocabulary from '../vocabulary/core.js';
import { isForHost, libraryWordOf } from '../vocabulary/inline.js';
import { refuse } from '../elaborate/context/context.js';
import { algebraFunction, sizedFunction } from './algebra.js';
import { active, ndrange, ordered, range } from './loops.js';
import { castIntrinsic, idiv, mathIntrinsics } from './math.js';
import { at, put } from './places.js';
import { sum } from './sum.js';
import type { Intrinsic } from './intrinsic.js';

/** The meaning of a function in kernels, where it has one of its own; known by the function, whatever it is called. */
export const intrinsicOf = (fn: unknown): Intrinsic | undefined => known.get(fn) ?? ofConsole(fn) ?? ofHost(fn);

/* Whoever catches what is printed puts another function there. */
const ofConsole = (fn: unknown): Intrinsic | undefined =>
  fn === console.log ? print : fn === console.assert ? assertion : undefined;

const hostOnly =
  (name: string): Intrinsic =>
  (cx, e) =>
    refuse(cx, e, 'lang/unsupported-call', `${name} is for the host`, 'call it before the launch');

const ofHost = (fn: unknown): Intrinsic | undefined => (isForHost(fn) ? hostOnly(libraryWordOf(fn)!) : undefined);

type Rare = ReturnType<typeof rare>;

/** A word that few kernels use: what it means is asked for when one does. */
const seldom =
  (meaning: (parts: Rare) => Intrinsic): Intrinsic =>
  (cx, e) =>
    meaning(rare())(cx, e);

const print = seldom((parts) => parts.print);

const assertion = seldom((parts) => parts.assertion);

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
    seedRandom: hostOnly('seedRandom'),
    inlined: hostOnly('inlined'),
    withGradient: hostOnly('withGradient'),
    at,
    put,
    splineNodes: seldom((parts) => parts.splineNodes),
    sum,
    isActive: seldom((parts) => parts.isActive),
    activate: seldom((parts) => parts.activate),
    deactivate: seldom((parts) => parts.deactivate),
    parent: seldom((parts) => parts.parent),
    append: seldom((parts) => parts.append),
    length: seldom((parts) => parts.length),
    clear: seldom((parts) => parts.clear),
    accumulate: seldom((parts) => parts.accumulate),
    atomicAdd: seldom((parts) => parts.atomic('add')),
    atomicMin: seldom((parts) => parts.atomic('min')),
    atomicMax: seldom((parts) => parts.atomic('max')),
    atomicAnd: seldom((parts) => parts.atomic('and')),
    atomicOr: seldom((parts) => parts.atomic('or')),
    atomicXor: seldom((parts) => parts.atomic('xor')),
    atomicExchange: seldom((parts) => parts.atomic('exchange')),
    random: seldom((parts) => parts.random),
    randomInt: seldom((parts) => parts.randomInt),
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
    cache: seldom((parts) => parts.cache),
    cacheL1: seldom((parts) => parts.cacheL1),
    assumeInRange: seldom((parts) => parts.assumeInRange),
    permutation: seldom((parts) => parts.permutation),
    print,
    assert: assertion,
  };
  const byFunction = Object.entries(words).map(([name, intrinsic]): [unknown, Intrinsic] => [
    (vocabulary as Readonly<Record<string, unknown>>)[name],
    intrinsic,
  ]);
  const ofBigInts: readonly [unknown, Intrinsic][] = [
    [BigInt, seldom((parts) => parts.bigInt)],
    [BigInt.asIntN, seldom((parts) => parts.lastBits('i'))],
    [BigInt.asUintN, seldom((parts) => parts.lastBits('u'))],
  ];
  return new Map([...mathIntrinsics(), ...ofBigInts, ...byFunction]);
};

const known = /* @__PURE__ */ table();
