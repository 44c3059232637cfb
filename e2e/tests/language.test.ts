import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import {
  active,
  append,
  assert,
  dense,
  field,
  hostGrid,
  i,
  i32,
  ij,
  isActive,
  j,
  kernel,
  layout,
  length,
  mat,
  matrix,
  ndrange,
  print,
  program,
  range,
  serially,
  sparseGrid,
  u32,
  unrolled,
  vec,
  vector,
  vectorField,
  type Grid1,
  type Grid2,
  type KernelDef,
  type VecGrid1,
} from 'filigree';
import { describe, expect, it, vi } from 'vitest';

const n = 16;
const base = [1, 2, 3];
const settings: { readonly gain: number; readonly loss?: number; readonly none?: { readonly deep: { at: number } } } = {
  gain: 3,
};
class Gauge {
  static readonly scale = 4;
  constructor(
    readonly offset: number,
    readonly next?: { readonly at: (x: number) => number },
  ) {}
  at(x: number): number {
    return this.scaled(x) + this.offset;
  }
  private scaled(x: number): number {
    return x * Gauge.scale;
  }
}
class Complex {
  static readonly one = new Complex(1);
  constructor(
    readonly re: number,
    readonly im = 0,
  ) {}
  get abs2(): number {
    return this.re ** 2 + this.im ** 2;
  }
  add(o: Complex): Complex {
    return new Complex(this.re + o.re, this.im + o.im);
  }
  mul(o: Complex | number): Complex {
    if (typeof o === 'number') return new Complex(this.re * o, this.im * o);
    return new Complex(this.re * o.re - this.im * o.im, this.re * o.im + this.im * o.re);
  }
}
/** A list with room for some numbers. */
class Stack {
  private readonly held = new Int32Array(6);
  #n = 0;
  get size(): number {
    return this.#n;
  }
  push(x: number): this {
    this.held[this.#n++] = x;
    return this;
  }
  pop(): number {
    return this.held[--this.#n];
  }
}
class Shape {
  constructor(protected readonly side: number) {}
  area(): number {
    return 0;
  }
  twice(): number {
    return this.area() * 2;
  }
}
class Square extends Shape {
  readonly more = 0.5;
  override area(): number {
    return this.side ** 2 + this.more;
  }
  override twice(): number {
    return super.twice() + 1;
  }
}
class Frame extends Square {
  constructor(
    side: number,
    readonly inner: number,
  ) {
    super(side);
  }
  override area(): number {
    return super.area() - this.inner;
  }
}
const gauge = new Gauge(0.5, { at: (x) => x - 1 });
const a = field('a', 'f64');
const b = field('b', 'f64');
const c = field('c', 'i32');
const small = field('small', 'u8');
const short = field('short', 'i16');
const x = vectorField('x', 'f64', 2);
const w = field('w', 'f64');
const bits = field('bits', 'f64');
const list = field('list', 'i32');

const place = layout(
  dense(i, n).place(a, b, c, small, short, x),
  dense(ij, 4).pointer().dense(ij, 4).place(w),
  dense(ij, 16).bitmasked().place(bits),
  dense(i, n).dynamic(j, 8).place(list),
);

/** The same fields as grids of the host. */
const grids = () => ({
  a: hostGrid([n], (p) => p * 0.5 - 3),
  b: hostGrid([n], (p) => ((p * 7) % 5) - 2),
  c: hostGrid([n], (p) => ((p * 11) % 9) - 4),
  small: hostGrid([n], (p) => p),
  short: hostGrid([n], (p) => -p),
  x: hostGrid([n], (p) => vec(p, 1 - p)),
  w: sparseGrid([n, n], 0, { cells: [4] }),
  bits: sparseGrid([n, n], 0, { cells: [1] }),
  list: sparseGrid([n, { most: 8 }], 0, { cells: [1] }),
});
type Grids = ReturnType<typeof grids>;

/** What is active before each kernel. */
const start = ({ w, bits, list }: Grids): void => {
  for (const [p, q] of [
    [1, 2],
    [5, 6],
    [13, 0],
    [2, 14],
  ]) {
    w[p][q] = p + q / 16;
    bits[q][p] = p * q + 1;
  }
  for (const p of range(n)) for (const k of range(p % 4)) append(list[p], 10 * p + k);
};

/* oxlint-disable prefer-const -- constructs that people write */
const kernels = {
  components: kernel([x], (x: VecGrid1<2>) => {
    for (const p of active(x)) {
      x[p].y += 4;
      let v = vec(x[p]);
      v.x = v.y * 2;
      v.yx = v.xy;
      x[p] = v.xx.add(v.yx);
    }
  }),
  conditions: kernel([a, c], (a: Grid1, c: Grid1) => {
    for (const p of active(a)) {
      if (c[p] % 2) a[p] += 1;
      else if (!c[p]) a[p] = c[p] || a[p] > 0 ? 7 : 9;
      switch (c[p] & 3) {
        case 0:
          a[p] += 10;
          break;
        case 1:
          a[p] += 100;
          break;
        default:
          a[p] += 1000;
      }
    }
  }),
  narrow: kernel([c, small, short], { scope: { n } }, (c: Grid1, small: Grid1, short: Grid1) => {
    for (const p of range(n)) {
      small[p] = c[p] > 0 ? 1 : 200;
      short[p] = p;
    }
  }),
  swappedElements: kernel([a], (a: Grid1) => {
    for (const p of range(8)) [a[2 * p], a[2 * p + 1]] = [a[2 * p + 1], a[2 * p]];
  }),
  swappedFields: kernel([a, b], { scope: { n } }, (a: Grid1, b: Grid1) => {
    for (const _ of unrolled(range(3))) {
      for (const p of range(1, n - 1)) b[p] = a[p - 1] + 2 * a[p + 1];
      [a, b] = [b, a];
    }
    let last = b;
    last = a;
    for (const p of range(n)) last[p] += 1;
  }),
  activeInOrder: kernel([w, bits, c], (w: Grid2, bits: Grid2, c: Grid1) => {
    let before = 1;
    for (const [p, q] of serially(active(w))) {
      w[p][q] += before * 0.5;
      before = p + q / 16;
    }
    for (const [p, q] of serially(active(bits))) {
      if (p === 2) continue;
      bits[p][q] *= before;
      before += 1;
      if (p > 12) break;
    }
    c[0] = i32(before);
  }),
  activeWithin: kernel([a, w, bits], (a: Grid1, w: Grid2, bits: Grid2) => {
    for (const p of active(a)) {
      for (const [q, r] of active(w)) a[p] += w[q][r] * (p - q);
      for (const [q, r] of active(bits)) if (isActive(w, q, r)) a[p] += bits[q][r] * r;
    }
  }),
  listsWithin: kernel([c, list], (c: Grid1, list: Grid2) => {
    for (const p of active(c)) for (const [q, k] of active(list)) c[p] += list[q][k] * (k + 1) + length(list[q]);
  }),
  mapped: kernel([a], { scope: { base } }, (a: Grid1) => {
    const weights = base.map((v) => v / 2);
    for (const p of active(a)) {
      const terms = weights.map((v, k) => v * a[p] + k);
      a[p] = terms.reduce((s, t) => s * 2 + t) + weights.reduce((s, v) => s + v, 0.5);
      [1, p].forEach((v) => {
        a[p] += v;
      });
    }
  }),
  found: kernel([a, c], { scope: { base } }, (a: Grid1, c: Grid1) => {
    for (const p of active(a)) {
      a[p] += base.findIndex((v) => v > a[p]) * 10 + base.indexOf(p) * 100 + base.indexOf(2);
      c[p] = base
        .filter((v) => v !== 2)
        .concat(p, base)
        .reduce((s, v) => s * 2 + v);
    }
  }),
  settings: kernel([a], { scope: { settings } }, (a: Grid1) => {
    for (const p of active(a)) {
      a[p] *= (settings.loss ?? 4) + (settings?.gain ?? 7);
      a[p] += settings.none?.deep.at ?? 0.5;
      if (`${settings.gain} of it` === '3 of it') a[p] -= 1;
    }
  }),
  decided: kernel([a, b, w], { scope: { n } }, (a: Grid1, b: Grid1, w: Grid2) => {
    let [moving, rounds] = [true, 0];
    while (moving && rounds < 20) {
      moving = false;
      for (const p of range(n)) {
        if (a[p] > 1) {
          a[p] -= 1;
          moving = true;
        }
      }
      rounds++;
    }
    let [all, some, none] = [true, a[0] > 1e9, false];
    let [most, least, root] = [-Infinity, 99, 0];
    for (const p of range(n)) {
      all &&= a[p] < 2;
      some = some || (b[p] > 1 && a[p] < 0);
      none ||= b[p] > 1e6;
      if (b[p] * p > most) most = b[p] * p;
      least = a[p] < least ? a[p] : least;
      const q = Math.sqrt(a[p]);
      if (root < q) root = q;
    }
    for (const [p, q] of active(w)) if (w[p][q] > most) none = true;
    a[0] = rounds + (all ? 100 : 200) + (some ? 1000 : 2000) + (none ? 10000 : 20000) + most * least + root;
  }),
  methods: kernel([a], { scope: { gauge, Gauge } }, (a: Grid1) => {
    const own = { by: 3, times: (x: number) => x * 2, all(x: number): number { return [1, 2].map((k) => k * this.by + x).at(-1)!; } }; // prettier-ignore
    for (const p of active(a)) {
      a[p] += gauge.at(p) + (gauge.next?.at(a[p]) ?? 9) + own.times(p) + own.all(p);
      if (Number.isInteger(a[p]) && !Number.isInteger(p + 0.5)) a[p] += 0.25;
    }
  }),
  parts: kernel([a, c], { scope: { settings, base } }, (a: Grid1, c: Grid1) => {
    for (const p of active(a)) {
      const { gain, ...others } = { ...settings, shift: p };
      a[p] += (settings.loss === undefined ? 1 : 2) + (settings.none === undefined ? 10 : 20) + others.shift * gain;
      const few = { x: 1, y: p };
      for (const [name, v] of Object.entries(few)) a[p] += name === 'y' ? v * 2 : v;
      c[p] = Object.keys(few).length + [...base, p].reverse().flatMap((v, k) => [v, v * k]).reduce((s, v) => 2 * s + v); // prettier-ignore
      for (const k of base.keys()) c[p] += k * [base, [p, 4]].flat().at(-2)!;
    }
  }),
  rounded: kernel([a, b, c, w], { scope: { n } }, (a: Grid1, b: Grid1, c: Grid1, w: Grid2) => {
    for (const p of range(Math.ceil(n / 2))) {
      const q = Math.min(Math.floor(p * 1.7), n - 1);
      a[Math.trunc(p / 3) + 1] += b[Math.round(p * 0.3)] + (p - q);
      for (const k of range(Math.floor(p / 2), Math.floor(p * 0.75))) c[q] += k;
      w[Math.floor(p / 2)][Math.floor(q / 2) % 4] += 1;
      if (isActive(w, Math.floor(p / 2), q)) c[p] += 100;
    }
  }),
  ofType: kernel([a], (a: Grid1) => {
    for (const p of active(a)) {
      const [sums, few] = [new Float64Array(3), new Float32Array(2)];
      sums[p % 3] += a[p] / 3;
      few[1] = p;
      a[p] = sums[0] + 10 * sums[1] + 100 * sums[2] + few[0] + few[1];
    }
  }),
  classes: kernel([a, c], { scope: { Complex, Stack, Square, Frame } }, (a: Grid1, c: Grid1) => {
    for (const p of active(a)) {
      let [z, n] = [new Complex(0), 0];
      const from = Complex.one.mul(a[p] / 4).add(new Complex(0, 0.25));
      for (; z.abs2 < 4 && n < 20; n++) z = z.mul(z).add(from);
      const list = new Stack();
      list.push(n).push(p % 5);
      for (let k = 0; k < 3; k++) list.push(k * k);
      c[p] = list.pop() * 100 + list.pop() * 10 + list.size;
      const [square, frame] = [new Square(p), new Frame(p, 0.125)];
      a[p] = z.re + square.twice() + frame.twice() + (frame instanceof Square ? 0 : 1);
    }
  }),
  missing: kernel([a, c], { scope: { base, n } }, (a: Grid1, c: Grid1) => {
    const above = (x: number, by: number): { at: number; n: number } | null => {
      if (x < by) return null;
      return { at: x - by, n: by };
    };
    const root = (x: number): number | undefined => (x < 0 ? undefined : Math.sqrt(x));
    for (const p of range(n)) {
      let nearest: { at: number; n: number } | null = null;
      for (let k = 0; k < 4; k++) {
        const found = above(p, 3 * k + 1);
        if (found && (nearest === null || found.at < nearest.at)) nearest = found;
      }
      let last: number | undefined = undefined;
      for (let k = 0; k < p; k++) last = last === undefined ? k : undefined;
      last ??= 50;
      c[p] = (nearest?.n ?? -1) * 100 + last;
      const r = root(a[p]);
      a[p] = (r === undefined ? 7 : r * 2) + (base.find((v) => v > p) ?? 0.5) + (above(p, 4) ? 10 : 20);
      if (!root(a[p] - 12)) a[p] += 100;
    }
  }),
  sorted: kernel([a, c], { scope: { base, settings, n } }, (a: Grid1, c: Grid1) => {
    for (const p of range(1, n - 1)) {
      const items = [a[p], 0.5 * p, a[p] * 3 - p, p % 3].map((v, k) => ({ v, k }));
      c[p] = items.toSorted((s, t) => (s.v % 2) - (t.v % 2)).reduce((s, { k }) => 4 * s + k, 0);
      a[p] = [a[p], p - 5, 0.25].sort((s, t) => t - s)[1];
      a[p] += base.findLast((v) => v < p) ?? 9;
      c[p] += base.lastIndexOf(p) * 1000 + base.findLastIndex((v) => v < p) * 10000;
      for (const name in settings) if (name === 'gain') a[p] += 1;
    }
  }),
  bits: kernel([a, c], { scope: { n } }, (a: Grid1, c: Grid1) => {
    for (const p of range(n)) {
      const [v, u] = [u32(c[p] * 123456789), u32(p * 268435455)];
      let state = v;
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      const all = (v ^ u) / 3 + (v << 3) / 5 + (v >> 4) / 7 + ~v / 11 + (v & u) / 13 + (v | u) / 17 + state / 19;
      a[p] += all / 2 ** 28;
      c[p] = ((v ^ u) % 100) + (~u > v ? 1000 : 0) + ((v & 0xff000000) === 0xff000000 ? 7 : 0);
      c[p] += i32(u32(v ^ u) >>> 28);
    }
  }),
  filtered: kernel([a, c], { scope: { base } }, (a: Grid1, c: Grid1) => {
    for (const p of active(a)) {
      const kept = [a[p], p, ...base, -a[p]].filter((v, k) => v * k > 1.25);
      let sum = 0;
      for (const [k, v] of kept.entries()) {
        if (v === 2) continue;
        sum = 2 * sum + v * k;
        if (sum > 60) break;
      }
      const squares = kept.map((v, k) => v * v - k).filter((v) => v < 20);
      c[p] = kept.length * 100 + squares.length * 10 + kept.indexOf(p) + (squares.some((v) => v > 9) ? 1000 : 0);
      a[p] = sum + (kept[1] ?? 0.5) + squares.reduce((s, v) => s / 2 + v, 0) + (kept.find((v) => v < 2) ?? 0.25);
    }
  }),
  spliced: kernel([a], (a: Grid1) => {
    for (const p of active(a)) {
      const list = [a[p], 1, p, 4, 5];
      const out = list.splice(1, 2, a[p] * 2, 7, 8);
      list[0] += 0.5;
      const rest = list.splice(-2);
      list.splice(0, 1, ...rest);
      a[p] = [...list, ...out].reduce((s, v) => 2 * s + v, list.length * 1000);
    }
  }),
  statics: kernel([a, c], (a: Grid1, c: Grid1) => {
    for (const p of active(a)) {
      class Unit {
        static scale = 2;
        static readonly double = Unit.scale * 2;
        static made = 0;
        static of(v: number): Unit {
          return new this(v * this.scale);
        }
        constructor(readonly v: number) {
          Unit.made++;
        }
      }
      class Half extends Unit {
        static override scale = 0.5;
        static get sum(): number {
          return this.scale + super.double;
        }
      }
      if (c[p] > 0) Unit.scale += c[p];
      a[p] = Unit.of(a[p]).v + 10 * Half.of(a[p]).v + Half.sum + Half.double;
      Half.scale *= 3;
      c[p] = i32(Unit.made + 10 * Unit.scale + 100 * Half.of(4).v);
    }
  }),
  rounded32: kernel([a], (a: Grid1) => {
    for (const p of active(a)) {
      const [few, given] = [new Float32Array(3), new Float32Array([a[p] / 3, 0.1])];
      few[p % 3] += a[p] / 7;
      a[p] += few[p % 3];
      a[p] += given.map((x) => x / 4)[0];
      a[p] += given[1];
    }
  }),
  rows: kernel([a, w], { scope: { n } }, (a: Grid1, w: Grid2) => {
    const either = (c: boolean, p: number) => {
      if (c) return w[p];
      return w[n - 1 - p];
    };
    for (const p of range(n)) {
      let row = w[p];
      if (p % 2) row = w[n - 1 - p];
      a[p] += row[2] + (p > 4 ? row : w[1])[p] * 2 + either(p > 3, p)[6];
      let [last, before] = [w[0], row];
      for (const k of [5, 13, p]) [before, last] = [last, w[k]];
      let first = null;
      for (let k = 0; k < n; k++) if (w[k][p] > 0 && first === null) first = w[k];
      a[p] += last[p] + 10 * before[0] + (first === null ? 0.5 : first[p]);
    }
    for (const p of serially(range(n))) {
      let row = w[p];
      row = w[p >> 1];
      row[3] += a[p];
    }
  }),
  functions: kernel([a], { float: 'f64' }, (a: Grid1) => {
    for (const p of active(a)) a[p] = Math.asinh(a[p]) + Math.acosh(p + 1) + Math.atanh(p / 20) + Math.fround(a[p] / 3);
  }),
} as const;
/* oxlint-enable prefer-const */

const fieldsOf = { a, b, c, small, short, x, w, bits, list };

describe.each([
  ['cpp', cpp(), 1],
  ['cpp', cpp(), 2],
  ['wasm', wasm(), 1],
  ['wasm', wasm(), 2],
] as const)('what kernels say, on %s with threads', (_, backend, threads) => {
  it(`means the same on ${threads} as in plain TypeScript`, { timeout: 120_000 }, async () => {
    const sim = await program({ layout: place, kernels, fields: fieldsOf, backend, threads });
    for (const [name, def] of Object.entries(kernels) as unknown as readonly [keyof typeof kernels, KernelDef][]) {
      const host = grids();
      start(host);
      for (const f of [sim.fields.w, sim.fields.bits]) f.clear();
      for (const at of ['w', 'bits'] as const)
        for (const [p, q] of active(host[at])) sim.fields[at].set([p, q], host[at][p][q]);
      for (const p of range(n)) {
        sim.fields.list.clear([p]);
        for (const k of range(length(host.list[p]))) sim.fields.list.append([p], host.list[p][k]);
      }
      for (const at of ['a', 'b', 'c', 'small', 'short'] as const)
        for (const p of range(n)) sim.fields[at].set([p], host[at][p]);
      for (const p of range(n)) sim.fields.x.set([p], [host.x[p].x, host.x[p].y]);
      const names = def.args.map((arg) => (arg as { name: keyof Grids }).name);
      (def.fn as (...args: unknown[]) => unknown)(...names.map((of) => host[of]));
      (sim.run[name] as () => number)();
      for (const at of ['a', 'b', 'c', 'small', 'short'] as const)
        for (const p of range(n)) expect(sim.fields[at].get([p]), `${name}: ${at}[${p}]`).toBeCloseTo(host[at][p], 9);
      for (const p of range(n)) expect(sim.fields.x.get([p])).toEqual([host.x[p].x, host.x[p].y]);
      for (const at of ['w', 'bits'] as const)
        for (const [p, q] of ndrange(n, n)) expect(sim.fields[at].get([p, q]), `${name}: ${at}`).toBe(host[at][p][q]);
    }
    sim.dispose();
  });
});

describe.each([
  ['cpp', cpp(), 1],
  ['cpp', cpp(), 2],
  ['wasm', wasm(), 1],
  ['wasm', wasm(), 2],
] as const)('vectors and matrices of launches, on %s', (_, backend, threads) => {
  it(`are taken and given back, by ${threads}`, { timeout: 120_000 }, async () => {
    const push = kernel([x, vector('f64', 2), matrix('f64', 2, 2), 'f64'], (x: VecGrid1<2>, d, m, dt) => {
      let sum = vec(0, 0);
      for (const p of active(x)) {
        x[p] = x[p].add(m.mul(d).mul(dt));
        sum = sum.add(x[p]);
      }
      return sum.div(4);
    });
    const both = kernel([x, vector('i32', 2)], (x: VecGrid1<2>, at) => mat(x[at.x], x[at.y], [1, 2.5]));
    const spread = kernel([x], (x: VecGrid1<2>) => {
      let [sum, largest] = [0, -Infinity];
      for (const p of active(x)) {
        sum += x[p].x;
        largest = Math.max(largest, x[p].y);
      }
      return [sum, largest, 7];
    });
    const nearest = kernel([x, vector('f64', 2)], (x: VecGrid1<2>, to) => {
      if (to.x < 0) return vec(-1, -1);
      return x[i32(to.x)];
    });
    interface Survey {
      readonly sum: number;
      readonly count: number;
      readonly found: boolean;
    }
    const survey = kernel([x, 'f64'], (x: VecGrid1<2>, most: number): Survey => {
      let [sum, count] = [0, 0];
      for (const p of active(x)) {
        sum += x[p].x / 3;
        count += 16777217;
      }
      if (sum > most) return { found: false, sum, count: 0 };
      return { sum, count, found: sum > 0 };
    });
    for (const queue of [false, true]) {
      const sim = await program({
        layout: place,
        kernels: { push, both, spread, nearest, survey },
        fields: { x },
        backend,
        threads,
        queue,
      });
      const host = hostGrid([n], (p) => vec(p, 1 - p));
      for (const p of range(n)) sim.fields.x.set([p], [host[p].x, host[p].y]);
      const plain = push.fn(host, vec(1, -2), mat([0, 1], [2, 3]), 0.25) as Iterable<number>;
      expect(sim.run.push([1, -2], mat([0, 1], [2, 3]), 0.25)).toEqual([...plain]);
      expect(await sim.launch.push(vec(0, 0), [[1, 0], [0, 1]], 1)).toEqual([...plain]); // prettier-ignore
      expect(sim.run.both([3, 1])).toEqual([[...host[3]], [...host[1]], [1, 2.5]]);
      expect(sim.run.spread()).toEqual(spread.fn(host));
      expect(sim.run.nearest([5, 0])).toEqual([...host[5]]);
      const { sum, count, found } = survey.fn(host, 1e6) as Survey;
      expect(sim.run.survey(1e6)).toEqual({ sum: expect.closeTo(sum, 9) as number, count, found: Number(found) });
      expect((await sim.launch.survey(-1e6)).count).toBe(0);
      expect(sim.run.nearest(vec(-5, 0))).toEqual([-1, -1]);
      expect(() => sim.run.nearest([1, 2, 3] as never)).toThrow(/launch\/argument[^]*give 2 numbers/);
      expect(() => sim.run.push([1, 2], [[1, 2], [3]], 1)).toThrow(/give 2 rows of 2 numbers/);
      expect(() => sim.run.both([0.5, 1])).toThrow(/is 0.5[^]*whole number/);
      sim.dispose();
    }
  });
});

describe.each([
  ['cpp', cpp(), 1],
  ['cpp', cpp(), 2],
  ['wasm', wasm(), 1],
  ['wasm', wasm(), 2],
] as const)('what kernels print and assert, on %s', (_, backend, threads) => {
  const fn = (a: Grid1, x: VecGrid1<2>, most: number) => {
    print('from', most);
    for (const p of range(3)) {
      console.log('at', p, a[p] / 2, x[p]);
      assert(a[p] < most, `a of ${p} is small, not ${a[p]}`);
      print(`${x[p]} is at ${p}, ${['first', 'then', 'last'][p]}`, p > 1, a[p] > 1 ? 'far' : 'near');
      console.assert(p >= 0);
    }
  };
  const printed = async (run: () => unknown): Promise<readonly unknown[][]> => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
    try {
      await run();
      return [...log.mock.calls];
    } finally {
      log.mockRestore();
    }
  };

  it(`is seen with debug, as in plain TypeScript, by ${threads}`, { timeout: 120_000 }, async () => {
    const say = kernel([a, x, 'f64'], fn);
    const options = { layout: place, kernels: { say }, fields: { a, x }, backend, threads };
    const [loud, silent] = [await program({ ...options, debug: true }), await program(options)];
    for (const sim of [loud, silent])
      for (const p of range(3)) {
        sim.fields.a.set([p], p + 0.2);
        sim.fields.x.set([p], [p, -p]);
      }
    const host = [hostGrid([n], (p) => p + 0.2), hostGrid([n], (p) => vec(p, -p))] as const;
    const plain = await printed(() => fn(host[0], host[1], 9));
    const lines = (calls: readonly unknown[][]): string[] => calls.map((c) => JSON.stringify(c.map(list))).sort();
    const list = (v: unknown): unknown => (typeof v === 'object' ? [...(v as Iterable<number>)] : v);
    expect(lines(await printed(() => loud.run.say(9)))).toEqual(lines(plain));
    expect(lines(await printed(() => loud.launch.say(9)))).toEqual(lines(plain));
    expect(await printed(() => silent.run.say(1))).toEqual([]);
    await printed(() =>
      expect(() => loud.run.say(2)).toThrow(
        /launch\/assert\]: a of 2 is small, not 2.2: kernel 'say', in iteration \[2\][^]*assert\)?\(a\[p\] < most/,
      ),
    );
    await printed(() => expect(() => fn(host[0], host[1], 2)).toThrow(/launch\/assert[^]*a of 2 is small, not 2.2/));
    /* The next launch begins anew, and what is too much is said so. */
    expect(lines(await printed(() => loud.run.say(9)))).toEqual(lines(plain));
    for (const sim of [loud, silent]) sim.dispose();
  });

  it(
    `what is thrown ends the iteration, or the kernel, and debug says so, by ${threads}`,
    { timeout: 120_000 },
    async () => {
      const twice = (v: number): number => {
        if (v > 3) throw new RangeError(`${v} is too large`);
        return 2 * v;
      };
      const each = kernel([a], { scope: { twice } }, (a: Grid1) => {
        for (const p of range(a.length)) a[p] = twice(a[p]) + 1;
      });
      const inOrder = kernel([a], (a: Grid1) => {
        let sum = 0;
        for (const p of serially(range(a.length))) {
          if (a[p] > 5) throw new Error('this is enough');
          sum += a[p];
          a[p] = 0;
        }
        a[0] = 1;
        return sum;
      });
      const found = kernel([a, 'f64'], (a: Grid1, least: number) => {
        a[0] = [1, 2].find((m) => m > least)!;
      });
      const options = { layout: place, kernels: { each, inOrder, found }, fields: { a }, backend, threads };
      const [loud, silent] = [await program({ ...options, debug: true }), await program(options)];
      const after = (sim: typeof loud, run: () => unknown): readonly number[] => {
        for (const p of range(n)) sim.fields.a.set([p], p);
        run();
        return Array.from({ length: n }, (_, p) => sim.fields.a.get([p]));
      };
      const from = Array.from({ length: n }, (_, p) => p);
      const [doubled, ended] = [from.map((p) => (p > 3 ? p : 2 * p + 1)), from.map((p) => (p > 5 ? p : 0))];
      expect(after(silent, () => silent.run.each())).toEqual(doubled);
      expect(after(silent, () => expect(silent.run.inOrder()).toBe(0))).toEqual(ended);
      const says = (run: () => unknown, what: RegExp) => () => expect(run).toThrow(what);
      expect(
        after(
          loud,
          says(() => loud.run.each(), /launch\/assert\]: \d+ is too large: kernel 'each', in iteration/),
        ),
      ).toEqual(doubled);
      expect(
        after(
          loud,
          says(() => loud.run.inOrder(), /launch\/assert\]: this is enough: kernel 'inOrder'/),
        ),
      ).toEqual(ended);
      expect(after(loud, () => loud.run.found(1))[0]).toBe(2);
      after(
        loud,
        says(() => loud.run.found(3), /launch\/assert\]: this is undefined: kernel 'found'/),
      );
      for (const sim of [loud, silent]) sim.dispose();
    },
  );

  it(`ends with a word where it is too much, by ${threads}`, { timeout: 120_000 }, async () => {
    const many = kernel([a], (a: Grid1) => {
      for (const p of range(40_000)) if (a[0] === 0) print(p);
    });
    const sim = await program({ layout: place, kernels: { many }, backend, threads, debug: true });
    const calls = await printed(() => sim.run.many());
    expect(calls).toHaveLength((1 << 15) + 1);
    expect(calls.at(-1)).toEqual([expect.stringContaining('more than there is room for')]);
    sim.dispose();
  });
});
