import { describe, expect, it } from 'vitest';
import type { Backend } from '@filigree/backend';
import { findToolchain } from '@filigree/backend/native';
import { pass } from '@filigree/ir';
import * as E from 'fp-ts/lib/Either.js';
import { active, assumeInRange, bitArray, bitStruct, cache, dense, field, i, ij, int, j, kernel } from 'filigree';
import { layout, ndrange, program, range, stored } from 'filigree';
import type { Grid1, Grid2 } from 'filigree';
import { cudaInterleaved, cudaOnCpu, hipOnCpu, type Order } from '../src/index.js';

/* Of the tier `toolchain`. */
const usable = (await findToolchain()())._tag === 'Right' || process.env['CI'] === 'true';

/* Whole numbers, so that sums are exact in any order. */
const u = field('u', 'f64');
const v = field('v', 'f64');
const w = field('w', 'i32');
const at = field('at', 'i32');
const total = field('total', 'f64');
const large = field('large', 'i32');

const blocks = () =>
  layout(
    dense(ij, 16).pointer().dense(ij, 8).place(u, v, w, at),
    dense(i, 1).place(total),
    dense(i, 5000).place(large),
  );

const kernels = {
  begin: kernel([u, at, large], (u: Grid2, at: Grid2, large: Grid1) => {
    for (const [a, b] of ndrange(40, 40))
      if ((a * 7 + b * 3) % 11 < 6) {
        u[3 * a][3 * b] = a - b;
        at[3 * a][3 * b] = (a * b) % 3;
      }
    for (const n of range(5000)) large[n] = (n * 31) % 97;
  }),
  smooth: kernel([u, v], (u: Grid2, v: Grid2) => {
    for (const [a, b] of active(u)) {
      cache(u);
      v[a][b] = u[a][b] * 5 - u[a + 1][b] - u[a - 1][b] - u[a][b + 1] - u[a][b - 1];
    }
  }),
  scatter: kernel([u, v, at], (u: Grid2, v: Grid2, at: Grid2) => {
    for (const [a, b] of active(u)) {
      cache(v);
      const to = assumeInRange(a + at[a][b], a, 0, 3);
      v[to][b] += u[a][b];
      v[to][b + 1] += 1;
    }
  }),
  count: kernel([u, w, at], (u: Grid2, w: Grid2, at: Grid2) => {
    for (const [a, b] of active(u)) {
      cache(w);
      const to = assumeInRange(a + at[a][b], a, 0, 3);
      if (u[a][b] > 3) w[to][b] += 2;
    }
  }),
  sum: kernel([u, total, large], (u: Grid2, total: Grid1, large: Grid1) => {
    for (const [a, b] of active(u)) total[0] += u[a][b];
    for (const n of range(5000)) total[0] += large[n];
  }),
};

/** What the kernels compute, in plain code. */
const expected = (): {
  readonly v: ReadonlyMap<string, number>;
  readonly w: ReadonlyMap<string, number>;
  readonly total: number;
} => {
  const U = new Map<string, number>();
  const AT = new Map<string, number>();
  const blocks = new Set<string>();
  const key = (a: number, b: number): string => `${a} ${b}`;
  for (let a = 0; a < 40; a++)
    for (let b = 0; b < 40; b++)
      if ((a * 7 + b * 3) % 11 < 6) {
        U.set(key(3 * a, 3 * b), a - b);
        AT.set(key(3 * a, 3 * b), (a * b) % 3);
        blocks.add(key((3 * a) >> 3, (3 * b) >> 3));
      }
  const V = new Map<string, number>();
  const read = (a: number, b: number): number => U.get(key(a, b)) ?? 0;
  const each = (visit: (a: number, b: number) => void): void => {
    for (const block of blocks) {
      const [x, y] = block.split(' ').map(Number) as [number, number];
      for (let n = 0; n < 64; n++) visit(8 * x + (n >> 3), 8 * y + (n & 7));
    }
  };
  each((a, b) => V.set(key(a, b), read(a, b) * 5 - read(a + 1, b) - read(a - 1, b) - read(a, b + 1) - read(a, b - 1)));
  const W = new Map<string, number>();
  let total = 0;
  each((a, b) => {
    const to = a + (AT.get(key(a, b)) ?? 0);
    V.set(key(to, b), (V.get(key(to, b)) ?? 0) + read(a, b));
    V.set(key(to, b + 1), (V.get(key(to, b + 1)) ?? 0) + 1);
    if (read(a, b) > 3) W.set(key(to, b), (W.get(key(to, b)) ?? 0) + 2);
    total += read(a, b);
  });
  for (let n = 0; n < 5000; n++) total += (n * 31) % 97;
  return { v: V, w: W, total };
};

const seen: string[] = [];

