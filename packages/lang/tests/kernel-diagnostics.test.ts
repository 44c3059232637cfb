import { DiagnosticError, formatDiagnostic } from '@filigree/ir';
import { array, kernel, lowerKernels } from '@filigree/lang';
import { dense, field, hash, i, ij, k, layout, matrixField, vectorField } from '@filigree/sparse/fields';
import { describe, expect, it } from 'vitest';
import { define, fromText, problemsOf } from './kernel-run.js';

const u = field('u', 'f32');
const c = field('c', 'i32');
const b = field('b', 'u8');
const flag = field('flag', 'i1');
const x = vectorField('x', 'f32', 2);
const F = matrixField('F', 'f32', 2, 2);
const n = field('n', 'i32');
const elsewhere = field('elsewhere', 'f32');
const place = layout(
  dense(ij, 16).pointer().dense(ij, 4).place(u),
  dense(i, 100).place(x, F, c, b, flag),
  dense(i, 10).dynamic(k, 8).place(n),
);

/* Arguments of every kernel below, so that the texts can be short. */
const args = [u, c, b, flag, x, F, n, 'f32', 'i32', array('f32', 64)];
const parameters = 'u, c, b, flag, x, F, n, dt, m, a';

const scope = {
  table: [1, 2, 3],
  settings: { mode: 'fast', nested: [[1], [2, 3]] },
  elsewhere,
  corner: { w: 4 },
  native: Math.sin.bind(Math),
  f: (y: number): number => y * 2,
  Thing: class {},
};

