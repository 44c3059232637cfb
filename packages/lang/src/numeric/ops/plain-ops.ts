import { binaryFunctions, scalarOp, unaryFunctions, type BinaryFunction, type UnaryFunction } from '@filigree/ir';
import type { NumericOps } from './numeric-ops.js';

const numeric = (a: unknown): number => a as number;

/** The operations on plain numbers alone: no value is symbolic. With it rewritten code computes what the source does. */
export const plainOps: NumericOps<never> = {
  ...(Object.fromEntries(
    [...unaryFunctions, ...binaryFunctions].map((name) => [name, scalarOp(name).evaluate]),
  ) as unknown as Pick<NumericOps<never>, UnaryFunction | BinaryFunction>),
  isSymbolic: (x: unknown): x is never => (void x, false),
  add: (a, b) => numeric(a) + numeric(b),
  sub: (a, b) => numeric(a) - numeric(b),
  mul: (a, b) => numeric(a) * numeric(b),
  div: (a, b) => numeric(a) / numeric(b),
  rem: (a, b) => numeric(a) % numeric(b),
  neg: (a) => -a,
  lt: (a, b) => a < b,
  le: (a, b) => a <= b,
  gt: (a, b) => a > b,
  ge: (a, b) => a >= b,
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
  and: (a, b) => a && b,
  or: (a, b) => a || b,
  not: (a) => !a,
  select: (c, a, b) => (c ? a : b),
  min: (a, b) => Math.min(numeric(a), numeric(b)),
  max: (a, b) => Math.max(numeric(a), numeric(b)),
};
