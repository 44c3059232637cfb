import { wasm } from '@filigree/backend-wasm';
import { active, kernel } from '@filigree/lang/kernels';
import { program } from '@filigree/runtime';
import { dense, fields, hash, ij, layout, type Branch } from '@filigree/sparse/fields';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { made } from './gradient-check.js';

const { v, u } = fields('f64', ij, ['v', 'u']);
const { w, z } = fields('f64', ij, ['w', 'z']);

/* Loops over elements of one field that read another, which is smaller, or ends where rows of the first do not. */
const [rows, columns] = [12, 24];
const around: Readonly<Record<string, (cell: readonly [number, number]) => Branch>> = {
  hash: (cell) => hash(ij, 64).dense(ij, cell).place(w, z),
  dense: (cell) => dense(ij, blocksOf(cell)).dense(ij, cell).place(w, z),
  pointer: (cell) => dense(ij, blocksOf(cell)).pointer().dense(ij, cell).place(w, z),
};
const read: Readonly<Record<string, (sides: readonly [number, number]) => Branch>> = {
  dense: (sides) => dense(ij, sides).place(v, u),
  bitmasked: (sides) => dense(ij, sides).bitmasked().place(v, u),
};
const blocksOf = ([a, b]: readonly [number, number]) => [Math.ceil(rows / a), Math.ceil(columns / b)] as const;

const offset = fc.tuple(fc.integer({ min: -2, max: 2 }), fc.integer({ min: -3, max: 3 }));

it('what is read of another field, beside an element that may be outside of it, is there or is ambient', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.keys(around)),
      fc.constantFrom(...Object.keys(read)),
      fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 3, max: 8 })),
      fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 20 })),
      offset,
      offset,
      async (over, of, cell, sides, [a, b], [c, d]) => {
        const stencil = kernel([v, u, w, z], { scope: { a, b, c, d } }, (v, u, w, z) => {
          for (const [x, y] of active(w)) z[x][y] = w[x][y] * v[x + a][y + b] + 2 * u[x + c][y + d];
        });
        const tree = layout(around[over](cell), read[of](sides));
        const sim = await made(program({ layout: tree, kernels: { stencil }, backend: wasm() }));
        const isThere = (x: number, y: number): boolean => x >= 0 && y >= 0 && x < sides[0] && y < sides[1];
        const numberAt = (x: number, y: number): number => (isThere(x, y) ? 1 + x + 16 * y : 0);
        for (let x = 0; x < sides[0]; x++)
          for (let y = 0; y < sides[1]; y++) {
            sim.field(v).set([x, y], numberAt(x, y));
            sim.field(u).set([x, y], 1000 * numberAt(x, y));
          }
        const from = over === 'hash' ? -5 : 0;
        for (let n = 0; n < 60; n++)
          sim.field(w).set([from + ((7 * n) % (rows - from)), from + ((5 * n) % (columns - from))], 1);
        sim.run.stencil();
        const places = [...sim.field(w).entries()];
        expect(places.map(([at]) => [at, sim.field(z).get(at)])).toEqual(
          places.map(([[x, y], k]) => [[x, y], k * numberAt(x + a, y + b) + 2000 * numberAt(x + c, y + d)]),
        );
        sim.dispose();
      },
    ),
    { numRuns: 60 },
  );
}, 120_000);