/* Text with «» where the diagnostic must point. */
const cases: readonly (readonly [code: string, body: string])[] = [
  ['lang/unbound', 'for (const i of range(«count)) c[i] = 1;'],
  ['lang/unbound', 'c[0] = «idvi(3, 2);'],
  ['lang/unbound', 'c[0] = «_state.n;'],
  ['lang/unbound', 'c[0] = «flag_2 ? 1 : 0;'],
  ['lang/unsupported-syntax', '«try { c[0] = 1; } catch { c[0] = 2; }'],
  ['lang/unsupported-syntax', '«try { c[0] = 1; } catch { c[0] = 2; }'],
  ['lang/unknown-member', 'for (const i of range(m)) c[i] = [1, 2].«copyWithin(0, 1)[0];'],
  ['lang/shape', 'for (const i of range(m)) c[i] = [...«[1, 2].filter((k) => k > dt)].length;'],
  ['lang/dynamic-index', 'for (const i of range(m)) c[i] = «[1, 2].filter((k) => k > dt).reduce((s, k) => s + k);'],
  ['lang/dynamic-index', 'const t = [1, 2].filter((k) => k > dt); «t.push(3);'],
  ['lang/dynamic-index', 'const t = [1, 2]; «t.splice(m, 1);'],
  ['lang/captured-write', 'for (const i of range(m)) «settings.nested.splice(0, 1);'],
  ['lang/iterator', 'const it = [1, 2].values(); for (const y of it) c[0] += y; for (const y of «it) c[0] += y;'],
  ['lang/unknown-member', 'for (const k of «n[0]) c[0] += k;'],
  ['lang/unknown-member', 'c[0] = n[0].«length;'],
  ['lang/unknown-member', 'c[0] = a.«map((y) => y)[0];'],
  ['lang/unsupported-syntax', 'for (const i of range(m)) { const t = «new Map(c); }'],
  ['lang/unsupported-syntax', 'if (`${«u[0][0]}` === `1`) c[0] = 1;'],
  ['lang/literal', 'c[0] = «0x10000000000000000n;'],
  ['lang/literal', 'c[0] = i32(«9007199254740993);'],
  ['lang/shape', 'c[0] = «null;'],
  ['lang/unsupported-syntax', 'class A { «static set s(x) {} }'],
  ['lang/unknown-member', 'class A { static s = 1; } c[0] = A.«t;'],
  ['lang/unsupported-syntax', 'u[0][0] = «Math.random();'],
  ['lang/unsupported-syntax', 'c[0] = «this.m;'],
  ['lang/unsupported-syntax', '«delete c[0];'],
  ['lang/shape', 'for (let i in «c) c[0] = 1;'],
  ['lang/unsupported-call', 'u[0][0] = «native(dt);'],
  ['lang/unsupported-call', 'u[0][0] = «Number.isSafeInteger(m);'],
  ['lang/unsupported-call', '«Thing();'],
  ['lang/unknown-member', 'c[0] = x[0].«w;'],
  ['lang/unknown-member', 'c[0] = table.«size;'],
  ['lang/unknown-member', 'c[0] = settings.«modus;'],
  ['lang/unknown-member', 'u[0][0] = «x[0].summ();'],
  ['lang/dynamic-index', 'const t = [1]; for (const i of range(m)) «t.push(2);'],
  ['lang/dynamic-index', 'const t = [1]; if (m > 1) «t.push(2);'],
  ['lang/dynamic-index', 'const t = [1, 2]; for (const y of t) «t.push(y);'],
  ['lang/array-alias', 'const s = { w: 1 }; const t = { w: 3 }; const one = m > 1 ? s : t; «one.w = 9;'],
  ['lang/array-alias', 'const t = { w: 3 }; const one = m > 1 ? { w: 1 } : t; «one.w = 9;'],
  ['lang/array-alias', 'const t = [{ w: 1 }, { w: 2 }]; let one = t[m % 2]; one = t[0]; «one.w = 9;'],
  ['lang/array-alias', 'const t = [{ w: 1 }, { w: 2 }]; const one = t[m % 2]; «t[0] = { w: m }; one.w = 9;'],
  ['lang/array-alias', 'const one = m > 1 ? { w: 1 } : corner; «one.w = 9;'],
  ['lang/array-alias', 'let one = corner; if (m > 1) one = { w: 1 }; «one.w = 9;'],
  ['lang/array-alias', 'let one = { w: 1 }; if (m > 1) one = corner; «one.w = 9;'],
  ['lang/array-alias', 'const row = m > 1 ? [1, 2, 9] : table; «row[0] = 9;'],
  ['lang/array-alias', 'const row = table; «row[0] = 9;'],
  ['lang/array-alias', 'const t = [{ w: 1 }, { w: 2 }]; const one = t.find((o) => o.w === m); «one.w = 9;'],
  ['lang/array-alias', 'const t = [1]; let s = t; s = [2]; «t.push(2); c[0] = s[0];'],
  ['lang/unknown-member', 'const t = new Int32Array(2); c[0] = t.«push(2);'],
  ['lang/dynamic-index', 'const t = [1]; const g = (y) => { if (y > 1) return; «t.push(2); }; g(m);'],
  ['lang/dynamic-index', 'const t = [1]; t.forEach(() => «t.pop());'],
  ['lang/captured-write', 'c[0] = «table.pop();'],
  ['lang/unsupported-call', 'console.log(«[1, m].join());'],
  ['lang/unassigned', 'const t = new Array(2); if (m > 1) t[0] = 1; c[0] = «t[0];'],
  ['lang/arguments', 'c[0] = «[3, m].toSorted()[0];'],
  ['lang/unsupported-call', 'const t = [3, m]; «t.sort((p, q) => p - q);'],
  ['lang/not-a-function', '«dt();'],
  ['lang/not-a-function', '«settings.mode();'],
  ['lang/recursion', 'const g = (y) => (y > 0 ? «g(y - 1) : 0); u[0][0] = g(dt);'],
  [
    'lang/recursion',
    'const g = (f, y) => f(f, y); const h = (f, y) => (y > 0 ? «g(f, y - 1) : 0); u[0][0] = g(h, dt);',
  ],
  ['lang/indices', 'for (const i of range(m)) u[i][0] = «u[i] + 1;'],
  ['lang/indices', 'for (const i of range(m)) «u[i] = 1;'],
  ['lang/indices', 'for (const i of range(m)) «u[i][0][0] = 1;'],
  ['lang/indices', 'for (const i of range(m)) c[i] = «u[i][0][0];'],
  ['lang/indices', 'c[0] = «dt[0];'],
  ['lang/index-range', 'c[0] = «c[100];'],
  ['lang/index-range', '«u[-1][0] = 0;'],
  ['lang/index-range', 'c[0] = «table[3];'],
  ['lang/index-type', 'for (const i of range(m)) «c[i / 2] = 1;'],
  ['lang/index-type', 'for (const i of range(m)) «c[dt] = 1;'],
  ['lang/index-type', 'for (const i of range(m)) { let z = 0; z = Math.floor(dt); z += dt; «c[z] = 1; }'],
  ['lang/narrowing', 'for (const i of range(m)) { let z = 0; z = z / 2 + i; «c[i] = z; }'],
  ['lang/dynamic-index', 'for (const i of range(m)) c[i] = «settings[i];'],
  ['lang/index-range', 'for (const i of range(m)) c[i] = «settings.nested[i][1];'],
  ['lang/shape', 'let t = settings; «t = settings.nested;'],
  ['lang/type', 'c[0] = «(m > 0) + 1;'],
  ['lang/type', 'const t = «m && dt > 0; if (t) c[0] = 1;'],
  ['lang/type', 'if («(m > 0) === 1) c[0] = 1;'],
  ['lang/type', 'c[0] = «idiv(dt, 2);'],
  ['lang/type', '«flag[0] = 1;'],
  ['lang/type', '«u[0][0] = m > 1;'],
  ['lang/type', 'let t = true; «t = m; c[0] = 1;'],
  ['lang/type', 'c[0] = i32(«i64(m) + u64(m));'],
  ['lang/narrowing', '«c[0] = dt;'],
  ['lang/narrowing', '«c[0] += 0.5;'],
  ['lang/narrowing', 'for (const i of range(3)) «b[i] = m;'],
  ['lang/narrowing', 'for (const i of range(3)) «c[i] += dt;'],
  ['lang/literal', '«b[0] = 300;'],
  ['lang/narrowing', '«c[0] = m * 3000000000;'],
  ['lang/literal', '«c[0] = 3000000000;'],
  ['lang/literal', 'c[0] = «i32(2000000000) * 2;'],
  ['lang/shape', 'u[0][0] = «x[0];'],
  ['lang/shape', 'u[0][0] = «x[0] + 1;'],
  ['lang/shape', 'x[0] = «dt;'],
  ['lang/shape', 'x[0] = «vec(1, 2, 3);'],
  ['lang/shape', 'x[0] = «x[1].add(vec(1, 2, 3));'],
  ['lang/shape', 'x[0] = «F[0].mul(vec(1, 2, 3));'],
  ['lang/shape', 'let v = x[0]; «v = dt; x[0] = v;'],
  ['lang/shape', 'x[0] = m > 0 ? x[1] : «dt;'],
  ['lang/shape', 'const [p, q, «r] = x[0];'],
  ['lang/shape', 'x[0] = «zeros(m);'],
  ['lang/shape', '«x[0] += x[1];'],
  ['lang/shape', 'u[0][0] = Math.max(«x[0], 1);'],
  ['lang/immutable-vector', 'const f = (v) => { «v[0] = 3; }; f(x[0]);'],
  ['lang/array-alias', 'const «v = x[0]; v.x = 3;'],
  ['lang/argument-write', '«dt = 2;'],
  ['lang/argument-write', '«m++;'],
  ['lang/constant-write', 'const t = 1; «t = 2;'],
  ['lang/constant-write', 'for (let i of range(3)) «i = 2;'],
  ['lang/captured-write', '«table[0] = 2;'],
  ['lang/captured-write', '«settings = 2;'],
  ['lang/array-alias', 'const g = (r) => { «r[0] = 1; }; const t = [[1], [2]]; g(...[t[m % 2]]);'],
  ['lang/array-alias', 'const t = [1, 2]; t[0] = 3; let «s = t; s = [5, 6]; c[0] = s[0];'],
  ['lang/array-alias', 'const t = { at: { w: 1 } }; const s = t.at; «t.at = { w: m }; c[0] = s.w;'],
  ['lang/array-alias', 'let t = { w: 1 }; const all = [t]; «t = { w: m }; c[0] = all[0].w;'],
  ['lang/array-alias', 'let t = [1, m]; const g = (s) => { «t = [2, m]; return s[0]; }; c[0] = g(t);'],
  ['lang/array-alias', 'const t = { at: [m] }; const s = { ...t }; «t.at = [2]; c[0] = s.at[0];'],
  [
    'lang/array-alias',
    'const t = [{ w: 1 }, { w: 2 }]; t[0].w = m; const g = (s) => { «t[0].w = 5; return s.w; }; c[0] = g(t[m % 2]);',
  ],
  [
    'lang/array-alias',
    'const s = { w: 1 }; const t = { w: m }; s.w = 2; const one = m > 1 ? (m > 2 ? s : t) : { w: 3 }; «s.w = m; c[0] = one.w;',
  ],
  ['lang/array-alias', 'const t = [1, 2]; let s = [3, 4]; if (m > 0) s = t; «s[0] = 5; c[0] = t[0];'],
  ['lang/array-alias', 'let t = [1, 2]; const s = t; «t = [m, 6]; c[0] = s[0];'],
  ['lang/array-alias', 'let t; t = [1, 2]; const s = t; «t = [m, 6]; c[0] = s[0];'],
  ['lang/array-alias', 'const t = [1, 2]; t[0] = m; let s; «s = t; t[0] = 5; c[0] = s[0];'],
  ['lang/unassigned', 'let t; c[0] = «t;'],
  ['lang/unassigned', 'c[0] = «t; const t = 1;'],
  ['lang/parallel-write', 'let t = 0; for (const i of range(m)) «t = i;'],
  ['lang/parallel-write', 'let t = 1; for (const i of range(m)) «t *= 2;'],
  ['lang/parallel-write', 'const t = [0]; for (const i of range(m)) «t[0] = 1;'],
  ['lang/parallel-write', 'let t = 1; for (const i of range(m)) if (i > t) «t = m;'],
  ['lang/parallel-write', 'let t = false; const f = (i) => (c[i]++, i > 2); for (const i of range(m)) «t ||= f(i);'],
  [
    'lang/parallel-write',
    'const t = [1, 2]; for (const i of range(m)) { let p = 0; const f = () => p++; if (t[f()] < i) «t[f()] = i; }',
  ],
  [
    'lang/parallel-write',
    'const t = [true, false]; for (const i of range(m)) { let p = 0; const f = () => p++; «t[f()] = t[f()] || i > 2; }',
  ],
  ['lang/parallel-write', 'const t = new Array(17).fill(0); for (const i of range(m)) «t[i & 15] += 1;'],
  ['lang/parallel-write', 'let s = 0; const f = (i) => { s += 1; return i; }; for (const i of range(m)) «s += f(i);'],
  ['lang/parallel-write', 'const t = [0, 1]; for (const i of range(m)) { let j = 0; «t[j++] = Math.max(t[j++], i); }'],
  [
    'lang/parallel-write',
    'const t = [0, 1]; for (const i of range(m)) { let j = i; «t[j & 1] = Math.max(t[j & 1], (j = 2, i)); }',
  ],
  ['lang/reduction', 'let s = 0; for (const i of range(m)) c[i] = «s++;'],
  ['lang/reduction', 'let s = 0; for (const i of range(m)) { const at = (s += 2); c[i] = «at; }'],
  ['lang/reduction', 'const t = [0, 1]; for (const i of range(m)) { t[i & 1] += 1; c[i] = «t[0]; }'],
  ['lang/reduction', 'let t = false; for (const i of range(m)) { if (i > 2) t = true; else «t = false; }'],
  ['lang/reduction', 'let t = false; for (const i of range(m)) { t ||= i > 2; if («t) c[i] = 1; }'],
  ['lang/reduction', 'let s = 0; for (const i of range(m)) { s += dt; u[0][0] += «s; }'],
  ['lang/reduction', 'let s = 0; for (const i of range(m)) { s += dt; «s = Math.max(s, dt); }'],
  ['lang/break-in-parallel', 'for (const i of range(m)) { if (i > 3) «break; }'],
  ['lang/break-in-parallel', 'outer: for (const i of range(m)) for (const j of range(3)) if (j > 1) «break outer;'],
  ['lang/loop-variables', 'for (const «[p, q, r] of active(u)) u[p][q] = 1;'],
  ['lang/loop-variables', 'for (const «[p, q] of active(x)) c[p] = 1;'],
  ['lang/unrolled', 'for (const i of «unrolled(range(m))) c[i] = 1;'],
  ['lang/unrolled', 'for (const i of «unrolled(range(100000))) c[0] += i;'],
  ['lang/range', 'for (const i of «range(2.5)) c[0] += i;'],
  ['lang/range', 'for (const i of «range(0, 9, 0)) c[0] += i;'],
  ['lang/arguments', 'for (const i of «range()) c[0] += i;'],
  ['lang/arguments', 'u[0][0] = «Math.sqrt(dt, 2);'],
  ['lang/active', 'for (const i of «active(a)) c[i] = 1;'],
  ['lang/division', 'c[0] = «idiv(m, 0);'],
  ['lang/indices', '«deactivate(c);'],
  ['lang/not-sparse', '«deactivate(parent(u, 2), 3, 3);'],
  ['lang/not-a-list', 'append(«u[0], 1);'],
  ['lang/list-in-loop', 'for (const [i, j] of active(n)) «append(n[i], 1);'],
  ['lang/list-in-loop', 'for (const [i, j] of active(n)) if (j > 2) «clear(n[i]);'],
  ['lang/not-a-list', 'c[0] = length(«u[0]);'],
  ['lang/indices', 'append(«n, 1);'],
  ['lang/indices', 'c[0] = length(«n[0][0]);'],
  ['lang/indices', 'if («isActive(u, 1, 2, 3)) c[0] = 1;'],
  ['lang/indices', 'if («isActive(u, 1)) c[0] = 1;'],
  ['lang/indices', 'if («isActive(c)) c[0] = 1;'],
  ['lang/indices', '«activate(c);'],
  ['lang/not-a-field', 'if (isActive(«dt, 1)) c[0] = 1;'],
  ['lang/clear-in-loop', 'for (const i of range(3)) «clear(u);'],
  ['lang/type', 'c[0] = m > 3 ? m : «m > 2;'],
  ['lang/array-alias', 'const t = «new Array(2).fill([0, 0]);'],
  ['lang/shape', 'const t = «new Array(m).fill(0);'],
  ['lang/shape', 'const t = «new Array(1e9).fill(0);'],
  ['lang/dynamic-index', 'const t = «[1, 2].slice(m);'],
  ['lang/cache', '«cache(u);'],
  ['lang/not-a-field', 'for (const [i, j] of active(u)) cache(u, «dt);'],
  ['lang/assume-in-range', 'c[0] = «assumeInRange(m, 0, 0, m);'],
  ['lang/field-in-scope', '«elsewhere[0] = 1;'],
  ['lang/return-in-loop', 'for (const i of range(m)) { «return 3; }'],
  ['lang/return-in-loop', 'for (const i of range(m)) { if (i > 3) «return; c[i] = 1; }'],
  ['lang/unassigned', 'const g = (y) => { if (y > 0) return 1; }; u[0][0] = «g(dt);'],
  ['lang/unassigned', 'const g = (y) => { if (y > 0) return 1; return; }; u[0][0] = «g(dt);'],
  ['lang/unassigned', 'const g = (y) => (y > 0 ? { a: y } : null); const r = g(dt); u[0][0] = «r.a;'],
  ['lang/unassigned', 'const g = (y) => (y > 0 ? x[0] : null); x[0] = «g(dt);'],
  ['lang/unsupported-call', '«hostGrid([3], 0);'],
  ['lang/unsupported-syntax', 'if («dt in settings) c[0] = 1;'],
  ['lang/unsupported-syntax', 'if («u instanceof Object) c[0] = 1;'],
  ['lang/unsupported-syntax', 'c[0] = «arguments[0];'],
  ['lang/shape', "if (m === «'a') c[0] = 1;"],
  ['lang/unknown-member', '«c[0].w = 1;'],
  ['lang/index-type', 'for (const i of range(m)) «for (const k of range(dt)) c[k] = 1;'],
  ['lang/division', 'c[0] = «m % 0;'],
  ['lang/shape', 'u[0][0] = sum(«c, (k) => k);'],
  ['lang/type', 'for (const i of range(m)) «atomicXor(u, i, 0, 1);'],
  ['lang/type', 'for (const i of range(m)) «u[i][0] |= 1;'],
  ['lang/type', 'for (const i of range(m)) «a[i] &= 1;'],
  ['lang/narrowing', 'for (const i of serially(range(m))) «atomicAdd(b, i, m);'],
  ['lang/shape', 'const [U] = «svd2(x[0]); u[0][0] = U[0][0];'],
  ['lang/renamed-field', 'if (m > 0) [«u, c] = [c, u];'],
  ['lang/renamed-field', 'for (const i of range(m)) «a = a;'],
  ['lang/renamed-field', 'const swap = () => { if (m > 1) «x = F; }; swap();'],
  ['lang/renamed-field', 'for (const k of unrolled(range(3))) { if (m > k) continue; «x = F; }'],
  ['lang/shape', '«u = 3;'],
  ['lang/active-changes', 'for (const [p, q] of serially(active(u))) «u[p + 1][q] = 1;'],
  ['lang/active-changes', 'for (const i of range(m)) for (const [p, q] of active(u)) «deactivate(u, p, q);'],
  ['lang/active-changes', 'for (const [p, k] of serially(active(n))) «append(n[p], k);'],
  ['lang/loop-variables', 'for (const «[p, q] of serially(active(c))) c[p] = q;'],
  ['lang/shape', 'c[0] = «[].reduce((s, v) => s + v);'],
  ['lang/arguments', 'c[0] = «table.map(3)[0];'],
  ['lang/arguments', 'c[0] = «table.map((v) => v, 3)[0];'],
];

