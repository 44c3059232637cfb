import { metal, verifyMetal } from '@filigree/backend-metal';
import { conformancePrograms } from '@filigree/conformance';
import {
  buildKernel,
  declareBuffer,
  makeModule,
  type Attrs,
  type Buffer,
  type Builder,
  type Module,
  type ScalarType,
  type Value,
} from '@filigree/ir';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { describe, expect, it } from 'vitest';

const emitted = (module: Module): E.Either<readonly { readonly code: string; readonly message: string }[], string> =>
  pipe(
    metal().legalize.run(module),
    E.chain(metal().emit.run),
    E.map((s) => String(s.files.find((f) => f.name === 'kernels.metal')!.contents)),
  );

const saxpy = (t: ScalarType): Module => {
  const buffers = [declareBuffer('x', t, 8, 'input'), declareBuffer('y', t, 8, 'inout')];
  const kernel = buildKernel(
    'saxpy',
    { a: t, n: 'i32' },
    (b, { a, n }) =>
      void b.for(b.i32(0), n!, b.i32(1), { parallel: true }, [], (i) =>
        b.store('y', b.add(b.mul(a!, b.load('x', i)), b.load('y', i)), i),
      ),
    buffers,
  );
  return makeModule('example', buffers, [kernel]);
};

/** A parallel loop over eight tiles, of each of which a team does what is in it. */
const tiled = (name: string, buffers: readonly Buffer[], body: (b: Builder, tile: Value) => void): Module =>
  makeModule(name, buffers, [
    buildKernel(
      name,
      {},
      (b) => void b.for(b.i32(0), b.i32(8), b.i32(1), { parallel: true }, [], (t) => body(b, t)),
      buffers,
    ),
  ]);

const byTeam = (b: Builder, count: number, body: (n: Value) => void): void =>
  void b.for(b.i32(0), b.i32(count), b.i32(1), { team: true }, [], (n) => body(n));

const reversed = (type: ScalarType, size: number): Module => {
  const buffers = [
    declareBuffer('x', type, 8 * size, 'input'),
    declareBuffer('y', type, 8 * size, 'output'),
    declareBuffer('tile', type, size, 'scratch'),
  ];
  return tiled('reversed', buffers, (b, t) => {
    const from = b.mul(t, b.i32(size));
    byTeam(b, size, (n) => b.store('tile', b.load('x', b.add(from, n)), n));
    byTeam(b, size, (n) => b.store('y', b.load('tile', b.sub(b.i32(size - 1), n)), b.add(from, n)));
  });
};

const counted = (type: ScalarType): Module => {
  const buffers = [declareBuffer('y', type, 8, 'output'), declareBuffer('count', type, 1, 'scratch')];
  return tiled('counted', buffers, (b, t) => {
    b.store('count', b.constant(0, type), b.i32(0));
    byTeam(b, 64, () => void b.atomic('count', 'add', b.constant(1, type), b.i32(0)));
    b.store('y', b.load('count', b.i32(0)), t);
  });
};

it('is a file that people read', () => {
  const text = emitted(saxpy('f32'));
  expect(E.isRight(text) && text.right.slice(text.right.indexOf('// A share'))).toBe(`\
// A share of the parallel loop over i: reads x, y; changes y.
static inline void part0_of_filigree_kernel_saxpy(device const float* x, device float* y, float a, uint begin, uint end, uint threads) {
  for (uint trip = begin; trip < end; trip += threads) {
    const int i = (int)trip;
    y[i] = a * x[i] + y[i];
  }
}

// Kernel saxpy: reads x, y; changes y.
kernel void filigree_kernel_saxpy(device const float* x [[buffer(0)]], device float* y [[buffer(1)]], constant float& a [[buffer(2)]], constant int& n [[buffer(3)]], uint begin [[thread_position_in_grid]], uint threads [[threads_per_grid]]) {
  part0_of_filigree_kernel_saxpy(x, y, a, begin, (uint)(n > 0 ? n : 0), threads);
}
`);
});

