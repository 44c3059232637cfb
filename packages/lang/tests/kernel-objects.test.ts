import { array, range, unrolled, vec } from '@filigree/lang';
import { describe, expect, it } from 'vitest';
import { agree } from './agree.js';
import { define, fromText, problemsOf } from './kernel-run.js';

type Point = { x: number; y: number };

describe('functions that assign to parts of what they are given', () => {
  it('change objects, arrays, typed arrays and instances of their callers', () => {
    class Body {
      constructor(public mass: number) {}
      get twice(): number {
        return 2 * this.mass;
      }
    }
    agree(
      (a, k, x) => {
        const move = (p: Point, by: number): void => {
          p.x += by;
          p.y = p.x;
        };
        const sort = (list: number[]): void => {
          for (let end = list.length - 1; end > 0; end--)
            for (let j = 0; j < end; j++) if (list[j] > list[j + 1]) [list[j], list[j + 1]] = [list[j + 1], list[j]];
        };
        for (const i of range(a.length)) {
          const point = { x: 1, y: 2 };
          const same = point;
          move(point, x);
          move(point, k[i]);
          const list = [a[i], x, k[i], 2];
          sort(list);
          const counts = new Int32Array(3);
          const count = (into: Int32Array, at: number): number => into[at]++;
          const before = count(counts, k[i] & 1) + count(counts, 1);
          const body = new Body(x);
          const grow = (b: Body): number => (b.mass += k[i]);
          grow(body);
          const nested = { at: { x: 1, y: 2 }, steps: 0 };
          const step = (n: typeof nested): void => {
            move(n.at, x);
            n.steps++;
          };
          step(nested);
          step(nested);
          a[i] = point.x + 2 * same.y + body.twice + nested.at.x + nested.steps + before + counts[1];
          a[i] += list.reduce((s, y) => 3 * s + y, 0);
        }
      },
      { Body },
    );
  });

  it('and so do loops over arrays of objects, methods of objects, and reduce', () =>
    agree((a, k, x) => {
      for (const i of range(a.length)) {
        const points = [
          { x: 1, y: 2 },
          { x: 3, y: k[i] },
        ];
        for (const p of points) p.x += x;
        points.forEach((p) => (p.y *= 2));
        const counter = {
          n: k[i],
          add(by: number) {
            this.n += by;
            return this;
          },
        };
        const total = points.reduce(
          (so, p) => {
            so.sum += p.x;
            so.count++;
            return so;
          },
          { sum: 0, count: 0 },
        );
        a[i] = counter.add(2).add(x).n + total.sum * total.count + points[1].y;
      }
    }));

  it('leave what is known known', () =>
    agree((a, _, x) => {
      const settings = { n: 3, weights: [1, 2, 3] };
      const weigh = (of: typeof settings, y: number): number => {
        let s = 0;
        for (const j of unrolled(range(of.n))) s += of.weights[j] * y;
        return s;
      };
      for (const i of range(a.length)) a[i] = weigh(settings, x);
    }));
});

it('members are added to an object where it is made, by name, by text and by Object.assign', () =>
  agree((a, k, x) => {
    for (const i of range(a.length)) {
      const o: Record<string, number> = { p: 1 };
      o.q = x;
      o.q += 2;
      for (const name of ['r', 's']) o[name] = k[i];
      const base = { u: 1, v: 3 };
      const made = Object.assign({ w: 5 }, base, { u: x });
      base.v = 7;
      Object.assign(base, { u: 2 * x });
      let all = 0;
      for (const name in o) all = 2 * all + o[name];
      a[i] = all + made.u + 2 * made.v + made.w + base.u;
    }
  }));