const point = (text: string): [line: number, column: number] => {
  const before = text.slice(0, text.indexOf('«')).split('\n');
  return [before.length, before[before.length - 1].length + 1];
};

describe('what kernels cannot say', () => {
  it.each(cases)('%s: %s', (code, body) => {
    const text = `(${parameters}) => {\n  ${body}\n}`;
    const found = problemsOf(define(args, fromText(text.replace('«', '')), { scope }), place);
    expect(found.map((d) => [d.code, d.loc?.line, d.loc?.column])).toEqual([[code, ...point(text)]]);
    expect(found[0].remedy).toBeTruthy();
    expect(formatDiagnostic(found[0])).toContain('^');
  });
});

it('several problems are found at once, and what follows from one is not repeated', () => {
  const text = `(u, c) => {
  const t = missing + 1;
  const s = t * 2;
  c[0] = 0.5;
  for (const i of range(3)) {
    c[i] = u[i];
    debugger;
  }
}`;
  const found = problemsOf(define([u, c], fromText(text)), place);
  expect(found.map((d) => [d.code, d.loc?.line])).toEqual([
    ['lang/unbound', 2],
    ['lang/indices', 6],
    ['lang/unsupported-syntax', 7],
    ['lang/narrowing', 4],
  ]);
  /* As `kernel` takes its arguments. */
  expect(found[0].remedy).toMatch(/^pass it: kernel\(\[…\], { scope: { missing } }, fn\)/);
});

