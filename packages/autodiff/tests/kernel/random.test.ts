import { adjoint } from '@filigree/autodiff';
import type { FieldStore } from '@filigree/sparse/fields';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { adjoints, block, launch, moduleOf, newStore, places } from './random-code.js';

it('random kernels with loops, breaks and branches have the gradients that differences tell', () => {
  const number = fc.integer({ min: -900, max: 900 }).map((k) => k / 700);
  let [tried, smooth] = [0, 0];
  fc.assert(
    fc.property(
      block,
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
        const made = adjoint(module, 'f', { adjoints });
        const store = filled(at);
        store.store('loss_grad', [0], 1);
        launch(made.kernel, made.buffers, store, n);
        places.forEach(([name, p], k) => {
          const along = (t: number): number =>
            Number(filled(at.map((v, m) => (m === k ? v + t : v))).load('loss', [0]));
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
    { numRuns: 60 },
  );
  expect(smooth).toBeGreaterThan(2 * tried);
});