describe('getters and setters', () => {
  class Temperature {
    celsius = 20;
    get fahrenheit(): number {
      return this.celsius * 1.8 + 32;
    }
    set fahrenheit(f: number) {
      this.celsius = (f - 32) / 1.8;
    }
  }
  class Doubled extends Temperature {
    override get fahrenheit(): number {
      return 2 * super.fahrenheit;
    }
    override set fahrenheit(f: number) {
      this.celsius = f;
    }
  }
  it('of classes and of objects', () =>
    agree(
      (a, k, x) => {
        for (const i of range(a.length)) {
          const [t, d] = [new Temperature(), new Doubled()];
          t.fahrenheit = x;
          t.fahrenheit += 2;
          d.fahrenheit = k[i];
          d.fahrenheit++;
          const o = {
            v: x,
            get half() {
              return this.v / 2;
            },
            set half(h: number) {
              this.v = 2 * h;
            },
          };
          o.half = k[i];
          o.half *= 2;
          Object.assign(o, { half: o.half + 1 });
          a[i] = t.celsius + d.celsius + o.v + o.half;
        }
      },
      { Temperature, Doubled },
    ));

  it('of objects are listed, spread and taken apart as what they give then', () =>
    agree((a, k, x) => {
      for (const i of range(a.length)) {
        const o = {
          u: k[i],
          get twice() {
            return 2 * this.u;
          },
          v: x,
          set w(h: number) {
            this.v = h;
          },
        };
        const copy = { ...o, w: 3 };
        o.u += 1;
        o.w = 7;
        const { u, ...others } = o;
        const merged = { twice: 0, u: 0, v: 0 };
        Object.assign(merged, { ...others, v: o.v });
        let all = 0;
        for (const name in others) all = 2 * all + (name === 'w' ? 1 : name.length);
        for (const [n, value] of Object.values(o).entries()) all = 3 * all + n * (value ?? 5);
        a[i] = copy.twice + copy.v + copy.w + u + others.twice + others.v + merged.twice + all + Object.keys(o).length;
        a[i] += ('twice' in o ? 1 : 0) + ('w' in others ? 2 : 0);
      }
    }));

  it('are what stands last of a name', () => {
    /* As text, since TypeScript refuses what JavaScript allows. */
    const text = `(a, k, x) => {
      for (const i of range(a.length)) {
        const o = { p: 1, get p() { return x; }, get q() { return 2; }, q: k[i] };
        a[i] = 100 * o.p + o.q;
      }
    }`;
    agree(new Function('range', `return ${text}`)(range) as Parameters<typeof agree>[0]);
  });
});

describe('what a function makes, changes and returns', () => {
  it('has no other name, and is what variables hold one after the other', () => {
    class Pair {
      readonly parts: number[];
      constructor() {
        this.parts = [0, 0];
      }
      with(n: number, v: number): this {
        this.parts[n] = v;
        return this;
      }
      crossed(o: Pair): Pair {
        const made = new Pair();
        for (let n = 0; n < 2; n++) made.with(n, this.parts[n] * o.parts[1 - n]);
        return made;
      }
    }
    agree(
      (a, k) => {
        const add = (p: number[], q: number[]) => {
          const out = [0, 0, 0];
          for (let n = 0; n < 3; n++) out[n] = p[n] + q[n];
          return out;
        };
        const scaled = (p: number[], by: number) => {
          const out = new Array(3).fill(0);
          p.forEach((x, n) => (out[n] = x * by));
          if (by > 2) return [by, ...out.slice(1)];
          return out;
        };
        const rows = (n: number) => {
          const made = {
            rows: [
              [n, 0],
              [0, n],
            ],
            n,
          };
          for (let m = 0; m < 2; m++) made.rows[m][m] += m;
          return made;
        };
        for (const i of range(a.length)) {
          let v = [a[i], k[i], 1];
          for (let n = 0; n < 3; n++) v = add(v, scaled(v, k[i] / 8));
          v[0] = 7;
          const w = add(v, v);
          w[1] -= 1;
          const q = new Pair().with(0, k[i]).with(1, 3);
          let p = new Pair().with(0, 1).with(1, 2);
          for (let n = 0; n < 3; n++) p = p.crossed(q);
          let r = rows(1);
          if (k[i] > 2) r = rows(k[i]);
          r.rows[0][1] = 9;
          a[i] = v[0] + v[1] / 8 + w[1] + w[2] + p.parts[0] + 2 * p.parts[1] + r.rows[0][1] + r.rows[1][1] + r.n;
        }
      },
      { Pair },
    );
  });

  it.each([
    'const keep = [[0, 0]]; const f = (n) => { const m = [n, n]; for (let i = 0; i < 2; i++) m[i] += i; keep[0] = m; return m; };',
    'const keep = { m: [0, 0] }; const f = (n) => { const m = [n, n]; for (let i = 0; i < 2; i++) m[i] += i; keep.m = m; return m; };',
    'const f = (n) => { const m = [n, n]; for (let i = 0; i < 2; i++) m[i] += i; return { m, more: () => m[0]++ }.m; };',
    'const kept = []; const f = (n) => { const m = [n, n]; for (let i = 0; i < 2; i++) m[i] += i; kept.push(() => m[0]); return m; };',
  ])('is refused where something else may hold it: %s', (text) => {
    const kernel = define(
      ['i32'],
      fromText(`(n) => { ${text} let o = f(n); o = f(n + 1); o[0] = 5; return o[0] + o[1]; }`),
    );
    expect([...new Set(problemsOf(kernel).map((d) => d.code))]).toEqual(['lang/array-alias']);
  });
});

it('`in` asks arrays, instances and private names, `instanceof` what JavaScript has', () =>
  agree((a, k) => {
    class Named {
      g = 1;
      later?: number;
      #own = 2;
      m(): number {
        return this.#own;
      }
      get q(): number {
        return 2;
      }
      has(o: object): boolean {
        return #own in o;
      }
    }
    for (const i of range(a.length)) {
      const n = new Named();
      const yes = [1 in [1, 2], 'g' in n, 'm' in n, 'q' in n, n.has(n), n instanceof Object, 'length' in [1]];
      const no = [2 in [1, 2], 'z' in n, n.has({}), {} instanceof Named];
      k[i] = yes.filter((y) => y).length + 10 * no.filter((y) => y).length;
    }
  }));