it('problems in inlined functions point into their text', () => {
  const helper = fromText('function helper(y) {\n  return y.missing;\n}');
  const [found] = problemsOf(
    define([u], fromText('(u) => { u[0][0] = helper(u[1][1]); }'), { scope: { helper } }),
    place,
  );
  expect(formatDiagnostic(found)).toBe(
    [
      "helper:2:12: error[lang/unknown-member]: a number has no `missing` in a kernel (`helper` is called by kernel 'kernel' at kernel:1:20)",
      '  1 | function helper(y) {',
      '> 2 |   return y.missing;',
      '    |            ^',
      '  3 | }',
      '  remedy: compute with numbers, vectors, matrices and arrays of known length',
    ].join('\n'),
  );
});

it('names file and line of the file, where they are known', () => {
  const at = { file: 'sim.ts', line: 40, column: 15 };
  const [found] = problemsOf(define([c], fromText('(c) => {\n  c[0] = nothing;\n}'), { at }), place);
  expect(formatDiagnostic(found).split('\n').slice(0, 3)).toEqual([
    'sim.ts:41:10: error[lang/unbound]: `nothing` is neither declared in the function nor in its scope',
    '  40 |               (c) => {',
    '> 41 |   c[0] = nothing;',
  ]);
});

it('fields must be part of the layout', () => {
  const found = problemsOf(define([elsewhere], fromText('(e) => { for (const i of active(e)) e[i] = 1; }')), place);
  expect(found.map((d) => d.code)).toEqual(['lang/not-placed']);
  expect(found[0].message).toContain("'elsewhere'");
  const [namesake] = problemsOf(define([field('u', 'f32')], fromText('(e) => { e[1][1] = 1; }')), place);
  expect(namesake).toMatchObject({ code: 'lang/not-placed', message: expect.stringContaining('of the same name') });
});

