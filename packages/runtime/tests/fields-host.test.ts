import { describe, expect, it } from 'vitest';
import { allocateBuffers, DiagnosticError, type Diagnostic } from '@filigree/ir';
import { hostField, openArena, type Arena } from '@filigree/runtime';
import {
  dense,
  dynamic,
  field,
  hash,
  i,
  ij,
  ijk,
  initializeArena,
  j,
  k,
  layout,
  matrixField,
  storageOf,
  vectorField,
  type AnyField,
  type Layout,
} from '@filigree/sparse/fields';

const arenaOf = (tree: Layout, ready?: () => void): Arena => {
  const storage = storageOf(tree, { budget: 2 ** 20 });
  const arena = openArena(storage, allocateBuffers(storage.buffers), ready);
  initializeArena(arena.storage, arena.words);
  return arena;
};

const refusal = (act: () => unknown): Diagnostic => {
  try {
    act();
  } catch (e) {
    if (e instanceof DiagnosticError) return e.diagnostics[0];
    throw e;
  }
  throw new Error('nothing was refused');
};

const f32 = (name: string) => field(name, 'f32');

describe('host fields', () => {
  it('read what was written, and the ambient value elsewhere', () => {
    const [u, v] = [field('u', 'f64', { ambient: 0.5 }), field('v', 'i32', { ambient: -3 })];
    const arena = arenaOf(layout(dense(ij, 4).pointer().dense(ij, 8).place(u, v)));
    const [fu, fv] = [hostField(arena, u), hostField(arena, v)];
    fu.set([9, 30], 1.25);
    expect([fu.get([9, 30]), fu.get([8, 30]), fu.get([0, 0])]).toEqual([1.25, 0.5, 0.5]);
    expect([fv.get([9, 30]), fv.isActive([9, 30]), fv.isActive([0, 0])]).toEqual([-3, true, false]);
    expect([...fu.entries()]).toHaveLength(64);
    fu.deactivate([8, 24]);
    expect([fu.get([9, 30]), fu.isActive([9, 30]), [...fu.entries()].length]).toEqual([0.5, false, 0]);
  });

  it.each<readonly [string, (u: AnyField, v: AnyField) => Layout]>([
    ['pointer', (u, v) => layout(dense(i, 64).pointer().dense(i, 4).place(u, v))],
    ['pointers in pointers', (u, v) => layout(dense(i, 16).pointer().dense(i, 4).pointer().dense(i, 4).place(u, v))],
    ['bitmasked', (u, v) => layout(dense(i, 256).bitmasked().place(u, v))],
    ['bits in pointers', (u, v) => layout(dense(i, 8).pointer().dense(i, 32).bitmasked().place(u, v))],
    ['pointers in bits', (u, v) => layout(dense(i, 8).bitmasked().dense(i, 8).pointer().dense(i, 4).place(u, v))],
    ['hash', (u, v) => layout(hash(i, 64).dense(i, 4).place(u, v))],
    ['pointers in a hash', (u, v) => layout(hash(i, 8).dense(i, 8).pointer().dense(i, 4).place(u, v))],
    ['list', (u, v) => layout(dynamic(i, 256).place(u, v))],
    ['list of pointers', (u, v) => layout(dynamic(i, 256).pointer().place(u, v))],
  ])('are cleared whole, full or nearly empty, again and again: %s', (name, of) => {
    const isList = name.startsWith('list');
    const [u, v] = [field('u', 'f64', { ambient: 0.5 }), field('v', 'i32')];
    const arena = arenaOf(of(u, v));
    const [fu, fv] = [hostField(arena, u), hostField(arena, v)];
    for (const step of [1, 37, 1, 3, 100, 2, 1, 1]) {
      for (let n = 0; n < 256; n += step) fu.set([n], n);
      for (let n = 0; n < 256; n += step) expect([fu.get([n]), fv.get([n])]).toEqual([n, 0]);
      fv.set([step - 1], 7);
      fu.clear();
      expect([...fu.entries(), ...fv.entries()]).toEqual([]);
      if (isList) expect([fu.length(), fv.length()]).toEqual([0, 0]);
      for (let n = 0; n < 256; n++) expect([fu.isActive([n]), fu.get([n]), fv.get([n])]).toEqual([false, 0.5, 0]);
    }
  });

  it('fill an array that is given, whatever lies between their values, or refuse it', () => {
    const [x, v] = [f32('x'), vectorField('v', 'f64', 2)];
    const apart = dense(i, 3).fork(...v.components.map((c) => dense(i, 4).place(c)));
    const arena = arenaOf(layout(apart, dense(j, 3).dense(ij, 2).place(x)));
    const [fx, fv] = [hostField(arena, x), hostField(arena, v)];
    const given = Float64Array.from({ length: 24 }, (_, n) => n + 1);
    fv.fromArray(given);
    expect([fv.get(0), fv.get(5), fv.get(11)]).toEqual([[1, 2], [11, 12], [23, 24]]); // prettier-ignore
    const kept = new Float64Array(24);
    expect(fv.toArray(undefined, kept)).toBe(kept);
    expect([...kept]).toEqual([...given]);
    fx.fromArray(Float32Array.from({ length: 12 }, (_, n) => n));
    expect([fx.get([0, 5]), fx.get([1, 0]), [...fx.toArray()]]).toEqual([
      5,
      6,
      Array.from({ length: 12 }, (_, n) => n),
    ]);
    const part = new Float32Array(2);
    expect([...fx.toArray({ from: [1, 2], to: [2, 4] }, part)]).toEqual([8, 9]);
    for (const wrong of [new Float32Array(24), new Float64Array(23)])
      expect(refusal(() => fv.toArray(undefined, wrong as Float64Array))).toMatchObject({ code: 'field/length' });
  });

  it('hold every type of number exactly, or refuse', () => {
    const fields = (['i1', 'i8', 'i16', 'i32', 'i64', 'u8', 'u16', 'u32', 'u64', 'f32', 'f64'] as const).map((t) =>
      field(`x_${t}`, t),
    );
    const arena = arenaOf(layout(dense(i, 4).place(...fields)));
    const of = (t: string) =>
      hostField(
        arena,
        fields.find((f) => f.type === t)!,
      );
    for (const [type, least, most] of [
      ['i8', -128, 127],
      ['i16', -32768, 32767],
      ['i32', -(2 ** 31), 2 ** 31 - 1],
      ['u8', 0, 255],
      ['u16', 0, 65535],
      ['u32', 0, 2 ** 32 - 1],
    ] as const) {
      of(type).set(1, least);
      of(type).set([2], most);
      expect([of(type).get(1), of(type).get(2)]).toEqual([least, most]);
      for (const bad of [least - 1, most + 1, 0.5, NaN, '1', undefined, null, [1]])
        expect(refusal(() => of(type).set(1, bad as number)).code).toBe('field/value');
    }
    of('i64').set(0, -(2n ** 63n));
    of('u64').set(0, 2n ** 64n - 1n);
    of('i64').set(1, -(2 ** 53) + 1);
    expect(refusal(() => of('i64').get(0))).toMatchObject({
      code: 'field/wide',
      message: `field 'x_i64' holds ${-(2n ** 63n)} at [0], which is no exact number`,
      remedy: expect.stringContaining('toArray({ from: [0], to: [1] })'),
    });
    expect(refusal(() => [...of('u64').entries()])).toMatchObject({ code: 'field/wide' });
    expect(of('u64').toArray({ from: [0], to: [1] })[0]).toBe(2n ** 64n - 1n);
    expect([of('i64').toArray()[0], of('u64').toArray()[0]]).toEqual([-(2n ** 63n), 2n ** 64n - 1n]);
    expect(of('i64').get(1)).toBe(-(2 ** 53) + 1);
    expect(refusal(() => of('u64').set(0, -1)).code).toBe('field/value');
    of('i1').set(3, true);
    of('i1').set(2, 0);
    expect([of('i1').get(3), of('i1').get(2)]).toEqual([1, 0]);
    expect(refusal(() => of('i1').set(0, 2)).code).toBe('field/value');
    expect(refusal(() => of('f64').set(0, 1n as unknown as number)).message).toBe("field 'x_f64' cannot hold 1n");
    of('f32').set(0, 0.1);
    of('f64').set(0, NaN);
    expect([of('f32').get(0), of('f64').get(0)]).toEqual([Math.fround(0.1), NaN]);
    expect(refusal(() => of('f64').set(0, '1' as unknown as number))).toMatchObject({
      code: 'field/value',
      message: expect.stringContaining("field 'x_f64' cannot hold the text '1'"),
      remedy: 'give a number',
    });
  });

  it('refuse indices outside, and a wrong number of them', () => {
    const [u, w] = [f32('u'), f32('w')];
    const arena = arenaOf(layout(dense(ij, [4, 6]).place(u), hash(i, 4).dense(i, 4).dense(j, 3).place(w)));
    const [fu, fw] = [hostField(arena, u), hostField(arena, w)];
    for (const bad of [
      [4, 0],
      [0, 6],
      [-1, 0],
      [0.5, 0],
      [NaN, 0],
      ['1', 0],
    ])
      for (const act of [fu.get, fu.isActive, (at: number[]) => fu.set(at, 1), fu.activate, fu.deactivate])
        expect(refusal(() => act(bad as number[])).code).toBe('field/index');
    expect(refusal(() => fu.get([0, 6]))).toMatchObject({
      message: "index j = 6 is outside field 'u'",
      remedy: expect.stringContaining('from 0 to 5'),
    });
    for (const bad of [[], [1], [1, 2, 3], 1, undefined, null])
      expect(refusal(() => fu.get(bad as number[])).code).toBe('field/indices');
    expect(refusal(() => fu.get([1]))).toMatchObject({
      message: "field 'u' takes 2 indices (i, j), got 1",
      remedy: 'give [i, j]',
    });
    /* Along the axis of a hash table any i32, along another none but its own. */
    fw.set([-(2 ** 31), 2], 1);
    fw.set([2 ** 31 - 1, 0], 2);
    expect([fw.get([-(2 ** 31), 2]), fw.get([2 ** 31 - 1, 0])]).toEqual([1, 2]);
    expect(refusal(() => fw.get([2 ** 31, 0])).code).toBe('field/index');
    expect(refusal(() => fw.get([0, 3])).code).toBe('field/index');
    expect(fw.extents).toEqual([undefined, 3]);
  });

  it('name what is full, and stay as they were', () => {
    const [u, v] = [f32('u'), f32('v')];
    const arena = arenaOf(layout(dense(i, 100).pointer({ cells: 3 }).place(u), dynamic(j, 2).place(v)));
    const [fu, fv] = [hostField(arena, u), hostField(arena, v)];
    for (const at of [5, 50, 99]) fu.set(at, at);
    expect(refusal(() => fu.set(7, 7))).toMatchObject({
      code: 'field/exhausted',
      message: 'all 3 cells of dense(i: 100).pointer() are in use',
      remedy: expect.stringContaining('cells'),
    });
    expect([...fu.entries()]).toEqual([
      [[5], 5],
      [[50], 50],
      [[99], 99],
    ]);
    fu.deactivate(50);
    fu.set(7, 7);
    expect(fu.get(7)).toBe(7);
    expect([fv.append([], 1), fv.append([], 2), fv.length()]).toEqual([0, 1, 2]);
    expect(refusal(() => fv.append([], 3))).toMatchObject({
      code: 'field/list-full',
      message: "the list of field 'v' is full: dynamic(j: 2) holds 2 cells",
    });
    expect(refusal(() => fv.set(2, 3)).code).toBe('field/index');
    expect(fv.length()).toBe(2);
  });

  it('are lists where the layout says so', () => {
    const [u, v, index] = [f32('u'), f32('v'), field('index', 'i32', { ambient: -1 })];
    const arena = arenaOf(layout(dense(ij, 4).pointer().fork(dense(ij, 2).place(u), dynamic(k, 3).place(index, v))));
    const [fi, fv, fu] = [hostField(arena, index), hostField(arena, v), hostField(arena, u)];
    expect([fi.length([2, 3]), fi.isActive([2, 3, 0]), fu.isActive([4, 6])]).toEqual([0, false, false]);
    expect([fi.append([2, 3], 7), fv.append([2, 3], 0.5), fi.length([2, 3])]).toEqual([0, 1, 2]);
    expect([fi.get([2, 3, 0]), fi.get([2, 3, 1]), fi.get([2, 3, 2])]).toEqual([7, -1, -1]);
    expect([fv.get([2, 3, 1]), fu.isActive([4, 6]), fu.isActive([0, 0])]).toEqual([0.5, true, false]);
    expect(refusal(() => fi.deactivate([2, 3, 0])).code).toBe('field/in-list');
    expect(refusal(() => fi.length([2])).code).toBe('field/indices');
    expect(refusal(() => fi.length([2, 4])).code).toBe('field/index');
    expect(refusal(() => fu.append([1, 1], 1)).code).toBe('field/no-list');
    fi.clear([2, 3]);
    expect([fi.length([2, 3]), fi.get([2, 3, 0]), fu.isActive([4, 6])]).toEqual([0, -1, true]);
    fi.set([2, 3, 2], 9);
    expect([...fi.entries()].map(([at, x]) => [...at, x])).toEqual([
      [2, 3, 0, -1],
      [2, 3, 1, -1],
      [2, 3, 2, 9],
    ]);
  });

  it('of vectors and matrices take and give small arrays', () => {
    const [x, F] = [vectorField('x', 'f32', 3, { ambient: 1 }), matrixField('F', 'f64', 2, 2)];
    const tree = layout(dense(i, 8).bitmasked().place(x, F));
    const arena = arenaOf(tree);
    const [fx, fF] = [hostField(arena, x), hostField(arena, F)];
    expect([fx.get(0), fF.get(0)]).toEqual([
      [1, 1, 1],
      [
        [0, 0],
        [0, 0],
      ],
    ]);
    fx.set(2, Float32Array.of(4, 5, 6));
    fF.set(2, [
      [1, 2],
      [3, 4],
    ]);
    expect(hostField(arena, x.components[1]).get(2)).toBe(5);
    expect(hostField(arena, F.components[2]).get(2)).toBe(3);
    expect([...fF.entries()]).toEqual([
      [
        [2],
        [
          [1, 2],
          [3, 4],
        ],
      ],
    ]);
    expect([...fx.toArray({ from: [1], to: [3] })]).toEqual([1, 1, 1, 4, 5, 6]);
    fx.fill([7, 8, 9]);
    expect([fx.get(2), fx.get(1)]).toEqual([
      [7, 8, 9],
      [1, 1, 1],
    ]);
    expect(refusal(() => fx.set(1, [1, 2]))).toMatchObject({ code: 'field/value', remedy: 'give a list of 3 numbers' });
    for (const bad of [1, [[1, 2]], [[1], [2]], [1, 2, 3, 4], null])
      expect(refusal(() => fF.set(1, bad as number[][])).code).toBe('field/value');
    expect(fx.isActive(1)).toBe(false);
  });

  it('of vectors that lie apart, in groups, take boxes whole and in part, and one value for all', () => {
    const x = vectorField('x', 'f32', 2, { ambient: 3 });
    const each = (leaf: (c: AnyField) => ReturnType<typeof dense>) => x.components.map(leaf);
    for (const sparse of [false, true]) {
      const groups = sparse ? dense(i, 4).pointer() : dense(i, 4);
      const fx = hostField(arenaOf(layout(groups.fork(...each((c) => dense(i, 8).place(c))))), x);
      const values = Float64Array.from({ length: 64 }, (_, n) => n);
      fx.fromArray(values, { from: [0], to: [32] });
      expect([...fx.toArray()]).toEqual([...values]);
      fx.fromArray([1, 2, 3, 4, 5, 6], { from: [7], to: [10] });
      expect([fx.get(6), fx.get(7), fx.get(8), fx.get(9), fx.get(10)]).toEqual([[12, 13], [1, 2], [3, 4], [5, 6], [20, 21]]); // prettier-ignore
      expect([...fx.toArray({ from: [9], to: [11] })]).toEqual([5, 6, 20, 21]);
      fx.fill([-1, 0.5]);
      expect([...fx.toArray()]).toEqual(Array.from({ length: 64 }, (_, n) => (n % 2 === 0 ? -1 : 0.5)));
      fx.clear();
      fx.fromArray([8, 9], { from: [17], to: [18] });
      expect([fx.get(17), fx.get(18), fx.isActive(24)]).toEqual([[8, 9], [3, 3], !sparse]);
    }
  });

  it('of vectors may lie apart, a component a node', () => {
    const x = vectorField('x', 'f32', 2, { ambient: 3 });
    const arena = arenaOf(
      layout(dense(i, 4).pointer().place(x.components[0]), dense(i, 4).pointer().place(x.components[1])),
    );
    const fx = hostField(arena, x);
    fx.set(2, [1, 2]);
    hostField(arena, x.components[0]).set(0, 9);
    expect([fx.get(2), fx.get(0), fx.get(1)]).toEqual([
      [1, 2],
      [9, 3],
      [3, 3],
    ]);
    expect([...fx.toArray()]).toEqual([9, 3, 3, 3, 1, 2, 3, 3]);
    fx.deactivate(2);
    expect([fx.get(2), hostField(arena, x.components[1]).isActive(2)]).toEqual([[3, 3], false]);
    expect(refusal(() => fx.view()).code).toBe('field/not-dense');
    expect(refusal(() => fx.append([], [1, 2])).code).toBe('field/no-list');
  });

  it('belong to the program whose layout places them', () => {
    const arena = arenaOf(layout(dense(i, 4).place(f32('u'))));
    expect(refusal(() => hostField(arena, f32('u'))).code).toBe('field/foreign');
    expect(refusal(() => hostField(arena, f32('w')))).toMatchObject({
      code: 'field/unknown',
      remedy: expect.stringContaining('its fields are u'),
    });
  });

  it('do not touch memory that is not to be touched', () => {
    const u = f32('u');
    const state = { gone: false };
    const arena = arenaOf(layout(dynamic(i, 4).place(u)), () => {
      if (state.gone) throw new DiagnosticError([{ severity: 'error', code: 'gone', message: 'gone' }]);
    });
    const f = hostField(arena, u);
    f.append([], 1);
    state.gone = true;
    for (const act of [
      () => f.get(0),
      () => f.set(0, 1),
      () => f.isActive(0),
      () => f.activate(0),
      () => f.deactivate(0),
      () => f.clear(),
      () => f.clear([]),
      () => f.length(),
      () => f.append([], 1),
      () => f.fill(1),
      () => [...f.entries()],
      () => f.bounds(),
      () => f.toArray(),
      () => f.fromArray([1, 2, 3, 4]),
      () => f.view(),
    ])
      expect(refusal(act).code).toBe('gone');
  });

  it('do without the buffers of another storage', () => {
    const storage = storageOf(layout(dense(i, 4).place(f32('u'))));
    expect(refusal(() => openArena(storage, {})).code).toBe('arena/buffers');
    expect(refusal(() => openArena(storage, { arena_i32: new Int32Array(3) })).code).toBe('arena/buffers');
  });
});