it('classes that extend Error are thrown and made', () =>
  agree((a, k, x) => {
    class Bad extends RangeError {
      code: number;
      constructor(message: string, code: number) {
        super(message);
        this.code = code;
      }
    }
    const fail = (code: number): never => {
      throw new Bad('bad', code);
    };
    for (const i of range(a.length)) {
      const e = new Bad('text', k[i]);
      if (x > 100) fail(3);
      a[i] =
        e.code + (e instanceof Error ? 10 : 0) + (e instanceof TypeError ? 100 : 0) + (e.message === 'text' ? 1e3 : 0);
    }
  }));

describe('what only throws', () => {
  const fail = (what: string): never => {
    throw new Error(what);
  };
  it('may stand for any value', () =>
    agree(
      (a, k, x) => {
        const named = (n: number): number => {
          switch (n) {
            case 0:
              return x;
            case 1:
              return 2 * x;
            default:
              return fail('no such');
          }
        };
        const positive = (y: number): number | undefined => (y > 0 ? y : undefined);
        for (const i of range(a.length)) {
          const y = a[i] < 100 ? 2 * a[i] : fail('too large');
          const z = a[i] > 100 ? fail('too large') : vec(x, y);
          const w = positive(k[i] * k[i] + 1) ?? fail('not positive');
          const ok = x < 100 || fail('too large');
          a[i] = y + z.x + 3 * z.y + w + named(i % 2) + (ok ? 1 : 0);
        }
      },
      { fail },
    ));
});

it('a function that ends without a value gives undefined', () =>
  agree((a, k, x) => {
    const positive = (y: number): number | undefined => {
      if (y > 0) return 2 * y;
    };
    const at = (y: number): Point | undefined => {
      for (const j of unrolled(range(3))) if (y === j) return { x: j, y: x };
    };
    for (const i of range(a.length)) {
      const p = at(k[i]);
      positive(k[i]);
      a[i] = (positive(k[i]) ?? -1) + (p ? p.x + p.y : 100) + (positive(x) === undefined ? 1000 : 0);
    }
  }));

it('what stands in place of a value knows that there is none', () =>
  agree((a, k, x) => {
    const positive = (y: number): number | undefined => (y > 2 ? y : undefined);
    const point = (y: number): Point | undefined => (y > 2 ? { x: y, y: x } : undefined);
    const or = (y: number, z = 2): number => 10 * y + z;
    for (const i of range(a.length)) {
      const n = positive(k[i]);
      const p = point(k[i]);
      const q = p ?? (p === undefined ? { x: 1, y: x } : { x: 2, y: x });
      const r = p || (p ? { x: 3, y: x } : { x: 4, y: x });
      const none = p ?? p;
      const preset = (m = n ?? -7): number => m;
      a[i] =
        (n ?? (n !== undefined ? n + 100 : -1)) + 10 * q.x + 100 * r.x + 1000 * or(i, n ?? (n === undefined ? 5 : 6));
      a[i] += (none === undefined ? 0.25 : 0.5) + 1e5 * preset(n);
    }
  }));

it('extremes of nothing', () =>
  agree((a) => {
    const none: number[] = [];
    for (const i of range(a.length))
      a[i] = (Math.min() === Infinity ? 1 : 0) + (Math.max(...none) === -Infinity ? 10 : 0) + Math.hypot();
  }));

it('what may be undefined or null in turn is asked which', () =>
  agree((a, k, x) => {
    const of = (y: number): number | null | undefined => (y > 5 ? null : y > 0 ? undefined : y);
    for (const i of range(a.length)) {
      let held: number | null | undefined = null;
      for (let j = 0; j < 5; j++) {
        if (j === k[i] % 5) held = null;
        else if (j === 3) held = undefined;
        else if (j === k[i] % 7) held = x;
      }
      const found = of(k[i]);
      const copy = found;
      a[i] =
        (held === null ? 1 : 0) +
        (held === undefined ? 2 : 0) +
        (held ?? 10) +
        (found === null || found === undefined ? 100 : 0);
      a[i] += copy === null ? -1000 : copy === undefined ? 1000 : copy;
    }
  }));

it('a member that begins as undefined is given a value later, or not', () =>
  agree((a, k, x) => {
    for (const i of range(a.length)) {
      const o: { p: number; q: number | undefined } = { p: 1, q: undefined };
      if (k[i] > 0) o.q = x;
      a[i] = o.p + (o.q ?? 7);
    }
  }));

