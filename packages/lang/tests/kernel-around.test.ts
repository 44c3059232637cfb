import { array, mat, range, vec } from '@filigree/lang';
import { describe, expect, it } from 'vitest';
import { agree } from './agree.js';
import { define, problemsOf } from './kernel-run.js';

class Ball {
  constructor(
    readonly centre: readonly number[],
    readonly radius: number,
    readonly matter: { readonly name: string; readonly colour: ReturnType<typeof vec> },
  ) {}
  get width(): number {
    return 2 * this.radius;
  }
  holds(x: number): boolean {
    return Math.abs(x - this.centre[0]) < this.radius;
  }
}
const red = { name: 'red', colour: vec(1, 0, 0.5) };
const balls = [
  new Ball([0, 1], 2, red),
  new Ball([1, 4], 3, { name: 'blue', colour: vec(0, 0, 1) }),
  new Ball([5, 4], 0.5, red),
];
const nodes = [
  { at: 0.5, next: [1, 2], leaf: false },
  { at: 2, next: [1, 1], leaf: true },
  { at: -1.5, next: [3, 1], leaf: false },
  { at: 8, next: [3, 3], leaf: true },
];

describe('arrays around a kernel, at an index that it finds', () => {
  it('hold objects: their numbers, vectors, texts, getters and methods', () =>
    agree(
      (a, k) => {
        for (const i of range(a.length)) {
          const ball = balls[Math.abs(k[i]) % 3];
          const { centre, matter } = ball;
          a[i] = (ball.holds(a[i]) ? 100 : 0) + ball.width + 10 * centre[1] + centre[k[i] & 1];
          a[i] += matter.colour.dot(vec(1, 2, 3)) + (matter.name === 'red' ? 1000 : 0) + (matter === red ? 0 : 0.25);
          for (let n = 0; n < balls.length; n++) a[i] += balls[n].radius * n;
        }
      },
      { balls, red },
    ));

  it('hold truth values, and lead from one to the next', () =>
    agree(
      (a, k) => {
        for (const i of range(a.length)) {
          let n = 0;
          while (!nodes[n].leaf) n = nodes[n].next[a[i] < nodes[n].at ? 0 : 1];
          const { next, ...others } = nodes[n];
          a[i] = others.at + next[1] + { ...nodes[k[i] & 3] }.at;
        }
      },
      { nodes },
    ));

  it('lead through lists and trees of objects that name others, however long', () => {
    interface Link {
      readonly v: number;
      readonly next: Link | null;
      readonly other?: { readonly way: readonly Link[] };
    }
    const list = Array.from({ length: 2000 }, (_, v) => v).reduceRight<Link | null>((next, v) => ({ v, next }), null)!;
    const treeOf = (v: number): Link => {
      if (v > 60) return { v, next: null };
      const [next, other] = [treeOf(2 * v), treeOf(2 * v + 1)];
      return { v, next, other: { way: [next, other] } };
    };
    const tree = treeOf(1);
    agree(
      (a, k) => {
        for (const i of range(a.length)) {
          let sum = 0;
          for (let l: Link | null = list; l; l = l.next) if (l.v % 7 === k[i] % 7) sum += l.v;
          let t = tree;
          for (let n = 0; t.next !== null; n++) t = (k[i] >> n) & 1 ? t.next : t.other!.way[1];
          let u: Link | null = list;
          while (u !== null && u.v < 990) u = u.next!.next;
          a[i] = sum + t.v / 128 + (u?.v ?? 0);
        }
      },
      { list, tree },
    );
  });

  it('hold names of what objects have', () => {
    const kinds = ['solid', 'fluid', 'gas'] as const;
    type Kind = (typeof kinds)[number];
    const density: Readonly<Record<Kind, number>> = { solid: 3, fluid: 2, gas: 1 };
    const laws: Readonly<Record<Kind, { mu: number; on: boolean; v: readonly number[] }>> = {
      solid: { mu: 1, on: true, v: [1, 2] },
      fluid: { mu: 2, on: false, v: [3, 4] },
      gas: { mu: 3, on: true, v: [5, 6] },
    };
    const some: Partial<Record<Kind, number>> = { solid: 4 };
    agree(
      (a, k, x) => {
        const own = { solid: x, fluid: 5, gas: { n: 7 }.n };
        for (const i of range(a.length)) {
          const kind = kinds[(k[i] & 63) % 3];
          const { mu, on, v } = laws[kind];
          a[i] = density[kind] + (on ? 10 * mu : 0) + 100 * v[k[i] & 1] + own[kind] + (some[kind] ?? -4);
          const other = k[i] > 0 ? 'gas' : 'fluid';
          if (density[other] < 2) a[i] += 0.25;
          const counts = { solid: 0, fluid: 1, gas: 0 };
          for (let n = 0; n < 5; n++) {
            counts[kinds[(i + n) % 3]] += n;
            counts[other]++;
          }
          let left: number | undefined;
          left ||= counts.solid + 10 * counts.fluid;
          a[i] += left + 100 * counts.gas;
        }
      },
      { kinds, density, laws, some },
    );
  });

  it('and objects beside them are what variables, functions and choices hold in turn with those that the kernel makes', () => {
    class Vec2 {
      static readonly zero = new Vec2(0, 0);
      constructor(
        readonly x: number,
        readonly y: number,
      ) {}
      add(o: Vec2): Vec2 {
        return new Vec2(this.x + o.x, this.y + o.y);
      }
      get squared(): number {
        return this.x ** 2 + this.y ** 2;
      }
    }
    const points = [new Vec2(1, 2), new Vec2(3, 4), new Vec2(-1, 5)];
    const origin = { at: { z: 3 }, weight: 2 };
    agree(
      (a, k) => {
        const near = (n: number) => {
          if (n > 3) return new Vec2(n, 1);
          return n < -5 ? points[n & 1] : Vec2.zero;
        };
        for (const i of range(a.length)) {
          let sum = Vec2.zero;
          for (let n = 0; n < 3; n++) sum = sum.add(new Vec2(a[i], n));
          let p = points[0];
          if (k[i] > 3) p = points[k[i] % 3];
          if (k[i] < 0) p = p.add(points[1]);
          let o = origin;
          if (k[i] > 0) o = { at: { z: k[i] }, weight: a[i] };
          const from = k[i] > 5 ? origin : { at: { z: 1 }, weight: 7 };
          a[i] =
            sum.squared + p.squared + near(k[i]).x + 3 * near(k[i]).y + o.at.z * o.weight + from.at.z * from.weight;
          a[i] += points.reduce((all, q) => all.add(q), Vec2.zero).y;
        }
      },
      { Vec2, points, origin },
    );
  });

  it('hold functions, which are called, given on and chosen', () => {
    const ops = [(x: number) => x + 1, (x: number) => x * 2, (x: number) => -x, Math.sqrt];
    const two = [Math.max, Math.min, (x: number, y: number) => x - y];
    const byName = { sin: Math.sin, cos: Math.cos, square: (x: number) => x * x };
    const names = ['sin', 'cos', 'square'] as const;
    const laws = [2, 3].map((k) => ({
      k,
      f(x: number): number {
        return this.k * x + k;
      },
    }));
    const law = {
      k: 5,
      f(x: number): number {
        return this.k + x;
      },
    };
    agree(
      (a, k) => {
        for (const i of range(a.length)) {
          const x = Math.abs(a[i]);
          const op = ops[k[i] & 3];
          a[i] = op(x) + byName[names[(k[i] & 15) % 3]](x) + two[(k[i] & 15) % 3](x, 2);
          const wave = k[i] > 0 ? Math.sin : Math.cos;
          let last = ops[0];
          if (k[i] > 5) last = ops[1];
          if (k[i] < 0) last = ops[2];
          a[i] +=
            wave(x) +
            100 * last(10) +
            [1, 4, 9].map(op).reduce((p, q) => p + q, 0) +
            [law, { ...law, k: 7 }][k[i] & 1].f(x);
          for (const f of ops) a[i] += f(4);
        }
      },
      { ops, two, byName, names, laws, law },
    );
  });

  it('hold objects of several kinds, which one member tells', () => {
    type Shape = { kind: 'circle'; r: number } | { kind: 'box'; w: number; h: number } | { kind: 'none' };
    const shapes: readonly Shape[] = [
      { kind: 'circle', r: 2 },
      { kind: 'box', w: 2, h: 3 },
      { kind: 'none' },
      { kind: 'circle', r: 5 },
    ];
    const area = (s: Shape): number => {
      switch (s.kind) {
        case 'circle':
          return Math.PI * s.r ** 2;
        case 'box':
          return s.w * s.h;
        default:
          return 0;
      }
    };
    agree(
      (a, k) => {
        for (const i of range(a.length)) {
          const s = shapes[k[i] & 3];
          a[i] = area(s);
          if (s.kind === 'circle') a[i] += s.r;
          else if (s.kind === 'box') a[i] += s.w - s.h;
          a[i] += 'w' in s ? 100 * s.w : 'r' in s ? 10 * s.r : 1;
          let best = shapes[k[i] & 1];
          for (const t of shapes) if (area(t) > area(best)) best = t;
          a[i] += best.kind === 'circle' ? best.r : 7;
        }
      },
      { shapes, area },
    );
  });

  it('hold vectors, matrices, typed arrays and truth values', () => {
    const around = {
      ways: [vec(1, 0), vec(0, 1), vec(-1, 0), vec(0, -1)],
      turns: [mat([1, 2], [3, 4]), mat([5, 6], [7, 8])],
      weights: [{ w: Float64Array.of(0.5, 0.25) }, { w: Float64Array.of(2, 3) }],
      flags: [true, false, true, true],
    };
    const { ways, turns, weights, flags } = around;
    agree((a, k) => {
      for (const i of range(a.length)) {
        const [x, y] = ways[k[i] & 3];
        const { w } = weights[k[i] & 1];
        a[i] = turns[k[i] & 1].mul(ways[(k[i] + 1) & 3].add(vec(x, y))).x + w[(k[i] >> 1) & 1];
        if (flags[k[i] & 3]) a[i] += 10;
      }
    }, around);
  });

  it('hold arrays of several lengths', () => {
    const lists = [[1], [2, 3], [], [4, 5, 6]];
    const paths = [{ points: [{ x: 1 }, { x: 2 }] }, { points: [{ x: 3 }] }, { points: [] }, { points: [{ x: 4 }] }];
    agree(
      (a, k) => {
        for (const i of range(a.length)) {
          let sum = 0;
          for (const x of lists[k[i] & 3]) sum = 10 * sum + x;
          const { points } = paths[(k[i] >> 1) & 3];
          for (let n = 0; n < points.length; n++) sum = 10 * sum + points[n].x;
          for (const { x } of points) sum += x / 2;
          a[i] = sum + lists[k[i] & 3].length;
        }
      },
      { lists, paths },
    );
  });

  it('say what is not there in all of them', () => {
    const lamps: readonly { power: number; tint?: number; cover?: { cut: number } | null }[] = [
      { power: 1, tint: 2, cover: null },
      { power: 3, cover: { cut: 4 } },
    ];
    agree(
      (a, k) => {
        for (const i of range(a.length)) {
          const lamp = lamps[k[i] & 1];
          const { tint = 7, power } = lamp;
          a[i] = tint + 10 * (lamp.tint ?? power) + (lamp.tint === undefined ? 100 : 200);
          if (lamp.cover === null) a[i] += 1000;
        }
      },
      { lamps },
    );
  });

  it('are one of two where a condition decides, as texts are', () =>
    agree(
      (a, k, x) => {
        for (const i of range(a.length)) {
          const ball = k[i] > 0 ? balls[0] : balls[1];
          const mode = a[i] > x ? 'up' : 'down';
          switch (mode) {
            case 'up':
              a[i] += ball.radius;
              break;
            case 'down':
              a[i] -= ball.centre[1];
          }
          if (typeof mode === 'string' && mode !== 'up') a[i] *= 2;
        }
      },
      { balls },
    ));

  it('hold numbers of which some are missing, left out, or null', () => {
    const holes = Array.from({ length: 3 }, (_, k) => k + 1);
    delete (holes as (number | undefined)[])[1];
    const members: readonly { v: number; w?: number }[] = [{ v: 1 }, { v: 3, w: 4 }, { v: 5 }];
    const rows = [[1, null, 3], [4, 5], [null, 8, 9]]; // prettier-ignore
    return agree(
      (a, k) => {
        for (const i of range(a.length)) {
          const n = Math.abs(k[i]) % 3;
          a[i] += (holes[n] ?? 9) + 100 * (members[n].w ?? 50) + 1000 * (rows[n][n & 1] ?? 20);
          for (const v of rows[n]) a[i] = 0.5 * a[i] + (v ?? 7);
        }
      },
      { holes, members, rows },
    );
  });

  it('of which a switch that has all kinds is left by one of its cases', () => {
    const shapes = [
      { kind: 'circle', code: 0, r: 2 },
      { kind: 'rect', code: 1, w: 3, h: 4 },
      { kind: 'square', code: 2, w: 5 },
    ] as const;
    const area = (s: (typeof shapes)[number]): number => {
      switch (s.kind) {
        case 'circle':
          return 3 * s.r ** 2;
        case 'square':
          return s.w ** 2;
        case 'rect':
          return s.w * s.h;
      }
    };
    const masked = (x: number): number => {
      switch (x & 3) {
        case 3:
          return 30;
        case 0:
        case 1:
          return x;
        case 2:
      }
      return -2;
    };
    const coded = (code: 0 | 1 | 2): number => {
      switch (code) {
        case 1:
          return 5;
        case 2:
        case 0:
          return code;
      }
    };
    agree(
      (a, k) => {
        for (const i of range(a.length)) {
          const n = ((k[i] % 3) + 3) % 3;
          a[i] = area(shapes[n]) + 100 * masked(k[i]) + 10000 * coded(shapes[n].code);
        }
      },
      { shapes, area, masked, coded },
    );
    const some = (s: (typeof shapes)[number]): number | undefined => {
      switch (s.kind) {
        case 'circle':
          return 1;
        case 'rect':
          return 2;
      }
      return undefined;
    };
    const part = define(['i32'], (k: number) => some(shapes[k])! + 1, { scope: { shapes, some } });
    expect(problemsOf(part).map((d) => d.code)).toEqual(['lang/unassigned']);
  });

  it('are items from the end, `at(-1)`, wherever the place is known only when the kernel runs', () => {
    const [primes, rows] = [
      [2, 3, 5, 7],
      [[1, 2], [3], [4, 5, 6]],
    ];
    agree(
      (a, k) => {
        for (const i of range(a.length)) {
          const own = [a[0], k[i], 3];
          const kept = own.filter((x) => x > 0);
          a[i] = k.at(-1)! + (k.at(k[i]) ?? 0.5) + 2 * primes.at(-1 - (k[i] & 3))! + 3 * (primes.at(k[i]) ?? -1);
          a[i] += 5 * (own.at(k[i] % 5) ?? 100) + 7 * (rows.at(k[i] % 3)!.at(-1) ?? 9) + 11 * (kept.at(-k[i]) ?? 8);
          a[i] += balls.at(k[i] % 3)!.radius + (balls.at(k[i])?.width ?? 0.25);
        }
      },
      { primes, rows, balls },
    );
  });

  it('have a type that is asked where they may be missing', () => {
    const tasks: readonly { readonly law?: ((x: number) => number) | undefined; readonly m?: number | null }[] = [
      { law: (x) => 2 * x, m: 4 },
      { m: null },
      { law: (x) => x - 1 },
    ];
    const kindOf = (x: number | null | undefined): number => {
      switch (typeof x) {
        case 'number':
          return x;
        case 'object':
          return 100;
        default:
          return 200;
      }
    };
    agree(
      (a, k) => {
        for (const i of range(a.length)) {
          const { law, m } = tasks[((k[i] % 3) + 3) % 3];
          a[i] = typeof law === 'function' ? law(k[i]) : -1;
          a[i] += (typeof law !== 'undefined' ? 10 : 20) + kindOf(m) + (typeof k[i] === 'number' ? 1000 : 0);
          const found = [k[i], 3].find((x) => x > 3);
          a[i] += typeof found === 'undefined' ? 1e4 : 2e4;
        }
      },
      { tasks, kindOf },
    );
  });

  it('are the same by Object.is, NaN too, and not 0 and −0', () =>
    agree(
      (a, k) => {
        for (const i of range(a.length)) {
          const zero = 0 * a[i];
          const least = Object.is(Math.sqrt(k[i]), NaN) ? 1 : 2;
          const parts = [Object.is(zero, -0), Object.is(zero, 0), Object.is(k[i], k[0]), Object.is(k[i] > 0, true)];
          a[i] = least + parts.reduce((sum, is, n) => sum + (is ? 10 ** (n + 1) : 0), 0);
          const ball = balls[((k[i] % 3) + 3) % 3];
          a[i] += (Object.is(ball, balls[1]) ? 0.5 : 0) + (Object.is(ball.matter.name, 'red') ? 0.25 : 0);
        }
      },
      { balls },
    ));

  it('are the codes of a text, at any index', () => {
    const [letters, empty] = ['ABCdef+/', ''];
    agree(
      (a, k) => {
        for (const i of range(a.length)) a[i] = letters.charCodeAt(k[i] & 7) + letters.charCodeAt(2) + empty.length;
      },
      { letters, empty },
    );
  });

  it('hold objects and texts of which some are nothing', () => {
    const objects = [null, { v: 3 }, { v: 5 }];
    const texts = ['a', undefined, 'b'];
    return agree(
      (a, k) => {
        for (const i of range(a.length)) {
          const n = Math.abs(k[i]) % 3;
          const b = objects[n];
          a[i] += (objects[n]?.v ?? 9) + 10 * (b !== null ? b.v : -1) + 100 * (b ? b.v : -2);
          a[i] += 1000 * (texts[n] === 'a' ? 1 : texts[n] === undefined ? 2 : 3) + 10000 * (texts[n] !== 'b' ? 1 : 2);
          switch (texts[n]) {
            case 'a':
              a[i] *= 2;
              break;
            case undefined:
              a[i] *= 3;
              break;
            default:
              a[i] *= 5;
          }
        }
      },
      { objects, texts },
    );
  });

  it('are kept by variables, also by such that begin as nothing, and swapped', () =>
    agree(
      (a, k, x) => {
        for (const i of range(a.length)) {
          let nearest: Ball | null = null;
          let least = Infinity;
          for (const ball of balls) {
            const d = Math.abs(a[i] - ball.centre[0]) - ball.radius;
            if (d < least && d < x) {
              least = d;
              nearest = ball;
            }
          }
          let [first, second] = [balls[0], balls[1]];
          for (let n = 0; n < Math.abs(k[i]); n++) [first, second] = [second, balls[n % 3]];
          const top = [balls[0], balls[2]];
          if (k[i] > 3) top[1] = first;
          if (nearest !== null && k[i] > 0) top[0] = nearest;
          const hit: { of: Ball | undefined; name: string } = { of: undefined, name: 'none' };
          if (x > 1) hit.of = top[1];
          if (k[i] < 0) hit.name = second.matter.name;
          a[i] =
            nearest === null
              ? -1
              : nearest.width + nearest.matter.colour.dot(vec(1, 2, 3)) + (nearest === second ? 1000 : 0);
          a[i] +=
            10 * first.radius + 100 * second.centre[1] + (first !== second ? 0.25 : 0) + (top[0].holds(x) ? 7 : 0);
          a[i] += (hit.of?.radius ?? 0.125) * 1e4 + hit.name.length * 1e5;
        }
      },
      { balls },
    ));

  it('are returned, chosen, found and reduced to one, with others or with nothing', () => {
    const other = new Ball([7, 3], 1.5, red);
    return agree(
      (a, k, x) => {
        const around = (y: number): Ball | undefined => {
          for (const ball of balls) if (ball.holds(y)) return ball;
          return y > 6 ? balls[0] : undefined;
        };
        const word = (n: number): string => (n % 3 === 0 ? 'fizz' : n % 5 === 0 ? 'buzz' : 'none');
        for (const i of range(a.length)) {
          const n = Math.abs(k[i]);
          const one = k[i] > 2 ? other : balls[n % 3];
          const least = balls.reduce((p, q) => (Math.abs(q.radius - x) < Math.abs(p.radius - x) ? q : p));
          const found = balls.find((ball) => ball.radius > a[i]);
          const got = around(a[i] + x);
          a[i] = one.radius + 10 * least.width + 100 * (found ? found.radius : -1) + (got?.centre[0] ?? 9) * 1e3;
          a[i] += (word(n) === 'fizz' ? 1 : word(n + 1) === word(n + 2) ? 2 : 3) * 1e4 + (one === other ? 0.5 : 0);
        }
      },
      { balls, other },
    );
  });

  it('are lists that are gone through, and rows of numbers that are kept', () => {
    interface Link {
      readonly v: number;
      readonly next: Link | undefined;
    }
    const list = [5, 3, 8, 1].reduce<Link | undefined>((next, v) => ({ v, next }), undefined);
    const table = [[1, 2], [3, 4], [5, 6]]; // prettier-ignore
    return agree(
      (a, k) => {
        for (const i of range(a.length)) {
          let [at, n, s] = [list, 0, 0];
          while (at && n < Math.abs(k[i])) {
            s = 10 * s + at.v;
            at = at.next;
            n++;
          }
          let row = table[0];
          if (k[i] > 0) row = table[k[i] % 3];
          a[i] = s + (at ? 0.5 : 0) + 1e5 * row[0] + 1e6 * row[1];
        }
      },
      { list, table },
    );
  });

  it('have nothing where there is no such item, if that is asked', () => {
    const names = ['a', 'bc', 'def'];
    const numbers = [4, 5, 6];
    return agree(
      (a, k) => {
        const own = [k[0], 2, 3];
        for (const i of range(a.length)) {
          a[i] = (numbers[k[i]] ?? -1) + 10 * (own[k[i] - 1] ?? 9) + 100 * (balls[k[i]]?.radius ?? 2);
          a[i] += (names[k[i] + 1] ?? 'none').length * 1e3 + (balls[k[i] + 2] === undefined ? 0.25 : 0);
          a[i] +=
            (balls[Math.abs(k[i]) % 3].centre[k[i]] ?? 8) * 1e4 +
            (k[k[i] + 5] ?? -7) * 1e6 +
            (own[3] ?? 0.5) +
            (own[-1] ?? 0.25);
        }
      },
      { names, numbers, balls },
    );
  });

  it('are refused where an item of an item is undefined', () => {
    const rows = [[1, undefined, 3], [4, 5, 6]]; // prettier-ignore
    const codes = (fn: unknown): readonly string[] =>
      problemsOf(define(['i32'], fn, { scope: { rows } })).map((d) => d.code);
    expect(codes((k: number) => rows[k][1] ?? 9)).toEqual(['lang/dynamic-index']);
  });

  it('are refused where they are of several kinds, and where a kernel writes to them', () => {
    const mixed = [{ f: 1 }, { f: 'one' }];
    const codes = (fn: unknown): readonly string[] =>
      problemsOf(define(['i32'], fn, { scope: { mixed, balls, red } })).map((d) => d.code);
    expect(codes((k: number) => mixed[k].f)).toEqual(['lang/return']);
    expect(codes((k: number) => void ((balls[k] as { radius: number }).radius = 1))).toEqual(['lang/captured-write']);
    expect(codes((k: number) => (balls[k] as unknown as { mass: number }).mass)).toEqual(['lang/unknown-member']);
    expect(codes((k: number) => balls[k])).not.toEqual([]);
    const kept = (k: number): number => {
      let one: unknown = balls[0];
      if (k > 2) one = 'none';
      return one === balls[1] ? 1 : 0;
    };
    expect(codes(kept)).toEqual(['lang/shape']);
    const unset = (k: number): number => {
      let one: unknown;
      if (k > 2) one = balls[0];
      if (k > 4) one = balls[1];
      return (one as Ball).radius;
    };
    expect(codes(unset)).toEqual(['lang/unassigned']);
    const unsetOne = (k: number): number => {
      let one: unknown;
      if (k > 2) one = red;
      return (one as typeof red).name === 'red' ? 1 : 0;
    };
    expect(codes(unsetOne)).toEqual(['lang/unassigned']);
  });
});

it('a namespace of TypeScript is what loaders call it within', () => {
  interface Rules {
    readonly birth: number;
    next(x: number): number;
    readonly inner: { last(x: number): number };
  }
  const made = new Function(
    'Rules2',
    'Rules2.birth = 3; Rules2.next = (x) => x * Rules2.birth; Rules2.inner = { last: (x) => x + Rules2.birth }; return Rules2;',
  ) as (rules: object) => Rules;
  const Rules = made({});
  agree(
    (a) => {
      for (const i of range(a.length)) a[i] = Rules.next(a[i]) + Rules.inner.last(a[i]);
    },
    { Rules },
  );
  const other = made({});
  const kernel = define(
    [array('f64', 4)],
    (a: Float64Array) => {
      for (const i of range(a.length)) a[i] = other.next(a[i]);
    },
    { scope: { other, Rules } },
  );
  expect(problemsOf(kernel)[0]).toMatchObject({ code: 'lang/unbound' });
});