const ran = async (backend: Backend): Promise<boolean> => {
  const watched: Backend = {
    ...backend,
    emit: pass('seen', (module) => {
      const emitted = backend.emit.run(module);
      if (E.isLeft(emitted)) throw new Error(emitted.left[0]!.message);
      seen.push(String(emitted.right.files[0]!.contents));
      return emitted.right;
    }),
  };
  const sim = await program({ layout: blocks(), kernels, backend: watched });
  sim.run.begin();
  sim.run.smooth();
  sim.run.scatter();
  sim.run.count();
  sim.run.sum();
  const want = expected();
  let same = sim.fields.total.get([0]) === want.total;
  for (let a = 0; a < 128; a++)
    for (let b = 0; b < 128; b++) {
      same &&= sim.fields.v.get([a, b]) === (want.v.get(`${a} ${b}`) ?? 0);
      same &&= sim.fields.w.get([a, b]) === (want.w.get(`${a} ${b}`) ?? 0);
    }
  sim.dispose();
  return same;
};

/* The words stay in a comment: by them the shim knows that threads of a block are fibres. */
const without = (backend: Backend, gone: RegExp): Backend => ({
  ...backend,
  emit: pass('changed', (module) => {
    const emitted = backend.emit.run(module);
    if (E.isLeft(emitted)) throw new Error(emitted.left[0]!.message);
    const files = emitted.right.files.map((f) =>
      typeof f.contents === 'string'
        ? { ...f, contents: f.contents.replace(gone, '// __syncthreads amdgcn_s_barrier\n') }
        : f,
    );
    return { ...emitted.right, files };
  }),
});

const orders: readonly Order[] = ['forward', 'backward', { seed: 20265 }];

describe.skipIf(!usable).each([
  ['cuda', cudaOnCpu, /^ *__syncthreads\(\);\n/gm],
  ['hip', hipOnCpu, /^ *__builtin_amdgcn_fence.*s_barrier.*;\n/gm],
] as const)('a block of cells is for a team on %s', (_, make, barrier) => {
  it('loops, scratchpads and sums agree with plain code in any order of threads', async () => {
    for (const order of orders) expect(await ran(make(order))).toBe(true);
  });

  it('teams wait, and share scratchpads and sums', () => {
    const text = seen.at(-1)!;
    expect(text.match(barrier)!.length).toBeGreaterThan(8);
    expect(text.match(/(__shared__|shared\)\)) double \w+_pad\w*\[/g)?.length).toBeGreaterThan(1);
    expect(text).toMatch(/(__shared__|shared\)\)) double \w+_part\w*\[1\]/);
  });

  it('without barriers they go wrong', async () => {
    const results = [];
    for (const order of orders) results.push(await ran(without(make(order), barrier)));
    expect(results).toContain(false);
  });
});

it.skipIf(!usable)('a team adds up by atomics what it shares, so that threads may take turns at memory', async () => {
  expect(await ran(cudaInterleaved({ seed: 20265 }))).toBe(true);
});

it.skipIf(!usable)('what shares a word is written one after the other, in rows that teams could divide', async () => {
  const [bits, x, y] = [field('bits', 'i32'), field('x', 'i32'), field('y', 'i32')];
  const write = kernel([bits, x, y], (bits: Grid2, x: Grid2, y: Grid2) => {
    for (const [a, b] of ndrange(40, 64)) if ((a * a + 3 * b) % 7 < 3) bits[a][b] = 1;
    for (const [a, b] of ndrange(40, 64)) {
      x[a][b] = (a * b) & 255;
      y[a][63 - b] = (a + b) & 255;
    }
  });
  const words = bitStruct(32, stored(x, int(12)), stored(y, int(14)));
  const bit = stored(bits, int(1, { signed: false }));
  const sim = await program({
    layout: layout(
      dense(ij, [10, 1])
        .pointer()
        .dense(i, 4)
        .fork(bitArray(j, 64, 32).place(bit)),
      dense(ij, [40, 64]).place(words),
    ),
    kernels: { write },
    backend: cudaInterleaved({ seed: 77 }),
  });
  sim.run.write();
  const read = (f: typeof sim.fields.x): readonly number[] =>
    [...f.toArray({ from: [0, 0], to: [40, 64] })].map(Number);
  const each = (f: (a: number, b: number) => number): readonly number[] =>
    Array.from({ length: 2560 }, (_, k) => f(k >> 6, k & 63));
  expect(read(sim.fields.bits)).toEqual(each((a, b) => ((a * a + 3 * b) % 7 < 3 ? 1 : 0)));
  expect(read(sim.fields.x)).toEqual(each((a, b) => (a * b) & 255));
  expect(read(sim.fields.y)).toEqual(each((a, b) => (a + 63 - b) & 255));
  sim.dispose();
});