it('parts that are assigned as a whole keep what held them before by a copy', () =>
  agree((a, k, x) => {
    for (const i of range(a.length)) {
      const points = [
        { x: 1, y: 2 },
        { x: 3, y: 4 },
      ];
      let s = 0;
      for (const p of points) s += p.x;
      points[0] = { x: k[i], y: x };
      const state = { at: { x, y: 2 } };
      const old = { ...state.at };
      const far = (p: Point): number => p.x + p.y;
      s += far(state.at);
      state.at = { x: old.y, y: old.x + k[i] };
      a[i] = s + points[0].x + 2 * state.at.x + 3 * state.at.y + 5 * old.x;
    }
  }));

it('a variable may be given nothing later, and is asked by conditions and defaults', () =>
  agree((a, k, x) => {
    const of = (y: number): number | undefined => (y > 2 ? y : undefined);
    const nullable = (y: number): number | null | undefined => (y > 5 ? null : of(y));
    const scaled = (y: number, by = 3): number => y * by;
    for (const i of range(a.length)) {
      let some: number | null | undefined = 2;
      let point: Point | undefined = { x, y: 1 };
      let best: Point | undefined;
      for (let j = 0; j < 4; j++) {
        if (j === k[i] % 5) some = null;
        else if (j === k[i] % 3) some = of(k[i] + j);
        if (j > k[i]) point = undefined;
        if (!best || best.x < k[j]) best = { x: k[j], y: j };
      }
      const { u = 4, v = 5 } = { u: of(k[i]), v: nullable(k[i]) };
      a[i] = (some ?? 10) + (point ? point.x : 100) + (best ? best.y : 0) + scaled(x, of(k[i]));
      a[i] += u + (v === null ? 1000 : v) + (Boolean(some) ? 1e4 : 0) + (Number.isFinite(some) ? 1e5 : 0);
      k[i] = Number.isNaN(Number(of(k[i]) ?? undefined)) ? 1 : Number(some ?? null) + (Boolean(point) ? 7 : 0);
    }
  }));

it('members of objects around a parallel loop are summed by functions and methods', () =>
  agree((_, k) => {
    class Sum {
      total = 0;
      add(y: number): void {
        this.total += y;
      }
    }
    const [sum, other] = [new Sum(), { total: 0 }];
    const add = (to: { total: number }, y: number): void => {
      to.total += y;
    };
    for (const i of range(k.length)) {
      sum.add(k[i]);
      add(other, 2 * k[i]);
    }
    return sum.total + 1000 * other.total;
  }));

describe('parts of arrays and objects around a parallel loop', () => {
  it('keep extremes, named by members, indices and this', () =>
    agree((a, k, x) => {
      class Range {
        low = 100;
        high = -100;
        count = 0;
        #far = x;
        add(y: number): void {
          this.low = Math.min(this.low, y);
          if (this.high < y) this.high = y;
          this.count++;
          this.#far = Math.max(Math.abs(y), this.#far);
        }
        get far(): number {
          return this.#far;
        }
      }
      const [of, box, at] = [new Range(), { low: [x, 50], high: { most: -50 } }, vec(x, 0)];
      for (const i of range(a.length)) {
        of.add(a[i]);
        box.low[1] = Math.min(k[i], box.low[1], 2 * k[i], ...[20 - k[i], x]);
        if (k[i] > box.high.most) box.high.most = k[i];
        box.low[0] = a[i] < box.low[0] ? a[i] : box.low[0];
        at.y = Math.max(at.y, a[i] * k[i]);
      }
      return (
        of.low + 3 * of.high + of.count + 5 * of.far + 7 * box.low[0] + 11 * box.low[1] + 13 * box.high.most + at.y
      );
    }));

  it('are told by an index when the kernel runs', () =>
    agree((_, k, x) => {
      const [bins, most, table, seen] = [[0, 0, 0], vec(-99, -99), [{ n: 0, to: -99 }, { n: x > 0 ? 1 : 2, to: 3 }], [false, false, false, false]]; // prettier-ignore
      const low = new Int32Array(2);
      const bin = (y: number): number => (y * y) % 3;
      for (const i of range(k.length)) {
        bins[bin(k[i])] += k[i];
        bins[(i + 1) % 3]--;
        for (let c = 0; c < 2; c++) {
          most[c] = Math.max(most[c], k[i] * (c + 1));
          if (k[i] - c < low[c]) low[c] = k[i] - c;
        }
        const t = k[i] & 1;
        table[t].n += 2;
        table[t].to = Math.max(table[t].to, i);
        seen[(k[i] * k[i]) % 4] = true;
      }
      const all = [...bins, most.x, most.y, ...low, table[0].n, table[0].to, table[1].n, table[1].to];
      return (
        all.reduce((sum, y, at) => sum + (at + 1) * y, seen[0] ? 1000 : 0) + (seen[1] ? 2000 : 0) + (seen[2] ? 4000 : 0)
      );
    }));

  it('where an index counts on, each place is computed as often as it is written', () =>
    agree((a, k) => {
      for (const i of range(1)) {
        const [low, at] = [[3, -4, 5, -6], { p: i }];
        const next = (): number => at.p++;
        if (low[next()] > k[i]) low[next()] = k[i];
        if (k[next()] > low[0] - 50) k[next()] = low[1];
        a[0] = at.p + 10 * low[0] + 100 * low[1];
      }
    }));

  it('sums of several terms, in one statement', () =>
    agree((_, k) => {
      let s = 1;
      let v = vec(0, 1);
      const o = { t: 0 };
      for (const i of range(k.length)) {
        s = s - k[i] - 1;
        o.t = i + o.t + k[i] - 2;
        v = v.add(vec(k[i], 1)).sub(vec(i, k[i]));
      }
      return s + 100 * o.t + 1000 * v.x + 7 * v.y;
    }));
});

