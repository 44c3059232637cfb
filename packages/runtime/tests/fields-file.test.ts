import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allocateBuffers, DiagnosticError } from '@filigree/ir';
import { float, int } from '@filigree/quant';
import { hostField, loadArena, openArena, saveArena, type Arena } from '@filigree/runtime';
import {
  bitArray,
  bitStruct,
  dense,
  dynamic,
  field,
  fields,
  hash,
  i,
  ij,
  initializeArena,
  layout,
  storageOf,
  stored,
  type Layout,
} from '@filigree/sparse/fields';
import { allIndices, randomLayout, windowOf } from './field-model.js';

const arenaOf = (tree: Layout, budget = 2 ** 16): Arena => {
  const storage = storageOf(tree, { budget });
  const arena = openArena(storage, allocateBuffers(storage.buffers));
  initializeArena(arena.storage, arena.words);
  return arena;
};

/** Writes and deactivates at random places; what finds no room is left. */
const stir = (arena: Arena, seed: readonly number[]): void => {
  const tree = arena.storage.layout;
  for (const [n, x] of seed.entries()) {
    const name = n % 2 === 0 ? 'u' : 'v';
    const f = hostField(arena, tree.fields.get(name)!.field);
    const all = [...allIndices(windowOf(tree, name))];
    try {
      if (x % 5 === 0) f.deactivate(all[x % all.length]);
      else f.set(all[x % all.length], x);
    } catch (e) {
      if (!(e instanceof DiagnosticError)) throw e;
    }
  }
};

const contents = (arena: Arena): readonly string[] =>
  [...arena.storage.layout.fields.values()].map(({ field }) =>
    JSON.stringify([...hostField(arena, field).entries()].sort((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1))),
  );

const codeOf = (act: () => unknown): string => {
  try {
    act();
  } catch (e) {
    if (e instanceof DiagnosticError) return e.diagnostics[0].code;
    throw e;
  }
  return '';
};

