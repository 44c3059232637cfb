import { ndrange, range, unrolled, vec, mat } from '@filigree/lang';
import { it } from 'vitest';
import { agree } from './agree.js';

/* Small programs as they are written in plain JavaScript: what each does with the arrays `a` and `k` at `i` and with `x`. */
const kernels: readonly (readonly [name: string, body: string])[] = [
  [
    'a labelled continue and break',
    `let s = 0; outer: for (let p = 0; p < 5; p++) { for (let q = 0; q < 5; q++) { if (q > p) continue outer; if (p * q > 8) break outer; s += p * 10 + q; } } a[i] = s + k[i];`,
  ],
  ['a labelled block', `let s = 0; blk: { if (k[i] > 3) break blk; s = 5; if (k[i] > 0) break blk; s = 9; } a[i] = s;`],
  [
    'the greatest common divisor',
    `const gcd = (p, q) => { while (q !== 0) { const t = p % q; p = q; q = t; } return Math.abs(p); }; a[i] = gcd(k[i] * 6, 12 + i);`,
  ],
  [
    'counting primes',
    `const isPrime = (n) => { if (n < 2) return false; for (let d = 2; d * d <= n; d++) if (n % d === 0) return false; return true; }; let c = 0; for (let n = 0; n < 20 + k[i]; n++) if (isPrime(n)) c++; a[i] = c;`,
  ],
  [
    'do while',
    `let n = Math.abs(k[i]) + 1, steps = 0; do { n = n % 2 === 0 ? n / 2 : 3 * n + 1; steps++; } while (n !== 1 && steps < 100); a[i] = steps;`,
  ],
  [
    'products of nested arrays',
    `const m = [[1, 2], [3, k[i]]]; let d = 0; for (let r = 0; r < 2; r++) for (let c = 0; c < 2; c++) d += m[r][c] * m[c][r]; a[i] = d;`,
  ],
  [
    'a polynomial as a function that is returned',
    `const poly = (...cs) => (y) => cs.reduceRight((s, c) => s * y + c, 0); const p = poly(1, k[i], 3); a[i] = p(x);`,
  ],
  ['nested patterns with defaults', `const { p, q: { r = 5, s } } = { p: x, q: { s: k[i] } }; a[i] = p + r * s;`],
  ['swapping by patterns', `let [p, q] = [x, k[i]]; [p, q] = [q, p + q]; [p, q] = [q, p + q]; a[i] = p * q;`],
  [
    'parameters that are patterns',
    `const f = ({ p, q = 3 }, [r, s] = [1, 2]) => p * q + r * s; a[i] = f({ p: x }) + f({ p: 1, q: k[i] }, [5, x]);`,
  ],
  ['shifts and bits', `a[i] = (k[i] / 3 | 0) + (k[i] >> 1) * 10 + (k[i] >>> 28) + (~k[i]) + (k[i] & 7) + (k[i] ^ 5);`],
  ['remainders and powers', `a[i] = k[i] % 5 + (-7) % 3 + x % 2 + k[i] ** 2 + (x * x) ** 0.5;`],
  [
    'loops that count down, and by two variables',
    `let s = 0; for (let j = 10; j >= 0; j -= 3) s = s * 2 + j; for (let j = 0, q = 10; j < q; j++, q--) s += j * q; a[i] = s + k[i];`,
  ],
  [
    'cases that run on',
    `let s = 0; for (const j of [0, 1, 2, 3]) { switch ((k[i] + j) & 3) { case 0: s += 1; case 1: s += 10; break; case 2: s += 100; break; default: s += 1000; } } a[i] = s;`,
  ],
  [
    'a counter in a closure',
    `const counter = (() => { let c = 0; return () => ++c; })(); counter(); counter(); a[i] = counter() + k[i];`,
  ],
  [
    'functions that are composed',
    `const compose = (...fs) => (y) => fs.reduce((s, f) => f(s), y); a[i] = compose((y) => y + 1, (y) => y * x, Math.abs)(k[i]);`,
  ],
  [
    'complex numbers',
    `class Complex { constructor(re, im) { this.re = re; this.im = im; } mul(o) { return new Complex(this.re * o.re - this.im * o.im, this.re * o.im + this.im * o.re); } add(o) { return new Complex(this.re + o.re, this.im + o.im); } get abs2() { return this.re ** 2 + this.im ** 2; } } let z = new Complex(0, 0); const c = new Complex(x / 8, k[i] / 40); let n = 0; while (n < 20 && z.abs2 < 4) { z = z.mul(z).add(c); n++; } a[i] = n + z.re;`,
  ],
  [
    'methods that are overridden',
    `class Shape { area() { return 0; } twice() { return 2 * this.area(); } } class Sq extends Shape { constructor(s) { super(); this.s = s; } area() { return this.s ** 2; } } class Ci extends Shape { constructor(r) { super(); this.r = r; } area() { return 3 * this.r; } } const shapes = [new Sq(x), new Ci(k[i])]; let t = 0; for (const sh of shapes) t += sh.twice(); a[i] = t;`,
  ],
  [
    'transposing in place',
    `const grid = Array.from({ length: 3 }, (_, r) => Array.from({ length: 3 }, (_, c) => r * 3 + c)); for (let r = 0; r < 3; r++) for (let c = r + 1; c < 3; c++) { const t = grid[r][c]; grid[r][c] = grid[c][r]; grid[c][r] = t; } a[i] = grid[0][2] * 100 + grid[2][0] * 10 + grid[1][2] + k[i];`,
  ],
  [
    'a histogram',
    `const h = [0, 0, 0, 0]; for (let j = 0; j < 10; j++) h[(j * j + Math.abs(k[i])) % 4]++; a[i] = h[0] + 10 * h[1] + 100 * h[2] + 1000 * h[3];`,
  ],
  [
    'a hash of bytes',
    `let h = 2166136261; for (let j = 0; j < 4; j++) { h ^= (k[i] >>> (8 * j)) & 255; h = Math.imul(h, 16777619); } a[i] = h >>> 0;`,
  ],
  [
    'xorshift',
    `let st = k[i] | 1; for (let j = 0; j < 5; j++) { st ^= st << 13; st ^= st >>> 17; st ^= st << 5; } a[i] = st;`,
  ],
  [
    'a linear congruential generator',
    `let s = (k[i] + 30) >>> 0; for (let j = 0; j < 5; j++) s = (Math.imul(s, 1664525) + 1013904223) >>> 0; a[i] = s / 4294967296;`,
  ],
  [
    'bisection',
    `let lo = 0, hi = 10; for (let j = 0; j < 30; j++) { const mid = (lo + hi) / 2; if (mid * mid > Math.abs(x) + 1) hi = mid; else lo = mid; } a[i] = lo;`,
  ],
  [
    'Newton',
    `let y = 1; for (let j = 0; j < 10; j++) { const dy = (y * y - (Math.abs(x) + 1)) / (2 * y); y -= dy; if (Math.abs(dy) < 1e-12) break; } a[i] = y;`,
  ],
  [
    'the greatest and where it is',
    `let best = -Infinity, at = -1; const l = [x, k[i], 1, 2]; l.forEach((y, j) => { if (y > best) { best = y; at = j; } }); a[i] = best * 10 + at;`,
  ],
  ['bits that are set', `let w = 0; let b = Math.abs(k[i]); while (b) { w += b & 1; b >>= 1; } a[i] = w;`],
  [
    'digits turned round',
    `let r = 0, n = Math.abs(k[i]) * 37; while (n > 0) { r = r * 10 + n % 10; n = Math.floor(n / 10); } a[i] = r;`,
  ],
  [
    'a heap, whose indices are rounded variables',
    `const heap = new Array(16).fill(0); let size = 0; for (let q = 0; q < 12; q++) { heap[size] = (q * 7 + k[i]) % 13; let c = size++; while (c > 0 && heap[c] < heap[Math.floor((c - 1) / 2)]) { const p = Math.floor((c - 1) / 2); [heap[c], heap[p]] = [heap[p], heap[c]]; c = p; } } a[i] = heap[0] * 100 + heap[3];`,
  ],
  [
    'rounded indices that variables of integers multiply',
    `const w = new Array(16).fill(0); for (let half = 1; half < 8; half *= 2) { const turn = Math.PI / half; for (let b = 0; b < 8; b++) { const group = Math.floor(b / half), at = b % half, lo = group * half * 2 + at; w[lo] += Math.cos(turn * at); w[lo + half] -= x * k[Math.floor(i / half) * half]; } } a[i] = w.reduce((s, y, n) => s + n * y, 0);`,
  ],
  [
    'bisection by rounded bounds, of which one is computed of another',
    `let lo = 0, hi = 23, s = 0; while (lo < hi) { const mid = Math.floor((lo + hi) / 2); s += k[lo]; if (mid * mid < 40 * x) lo = mid + 1; else hi = mid; } let e = lo; for (let q = lo; q < 24; q++) e = Math.max(e, q % 5); a[i] = k[lo] + 10 * k[e] + s;`,
  ],
  [
    'ranges between known numbers that were rounded',
    `const r = Math.ceil(5 / 2); let s = 0; for (const d of range(-r, r + 1)) s += d * k[(i + d + 24) % 24]; for (const [d, e] of ndrange([-r, r], [Math.floor(-1.5), 2])) s += x * d + e; a[i] = s;`,
  ],
  [
    'loops up to what a method of an array finds',
    `const l = [3, k[i], 1, 2]; let s = 0; for (let j = 0; j < l.indexOf(k[i]) + 1; j++) s += j * x; for (let j = Math.max(...l); j > 0; j -= 3) s += 1; a[i] = s;`,
  ],
  [
    'integers of variables that were rounded',
    `let n = 100; for (let q = 0; q < 3; q++) { n = i % 2 ? Math.floor(n / 2.5) : n - q; } const w = new Int32Array(4); w[0] = n; const pick = (y) => { if (y > 3) return Math.ceil(y / 3); return 1; }; w[pick(i)] += 7; a[i] = w[0] + 10 * w[1] + 100 * w[2];`,
  ],
  [
    'entries, keys, and entries of objects',
    `let s = 0; for (const [j, y] of [4, 5, k[i]].entries()) s += j * y; for (const key of Object.keys({ u: 1, v: 2 })) s += key === 'v' ? 10 : 1; for (const [n, v] of Object.entries({ u: x, v: 2 })) s += n === 'u' ? v : 2 * v; a[i] = s;`,
  ],
  [
    'spread and rest of objects',
    `const opts = { scale: 2, ...(k[i] > 100 ? {} : {}), bias: k[i] }; const { scale, ...rest } = opts; a[i] = scale * x + rest.bias;`,
  ],
  [
    'continue and break by elements',
    `let t = 0; for (let j = 0; j < 24; j++) { if (k[j] < 0) continue; if (t > 50) break; t += k[j]; } a[i] = t;`,
  ],
  [
    'methods one after the other',
    `const q = [1, 2, 3, 4, 5]; const win = q.slice(1, 4).map((y, j, all) => y * all.length + j); a[i] = win.reduce((s, y) => s + y) * x;`,
  ],
  ['increments within expressions', `let y = k[i]; y += y++ + ++y; y -= y-- - --y; a[i] = y;`],
  [
    'running sums',
    `const cum = []; let acc = 0; for (const y of [x, k[i], 2]) { acc += y; cum.push(acc); } a[i] = cum[2] + cum.at(-1) + cum.length;`,
  ],
  [
    'Gaussian elimination',
    `const A = [[4, 1, 0], [1, 3, 1], [0, 1, 2]], b = [x, k[i], 1]; for (let p = 0; p < 3; p++) for (let r = p + 1; r < 3; r++) { const f = A[r][p] / A[p][p]; for (let c = p; c < 3; c++) A[r][c] -= f * A[p][c]; b[r] -= f * b[p]; } const y = [0, 0, 0]; for (let r = 2; r >= 0; r--) { let s = b[r]; for (let c = r + 1; c < 3; c++) s -= A[r][c] * y[c]; y[r] = s / A[r][r]; } a[i] = y[0] + 10 * y[1] + 100 * y[2];`,
  ],
  [
    'a mean that runs along',
    `const state = { n: 0, total: 0 }; const step = (y) => { state.n++; state.total += y; return state.total / state.n; }; let m = 0; for (let j = 0; j < 4; j++) m = step(x * j); a[i] = m + state.n;`,
  ],
  [
    'a typed array',
    `const w = new Float64Array(4); for (let j = 0; j < 4; j++) w[j] = x * j; w[2] = k[i]; let s = 0; for (const y of w) s += y; a[i] = s + w.length + Math.max(...w);`,
  ],
  [
    'bytes of numbers that do not fit',
    `const u8 = new Uint8Array(4); u8[0] = 300; u8[1] = -1; u8[2] = x * 100; u8[3] = k[i]; a[i] = u8[0] + u8[1] * 2 + u8[2] * 3 + u8[3] * 5;`,
  ],
  [
    'small integers that wrap',
    `const i8 = new Int8Array(2); for (let j = 0; j < 200; j++) i8[j & 1] += 1; i8[0] <<= 1; i8[1] /= 3; a[i] = i8[0] * 1000 + i8[1];`,
  ],
  [
    'the area of a polygon',
    `const pts = [[0, 0], [1, 0], [1, x], [0, k[i]]]; let area = 0; for (let j = 0; j < pts.length; j++) { const [x0, y0] = pts[j], [x1, y1] = pts[(j + 1) % pts.length]; area += x0 * y1 - x1 * y0; } a[i] = area / 2;`,
  ],
  [
    'what was visited',
    `const q = [[k[i], 1]]; const seen = [0, 0, 0, 0]; let n = 0; const visit = (j) => { if (j < 0 || j > 3 || seen[j]) return; seen[j] = 1; n++; }; for (let j = -1; j < 6; j++) visit((j + Math.abs(k[i])) % 5); a[i] = n;`,
  ],
  [
    'labels of loops over arrays',
    `let s = 0; outer: for (const p of [1, 2, 3]) { for (const q of [1, 2, 3]) { if (q * p === k[i]) continue outer; if (p + q > 5 + x) break outer; s += p * q; } s += 100; } a[i] = s;`,
  ],
  [
    'defaults that use parameters',
    `const f = (y, z = y * 2, w = y + z) => y + z * 10 + w * 100; a[i] = f(k[i]) + f(1, k[i]) + f(1, undefined, x);`,
  ],
  [
    'the order of calls',
    `let n = 0; const bump = () => { n++; return n; }; const l = [bump(), bump(), bump()]; a[i] = l[0] + 10 * l[1] + 100 * l[2] + n; a[i] += k[i] > 0 && bump() > 3 ? n : -n;`,
  ],
  [
    'calls that are cut short',
    `let n = 0; const t = () => { n += 1; return k[i] > 0; }; const r = t() || t() || t(); a[i] = n + (r ? 10 : 0); const q = t() && t(); a[i] += n * 100 + (q ? 1000 : 0);`,
  ],
  [
    'closures of loops',
    `const fs = []; for (let j = 0; j < 3; j++) { } for (const j of unrolled(range(3))) { let c = j; fs.push(() => c++); } a[i] = fs[0]() + fs[0]() * 10 + fs[1]() * 100 + fs[2]() * 1000;`,
  ],
  [
    'closures that share a variable',
    `const make = (step) => { let n = 0; return { next() { n += step; return n; }, reset() { n = 0; } }; }; const p = make(1), q = make(k[i]); p.next(); q.next(); q.next(); p.reset(); a[i] = p.next() + q.next();`,
  ],
  [
    'methods that return early',
    `class Acc { sum = 0; n = 0; add(y) { if (y < 0) return this; this.sum += y; this.n++; return this; } get mean() { return this.n ? this.sum / this.n : 0; } } a[i] = new Acc().add(x).add(k[i]).add(3).mean;`,
  ],
  [
    'a stack in a class',
    `class Stack { items = [0, 0, 0, 0]; top = 0; push(y) { this.items[this.top++] = y; } pop() { return this.items[--this.top]; } } const s = new Stack(); s.push(x); s.push(k[i]); if (k[i] > 0) s.push(7); const p = s.pop(); a[i] = p * 10 + s.pop() + s.top;`,
  ],
  [
    'super, and members declared anew',
    `class A { v = 1; m() { return this.v; } } class B extends A { v = 2; m() { return super.m() * 10 + this.v; } } class C extends B { m() { return super.m() + 100; } } a[i] = new C().m() + new A().m() + k[i];`,
  ],
  [
    'objects or nothing',
    `const pick = (j) => j === 0 ? { v: 1, w: x } : j === 1 ? { v: 2, w: k[i] } : undefined; const r = pick(Math.abs(k[i]) % 3); a[i] = r ? r.v * r.w : -5;`,
  ],
  [
    'objects or null',
    `const pick = (j) => { if (j > 5) return null; if (j > 0) return { v: j }; return { v: -1 }; }; const r = pick(k[i]); a[i] = r?.v ?? 100; if (r !== null) a[i] += r.v;`,
  ],
  [
    'an object that is assigned anew in a loop',
    `let cur = { n: 0, s: 0 }; for (let j = 0; j < 5; j++) { if (j === k[i]) continue; cur = { n: cur.n + 1, s: cur.s + j * x }; } a[i] = cur.n + cur.s;`,
  ],
  [
    'the nearest',
    `let best = { d: Infinity, j: -1 }; for (let j = 0; j < 24; j++) { const d = Math.abs(k[j] - x); if (d < best.d) best = { d, j }; } a[i] = best.d + best.j;`,
  ],
  [
    'an array of arrays',
    `const m = new Array(3).fill(0).map(() => new Array(3).fill(0)); for (let r = 0; r < 3; r++) m[r][(r + Math.abs(k[i])) % 3] = r + 1; a[i] = m.map((r) => r.reduce((s, y, c) => s + y * (c + 1), 0)).reduce((s, y) => s * 10 + y, 0);`,
  ],
  [
    'dynamic programming',
    `const dp = new Array(8).fill(0); dp[0] = 1; for (const c of [1, 2, 5]) for (let v = c; v < 8; v++) dp[v] += dp[v - c]; a[i] = dp[7] + dp[Math.abs(k[i]) % 8] * 100;`,
  ],
  [
    'switch (true)',
    `const f = (n) => { switch (true) { case n > 5: return 1; case n > 0: return 2; default: return 3; } }; a[i] = f(k[i]);`,
  ],
  ['while (j --> 0)', `let r = 0; let j = 5; while (j --> 0) { r = r * 2 + j; } a[i] = r + k[i];`],
  [
    'effects in the head of a loop',
    `let c = 0; const f = () => c++; for (let j = f(); j < 3; j = f()) { } a[i] = c + k[i];`,
  ],
  [
    'compound assignments',
    `let y = x; y **= 2; y %= 3; let z = k[i]; z <<= 2; z >>= 1; z |= 3; z &= 31; z ^= 5; a[i] = y + z; let n = null; n ??= z; a[i] += n; let t = 0; t ||= x; t &&= 4; a[i] += t;`,
  ],
  [
    'rows of a matrix',
    `const m = mat([1, x], [k[i], 2]); let t = 0; for (const r of m) t += r.x * r.y; a[i] = t + m[1][0] + m.determinant() + m.transpose()[0][1];`,
  ],
  [
    'return from nested loops',
    `const f = (n) => { let r = 0; for (let p = 0; p < 3; p++) for (let q = 0; q < 3; q++) { if (p * q === n) return p * 10 + q; r++; } return -r; }; a[i] = f(Math.abs(k[i]) % 6);`,
  ],
  [
    'patterns in loops',
    `let s = 0; for (const [p, q] of [[1, 2], [3, k[i]]]) s += p * q; for (const { u, v = 2 } of [{ u: 1 }, { u: x, v: 3 }]) s += u * v; a[i] = s;`,
  ],
  [
    'recursion that adds up',
    `let r = 0; const rec = (d, y) => { if (d === 0) { r += y; return; } rec(d - 1, y + 1); rec(d - 1, y * 2); }; rec(3, k[i]); a[i] = r;`,
  ],
  [
    'the array that forEach gives',
    `const l = [1, 2, 3]; l.forEach((y, j, all) => { all[j] = y * x; }); a[i] = l[0] + l[1] * 10 + l[2] * 100;`,
  ],
  [
    'Fibonacci by a pair',
    `let t = [0, 1]; for (let j = 0; j < 5; j++) t = [t[1], t[0] + t[1]]; a[i] = t[0] * 10 + t[1] + k[i];`,
  ],
  [
    'patterns of what is assigned',
    `let p = { v: 1, w: x }; for (let j = 0; j < 3; j++) { const { v, w } = p; p = { v: w, w: v + w }; } a[i] = p.v + p.w;`,
  ],
  [
    'functions in an object',
    `const s = { x: 0, y: 0 }; const moves = { up: (o) => { o.y++; }, left: (o) => { o.x--; } }; for (const n of ['up', 'left', 'up']) moves[n](s); a[i] = s.x + 10 * s.y + k[i];`,
  ],
  [
    'map with effects',
    `let n = 0; const l = [1, 2, 3].map((y) => { if (y * 2 > k[i]) return y; n++; return -y; }); a[i] = n + l[0] + l[1] * 10 + l[2] * 100;`,
  ],
];

it.each(kernels)('%s', (_, body) => {
  const scope = { ndrange, range, unrolled, vec, mat };
  const text = `return (a, k, x) => { for (const i of range(a.length)) { ${body} } }`;
  agree(new Function(...Object.keys(scope), text)(...Object.values(scope)) as Parameters<typeof agree>[0], scope);
});