it('a variable that is given nothing at the end of a loop is nothing at its next beginning', () =>
  agree((a, k, x) => {
    for (const i of range(a.length)) {
      let [n, point]: [number | null, Point | undefined] = [x, { x: 1, y: x }];
      for (let j = 0; j < 3; j++) {
        a[i] += (n ?? 100) + (point?.y ?? 1000);
        n = null;
        if (k[i] > j) point = undefined;
      }
    }
  }));

it('objects are true, and those that may be missing where they are there', () =>
  agree((a, k, x) => {
    const near = (y: number): Point | undefined => (y > 0 ? { x: y, y: x } : undefined);
    for (const i of range(a.length)) {
      const point = near(k[i]);
      const always = { x, y: 1 };
      let ok: boolean | undefined = true;
      if (k[i] > 3) ok = undefined;
      const y = point && point.y;
      const one = point || always;
      const found = [always, { x: 2, y: k[i] }].filter((p) => p).length + (always ? 1 : 0) + (!always ? 10 : 0);
      a[i] = (y ?? 100) + one.x + (always && always.x) + found + (ok && x > 0 ? 1000 : 0) + (ok || x > 1 ? 1e4 : 0);
    }
  }));

describe('static members', () => {
  it('of classes of a kernel are values, methods and getters of the class, and of those that extend it', () =>
    agree((a, k, x) => {
      for (const i of range(a.length)) {
        class Unit {
          static scale = 2;
          static readonly double = Unit.scale * 2;
          static #made = 0;
          static made(): number {
            return Unit.#made;
          }
          static of(v: number): Unit {
            return new this(v * this.scale);
          }
          static get sum(): number {
            return this.scale + this.double;
          }
          constructor(readonly v: number) {
            Unit.#made++;
          }
        }
        class Half extends Unit {
          static override scale = 0.5;
          static all: number[] = [x, k[i]];
          static {
            this.all.push(super.sum);
            Half.all[0] += 1;
          }
          static override made(): number {
            return super.made() * 10;
          }
        }
        const [one, other] = [Unit.of(a[i]), Half.of(a[i])];
        if (k[i] > 0) Unit.scale += k[i];
        const third = Unit.of(1);
        Half.scale *= 3;
        a[i] = one.v + 10 * other.v + 100 * third.v + Unit.sum + Half.sum + Half.double + Half.made() + Unit.made();
        a[i] += Half.all.reduce((s, y) => 2 * s + y, 0) + Unit.scale + Half.scale + (Unit.name === 'Unit' ? 1 : 0);
      }
    }));

  it('of classes of the surroundings are read, and what a class of the kernel has of one', () => {
    class Base {
      static readonly by = 3;
      static times(v: number): number {
        return v * 2;
      }
    }
    agree(
      (a) => {
        class Own extends Base {
          static more = Own.by + 1;
          static all(v: number): number {
            return this.times(v) + Own.more;
          }
        }
        for (const i of range(a.length)) a[i] = Own.all(a[i]) + Own.by + Base.times(i);
      },
      { Base },
    );
  });
});

it('private members of objects from around a kernel are refused in words', () => {
  class Spring {
    #stiffness = 3;
    force(x: number): number {
      return this.#stiffness * x;
    }
  }
  const kernel = define(
    [array('f64', 8)],
    fromText('(a) => { for (const i of range(8)) a[i] = spring.force(a[i]); }'),
    {
      scope: { spring: new Spring() },
      name: 'k',
    },
  );
  expect(problemsOf(kernel)).toMatchObject([
    {
      code: 'lang/syntax',
      message: expect.stringContaining('`#stiffness` is private to its class'),
      remedy: expect.stringContaining('make the object in the kernel'),
    },
  ]);
});

