import { plainOps, symbolic, type NumericOps } from '@filigree/lang';
import { describe, expect, it } from 'vitest';
import { fromText, mapNumbers, resolve, Tape } from './tape.js';

/** Source text, symbolic arguments (every number in them), plain arguments after them. */
type Program = readonly [name: string, text: string, symbolicArgs: readonly unknown[], plainArgs?: readonly unknown[]];

const programs: readonly Program[] = [
  ['operators', `(a, b) => [a + b, a - b, a * b, a / b, a % b, a ** b, -a, +a]`, [2.5, -0.75]],
  ['operators without spaces', `function(a,b){return-a+(b)*2-(-b)/a}`, [2.5, -0.75]],
  ['comments among operators', `(a, b) => a /* + */ + /* - */ b // no\n * 2`, [3, 4]],
  ['precedence', `(a, b, c) => ((a + b) * c - a / (b - c)) ** 2 - -a * (b, c)`, [1.1, 2.3, 3.7]],
  ['comparisons', `(a, b) => [a < b, a <= b, a > b, a >= b, a === b, a !== b, a == b, a != b, !(a < b)]`, [1, 2]],
  ['ternary', `(a, b) => a < b ? a * 2 : b - 1`, [1, 2]],
  ['nested ternary', `(a, b, c) => a < b ? (b < c ? 1 : a) : a > c ? b : 3`, [3, 2, 1]],
  ['ternary on a number', `(a, b) => [a ? 1 : 2, b ? 1 : 2]`, [0, -3]],
  ['not of a number', `(a, b) => [!a, !b, !!a ? 5 : 6]`, [0, -3]],
  [
    'arrays and objects that arms make',
    `(a, b) => { const [lo, hi] = a < b ? [a, b] : [b, a]; const { w, v: [s, t] } = b > 2 ? { w: a, v: [1, b] } : b > 1 ? { w: b, v: [a, 2] } : { w: 0, v: [b, a] }; const p = lo < 1 ? [...[lo, hi], 1] : [hi, lo, 2]; p[1] += 3; return [lo, hi, w, s, t, ...p, p.length]; }`,
    [1, 2],
  ],
  [
    'zeros of both signs',
    `(a, b) => { const [z] = a < b ? [0] : [-0]; return [1 / z, 1 / (a > b ? 0 : -0)]; }`,
    [1, 2],
  ],
  ['and, or of conditions', `(a, b) => [a < b && b < 3 ? 1 : 2, a > b || b > 3 ? 1 : 2]`, [1, 2]],
  ['and, or of numbers', `(a, b) => [a && b, a || b, b && a]`, [0, 4]],
  ['and, or of plain values', `(a, n) => [n && a, n || a, n > 0 && n < 2 ? a : -a, null ?? a]`, [2], [1]],
  [
    'short circuit on plain values',
    `(a, xs) => { let s = 0; for (let i = 0; i < 5; i++) if (i < xs.length && xs[i].on) s += a; return s; }`,
    [2],
    [[{ on: true }]],
  ],
  [
    'logical assignment',
    `(a, n) => { let u; u ??= a; let v = n; v ||= a; let w = n; w &&= a; const o = { p: n, q: 0 }; o.p &&= a * 2; o['q'] ||= a; return [u, v, w, o.p, o.q]; }`,
    [2],
    [1],
  ],
  [
    'symbolic logical assignment',
    `(a, b) => { let v = a; v ||= b; let w = a; w &&= b; const xs = [a]; xs[0] ||= b; return [v, w, xs[0]]; }`,
    [0, 3],
  ],
  [
    'compound assignment',
    `(a, b) => { let x = a; x += b; x -= 1; x *= b; x /= 3; x %= 2; x **= 2; return x; }`,
    [5, 1.5],
  ],
  ['compound assignment nests', `(a) => { let x = a, y = 1; const z = (x += y *= a - 1) - 2; return [x, y, z]; }`, [5]],
  [
    'compound assignment of elements',
    `(a) => { const x = [a, 2, 3], o = { p: a, q: [[a]] }; x[0] += 1; x[1] *= a; o.p -= a / 2; o.q[0][0] **= 3; (x[2]) += a; return [x, o]; }`,
    [5],
  ],
  [
    'object and index are evaluated once',
    `(a) => { let n = 0; const x = [a, a, a]; const next = () => n++; const get = () => (n += 10, x); get()[next() - 10] += a; x[next() - 10] *= 2; get()[1]++; x[n - 21]--; return [x, n]; }`,
    [5],
  ],
  [
    'places that are elements, which the right side changes',
    `(a) => { const s = [0, 1, 1], x = [a, 2 * a, 3]; let i = 0; x[s[i]] += (s[i] = 1, a); x[s[i]] -= (i = 1, a * a); x[s[s[0]]] *= a; x[s[i + 1]]++; const t = { s }; x[t.s[i]] += (t.s = [2], a); return [x, s, i]; }`,
    [5],
  ],
  [
    'element read before the right side',
    `(a) => { const x = [a]; x[0] += (x[0] = 7); let y = a; y += (y = 3); return [x, y]; }`,
    [5],
  ],
  [
    'generators',
    `(a, b, n) => {
      function* pairs(n) { for (let i = 0; i < n; i++) for (let j = i + 1; j < n; j++) yield [i, j, a * i - j]; }
      const sums = { *[Symbol.iterator]() { let s = 0; for (const [i, , v] of pairs(n)) { const by = yield (s += v * b); s += by ?? i; } } };
      let t = 0;
      let seen = 0; for (const s of sums) { t += s > 0 ? s : Object.assign({}, { s: -s }).s; if (++seen === n) break; }
      const [first, second] = sums;
      const asked = (function* () { let v = a, add; for (;;) { add = yield v; v += add; yield* [v, -v]; } })();
      asked.next();
      return [t, first, second, asked.next(b).value, asked.next().value, asked.next().value, asked.next(2).value];
    }`,
    [5, -0.5],
    [4],
  ],
  [
    'increment',
    `(a) => { let x = a; const p = x++; const q = ++x; const r = x--; const s = --x; x++; return [p, q, r, s, x]; }`,
    [5],
  ],
  [
    'increment of elements',
    `(a) => { const x = [a], o = { p: a, q: { r: a } }; const p = x[0]++; const q = --o.p; const r = o.q.r--; x[0 + 0]++; return [x, o, p, q, r]; }`,
    [5],
  ],
  ['index with side effect', `(a) => { const x = []; let k = 0; x[k++] = a; x[k++] = a * 2; return [x, k]; }`, [5]],
  [
    'questions about numbers',
    `(a, b) => [a, b, a / b, b / b, 3].map((x) => [isNaN(x) ? 1 : 2, Number.isNaN(x) ? 1 : 2, isFinite(x) ? 1 : 2, Number.isFinite(x) ? 1 : 2, Number.isInteger(x) ? 1 : 2])`,
    [0.5, 0],
  ],
  [
    'Map and Set',
    `(a, b) => { const m = new Map([['a', a]]); m.set('b', m.get('a') + b); const s = new Set([1, 2, 2]); s.add(3); class M extends Map { up(k) { this.set(k, (this.get(k) ?? 0) + a); } } const c = new M(); c.up(1); c.up(1); return [...m.values(), m.size, s.size, s.has(3) ? 1 : 2, c.get(1), m instanceof Map ? 1 : 2]; }`,
    [0.5, 2],
  ],
  [
    'every Math function',
    `(a, b) => [Math.abs(-a), Math.sqrt(a), Math.cbrt(a), Math.sin(a), Math.cos(a), Math.tan(a), Math.asin(b), Math.acos(b), Math.atan(a), Math.sinh(a), Math.cosh(a), Math.tanh(a), Math.exp(a), Math.expm1(a), Math.log(a), Math.log1p(a), Math.log2(a), Math.log10(a), Math.floor(a), Math.ceil(a), Math.round(a), Math.trunc(a), Math.sign(-a), Math.min(a, b), Math.max(a, b), Math.hypot(a, b), Math.atan2(a, b), Math.pow(a, b)]`,
    [2.7, 0.3],
  ],
  [
    'Math with other counts',
    `(a, b, c) => [Math.min(a, b, c), Math.max(...[a, b, c]), Math.max(a), Math.min(), Math.hypot(a), Math.PI * a]`,
    [3, 1, 2],
  ],
  [
    'Math as a value',
    `(a, b) => { const { sqrt, max } = Math; const M = Math; return [sqrt(a), max(a, b), [a, b].map(Math.abs), M.PI, Math['min'](a, b)]; }`,
    [3, -2],
  ],
  ["a local Math is the user's own", `(a) => { const Math = { sqrt: (x) => x * 2 }; return Math.sqrt(a); }`, [3]],
  [
    'loops',
    `(xs, n) => { let s = 0; for (let i = 0; i < n; i++) for (let j = i; j >= 0; j -= 2) s += xs[i] * (j + 1); let k = 0; while (k < n) { s -= xs[k]; k += 1; } do { s *= 2; } while (--k > 0); return s; }`,
    [[1.5, 2.5, 3.5]],
    [3],
  ],
  [
    'break, continue, labels',
    `(x) => { let s = x; outer: for (let i = 0; i < 5; i++) { for (let j = 0; ; j++) { if (j === 3) continue outer; if (i * j > 4) break outer; s = s * 2 - j; } } return s; }`,
    [1],
  ],
  [
    'switch on plain values',
    `(x, n) => { switch (n) { case 0: return x; case 1 + 0: return x * 2; default: return -x; } }`,
    [3],
    [1],
  ],
  [
    'for of, for in, spread',
    `(xs) => { let s = 0; for (const x of xs) s += x; for (const [i, x] of xs.entries()) s += i * x; const o = { a: xs[0], b: xs[1] }; for (const k in o) s -= o[k]; return [...xs, s, { ...o, c: s }]; }`,
    [[1, 2, 3]],
  ],
  [
    'callbacks with bodies, names, a value of this, and none',
    `(a, b) => { const by = function (x) { return x * this.k; }; const twice = (x) => x + x; const o = { twice, k: 3 }; let s = 0; [a, b].forEach(x => { 'as it was'; s += x * x }); return [s, [a, b].map(by, o), [a, b].map(twice), [a, b].flatMap(o.twice), [a, b].map((x) => ({ p: x * a })), [[a], [b]].map(([x = a]) => x * 2).reduce((p, q) => p - q), [a, b].reduceRight((p, q) => [...p, q * a], []), [a, b]?.map((x) => x * a).map((x) => x + 1), undefined?.map((x) => x * a).filter((x) => x * a), Array.from([a, b], twice)]; }`,
    [2.5, -0.75],
  ],
  [
    'methods that are called like those of arrays, and take classes',
    `(a, b) => { class Scaled { constructor(x) { this.x = x * 2; } } const box = { map(C) { return new C(a); }, find: (f) => f(b), forEach: (f, ...more) => f(...more), reduce: (n) => n * 2 }; const s = box.map(Scaled); return [s.x, s instanceof Scaled, box.find((x) => x > 0 ? true : true) ? 1 : 0, box.forEach((x, y) => x * y, a, b), box.reduce(a)]; }`,
    [2.5, 0.75],
  ],
  [
    'methods that ask which function they are given',
    `(a, b) => { const twice = (x) => x * 2; const own = { known: [twice], xs: [a, b], flatMap(f) { return this.known.includes(f) ? a : b; }, all() { return this.forEach(twice) ? this.xs.map(twice) : [a]; }, forEach(f) { return f === this.known[0]; } }; class Base { from(f) { return f === twice ? a : b; } } class Own extends Base { from(f) { return super.from(f); } static from(x, f) { return f === twice ? a * b : x; } } return [own.flatMap(twice), own.all(), new Own().from(twice), Own.from(a, twice), [...new Set([1, 2]).keys()].map(twice), own?.xs.map(twice), Float64Array.from([a, b], twice)[1]]; }`,
    [2.5, 0.75],
  ],
  [
    'of those that decide too, which may also choose by what is not known',
    `(a, b) => { const twice = (x) => x * 2; const own = { known: [twice], filter(f) { return this.known.includes(f) ? a : b; }, find: (f) => f(a), some: (f, g) => (f(b) > g(a) ? a : b), every(f) { return f === twice; }, sort: (f) => f(a, b) }; class List extends Array { find(f) { return f === twice ? f(this[1]) : a; } } const list = List.of(a, b); return [own.filter(twice), own.find(twice), own.some(twice, (x) => x + 1), own.every(twice) ? 1 : 0, own.sort((x, y) => x - y), list.find(twice), [1, 2].find((x) => x > 1), [...list.filter(Boolean.bind(null, 1))].length]; }`,
    [2.5, 0.75],
  ],
  [
    'map, reduce, from',
    `(xs) => [xs.map((x, i) => x * i).reduce((a, b) => a + b, 0), Array.from({ length: 3 }, (_, i) => xs[i] + i), new Array(2).fill(xs[0])]`,
    [[1, 2, 3]],
  ],
  [
    'destructuring',
    `({ p: [a, b = 2], q, ...rest }, [c, ...more] = [1]) => { let x, y; [x, y = b * 2] = [a + 1]; ({ p: x, r: y = x + 1 } = { p: q }); return [a, b, x, y, c, rest.s + more.length]; }`,
    [{ p: [1], q: 3, s: 4 }],
  ],
  [
    'destructuring into elements',
    `(a, b) => { const x = [a, b]; [x[0], x[1]] = [x[1], x[0]]; for (x[2] of [a * 2, b * 2]) ; return x; }`,
    [1, 2],
  ],
  ['default arguments', `(a, b = a * 2, c = a > b ? a : b) => a + b + c`, [3]],
  [
    'closures',
    `(a) => { let count = 0; const add = (x) => { count += x; return count; }; add(a); add(2); return [add(a), count]; }`,
    [3],
  ],
  ['recursion on plain numbers', `function power(x, n) { return n === 0 ? 1 : x * power(x, n - 1); }`, [1.5], [5]],
  [
    'an arrow calls itself by the name it was given',
    `(() => { const power = (x, n) => n === 0 ? 1 : x * power(x, n - 1); return power; })()`,
    [1.5],
    [5],
  ],
  [
    'hoisted and nested functions',
    `function f(a) { return g(a) + h(); function g(x) { return x * 2; } function h() { return arguments.length + a; } }`,
    [3],
  ],
  [
    'classes',
    `(a, b) => { class V { #n = 1; static zero = 0 * 2; scale = 2; constructor(x) { this.x = x; } get double() { return this.x * 2; } add(o) { this.#n += 1; return new V(this.x + o.x * this.scale); } get n() { return this.#n; } } class W extends V { add(o) { return new W(super.add(o).x - V.zero); } } const w = new W(a); return [w.add(new V(b)).double, w.n]; }`,
    [3, 4],
  ],
  [
    'objects with methods and getters',
    `(a) => { const o = { x: a, get y() { return this.x * 2; }, f(k) { return this.x + k; }, ['z' + 1]: a / 2 }; return [o.y, o.f(3), o.z1]; }`,
    [3],
  ],
  [
    'template literals and strings',
    `(a, n) => { const s = \`n=\${n}\` + '!' + n; return [s, s.length * a, 'b' > 'a', s === 'n=2!2', typeof s]; }`,
    [3],
    [2],
  ],
  [
    'typeof sees a number',
    `(a, f) => [typeof a, typeof (a * 2), typeof f, typeof undefined, typeof a === 'number' ? a : 0]`,
    [3],
    [null],
  ],
  [
    'missing values are compared',
    `(a, m) => [a === undefined, a == null, m === undefined, a !== null, m == null]`,
    [3],
    [undefined],
  ],
  ['optional chaining', `(a, o) => [o?.p?.[0] + a, o.q?.[a] ?? a, o.f?.(a) ?? 1]`, [3], [{ p: [1] }]],
  ['chains that end early', `(a, o) => [o?.p.includes(1), o?.q.sort(), (a, o)?.r?.indexOf(3)]`, [3], [undefined]],
  [
    'super',
    `(a) => { class A { set x(v) { this.y = v; } get x() { return this.y; } } class B extends A { set(k, v) { super[k] = v; super[k] += v; super.x *= 2; return this.y; } } return new B().set('x', a); }`,
    [3],
  ],
  [
    'exceptions',
    `(a, n) => { try { if (n > 1) throw new Error('big'); return a; } catch (e) { return a * 2; } finally { n = 0; } }`,
    [3],
    [2],
  ],
  ['catch without a name', `(a) => { try { null.x; } catch { return a + 1; } }`, [3]],
  [
    'Number, Boolean',
    `(a) => [Number(a) + 1, Boolean(a) ? 2 : 3, [a].map(Number)[0], Number('3') + Number.EPSILON, Number.isInteger(3)]`,
    [3],
  ],
  [
    'bit operations on plain numbers',
    `(a, n) => { let m = n; m <<= 2; m |= 1; m ^= 7; m &= 62; m >>= 1; m >>>= 0; return a * ((n | 0) + (~n & 6) + (n << 2) - (n >>> 1) + m); }`,
    [3],
    [5],
  ],
  ['bigint', `(a, n) => { let m = n; m++; m += 2n; return [a, String(m * -n), m > n]; }`, [3], [5n]],
  [
    'sequence and void',
    `(a) => { let i = 0, j = 0; for (i = 0, j = 9; i < j; i++, j--) ; return [(i, a + j), void a]; }`,
    [3],
  ],
  [
    'statements without semicolons',
    `(a) => {\n  let x = a\n  let y = x\n  x++\n  y--\n  ;[x, y] = [y + 1, x]\n  return x\n    - y\n}`,
    [3],
  ],
  [
    'user names that look like ours',
    `($a, $) => { const $add = $a + 1, $_o = [2]; $_o[$ - 1] += $add; return [$add, $_o[0] * $]; }`,
    [3],
    [1],
  ],
  [
    'Float64Array holds symbols',
    `(a, n) => { const x = new Float64Array(n); x[0] = a; x[1] += x[0] * 2; const y = Float64Array.from([a, 1], (v) => v + 1); const z = new Float64Array([3, a]); return [x, x.length, y, z.map((v) => v * 2), x instanceof Float64Array, Array.isArray(x), [...z.entries()][1][0]]; }`,
    [3],
    [3],
  ],
  [
    'structuredClone keeps symbols, and what holds them twice',
    `(a, n) => { const row = [a, n], v = new Float64Array([a, 2]), x = { rows: [row, row], v, at: new Map([['k', a]]), s: new Set([n]), d: new Date(5), t: Int32Array.of(n) }; const y = structuredClone(x); y.rows[0][0] *= 2; y.v[1] = y.at.get('k') + 1; x.rows[0][1] = -1; return [x.rows, y.rows, v, y.v, y.s.has(n), y.d.getTime(), y.t[0], y.v instanceof Float64Array, structuredClone(a)]; }`,
    [2.5],
    [3],
  ],
  [
    'views of a Float64Array',
    `(a) => { const x = new Float64Array(6); const v = x.subarray(2, 4); v[0] = a; v.fill(7, 1); x[3] += 1; v.set([9], 1); return [x, v.length, v.slice(-1), x.reduce((s, e) => s + e, 0), x.subarray(-1)[0]]; }`,
    [3],
  ],
  [
    'typed arrays of numbers stay what they are',
    `(a) => { const f = new Float32Array(1); f[0] = 0.1; const i = new Int32Array([1.5, 2]); i[0] += 0.7; i[1]++; return [f[0] * a, i[0], i[1]]; }`,
    [3],
  ],
  ['writes to the argument', `(x) => { x[0] = x[1] * 2; x.length; return x; }`, [[1, 2]]],
];