describe('dense arrays', () => {
  it('are boxes, ambient where nothing is active', () => {
    const [u, w] = [field('u', 'i32', { ambient: 7 }), f32('w')];
    const arena = arenaOf(layout(dense(ij, 2).pointer().dense(ij, 2).place(u), hash(ij, 4).dense(ij, 2).place(w)));
    const [fu, fw] = [hostField(arena, u), hostField(arena, w)];
    fu.set([3, 1], 1);
    expect([...fu.toArray()]).toEqual([...new Array<number>(13).fill(7), 1, 7, 7]);
    expect([...fu.toArray({ from: [2, 1], to: [4, 3] })]).toEqual([7, 7, 1, 7]);
    expect(fu.bounds()).toEqual({ from: [2, 0], to: [4, 2] });
    expect(fu.toArray({ from: [1, 1], to: [1, 4] })).toHaveLength(0);
    expect(refusal(() => fw.toArray())).toMatchObject({
      code: 'field/box',
      remedy: expect.stringContaining('bounds()'),
    });
    expect(fw.bounds()).toBeUndefined();
    fw.set([-3, 8], 5);
    expect(fw.bounds()).toEqual({ from: [-4, 8], to: [-2, 10] });
    expect([...fw.toArray(fw.bounds())]).toEqual([0, 0, 5, 0]);
    for (const box of [
      { from: [0, 0], to: [5, 4] },
      { from: [-1, 0], to: [4, 4] },
      { from: [2, 0], to: [1, 4] },
      { from: [0], to: [4] },
      { from: [0, 0.5], to: [4, 4] },
    ])
      expect(refusal(() => fu.toArray(box)).code).toBe('field/box');
    expect(refusal(() => fw.toArray({ from: [0, 0], to: [2 ** 20, 2 ** 20] })).code).toBe('field/too-large');
  });
});