it('methods call themselves of other objects, and numbers are instances of no class', () => {
  abstract class Shape {
    abstract distance(x: number): number;
  }
  class Ball extends Shape {
    constructor(
      readonly at: number,
      readonly r: number,
    ) {
      super();
    }
    distance(x: number): number {
      return Math.abs(x - this.at) - this.r;
    }
  }
  class Union extends Shape {
    constructor(readonly parts: readonly Shape[]) {
      super();
    }
    distance(x: number): number {
      return this.parts.reduce((least, s) => Math.min(least, s.distance(x)), Infinity);
    }
  }
  class Not extends Shape {
    constructor(readonly of: Shape) {
      super();
    }
    distance(x: number): number {
      return -this.of.distance(x);
    }
  }
  class Dual {
    constructor(
      readonly v: number,
      readonly d = 0,
    ) {}
    static lift(x: number | Dual): Dual {
      return x instanceof Dual ? x : new Dual(x);
    }
    times(other: number | Dual): Dual {
      const o = Dual.lift(other);
      return new Dual(this.v * o.v, this.v * o.d + this.d * o.v);
    }
  }
  const scene = new Union([new Ball(0, 1), new Not(new Union([new Ball(1, 5), new Not(new Ball(2, 3))]))]);
  agree(
    (a) => {
      for (const i of range(a.length)) {
        const own = new Union([new Ball(a[0], 1), new Not(new Not(new Ball(i, 2)))]);
        const x = new Dual(a[i], 1);
        a[i] = scene.distance(a[i]) + own.distance(a[i]) + x.times(x).times(3).d;
      }
    },
    { scene, Ball, Union, Not, Dual, Shape },
  );
});

describe('what may be missing when the kernel runs', () => {
  it('is called where it is there, and what it would take is computed there only', () => {
    class Hit {
      constructor(readonly t: number) {}
      normal(k = 1): number {
        return this.t * k;
      }
    }
    type Law = { readonly E: number; readonly law?: (s: number) => number };
    const laws: readonly Law[] = [{ E: 2 }, { E: 3, law: (s) => s * s }, { E: 4, law: (s) => s + 1 }];
    const hit = (x: number): Hit | undefined => (x > 0 ? new Hit(x) : undefined);
    const named = (x: number): Hit | null => {
      if (x < -1) return null;
      return new Hit(x);
    };
    agree(
      (a, k, x) => {
        for (const i of range(a.length)) {
          let taken = 0;
          const next = (): number => ++taken;
          const one = laws[Math.abs(k[i]) % 3];
          let sum = one.law?.(next()) ?? 7;
          const found = one.law?.(x);
          if (found === undefined) sum += 100;
          else sum += found;
          sum += hit(a[i])?.normal(next()) ?? 1000;
          sum += named(x - k[i])?.normal() ?? 2000;
          const maybe = a[i] > x ? next : undefined;
          maybe?.();
          a[i] = sum + (maybe?.() ?? 0) + 1e5 * taken;
        }
      },
      { laws, Hit, hit, named },
    );
  });

  it('is an item of a row that may be missing itself', () => {
    const rows = [
      [1, 2, 3],
      [4, 5, 6],
    ];
    const ragged = [[1], [2, 3], []];
    const objects: { readonly list?: readonly number[] }[] = [{ list: [1, 2] }, { list: [3] }, {}];
    agree(
      (a, k, x) => {
        for (const i of range(a.length)) {
          const own = [
            [i, x],
            [1, 2],
          ];
          const [m, n] = [Math.abs(k[i]) % 5, Math.abs(k[0]) % 4];
          const row = rows[m - 1];
          a[i] = (rows[m - 1]?.[n - 1] ?? 9) + 10 * (ragged[m]?.[n] ?? 9) + 100 * (objects[m]?.list?.[n] ?? 9);
          a[i] += 1000 * (own[m - 1]?.[n] ?? 9) + (row === undefined ? 1e5 : (row[n] ?? 2e5));
        }
      },
      { rows, ragged, objects },
    );
  });

  it('is an instance of a class that a variable may hold, of the surroundings or of the kernel', () => {
    class Hit {
      constructor(
        readonly t: number,
        readonly n: number,
      ) {}
      static of(x: number): Hit {
        return new Hit(x, 2 * x);
      }
      twice(): Hit {
        return new Hit(2 * this.t, this.n);
      }
    }
    const named = (x: number): Hit | null => {
      if (x < -3) return null;
      return Hit.of(x);
    };
    agree(
      (a, k, x) => {
        for (const i of range(a.length)) {
          const shift = 10 * x;
          class Own {
            constructor(readonly t: number) {}
            area(): number {
              return this.t + shift;
            }
            twin(): Own {
              return new Own(this.t + 1);
            }
          }
          let sum = 0;
          let best: Hit | null = null;
          let own: Own | undefined;
          for (let j = 0; j < 4; j++) {
            if (best !== null) sum += best.twice().t;
            if (own) sum += own.twin().area();
            const h = named(a[j] + k[i]);
            if (h && (best === null || h.t < best.t)) best = h;
            const other = new Own(a[j]);
            if (own === undefined || other.t < own.t) own = other;
          }
          a[i] = sum + (best?.n ?? 77) + own!.area();
        }
      },
      { Hit, named },
    );
  });
});