const run = (text: string, ops: NumericOps | undefined, args: readonly unknown[]): unknown => {
  const f = fromText(text);
  return (
    ops
      ? (symbolic as (f: unknown, o: unknown) => (...a: unknown[]) => unknown)(f, { ops })
      : (f as (...a: unknown[]) => unknown)
  )(...args);
};

describe.each(programs.map(([name, text, symbolicArgs, plainArgs = []]) => ({ name, text, symbolicArgs, plainArgs })))(
  '$name',
  ({ text, symbolicArgs, plainArgs }) => {
    const args = (): unknown[] => [
      ...(structuredClone(symbolicArgs) as unknown[]),
      ...(structuredClone(plainArgs) as unknown[]),
    ];
    const expected = resolve(run(text, undefined, args()), []);

    it('computes the same on plain numbers after rewriting', () => {
      expect(resolve(run(text, plainOps, args()), [])).toStrictEqual(expected);
    });

    it.each([true, false])('computes the same from a trace (truth values known: %s)', (withPredicates) => {
      const tape = new Tape();
      const inputs: number[] = [];
      const symbols = mapNumbers(symbolicArgs, (x) => (inputs.push(x), tape.variable())) as unknown[];
      const result = run(text, tape.ops(withPredicates) as NumericOps, [
        ...symbols,
        ...(structuredClone(plainArgs) as unknown[]),
      ]);
      expect(truthAsNumber(resolve(result, tape.play(inputs)))).toStrictEqual(truthAsNumber(expected));
    });
  },
);

/* 1 and true are one value in an expression. */
const truthAsNumber = (x: unknown): unknown => {
  if (typeof x === 'boolean') return Number(x);
  if (Array.isArray(x)) return x.map(truthAsNumber);
  if (typeof x === 'object' && x !== null)
    return Object.fromEntries(Object.entries(x).map(([k, v]) => [k, truthAsNumber(v)]));
  return x;
};
