import { describe, expect, it } from 'vitest';
import {
  type CFamilyDialect,
  checkKernels,
  emitHelpers,
  emitKernel,
  gnuHelper,
  gnuSpellings,
  literal,
} from '@filigree/backend';
import { type ScalarType, buildKernel, declareBuffer, makeModule, type Op, mapKernels, opWith } from '@filigree/ir';

/* A made-up GPU language: another table, no other code. */
const scalar: Partial<Record<ScalarType, string>> = { i1: 'bool', i32: 'int', f32: 'float' };
const toy: CFamilyDialect = {
  name: 'toy',
  scalar,
  stored: {},
  pointer: (element, readOnly) => `global ${readOnly ? 'const ' : ''}${element}* `,
  spellings: {
    ...gnuSpellings,
    'math.sqrt': { effect: 'pure', write: (_op, [x]) => ({ text: `fast_sqrt(${x.text})`, binds: 16 }) },
  },
  helper: gnuHelper({ scalar: (t) => scalar[t]!, stored: (t) => scalar[t]!, local: 'device inline' }),
  local: 'host',
  independent: () => [],
  part: {
    head: (name, params) => `kernel void ${name}(${params.join(', ')})`,
    prologue: () => ['const long begin = thread_index(), end = begin + 1;'],
    rangeParams: () => [],
    start: ({ name, args, trips }) => [`launch(${[name, trips, ...args].join(', ')});`],
    helpers: [],
  },
};

const module = (type: ScalarType) => {
  const buffers = [declareBuffer('x', type, 10, 'input'), declareBuffer('y', type, 10, 'output')];
  const kernel = buildKernel(
    'root',
    { n: 'i32' },
    (b, { n }) =>
      void b.for(b.i32(0), n, b.i32(1), { parallel: true }, [], (i) =>
        b.store('y', b.min(b.math('sqrt', b.load('x', i)), b.constant(2, type)), i),
      ),
    buffers,
  );
  return makeModule('m', buffers, [kernel]);
};

describe('the C-family emitter', () => {
  it('writes another language from another table', () => {
    const m = module('f32');
    expect(checkKernels(m, toy)).toEqual([]);
    const kernel = emitKernel(m, m.kernels[0], 'root', toy);
    expect(kernel.text.trim()).toBe(
      `
// A share of the parallel loop over i: reads x; changes y.
kernel void part0_of_root(global const float* x, global float* y) {
  const long begin = thread_index(), end = begin + 1;
  const int last = (int)end;
  for (int i = (int)begin; i < last; ++i) {
    y[i] = below_f32(fast_sqrt(x[i]), 2.0f);
  }
}

// Kernel root: reads x; changes y.
host void root(global const float* x, global float* y, int threads, int n) {
  launch(part0_of_root, n, x, y);
}`.trim(),
    );
    expect([...kernel.helpers]).toEqual(['below_f32']);
    expect(emitHelpers(kernel.helpers, toy)).toContain('device inline float below_f32(float a, float b)');
  });

  it('puts the bounds of an integer on the float that it comes from, where NaN stays what it was', () => {
    const text = (lo: number, hi: number): string => {
      const buffers = [declareBuffer('x', 'f32', 10, 'input'), declareBuffer('y', 'i32', 10, 'output')];
      const kernel = buildKernel(
        'root',
        { i: 'i32' },
        (b, { i }) => b.store('y', b.min(b.max(b.cast(b.load('x', i), 'i32'), b.i32(lo)), b.i32(hi)), i),
        buffers,
      );
      return emitKernel(makeModule('m', buffers, [kernel]), kernel, 'root', toy).text.match(/= (.*);/)![1];
    };
    expect(text(0, 127)).toBe('clamp_i32_f32(x[i], 0.0f, 127.0f)');
    expect(text(-1, 127)).toBe('bound_i32_f32(x[i], -1.0f, 127.0f)');
    expect(text(-9, -1)).toBe('min_i32(max_i32(to_i32_f32(x[i]), -9), -1)');
    expect(text(0, 16777217)).toBe('min_i32(max_i32(to_i32_f32(x[i]), 0), 16777217)');
  });

  it('refuses types that the language lacks', () => {
    expect(checkKernels(module('f64'), toy)).toMatchObject([
      { code: 'emit/unsupported-type', message: 'toy has no f64' },
    ]);
  });

  it('says where a type that the language lacks stands first, and what its table has instead', () => {
    const m = module('f64');
    const at = (op: Op): Op =>
      opWith(op, {
        loc: { file: 'k', line: op.name === 'mem.load' ? 7 : 8, column: 1 },
        regions: op.regions.map((r) => ({ ...r, ops: r.ops.map(at) })),
      });
    const placed = mapKernels(m, (k) => ({ ...k, body: { ...k.body, ops: k.body.ops.map(at) } }));
    expect(checkKernels(placed, { ...toy, instead: { f64: 'count in halves' } })).toMatchObject([
      { message: 'toy has no f64', loc: { line: 7 }, remedy: 'count in halves' },
    ]);
  });

  it('writes constants that read back as the same value', () => {
    const text = (v: number | string | boolean, t: ScalarType): string => literal(v, t).text;
    expect(text(0.1, 'f64')).toBe('0.1');
    expect(text(1, 'f64')).toBe('1.0');
    expect(text(-0, 'f64')).toBe('-0.0');
    expect(text(1e300, 'f64')).toBe('1e+300');
    expect(text(0.1, 'f32')).toBe('0.1f');
    expect(text(16777216, 'f32')).toBe('16777216.0f');
    expect(text(NaN, 'f64')).toBe('__builtin_nan("")');
    expect(text(-Infinity, 'f32')).toBe('-__builtin_inff()');
    expect(text(-2147483648, 'i32')).toBe('(-2147483647 - 1)');
    expect(text('-9223372036854775808', 'i64')).toBe('(-9223372036854775807LL - 1)');
    expect(text('18446744073709551615', 'u64')).toBe('18446744073709551615ULL');
    expect(text(true, 'i1')).toBe('true');
  });

  it('cuts a very long loop into pieces, but not one that goes on lanes', () => {
    const buffers = [declareBuffer('x', 'f32', 8, 'inout')];
    const textOf = (attrs: { readonly simd?: true }): string => {
      const kernel = buildKernel(
        'long',
        {},
        (b) =>
          void b.for(b.i32(0), b.i32(8), b.i32(1), attrs, [], (i) => {
            let x = b.load('x', i);
            for (let n = 0; n < 3500; n++) x = b.mul(b.add(x, x), x);
            b.store('x', x, i);
          }),
        buffers,
      );
      const cut = { ...toy, chunk: { open: 'piece {', close: '}' }, independent: () => ['#pragma lanes'] };
      return emitKernel(makeModule('m', buffers, [kernel]), kernel, 'long', cut).text;
    };
    expect(textOf({})).toContain('piece {');
    expect(textOf({ simd: true })).toContain('#pragma lanes');
    expect(textOf({ simd: true })).not.toContain('piece {');
  });
});