it('arrays that the kernel makes are filled, as a whole or between known places', () =>
  agree((a, k, x) => {
    for (const i of range(a.length)) {
      const halves = new Float64Array(5).fill(x / 2);
      const counts = new Int32Array(4);
      const list = [1, 2, 3, 4, 5].fill(x, 1, -1);
      let sum = 0;
      for (let round = 0; round < 3; round++) {
        counts.fill(round);
        counts[(i + round) & 3] += 5;
        sum += counts[1] * 10 + counts[2];
        counts.fill(9, 2);
        sum += counts[3];
      }
      const given = [0, 0, 0];
      const clear = (all: number[]): number[] => all.fill(k[i]);
      clear(given)[1] = 2;
      a[i] = halves[2] + list[0] + 10 * list[3] + 100 * list[4] + sum + given[0] + given[1];
    }
  }));

it.each([
  ['const c = [[1], [2]]; c.fill([3]); a[0] = c[0][0];', 'lang/array-alias'],
  ['const c = [1, 2]; c.fill(3, k[0]); a[0] = c[0];', 'lang/dynamic-index'],
  ['const c = [1, 2]; c.fill(); a[0] = c[0];', 'lang/arguments'],
])('what cannot be filled is refused: %s', (body, expected) => {
  const def = define([array('f64', 8), array('i32', 8)], fromText(`(a, k) => { ${body} }`));
  expect(problemsOf(def).map(({ code }) => code)).toEqual([expected]);
});

describe('variables and items exchange what they hold', () => {
  it('in branches and loops, in pairs and rings, by a pattern or a third name', () =>
    agree((a, k) => {
      for (const i of range(a.length - 2)) {
        let [p, q] = [
          { x: k[i], at: { y: 1, z: [1, 2] } },
          { x: k[i + 1], at: { y: a[i], z: [3, k[i]] } },
        ];
        if (p.x > q.x) [p, q] = [q, p];
        p.at.z[1] += 10;
        if (p.x % 2 === 0) {
          const t = p;
          p = q;
          q = t;
        }
        let [now, next, last] = [new Float64Array(3), new Float64Array(3), new Int32Array(3)];
        now[0] = k[i];
        for (let n = 0; n < k[i + 1]; n++) {
          next[n % 3] = now[(n + 1) % 3] + now[0] + n;
          [now, next] = [next, now];
        }
        let [u, v, w] = [
          [1, k[i]],
          [2, 0],
          [3, 0],
        ];
        for (const n of range(k[i] & 3)) {
          [u, v, w] = [v, w, u];
          u[1] += n;
        }
        last[1] = u[0] * 100 + v[0] * 10 + w[0];
        a[i] = p.x + 2 * q.x + 3 * p.at.y + 5 * p.at.z[1] + 7 * q.at.z[0] + now[0] - next[1] + last[1] + u[1] - w[1];
      }
    }));

  it('at indices that are known when the kernel runs, as objects are sorted', () =>
    agree((a, k) => {
      for (const i of range(a.length - 4)) {
        const items = Array.from({ length: 4 }, (_, n) => ({ key: k[i + n], at: n, part: { x: a[i + n] } }));
        for (let n = 1; n < 4; n++)
          for (let m = n; m > 0 && items[m].key < items[m - 1].key; m--)
            [items[m - 1], items[m]] = [items[m], items[m - 1]];
        for (let n = 0; n < 3; n++)
          if (items[n].part.x > items[3].part.x) {
            const t = items[n];
            items[n] = items[3];
            items[3] = t;
          }
        items[1].part.x += 1;
        a[i] = items.reduce((sum, { key, at, part }, n) => sum + (n + 1) * (key + 10 * at + part.x), 0);
      }
    }));

  it('but where another holds one, that would see it', () => {
    const codes = (body: string): readonly string[] =>
      problemsOf(define([array('f64', 8), 'i32'], fromText(`(a, k) => { ${body} }`))).map((d) => d.code);
    const two = 'const ps = [{ x: k }, { x: 2 }];';
    expect(codes(`${two} [ps[0], ps[1]] = [ps[1], ps[0]]; a[0] = ps[0].x;`)).toEqual([]);
    expect(codes(`${two} const p = ps[0]; [ps[0], ps[1]] = [ps[1], ps[0]]; a[0] = p.x;`)).toEqual(['lang/array-alias']);
    expect(codes(`${two} const o = { p: ps[0] }; if (k) [ps[0], ps[1]] = [ps[1], ps[0]]; a[0] = o.p.x;`)).toEqual([
      'lang/array-alias',
    ]);
    expect(codes(`let p = { x: k }, q = { x: 1 }; const t = p; p = q; q = t; a[0] = t.x;`)).toContain(
      'lang/array-alias',
    );
  });

  it('but arrays of one type do not become such of another', () => {
    const codes = (body: string): readonly string[] =>
      problemsOf(define([array('f64', 8), 'i32'], fromText(`(a, k) => { ${body} a[0] = b[0]; }`))).map((d) => d.code);
    const [whole, real, plain] = ['new Int32Array(2)', 'new Float64Array([0.5, 1])', '[0.5, 1]'];
    expect(codes(`let b = ${whole}; if (k) b = ${whole};`)).toEqual([]);
    expect(codes(`let b = ${whole}; if (k) b = ${real};`)).toEqual(['lang/shape']);
    expect(codes(`let b = ${whole}; if (k) b = ${plain};`)).toEqual(['lang/shape']);
    expect(codes(`let b = ${plain}; if (k) b = ${whole}; b[0] = 1.5;`)).toEqual(['lang/shape']);
    expect(codes(`const b = k ? ${whole} : ${plain};`)).toEqual(['lang/shape']);
    expect(codes(`let b = ${whole}, c = ${real}; [b, c] = [c, b];`)).toEqual(['lang/shape']);
  });
});

