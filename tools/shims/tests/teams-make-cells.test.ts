import { describe, expect, it } from 'vitest';
import type { Backend } from '@filigree/backend';
import { findToolchain } from '@filigree/backend/native';
import { active, append, at, cache, dense, dynamic, field, fields, i, idiv, ij, ijk, k, kernel } from 'filigree';
import { layout, program, range } from 'filigree';
import type { Grid1, Grid2 } from 'filigree';
import { cudaInterleaved, cudaOnCpu, hipOnCpu64, metalOnCpu, type Order } from '../src/index.js';

/* Of the tier `toolchain`. */
const usable = (await findToolchain()())._tag === 'Right' || process.env['CI'] === 'true';

/* Whole numbers, so that sums are exact in any order. */
const u = field('u', 'i32');
const cells = field('cells', 'i32');
const near = field('near', 'i32');
const { list } = fields('i32', ijk, ['list']);
const places = field('places', 'i32');

const SIDE = 128;
const COUNT = 3000;

const shape = () =>
  layout(
    dense(ij, SIDE / 8)
      .pointer()
      .fork(dense(ij, 8).place(u), dynamic(k, 256).place(list)),
    dense(ij, SIDE / 8)
      .pointer()
      .dense(ij, 8)
      .place(cells),
    dense(ij, SIDE / 8)
      .pointer()
      .dense(ij, 8)
      .place(near),
    dense(i, COUNT).place(places),
  );

const kernels = {
  fill: kernel([u, list, places], { scope: { COUNT } }, (u: Grid2, list, places: Grid1) => {
    for (const p of range(COUNT)) {
      places[p] = ((p * 37) % 13) * 1000 + 8 + ((p * 91) % 104);
      append(at(list, [2 + ((p * 37) % 13), idiv(8 + ((p * 91) % 104), 8)]), p);
      u[16 + 8 * ((p * 37) % 13)][8 + ((p * 91) % 104)] = 1;
    }
  }),
  /* Elements of a block, of which each makes the cells around it. */
  ofBlocks: kernel([u, cells], (u: Grid2, cells: Grid2) => {
    for (const [a, b] of active(u)) {
      cells[a - 4][b - 4] += 1 + u[a][b];
      cells[a - 4][b + 4] += 1 + u[a][b];
      cells[a + 4][b - 4] += 1 + u[a][b];
      cells[a + 4][b + 4] += 1 + u[a][b];
    }
  }),
  ofLists: kernel([list, places, cells], (list, places: Grid1, cells: Grid2) => {
    for (const [a, b, n] of active(list)) {
      const p = list[a][b][n];
      const y = places[p] % 1000;
      cells[8 * a - 4][y - 4] += p;
      cells[8 * a - 4][y + 4] += p;
      cells[8 * a + 4][y - 4] += p;
      cells[8 * a + 4][y + 4] += p;
    }
  }),
  ofListsNear: kernel([list, places, near], (list, places: Grid1, near: Grid2) => {
    for (const [a, b, n] of active(list)) {
      cache(near);
      for (const x of range(3)) near[8 * a + x][8 * b + (places[list[a][b][n]] % 8)] += list[a][b][n];
    }
  }),
};

const CORNERS = [-4, 4].flatMap((a) => [-4, 4].map((b) => [a, b] as const));

/** The kernels in plain code: what is in each element, by its place. */
const expected = (): readonly ReadonlyMap<string, number>[] => {
  const [blocks, lists] = [new Map<string, number>(), new Map<string, number[]>()];
  const [all, close] = [new Map<string, number>(), new Map<string, number>()];
  const add = (to: Map<string, number>, x: number, y: number, value: number): void =>
    void to.set(`${x} ${y}`, (to.get(`${x} ${y}`) ?? 0) + value);
  const ones = new Set<string>();
  for (let p = 0; p < COUNT; p++) {
    const [x, y] = [2 + ((p * 37) % 13), 8 + ((p * 91) % 104)];
    const key = `${x} ${y >> 3}`;
    lists.set(key, [...(lists.get(key) ?? []), p]);
    blocks.set(key, 1);
    ones.add(`${8 * x} ${y}`);
  }
  for (const [key] of blocks) {
    const [x, y] = key.split(' ').map(Number) as [number, number];
    for (let n = 0; n < 64; n++) {
      const [a, b] = [8 * x + (n >> 3), 8 * y + (n & 7)];
      for (const [da, db] of CORNERS) add(all, a + da, b + db, 1 + (ones.has(`${a} ${b}`) ? 1 : 0));
    }
    for (const p of lists.get(key)!) {
      for (const [da, db] of CORNERS) add(all, 8 * x + da, 8 + ((p * 91) % 104) + db, p);
      for (let n = 0; n < 3; n++)
        add(close, 8 * x + n, 8 * y + ((((p * 37) % 13) * 1000 + 8 + ((p * 91) % 104)) % 8), p);
    }
  }
  return [all, close];
};

/** How many elements are not what they should be. */
const wrong = async (backend: Backend): Promise<number> => {
  const sim = await program({ layout: shape(), kernels, backend });
  try {
    sim.run.fill();
    sim.run.ofBlocks();
    sim.run.ofLists();
    sim.run.ofListsNear();
    const want = expected();
    let count = 0;
    [sim.fields.cells, sim.fields.near].forEach((found, n) => {
      for (let a = 0; a < SIDE; a++)
        for (let b = 0; b < SIDE; b++) count += found.get([a, b]) === (want[n]!.get(`${a} ${b}`) ?? 0) ? 0 : 1;
    });
    return count;
  } finally {
    sim.dispose();
  }
};

const orders: readonly Order[] = ['forward', 'backward', { seed: 20281 }];
const [, , seed] = orders;

describe.skipIf(!usable)('what threads of a team make for themselves, none takes from another', () => {
  it.each([
    ['cuda', cudaOnCpu, orders],
    ['cuda, threads that take turns at memory', cudaInterleaved, [seed!]],
    ['hip', hipOnCpu64, [seed!]],
    ['metal', metalOnCpu, [seed!]],
  ] as const)('%s', async (_, make, among) => {
    for (const order of among) expect(await wrong(make(order))).toBe(0);
  });
});
