import { fail } from '@filigree/ir';
import type { FieldDecl, VectorField } from '@filigree/sparse';
import type { KernelArg } from '../kernel/arguments.js';
import { kernel, type KernelDef } from '../kernel/kernel.js';
import { f64 } from '../vocabulary/casts.js';
import { active } from '../vocabulary/loops.js';
import type { Grid1 } from '../vocabulary/grid-types.js';
import { at, put } from '../vocabulary/places.js';
import { sum } from '../vocabulary/sum.js';
import type { Vec } from '../vocabulary/vec-types.js';

/** The unknowns of a system A x = b, numbers or vectors, one of each for every active element. */
export interface KrylovFields<F extends FieldDecl | VectorField> {
  /** The solution. */
  readonly x: F;
  /** The direction of search. */
  readonly p: F;
  /** A p. */
  readonly q: F;
  /** The residual b − A x. */
  readonly r: F;
  /** The residual with a preconditioner applied; `r` itself if left out. */
  readonly z?: F;
}

/** All of conjugate gradients but the product with A and the preconditioner. */
export interface ConjugateGradients<F extends FieldDecl | VectorField> {
  /** r · r. */
  readonly norm: KernelDef<readonly [F]>;
  /** z · r. */
  readonly rho: KernelDef<readonly [F, F]>;
  /** p ← z + β p; β = 0 begins. */
  readonly follow: KernelDef<readonly [F, F, Real]>;
  /** x ← x + α p, r ← r − α q; gives r · r. */
  readonly advance: KernelDef<readonly [F, F, F, F, Real]>;
}

type Real = 'f32' | 'f64';

/**
 * The kernels of the method of conjugate gradients, with or without a preconditioner (Hestenes & Stiefel 1952), over fields of
 * numbers or of vectors, along any axes, all with the same active elements. A step is `rho()`, `follow(rho / before)`, a kernel
 * of your own that makes q = A p and gives p · q, and `advance(rho / pq)`. Products are summed in f64. Throws `lang/krylov` where
 * the fields differ in kind or type, or are no floats.
 */
export const conjugateGradients = <F extends FieldDecl | VectorField>(
  fields: KrylovFields<F>,
): ConjugateGradients<F> => {
  const { x, p, q, r, z = r } = fields;
  const kindOf = (f: F): string => `${f.type} ${f.is === 'vector' ? f.size : 1}`;
  const other = [p, q, r, z].find((f) => kindOf(f) !== kindOf(x));
  if (other || (x.type !== 'f32' && x.type !== 'f64'))
    return fail('lang/krylov', `'${x.name}' and '${(other ?? r).name}' are no fields of floats of one kind`, {
      remedy: 'give all fields of a system the same type and size, f32 or f64',
    });
  const real: Real = x.type;
  const algebra = x.is === 'vector' ? vectors : numbers;
  const { norm, rho, follow, advance } = x.is === 'vector' ? functionsOf(vectors) : functionsOf(numbers);
  const scope = { ...algebra, eachActive, entryAt, putEntryAt, sumOfEach, addedInDouble };
  const make = <A extends readonly KernelArg[]>(args: A, fn: (...args: never[]) => number | void): KernelDef<A> =>
    kernel(args, { float: real, scope }, fn as never);
  return {
    norm: make([r], norm),
    rho: make([z, r], rho),
    follow: make([z, p, real], follow),
    advance: make([x, p, r, q, real], advance),
  };
};

/* Names that nothing else in this package has, since bundlers rewrite those of imports. */
const eachActive = active;
const entryAt = at;
const putEntryAt = put;
const sumOfEach = sum;
const addedInDouble = f64;

/** What numbers and vectors have in common. */
interface Algebra<E> {
  readonly productOf: (a: E, b: E) => number;
  /** a + s b. */
  readonly plusTimes: (a: E, s: number, b: E) => E;
}

const numbers: Algebra<number> = {
  productOf: (a, b) => a * b,
  plusTimes: (a, s, b) => a + s * b,
};

const vectors: Algebra<Vec> = {
  productOf: (a, b) => a.dot(b),
  plusTimes: (a, s, b) => a.add(b.mul(s)),
};

/* Written for one axis; places of several go the same way. */
const functionsOf = <E>({ productOf, plusTimes }: Algebra<E>) => ({
  norm: (r: Grid1<E>) => sumOfEach(eachActive(r as Grid1), (I) => productOf(entryAt(r, I), entryAt(r, I))),
  rho: (z: Grid1<E>, r: Grid1<E>) => sumOfEach(eachActive(r as Grid1), (I) => productOf(entryAt(z, I), entryAt(r, I))),
  follow: (z: Grid1<E>, p: Grid1<E>, beta: number) => {
    for (const I of eachActive(p as Grid1)) putEntryAt(p, I, plusTimes(entryAt(z, I), beta, entryAt(p, I)));
  },
  advance: (x: Grid1<E>, p: Grid1<E>, r: Grid1<E>, q: Grid1<E>, alpha: number) => {
    let squares = addedInDouble(0);
    for (const I of eachActive(x as Grid1)) {
      putEntryAt(x, I, plusTimes(entryAt(x, I), alpha, entryAt(p, I)));
      const residual = plusTimes(entryAt(r, I), -alpha, entryAt(q, I));
      putEntryAt(r, I, residual);
      squares += addedInDouble(productOf(residual, residual));
    }
    return squares;
  },
});