describe('arrays of values', () => {
  it('are bounded by a box that may be changed', () => {
    const u = f32('u');
    const f = hostField(arenaOf(layout(dense(ij, [4, 6]).place(u))), u);
    const { to } = f.bounds() as unknown as { to: number[] };
    to[0] = 2;
    expect([f.bounds(), f.extents]).toEqual([{ from: [0, 0], to: [4, 6] }, [4, 6]]);
    expect(f.toArray()).toHaveLength(24);
  });

  it('fill a box, and activate it', () => {
    const [u, x, w] = [f32('u'), vectorField('x', 'f64', 2), field('w', 'u64')];
    const arena = arenaOf(
      layout(dense(ij, 2).pointer().dense(ij, 4).place(u), dense(i, 3).place(x), hash(i, 4).dense(i, 4).place(w)),
    );
    const [fu, fx, fw] = [hostField(arena, u), hostField(arena, x), hostField(arena, w)];
    fu.fromArray([1, 2, 3, 4, 5, 6], { from: [1, 2], to: [3, 5] });
    expect([...fu.toArray({ from: [0, 2], to: [3, 5] })]).toEqual([0, 0, 0, 1, 2, 3, 4, 5, 6]);
    expect([fu.isActive([0, 7]), fu.isActive([4, 0])]).toEqual([true, false]);
    fx.fromArray([1, 2, 3, 4, 5, 6]);
    expect([fx.get(0), fx.get(2)]).toEqual([
      [1, 2],
      [5, 6],
    ]);
    fw.fromArray([2n ** 63n], { from: [-7], to: [-6] });
    expect([...fw.toArray({ from: [-8], to: [-5] })]).toEqual([0n, 2n ** 63n, 0n]);
    fu.fromArray([], { from: [1, 1], to: [1, 4] });
    fu.fromArray([[1, 2, 3], [4, 5, 6]], { from: [1, 1], to: [3, 4] }); // prettier-ignore
    expect([fu.get([1, 3]), fu.get([2, 1])]).toEqual([3, 4]);
    expect(refusal(() => fu.fromArray([[1], [2]], { from: [1, 1], to: [2, 3] })).code).toBe('field/length'); // prettier-ignore
    const again = fu.toArray();
    fu.fromArray(again);
    expect(fu.toArray()).toEqual(again);
    for (const values of [[1], new Array<number>(65).fill(0), undefined])
      expect(refusal(() => fu.fromArray(values as number[]))).toMatchObject({
        code: 'field/length',
        message: expect.stringContaining('takes 64 values'),
      });
    expect(refusal(() => fu.fromArray(['1'] as unknown as number[], { from: [0, 0], to: [1, 1] })).code).toBe(
      'field/value',
    );
    expect(refusal(() => fw.fromArray([1])).code).toBe('field/box');
  });

  it('go where single elements go, whatever the blocks and the box', () => {
    const boxes = [
      { from: [0, 0, 0], to: [8, 40, 8] }, // whole, rows joined
      { from: [4, 0, 0], to: [8, 40, 4] }, // a block's own columns
      { from: [1, 2, 3], to: [7, 39, 6] }, // parts of blocks
      { from: [3, 36, 2], to: [4, 37, 3] }, // one element
    ];
    for (const grid of [dense(ijk, [8, 40, 8]), dense(ijk, [2, 1, 2]).pointer().dense(ijk, [4, 40, 4])])
      for (const box of boxes) {
        const [u, x] = [f32('u'), vectorField('x', 'f32', 2)];
        const arena = arenaOf(layout(grid.place(u, x)));
        const [fu, fx] = [hostField(arena, u), hostField(arena, x)];
        const [a, b, c] = box.from.map((from, axis) => box.to[axis] - from);
        const values = Float64Array.from({ length: a * b * c }, (_, n) => n + 1);
        const pairs = Float32Array.from({ length: 2 * values.length }, (_, n) => n + 1);
        fu.fromArray(values, box);
        fx.fromArray(pairs, box);
        expect([...fu.toArray(box)]).toEqual([...values]);
        expect([...fx.toArray(box)]).toEqual([...pairs]);
        const places = [...values].map((_, n) =>
          [Math.floor(n / (b * c)), Math.floor(n / c) % b, n % c].map((d, axis) => box.from[axis] + d),
        );
        expect(places.map(fu.get)).toEqual([...values]);
        expect(places.flatMap(fx.get)).toEqual([...pairs]);
        const written = [...fu.entries()].filter(([, value]) => value !== 0);
        expect(written).toHaveLength(values.length);
      }
  });
});

