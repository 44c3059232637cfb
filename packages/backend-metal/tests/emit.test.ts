import { metal, verifyMetal } from '@filigree/backend-metal';
import { conformancePrograms } from '@filigree/conformance';
import { buildKernel, declareBuffer, makeModule, type Module, type ScalarType } from '@filigree/ir';
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

it('is a file that people read', () => {
  const text = emitted(saxpy('f32'));
  expect(E.isRight(text) && text.right.slice(text.right.indexOf('// A share'))).toBe(`\
// A share of the parallel loop over i: reads x, y; changes y.
static inline void part0_of_filigree_kernel_saxpy(device const float* x, device float* y, float a, long begin, long end, uint threads) {
  for (long trip = begin; trip < end; trip += threads) {
    const int i = (int)trip;
    y[i] = a * x[i] + y[i];
  }
}

// Kernel saxpy: reads x, y; changes y.
kernel void filigree_kernel_saxpy(device const float* x [[buffer(0)]], device float* y [[buffer(1)]], constant float& a [[buffer(2)]], constant int& n [[buffer(3)]], uint begin [[thread_position_in_grid]], uint threads [[threads_per_grid]]) {
  part0_of_filigree_kernel_saxpy(x, y, a, begin, n, threads);
}
`);
});

it('refuses doubles, and atomics that Metal lacks, by name', () => {
  expect(emitted(saxpy('f64'))).toMatchObject({
    left: [{ code: 'emit/unsupported-type', message: 'metal has no f64' }],
  });
  const buffers = [declareBuffer('x', 'i64', 8, 'inout')];
  const kernel = buildKernel('k', {}, (b) => void b.atomic('x', 'add', b.constant(1, 'i64'), b.i32(0)), buffers);
  expect(emitted(makeModule('m', buffers, [kernel]))).toMatchObject({
    left: [{ code: 'emit/unsupported-atomic', message: 'metal has no atomics on i64' }],
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

describe('the verifier', () => {
  const text = emitted(saxpy('f32'));
  const right = E.isRight(text) ? text.right : '';
  it.each([
    ['metal/address-space', (t: string) => t.replace('device const float* x,', 'const float* x,')],
    ['metal/address-space', (t: string) => t.replace('y[i] =', 'float* p = &y[i]; *p =')],
    ['metal/bindings', (t: string) => t.replace('[[buffer(1)]]', '[[buffer(0)]]')],
    ['metal/bindings', (t: string) => t.replace(' [[buffer(3)]]', '')],
    ['metal/double', (t: string) => t.replace('const int i', 'const double d = 0; const int i')],
    ['metal/double', (t: string) => t.replace('for (long trip', 'for (long long trip')],
  ])('finds %s', (code, change) => {
    expect(verifyMetal(right)).toEqual([]);
    expect(change(right)).not.toBe(right);
    expect(verifyMetal(change(right)).map((d) => d.code)).toEqual([code]);
  });
});

it('says that it does not run', async () => {
  const { usable, reason } = await metal().probe();
  expect(usable).toBe(false);
  expect(reason).toContain('--emit');
});