describe('a name for one of several arrays or objects, which one is known when the kernel runs', () => {
  it('is the one that changes: rows of matrices and tables, and objects', () =>
    agree((a, k) => {
      for (const i of range(a.length - 4)) {
        const rows = [new Int32Array(5), new Int32Array(5)];
        for (let n = 0; n < 5; n++) rows[0][n] = k[i + n];
        for (let n = 1; n < 6; n++) {
          const [before, now] = [(n - 1) & 1, n & 1];
          const last = rows[before],
            row = rows[now];
          row[0] = n;
          for (let m = 1; m < 5; m++) row[m] = Math.min(last[m - 1] + k[i] - k[m], last[m] + 1, row[m - 1] + 2);
        }
        const m = Array.from({ length: 3 }, (_, r) =>
          Array.from({ length: 4 }, (_, c) => (r === c ? 9 : k[i + c] / 7)),
        );
        for (let c = 0; c < 3; c++)
          for (let r = 0; r < 3; r++) {
            if (r === c) continue;
            const row = m[r],
              pivot = m[c];
            const f = row[c] / pivot[c];
            for (let n = 0; n < 4; n++) row[n] -= f * pivot[n];
          }
        const heap = Array.from({ length: 5 }, () => ({ key: 99, part: { id: -1 } }));
        for (let n = 0; n < 5; n++) {
          let at = n;
          while (at > 0) {
            const up = heap[(at - 1) >> 1],
              own = heap[at];
            if (up.key <= k[i + n]) break;
            own.key = up.key;
            own.part.id = up.part.id;
            at = (at - 1) >> 1;
          }
          const own = heap[at];
          own.key = k[i + n];
          own.part.id = n;
        }
        const same = heap[(k[i] & 3) + 1],
          other = heap[(k[i + 1] & 3) + 1];
        same.key += 1;
        other.key *= 2;
        a[i] = rows[1][4] + m[0][3] + 10 * m[2][3] + heap[0].key + 10 * heap[0].part.id + 100 * same.key;
      }
    }));

  it('also around a parallel loop that adds to it, as a member, and in functions that see it', () =>
    agree((a, k) => {
      class Table {
        rows = [
          [0, 0],
          [1, 1],
        ];
        bump(r: number, c: number): number {
          const row = this.rows[r];
          row[c] += 2;
          const add = (by: number): void => {
            row[1 - c] -= by;
          };
          add(3);
          return row.reduce((x, y) => x + y, 0) + row.length;
        }
      }
      const bins = [
        [0, 0, 0],
        [0, 0, 0],
      ];
      for (const i of range(a.length)) {
        const row = bins[k[i] & 1];
        row[i % 3] += k[i];
      }
      for (const i of range(a.length)) {
        const table = new Table();
        let sum = 0;
        for (let n = 0; n < 4; n++) sum += table.bump((k[i] + n) & 1, n & 1);
        a[i] = sum + table.rows[0][1] + bins[0][1] + 10 * bins[1][2];
      }
    }));

  it('while it lasts none of them is replaced', () => {
    const codes = (body: string): readonly string[] =>
      problemsOf(define([array('f64', 8), 'i32'], fromText(`(a, k) => { const t = [[1, 2], [3, 4]]; ${body} }`))).map(
        (d) => d.code,
      );
    expect(codes('{ const r = t[k]; r[0] = 5; } t[0] = [k, 7]; a[0] = t[0][0];')).toEqual([]);
    expect(codes('const r = t[k]; t[0] = [k, 7]; r[0] = 5; a[0] = t[0][0];')).toEqual(['lang/array-alias']);
    expect(codes('const r = t[k]; r[0] = 5; [t[0], t[1]] = [t[1], t[0]]; a[0] = r[0];')).toEqual(['lang/array-alias']);
    expect(codes('const r = t[k]; r[0] = 5; const s = r; r[0] = 6; a[0] = s[0];')).toEqual(['lang/array-alias']);
  });
});