describe('saved arenas', () => {
  it('come back as they were, in a program with another budget too, and go on from there', () => {
    const places = fc.array(fc.nat(10_000), { maxLength: 30 });
    fc.assert(
      fc.property(randomLayout, places, places, places, (tree, first, junk, more) => {
        const arena = arenaOf(tree);
        stir(arena, first);
        const file = saveArena(arena, { launches: 3 });
        const before = contents(arena);
        const other = arenaOf(tree, 2 ** 17);
        stir(other, junk);
        expect(loadArena(other, file)).toEqual({ launches: 3 });
        expect(contents(other)).toEqual(before);
        stir(other, more);
        stir(arena, more);
        expect(contents(other)).toEqual(contents(arena));
        loadArena(arena, file);
        expect(contents(arena)).toEqual(before);
        expect(saveArena(arena, { launches: 3 })).toEqual(file);
      }),
      { numRuns: 100 },
    );
  });

  it('of fields in few bits hold their words, and have no dense view', () => {
    const { v } = fields('f32', i, { v: 2 });
    const [n, b] = [field('n', 'i32', { axes: i }), field('b', 'i32', { axes: i })];
    const tree = (digits: number): Layout =>
      layout(
        dense(i, 64).place(bitStruct(32, stored(v, float(5, digits, { shared: 'v' })), stored(n, int(5)))),
        bitArray(i, 64, 32).place(stored(b, int(2))),
      );
    const [one, other] = [arenaOf(tree(8)), arenaOf(tree(8))];
    for (let k = 0; k < 64; k += 3) {
      hostField(one, v).set([k], [k * 0.37 - 5, 1 / (k + 1)]);
      hostField(one, n).set([k], k - 30);
      hostField(one, b).set([k], k % 4);
    }
    const file = saveArena(one);
    loadArena(other, file);
    expect(contents(other)).toEqual(contents(one));
    expect(saveArena(other)).toEqual(file);
    /* Rounded, wrapped, and changed by nothing else in the word. */
    expect([...hostField(other, v).get([63])]).toEqual([18.25, 0]);
    expect([60, 63].map((k) => [hostField(other, n).get([k]), hostField(other, b).get([k])])).toEqual([
      [-2, 0],
      [1, -1],
    ]);
    const views = [() => hostField(one, v).view(), () => hostField(one, n).view(), () => hostField(one, b).view()];
    for (const view of views) expect(codeOf(view)).toBe('field/not-dense');
    expect(codeOf(() => loadArena(arenaOf(tree(7)), file))).toBe('arena/layout');
  });

  it('are as small as what they hold', () => {
    const u = field('u', 'f32');
    const arena = arenaOf(layout(hash(ij, 8).dense(ij, 16).place(u)), 2 ** 26);
    expect(saveArena(arena).byteLength).toBeLessThan(1000);
    hostField(arena, u).set([-5, 5], 1);
    expect(saveArena(arena).byteLength).toBeLessThan(2200);
  });

  const u = field('u', 'f32', { ambient: 2 });
  const tree = layout(dense(i, 64).pointer().dense(i, 16).place(u), dynamic(i, 8).place(field('n', 'i32')));
  const full = (): Arena => {
    const arena = arenaOf(tree);
    for (let x = 0; x < 1024; x += 3) hostField(arena, u).set(x, x);
    return arena;
  };

  it('are refused when cut or damaged anywhere, and nothing is changed', () => {
    const file = saveArena(full());
    const arena = arenaOf(tree);
    stir(arena, []);
    hostField(arena, u).set(7, 7);
    const before = contents(arena);
    for (const length of [0, 4, 8, 11, 31, 32, 100, file.byteLength - 1])
      expect(codeOf(() => loadArena(arena, file.slice(0, length)))).toBe(
        length < 8 ? 'arena/not-an-arena' : 'arena/truncated',
      );
    expect(codeOf(() => loadArena(arena, Uint8Array.of(...file, 0)))).toBe('arena/damaged');
    expect(codeOf(() => loadArena(arena, new TextEncoder().encode('%%MatrixMarket matrix coordinate')))).toBe(
      'arena/not-an-arena',
    );
    expect(codeOf(() => loadArena(arena, 'FILIGREE' as unknown as Uint8Array))).toBe('arena/not-an-arena');
    fc.assert(
      fc.property(fc.nat(file.byteLength - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const damaged = file.slice();
        damaged[at] ^= change;
        expect(codeOf(() => loadArena(arena, damaged))).toMatch(/^arena\/(not-an-arena|version|truncated|damaged)$/);
      }),
      { numRuns: 300, examples: [8, 12, 16, 24, 31, 32].map((at) => [at, 1] as [number, number]) },
    );
    expect(contents(arena)).toEqual(before);
  });

  it('are refused by another layout, and by a pool that is too small', () => {
    const file = saveArena(full());
    const other = arenaOf(layout(dense(i, 64).pointer().dense(i, 8).place(u)));
    expect(() => loadArena(other, file)).toThrow(
      /arena\/layout.*dense\(i: 16\) where this program has dense\(i: 8\)[^]*remedy: load it into a program/,
    );
    const fewer = arenaOf(layout(dense(i, 64).pointer().dense(i, 16).place(u)));
    expect(() => loadArena(fewer, file)).toThrow(/dynamic\(i: 8\) where this program has nothing more/);
    const value = field('u', 'f32', { ambient: 3 });
    const ambient = arenaOf(
      layout(dense(i, 64).pointer().dense(i, 16).place(value), dynamic(i, 8).place(field('n', 'i32'))),
    );
    expect(codeOf(() => loadArena(ambient, file))).toBe('arena/layout');
    const small = arenaOf(
      layout(dense(i, 64).pointer({ cells: 63 }).dense(i, 16).place(u), dynamic(i, 8).place(field('n', 'i32'))),
    );
    expect(() => loadArena(small, file)).toThrow(
      /arena\/exhausted.*64 cells of dense\(i: 64\)\.pointer\(\).*63[^]*remedy/,
    );
  });
});
