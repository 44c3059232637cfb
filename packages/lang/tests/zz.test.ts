import { coreDialects, makeModule, interpret, DiagnosticError } from '@filigree/ir';
import { defaultPipeline } from '@filigree/opt';
import { array, range, u8, kernel, unrolled, lowerKernel, ndrange } from '@filigree/lang';
import { field, layout, dense, i } from '@filigree/sparse';
import { it, expect } from 'vitest';
import { define, lowered, problemsOf, run, textOf, noFields } from './kernel-run.js';
it('narrow', () => {
  const def = define([array('u8', 4), array('u32', 4), array('i16', 4)], (a: any, b: any, c: any) => {
    a[0] -= 1; a[1] += 250; a[2] *= 3;
    for (const q of range(3)) { a[q] -= 1; b[q] -= 2; c[q] -= c[3]; c[q] += 5; b[q] -= b[3]; }
  });
  const f = def.fn as any;
  const mk = () => [Uint8Array.of(0, 100, 100, 9), Uint32Array.of(0, 5, 7, 3), Int16Array.of(-32768, 4, 5, 1)] as const;
  const [A, B] = [mk(), mk()];
  f(...A); run(def, [...B] as any);
  expect(B.map((x) => [...x])).toEqual(A.map((x) => [...x]));
});
it('too large', () => {
  const f = (x: number): number => x * 2 + 1 / x;
  const g = (x: number): number => f(f(f(f(x)))) + f(f(f(f(x)))); 
  const def = define([array('f32', 4)], (a: any) => { for (const [p, q] of unrolled(ndrange(64, 64))) a[0] += g(g(g(a[1]))); }, { scope: { f, g } });
  const t = performance.now();
  expect(problemsOf(def).map((d) => d.code)).toEqual(['lang/too-large']);
  console.log(performance.now() - t);
});
it('parallel in if', () => {
  const def = define([array('f64', 4), 'i32'], (a: any, m: number) => {
    let s = 1;
    if (m > 2) { for (const q of range(a.length)) s += a[q]; } else s = -1;
    for (let t = 0; t < 2; t++) for (const q of range(a.length)) a[q] += s;
    return s;
  }, { float: 'f64' });
  const a = Float64Array.of(1, 2, 3, 4);
  expect(run(def, [a, 3])).toBe(11);
  expect([...a]).toEqual([23, 24, 25, 26]);
});