it('kernels without a name of their own are called as their program calls them', () => {
  const result = lowerKernels({ fill: define([c], fromText('(c) => { c[0] = nothing; }')) }, place);
  expect(result._tag === 'Left' && result.left[0].loc?.file).toBe('fill');
});

it('definitions are checked at once', () => {
  const code = (f: () => unknown): string => {
    try {
      f();
    } catch (e) {
      if (e instanceof DiagnosticError) return e.diagnostics[0].code;
      throw e;
    }
    return 'nothing';
  };
  expect(code(() => define([u], 3))).toBe('lang/not-a-function');
  expect(code(() => define(['f31'], () => 0))).toBe('lang/argument');
  expect(code(() => define([3], () => 0))).toBe('lang/argument');
  expect(code(() => define('u' as never, () => 0))).toBe('lang/argument');
  expect(code(() => define([u], () => 0, { block: 0 }))).toBe('option/value');
  expect(code(() => array('f32', 0))).toBe('lang/array');
  expect(code(() => array('text' as 'f32', 1))).toBe('lang/array');
  expect(problemsOf(define([], () => 0, { name: 'a b' })).map((d) => d.code)).toEqual(['lang/name']);
  expect(problemsOf(define([], fromText('(a) => a'))).map((d) => d.code)).toEqual(['lang/parameters']);
  expect(problemsOf(define([], fromText('async () => 0'))).map((d) => d.code)).toEqual(['lang/unsupported-syntax']);
  expect(problemsOf(define([], Math.sin)).map((d) => d.code)).toEqual(['lang/native-function']);
  expect(problemsOf(define([], class {})).map((d) => d.code)).toEqual(['lang/not-a-function']);
});

