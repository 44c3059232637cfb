import { adjoint } from '@filigree/autodiff';
import type { FieldStore } from '@filigree/sparse/fields';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { adjoints, blockInPlace, launch, moduleOf, newStore, places } from './random-code.js';

/* What later launches make of what a kernel leaves in each element, to first order. */
const LATER = [0.7, -1.3, 0.4, 1.1];

it('random kernels that overwrite what they read have the gradients that differences tell', () => {
  const number = fc.integer({ min: -900, max: 900 }).map((k) => k / 700);
  let [tried, smooth] = [0, 0];
  fc.assert(
    fc.property(
      blockInPlace,
      fc.array(number, { minLength: 4, maxLength: 4 }),
      fc.integer({ min: 0, max: 4 }),
      (code, at, n) => {
        tried++;
        const module = moduleOf(code);
        const filled = (values: readonly number[]): FieldStore => {
          const store = newStore();
          places.forEach(([name, p], k) => store.store(name, [p], values[k]));
          launch(module.kernels[0], [], store, n);
          return store;
        };
        const loss = (store: FieldStore): number =>
          places.reduce(
            (sum, [name, p], k) => sum + LATER[k] * Number(store.load(name, [p])),
            Number(store.load('loss', [0])),
          );
        const made = adjoint(module, 'f', { adjoints });
        const store = filled(at);
        store.store('loss_grad', [0], 1);
        places.forEach(([name, p], k) => {
          store.store(`${name}_grad`, [p], LATER[k]);
          /* As a tape puts back what the adjoint reads so. */
          if (made.needs.kept.includes(name)) store.store(name, [p], at[k]);
        });
        launch(made.kernel, made.buffers, store, n);
        places.forEach(([name, p], k) => {
          const along = (t: number): number => loss(filled(at.map((v, m) => (m === k ? v + t : v))));
          const [wide, near] = [1e-4, 2e-5].map(
            (h) => (8 * (along(h) - along(-h)) - (along(2 * h) - along(-2 * h))) / (12 * h),
          );
          /* Where a branch is taken on one side only, differences tell nothing. */
          if (Math.abs(wide - near) > 1e-7 * Math.max(1, Math.abs(near))) return;
          smooth++;
          const found = Number(store.load(`${name}_grad`, [p]));
          expect(Math.abs(found - near)).toBeLessThan(1e-6 * Math.max(1, Math.abs(near)));
        });
      },
    ),
    { numRuns: 12 },
  );
  expect(smooth).toBeGreaterThan(2 * tried);
});