describe('views', () => {
  it('are the memory itself, plain where the field lies alone', () => {
    const u = f32('u');
    const arena = arenaOf(layout(dense(ij, [3, 4]).place(u)));
    const f = hostField(arena, u);
    const view = f.view();
    expect(view).toMatchObject({ shape: [3, 4], strides: [4, 1], dimensions: [0, 1], contiguous: true });
    expect(view.data).toBeInstanceOf(Float32Array);
    expect(view.data.length).toBe(12);
    view.data[2 * 4 + 3] = 5;
    f.set([1, 1], 6);
    expect([f.get([2, 3]), view.data[5]]).toEqual([5, 6]);
    expect([...f.toArray()]).toEqual([...view.data]);
  });

  it('have strides where fields lie side by side, in blocks, or transposed', () => {
    const [u, v, w, x, F] = [
      f32('u'),
      field('v', 'f64'),
      f32('w'),
      vectorField('x', 'f32', 3),
      matrixField('F', 'f32', 2, 2),
    ];
    const arena = arenaOf(
      layout(
        dense(ij, [2, 3]).place(u, v),
        dense(ij, 2).dense(ij, 4).place(w),
        dense([1, 0], [5, 2]).fork(dense(k, 2).place(x)),
        dense(i, 2).dense(i, 3).place(F),
      ),
    );
    const check = (name: typeof u | typeof x | typeof F): void => {
      const f = hostField(arena, name as typeof u);
      const view = f.view();
      let n = 0;
      for (const [at] of f.entries())
        f.set(
          at,
          name.is === 'scalar'
            ? ++n
            : name.is === 'vector'
              ? ([++n, ++n, ++n] as never)
              : ([
                  [++n, ++n],
                  [++n, ++n],
                ] as never),
        );
      /* Reads the view by nothing but its dimensions. */
      for (const [at, value] of f.entries()) {
        const rest = [...at];
        let index = 0;
        for (let d = view.shape.length - 1; d >= 0; d--) {
          const axis = view.dimensions[d];
          if (axis === 'component') continue;
          const position = [0, 1, 2].filter((a) => view.dimensions.includes(a as never)).indexOf(axis);
          index += (rest[position] % view.shape[d]) * view.strides[d];
          rest[position] = Math.floor(rest[position] / view.shape[d]);
        }
        const side = view.dimensions.flatMap((d, n) => (d === 'component' ? [n] : []));
        const values = (value as unknown as number[][] | number[]).toString().split(',').map(Number);
        values.forEach((expected, c) => {
          const at =
            side.length === 2
              ? Math.floor(c / 2) * view.strides[side[0]] + (c % 2) * view.strides[side[1]]
              : side.length === 1
                ? c * view.strides[side[0]]
                : 0;
          expect(view.data[index + at]).toBe(expected);
        });
      }
    };
    for (const name of [u, v, w, x, F]) check(name as typeof u);
    expect(hostField(arena, u).view()).toMatchObject({ strides: [12, 4], contiguous: false });
    expect(hostField(arena, w).view()).toMatchObject({
      shape: [2, 2, 4, 4],
      dimensions: [0, 1, 0, 1],
      contiguous: false,
    });
    expect(hostField(arena, F).view()).toMatchObject({ shape: [2, 3, 2, 2], contiguous: true });
    expect(hostField(arena, x).view().contiguous).toBe(false);
  });

  it('are refused where something is sparse or in Z-order', () => {
    const [u, v, w, l] = ['u', 'v', 'w', 'l'].map(f32);
    const arena = arenaOf(
      layout(
        dense(i, 4).pointer().place(u),
        dense(ijk, 4).morton().place(v),
        dense(i, 4).bitmasked().place(w),
        dynamic(i, 4).place(l),
      ),
    );
    for (const name of [u, v, w, l]) expect(refusal(() => hostField(arena, name).view()).code).toBe('field/not-dense');
    expect(refusal(() => hostField(arena, v).view()).message).toContain('morton');
  });
});
