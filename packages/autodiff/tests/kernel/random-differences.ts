import { adjoint } from '@filigree/autodiff';
import type { FieldStore } from '@filigree/sparse/meaning';
import fc from 'fast-check';
import { expect } from 'vitest';
import { adjoints, launch, moduleOf, newStore, places, type Statement } from './random-code.js';

/** What later launches make of what a kernel leaves in each place, to first order; and how many kernels are tried. */
interface Tried {
  readonly later: readonly number[];
  readonly numRuns: number;
}

/** Expects the gradients of random kernels to be what differences tell; how many kernels were tried, and in how many places they tell something. */
export const expectDifferences = (
  code: fc.Arbitrary<Statement[]>,
  { later, numRuns }: Tried,
): { readonly tried: number; readonly smooth: number } => {
  const number = fc.integer({ min: -900, max: 900 }).map((k) => k / 700);
  let [tried, smooth] = [0, 0];
  fc.assert(
    fc.property(
      code,
      fc.array(number, { minLength: 4, maxLength: 4 }),
      fc.integer({ min: 0, max: 4 }),
      fc.subarray(['loss', ...new Set(places.map(([name]) => name))]),
      (code, at, n, unwanted) => {
        tried++;
        const seedOf = (name: string, seed: number): number => (unwanted.includes(name) ? 0 : seed);
        const module = moduleOf(code);
        const filled = (values: readonly number[]): FieldStore => {
          const store = newStore();
          places.forEach(([name, p], k) => store.store(name, [p], values[k]));
          launch(module.kernels[0], [], store, n);
          return store;
        };
        const loss = (store: FieldStore): number =>
          places.reduce(
            (sum, [name, p], k) => sum + seedOf(name, later[k]) * Number(store.load(name, [p])),
            seedOf('loss', 1) * Number(store.load('loss', [0])),
          );
        const made = adjoint(module, 'f', { adjoints });
        const store = filled(at);
        store.store('loss_grad', [0], seedOf('loss', 1));
        places.forEach(([name, p], k) => {
          store.store(`${name}_grad`, [p], seedOf(name, later[k]));
          /* As a tape puts back what the adjoint reads so. */
          if (made.needs.kept.includes(name)) store.store(name, [p], at[k]);
        });
        const bits = made.unwanted.reduce(
          (all, group, bit) => (group.every((name) => unwanted.includes(name)) ? all | (1 << bit) : all),
          0,
        );
        launch(made.kernel, made.buffers, store, n, ...(made.unwanted.length > 0 ? [bits] : []));
        places.forEach(([name, p], k) => {
          const along = (t: number): number => loss(filled(at.map((v, m) => (m === k ? v + t : v))));
          const [wide, near] = [1e-4, 2e-5].map(
            (h) => (8 * (along(h) - along(-h)) - (along(2 * h) - along(-2 * h))) / (12 * h),
          );
          /* How much slopes differ before and after: of what is smooth twice as much over twice the distance, at a kink as much over any. */
          const [half, whole] = [2e-5, 4e-5].map((h) => (along(h) - 2 * along(0) + along(-h)) / h);
          /* Where a branch is taken on one side only, differences tell nothing; where it is taken just here, those of both sides may agree. */
          if (Math.abs(wide - near) > 1e-7 * Math.max(1, Math.abs(near))) return;
          if (Math.abs(2 * half - whole) > 2e-7 * Math.max(1, Math.abs(near))) return;
          smooth++;
          const found = Number(store.load(`${name}_grad`, [p]));
          expect(Math.abs(found - near)).toBeLessThan(1e-6 * Math.max(1, Math.abs(near)));
        });
      },
    ),
    { numRuns },
  );
  return { tried, smooth };
};
