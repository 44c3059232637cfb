import { callPure, loopDone, loopStep, scalarOps, symbolicMath, type Sym } from '@filigree/ir';
import type { NumericOps } from './numeric-ops.js';

/** The operations on symbols of `@filigree/ir`, with their truth values told apart from numbers. */
export const defaultOps: NumericOps<Sym> = {
  ...symbolicMath,
  isPredicate: (x) => x instanceof Object && scalarOps[x.code].predicate,
  refusesOthers: true,
  loopStep,
  loopDone,
  callPure,
} as NumericOps<Sym>;