/** Eight times one is added to an element of 64 bits, of which the value before may be stored. */
const added = (attrs: Attrs, used: boolean): Module => {
  const buffers = [declareBuffer('x', 'i64', 8, 'inout'), declareBuffer('y', 'i64', 8, 'output')];
  const kernel = buildKernel(
    'k',
    {},
    (b) =>
      void b.for(b.i32(0), b.i32(8), b.i32(1), attrs, [], (i) => {
        const before = b.atomic('x', 'add', b.constant(1n, 'i64'), b.i32(1));
        if (used) b.store('y', before, i);
      }),
    buffers,
  );
  return makeModule('m', buffers, [kernel]);
};

it('refuses doubles, and atomics that Metal lacks, by name', () => {
  expect(emitted(saxpy('f64'))).toMatchObject({
    left: [
      {
        code: 'emit/unsupported-type',
        message: 'metal has no f64',
        remedy: expect.stringContaining("use f32, metal({ doubles: 'pairs' }), or another"),
      },
    ],
  });
  const parallel = { parallel: true };
  expect(emitted(added(parallel, false))).toMatchObject({
    left: [{ code: 'emit/unsupported-atomic', message: 'metal has no atomics on i64' }],
  });
  /* What was there before another thread would have to be told. */
  expect(emitted(added({}, true))).toMatchObject({ left: [{ code: 'emit/unsupported-atomic' }] });
});

it('adds in steps where no other thread sees what is added to', () => {
  const text = emitted(added({}, false));
  expect(E.isRight(text) && text.right).toMatch(/x\[1\] = add_i64\(x\[1\], 1L\);/);
});

it('has doubles as pairs where that is asked for, in memory as their bits, and refuses what has none', () => {
  const inPairs = (module: Module): unknown =>
    pipe(
      metal({ doubles: 'pairs' }).legalize.run(module),
      E.chain(metal({ doubles: 'pairs' }).emit.run),
      E.map((s) => String(s.files.find((f) => f.name === 'kernels.metal')!.contents)),
    );
  expect(inPairs(saxpy('f64'))).toMatchObject({
    left: [{ code: 'pairs/op', message: 'doubles are pairs of f32 here, and none comes as an argument' }],
  });
  const buffers = [declareBuffer('x', 'f64', 8, 'inout'), declareBuffer('k', 'i32', 8, 'input')];
  const made = (body: (b: Builder, i: Value) => void): Module =>
    makeModule('m', buffers, [
      buildKernel(
        'm',
        {},
        (b) => void b.for(b.i32(0), b.i32(8), b.i32(1), { parallel: true }, [], (i) => body(b, i)),
        buffers,
      ),
    ]);
  expect(inPairs(made((b, i) => b.store('x', b.add(b.load('x', i), b.f64(1)), i)))).toMatchObject({
    right: expect.stringContaining('device ulong* x') as unknown,
  });
  /* Metal has no atomics of 64 bits, and none sums at an index that is another one each time. */
  expect(inPairs(made((b, i) => void b.atomic('x', 'add', b.f64(1), b.load('k', i))))).toMatchObject({
    left: [{ code: 'emit/unsupported-atomic', message: 'metal has no atomics on f64' }],
  });
});

it('emits every program or says why not', () => {
  const codes = new Set<string>();
  let written = 0;
  for (const { module } of conformancePrograms()) {
    const text = emitted(module);
    if (E.isLeft(text)) text.left.forEach((d) => codes.add(d.code));
    else {
      written++;
      expect(verifyMetal(text.right)).toEqual([]);
    }
  }
  expect(written).toBeGreaterThan(80);
  expect([...codes].sort()).toEqual(['emit/unsupported-atomic', 'emit/unsupported-type']);
});