it('problems of several kernels come together', () => {
  const one = kernel([c], (c: number[]) => void (c[0] = 0.5));
  const result = lowerKernels({ one, two: one }, place);
  expect(result._tag === 'Left' && result.left.length).toBe(2);
});

it('a kernel that grows beyond measure is refused', () => {
  const f = (y: number): number => y * 2 + 1 / y;
  const g = (y: number): number => f(f(f(f(y)))) + f(f(f(f(y))));
  const text = '(a) => { for (const [p, q] of unrolled(ndrange(64, 64))) a[0] += g(g(g(a[1]))); }';
  const found = problemsOf(define([array('f32', 4)], fromText(text), { scope: { f, g } }));
  expect(found.map((d) => d.code)).toEqual(['lang/too-large']);
});

it('elements below a hash table, which has no end, are visited by outermost loops alone', () => {
  const far = field('far', 'f32');
  const def = define([far], fromText('(far) => { for (const p of serially(active(far))) far[p] = 1; }'));
  expect(problemsOf(def, layout(hash(i, 64).place(far))).map((d) => d.code)).toEqual(['lang/nested-active']);
});

it('names components as the program does', () => {
  const named = (body: string): string =>
    problemsOf(define(args, fromText(`(${parameters}) => { ${body} }`), { scope }), place)[0]?.message;
  expect([
    named('let g = { v: { x: true } }; g.v.x = dt;'),
    named('let gv = [true, dt]; gv[0] = m;'),
    named('let g = { list: [{ "a b": true }] }; g.list[0]["a b"] = dt;'),
  ]).toEqual([
    expect.stringContaining('`g.v.x`'),
    expect.stringContaining('`gv[0]`'),
    expect.stringContaining('`g.list[0]["a b"]`'),
  ]);
});

