import { fail } from '@filigree/ir';
import type { FieldDecl, VectorField } from '@filigree/sparse/fields';
import { kernel, type KernelDef, type KernelOptions } from '../kernel.js';
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
  /* Numbers and vectors go the same way, and so do places along several axes: the types are those of one case. */
  const { productOf, plusTimes } = (x.is === 'vector' ? vectors : numbers) as Algebra<number>;
  const named = (name: string): KernelOptions => ({ name, float: real, scope: { productOf, plusTimes } });
  return {
    norm: kernel([r], named('norm'), ((r: Grid1) => sum(active(r), (I) => productOf(at(r, I), at(r, I)))) as never),
    rho: kernel([z, r], named('rho'), ((z: Grid1, r: Grid1) =>
      sum(active(r), (I) => productOf(at(z, I), at(r, I)))) as never),
    follow: kernel([z, p, real], named('follow'), ((z: Grid1, p: Grid1, beta: number) => {
      for (const I of active(p)) put(p, I, plusTimes(at(z, I), beta, at(p, I)));
    }) as never),
    advance: kernel([x, p, r, q, real], named('advance'), ((x: Grid1, p: Grid1, r: Grid1, q: Grid1, alpha: number) => {
      let squares = f64(0);
      for (const I of active(x)) {
        put(x, I, plusTimes(at(x, I), alpha, at(p, I)));
        const residual = plusTimes(at(r, I), -alpha, at(q, I));
        put(r, I, residual);
        squares += f64(productOf(residual, residual));
      }
      return squares;
    }) as never),
  };
};

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