it('has what a team shares in the function of the kernel, which hands it on', () => {
  const text = emitted(reversed('f32', 64));
  expect(E.isRight(text) && text.right.slice(text.right.indexOf('// A share'))).toBe(`\
// A share of the parallel loop over i: reads x; changes y.
static inline void part0_of_filigree_kernel_reversed(device const float* x, device float* y, threadgroup float* tile, uint end, uint team, uint teams, uint member, uint members) {
  const uint begin = team;
  for (uint trip = begin; trip < end; trip += teams) {
    const int i = (int)trip;
    const int v5 = i * 64;
    threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
    for (uint trip_1 = member; trip_1 < 64; trip_1 += members) {
      const int i_1 = (int)trip_1;
      tile[i_1] = x[v5 + i_1];
    }
    threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
    for (uint trip_2 = member; trip_2 < 64; trip_2 += members) {
      const int i_2 = (int)trip_2;
      y[v5 + i_2] = tile[63 - i_2];
    }
    threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
  }
}

// Kernel reversed: reads x; changes y.
kernel void filigree_kernel_reversed(device const float* x [[buffer(0)]], device float* y [[buffer(1)]], uint team [[threadgroup_position_in_grid]], uint teams [[threadgroups_per_grid]], uint member [[thread_position_in_threadgroup]], uint members [[threads_per_threadgroup]]) {
  threadgroup float tile[64];
  part0_of_filigree_kernel_reversed(x, y, tile, 8, team, teams, member, members);
}
`);
});

it('has one thread do what a team has no memory or atomics for', () => {
  const text = (module: Module): string => {
    const done = emitted(module);
    return E.isRight(done) ? done.right : '';
  };
  expect(text(reversed('f32', 8192))).toContain('threadgroup_barrier');
  expect(text(reversed('f32', 8193))).toMatch(/^(?![^]*threadgroup_barrier)[^]*thread float tile\[8193\]/);
  expect(text(counted('u32'))).toContain('team_atomic_add_u32');
  expect(text(counted('u16'))).toMatch(/^(?![^]*threadgroup_barrier)[^]*serial_add_u16/);
});

describe('the verifier', () => {
  const text = emitted(saxpy('f32'));
  const right = E.isRight(text) ? text.right : '';
  it.each([
    ['metal/address-space', (t: string) => t.replace('device const float* x,', 'const float* x,')],
    ['metal/address-space', (t: string) => t.replace('y[i] =', 'float* p = &y[i]; *p =')],
    ['metal/bindings', (t: string) => t.replace('[[buffer(1)]]', '[[buffer(0)]]')],
    ['metal/bindings', (t: string) => t.replace(' [[buffer(3)]]', '')],
    ['metal/double', (t: string) => t.replace('const int i', 'const double d = 0; const int i')],
    ['metal/double', (t: string) => t.replace('for (uint trip', 'for (long long trip')],
    ['metal/address-space', (t: string) => t.replace('  const int i', '  threadgroup float t[3];\n    const int i')],
    ['metal/threadgroup-memory', (t: string) => t.replace('  part0', '  threadgroup float t[8193];\n  part0')],
  ])('finds %s', (code, change) => {
    expect(verifyMetal(right)).toEqual([]);
    expect(change(right)).not.toBe(right);
    expect(verifyMetal(change(right)).map((d) => d.code)).toEqual([code]);
  });
});

it.each([
  [
    'in a loop whose iterations are divided',
    (t: string) => t.replace(/(tile\[i_1\] = .*\n)/, '$1 threadgroup_barrier(mem_flags::mem_none);\n'),
  ],
  ['in a branch for one', (t: string) => t.replace('threadgroup_barrier', 'if (member == 0) threadgroup_barrier')],
])('the verifier finds a barrier %s', (_, change) => {
  const done = emitted(reversed('f32', 64));
  const right = E.isRight(done) ? done.right : '';
  expect(verifyMetal(right)).toEqual([]);
  expect(verifyMetal(change(right)).map((d) => d.code)).toEqual(['metal/barrier']);
});

it.skipIf(process.platform === 'darwin')('says where it runs', async () => {
  const { usable, reason } = await metal().probe();
  expect(usable).toBe(false);
  expect(reason).toMatch(/metal\/driver.*Metal is a part of macOS, and this is \w+.*--emit/s);
});