it('says what a variable holds that is given something else', () => {
  const [found] = problemsOf(
    define(
      args,
      fromText(
        `(${parameters}) => { const t = new Uint8Array(1); for (const i of range(m)) t[0] = Math.max(t[0], i); }`,
      ),
    ),
    place,
  );
  expect(found.message).toBe('`t[0]` is of type u8, which does not hold numbers of type i32');
});

it('says how a number is made one of a type that holds fewer', () => {
  const b = field('b', 'u8');
  const remedy = (body: string): string | undefined =>
    problemsOf(
      define([b, c, 'f64', 'i32'], fromText(`(b, c, x, m) => { for (const i of range(8)) ${body} }`)),
      layout(dense(i, 8).place(b, c)),
    )[0]?.remedy;
  expect(remedy('b[i] = m;')).toBe(
    'cast it: u8(x) takes its last bits; or keep it within: Math.min(Math.max(x, 0), 255)',
  );
  expect(remedy('b[i] = 255 * x;')).toBe(
    'cast it: u8(x) cuts off the fraction; or round it: Math.round(Math.min(Math.max(x, 0), 255))',
  );
  expect(remedy('c[i] = x / 2;')).toBe('cast it: i32(x) cuts off the fraction; or round it: Math.round(x)');
  expect(remedy('c[i] = idiv(x, 10);')).toContain('Math.trunc(a / b)');
  /* What they say is taken. */
  const said =
    'b[i] = Math.min(Math.max(m, 0), 255); b[i] = Math.round(Math.min(Math.max(255 * x, 0), 255)); c[i] = Math.round(x / 2);';
  expect(remedy(`{ ${said} c[i] = Math.trunc(x / 10); b[i] = u8(m); }`)).toBeUndefined();
});

it('says where a choice between functions or fields is made', () => {
  const remedy = (body: string): string | undefined =>
    problemsOf(define(args, fromText(`(${parameters}) => { ${body} }`), { scope }), place)[0]?.remedy;
  expect(remedy('const one = m > 1 ? { w: 1 } : corner; one.w = 9;')).toContain('{ ...a }');
  expect(remedy('const row = table; row[0] = 9;')).toContain('[...a]');
  expect(remedy('const [g, h] = [(y) => y + 1, (y) => 2 * y]; const one = m > 2 ? g : h; dt;')).toContain(
    'c ? f(x) : g(x)',
  );
  expect(remedy('const one = m > 2 ? c : n; one[0] = 1;')).toContain('c ? u[i] : v[i]');
  /* Of fields that have names it is not said that they would change with these. */
  expect(remedy('for (const i of range(8)) (i % 2 === 0 ? c : n)[i] += 3;')).toContain(
    'if (c) u[i] = x; else v[i] = x',
  );
  expect(remedy('const t = [n, c]; let l = 1; if (m > 2) l = 0; t[l][0] = 1;')).toContain(
    'if (c) u[i] = x; else v[i] = x',
  );
  /* Fields in an array, by an index that a loop counts. */
  expect(remedy('const t = [n, c]; for (let k = 0; k < m; k++) t[k][0] = 1;')).toContain('unrolled(');
});

it('of names that functions lack which a kernel calls it is said how those of other modules are found', () => {
  const called = define([], fromText('() => far(2)'), { scope: { far: fromText('(x) => x * unknown') } });
  const own = define([], fromText('() => unknown'));
  expect([called, own].map((def) => problemsOf(def)[0].remedy)).toEqual([
    expect.stringContaining('finds it by itself, in functions of other modules where those are given to inlined(…)'),
    expect.stringMatching(/finds it by itself$/),
  ]);
});
