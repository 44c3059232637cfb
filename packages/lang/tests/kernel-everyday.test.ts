import { array, range, serially, unrolled, type Grid1, type Grid2 } from '@filigree/lang';
import { dense, field, hash, i, ij, layout } from '@filigree/sparse/fields';
import { describe, expect, it } from 'vitest';
import { agree, N } from './agree.js';
import { define, fromText, problemsOf, run, textOf } from './kernel-run.js';

describe('functions that call themselves', () => {
  it('with another known number each time are written out, inner ones and those of the scope', () => {
    const power = (x: number, n: number): number => (n === 0 ? 1 : n % 2 ? x * power(x, n - 1) : power(x * x, n / 2));
    const even = (n: number): boolean => n === 0 || odd(n - 1);
    const odd = (n: number): boolean => n !== 0 && even(n - 1);
    agree(
      (a, k) => {
        const fibonacci = (n: number): number => (n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2));
        for (const i of range(a.length)) {
          k[i] = fibonacci(10) + (even(7) ? 100 : 0);
          a[i] = power(a[i], 5) + power(2, 10);
        }
      },
      { power, even, odd },
    );
  });
});

it('functions call themselves with parts of what they are given', () => {
  type Tree = { v: number; kids: Tree[] };
  agree((a, k, x) => {
    const sum = (t: Tree): number => t.v + t.kids.reduce((s, kid) => 2 * s + sum(kid), 0);
    const visit = (t: Tree, f: (t: Tree) => void): void => {
      f(t);
      for (const kid of t.kids) visit(kid, f);
    };
    for (const i of range(a.length)) {
      const leaf = (v: number): Tree => ({ v, kids: [] });
      const tree = { v: x, kids: [leaf(2), { v: k[i], kids: [leaf(4)] }] };
      let visited = 0;
      visit(tree, (t) => {
        t.v *= 2;
        visited++;
      });
      a[i] = sum(tree) + visited;
    }
  });
});

describe('push', () => {
  it('makes arrays longer where that is known', () =>
    agree((a, k, x) => {
      for (const i of range(a.length)) {
        const found: number[] = [];
        for (const f of [3, 1, 2]) found.push(f * a[i]);
        for (const j of unrolled(range(2))) found.push(k[i] + j, x);
        if (found.length > 3) found.push(7);
        const same = found;
        same.push(8);
        found[1] = 5;
        a[i] = found.reduce((s, y) => 2 * s + y, 0) + found.length;
      }
    }));

  it('of a method by that name is a call of it', () => {
    class Sum {
      total = 0;
      push(x: number): void {
        this.total += x;
      }
    }
    agree(
      (a) => {
        for (const i of range(a.length)) {
          const s = new Sum();
          s.push(a[i]);
          s.push(2);
          a[i] = s.total;
        }
      },
      { Sum },
    );
  });
});

describe('classes of a kernel', () => {
  it('see the names around them, extend one another, and have private members, getters and methods', () =>
    agree((a, k, x) => {
      const scale = 3;
      class Base {
        n = 1;
        #hidden = 2;
        constructor(readonly v: number) {}
        get size(): number {
          return this.v * scale + this.#hidden + x;
        }
        add(by: number): this {
          this.n += by;
          return this;
        }
      }
      class Derived extends Base {
        constructor(
          v: number,
          readonly w: number,
        ) {
          super(2 * v);
        }
        override get size(): number {
          return super.size + this.w;
        }
      }
      const Four = class {
        four = 4;
      };
      for (const i of range(a.length)) {
        const made = new Derived(a[i], k[i]).add(2).add(k[i]);
        a[i] = made.size + made.n + new Four().four;
        k[i] = (made instanceof Base ? 1 : 0) + (new Base(1) instanceof Derived ? 10 : 0);
      }
    }));
});

describe('arrow functions of objects', () => {
  class Scaled {
    by = 2;
    times = (x: number): number => x * this.by;
    more: (x: number) => number;
    constructor() {
      this.more = (x) => x + this.by;
    }
  }
  it('mean by `this` the object as it is when they are called', () =>
    agree(
      (a, k, x) => {
        for (const i of range(a.length)) {
          const s = new Scaled();
          a[i] += s.times(x);
          s.by = a[i] + k[i];
          a[i] = s.times(2) - s.more(1);
        }
      },
      { Scaled },
    ));
});

describe('an array that changes while it is visited', () => {
  it('gives each item as it is when its turn comes', () =>
    agree((a, k, x) => {
      for (const i of range(a.length)) {
        const list = [1, x, k[i]];
        let sum = 0;
        for (const y of list) {
          list[2] = 10 * y;
          sum += y;
        }
        const others = [a[i], 2, 3];
        others.forEach((y, j) => {
          if (j < 2) others[j + 1] += y;
          sum += y;
        });
        const more = [1, 2, x];
        const twice = more.map((y, j) => {
          more[2] = y + j;
          return 2 * y;
        });
        const floats = new Float64Array(3);
        for (const y of floats) {
          floats[2] = y + 1;
          sum += y;
        }
        a[i] = sum + twice[2] + more.reduce((so, y) => (more[2] = so) + y);
      }
    }));
});

describe('what may have no value', () => {
  it('is asked of a variable that is declared without one', () =>
    agree((a, k, x) => {
      for (const i of range(a.length)) {
        let some: number | undefined;
        if (k[i] > 0) some = a[i];
        some ??= x;
        let first: number | undefined;
        for (const j of range(a.length)) if (first === undefined && a[j] > 0) first = a[j];
        k[i] = first === undefined ? -1 : 1;
        let none: number | null = null;
        none ??= a[i];
        let nothing: number | undefined;
        nothing ??= x;
        a[i] += nothing + none;
        a[i] += some + (first ?? 0);
      }
    }));

  it('of find is taken to be there where nobody asks, as `!` says', () =>
    agree((a, k) => {
      for (const i of range(a.length)) {
        const bound = [-20, -3, 4, 21].find((b) => b >= k[i])!;
        a[i] +=
          bound +
          [
            { at: -20, w: 1 },
            { at: 21, w: 2 },
          ].findLast((b) => b.at <= k[i])!.w;
        k[i] = [1, 2].find((b) => b > k[i]) ?? 5;
      }
    }));
});

describe('lengths and rows', () => {
  const u = field('u', 'f64');
  const v = field('v', 'f64');
  const far = field('far', 'f64');
  const grid = layout(dense(i, 6).place(v), dense(ij, [4, 3]).place(u), hash(ij, 8).place(far));

  it('arrays are gone through by their elements, at once outermost and in order within loops', () =>
    agree((a, k) => {
      let sum = 0;
      for (const x of a) sum += Math.floor(x);
      for (const i of range(k.length)) {
        let s = 0;
        for (const n of k) {
          if (n > 10) continue;
          if (s > 50) break;
          s += n;
        }
        a[i] = sum + s;
      }
      for (const i of serially(range(k.length))) k[i] = a.length;
    }));

  it('of a field are those of its layout; tables have none', () => {
    const fn = (u: Grid2, v: Grid1): number => u.length * 100 + u[0].length * 10 + v.length;
    const codes = (text: string, args = [u, v, far]): readonly string[] =>
      problemsOf(define(args, fromText(text)), grid).map((d) => d.code);
    expect(problemsOf(define([u, v], fn), grid)).toEqual([]);
    expect(codes('(u, v, far) => { for (const row of u) for (const x of row) v[0] += x; }')).toEqual([]);
    expect(codes('(u, v, far) => { for (const row of far) v[0] += 1; }')).toEqual(['lang/unknown-member']);
    expect(codes('(u, v, far) => { v[0] = far[2].length; }')).toEqual(['lang/unknown-member']);
  });
});

it('what few write: freeze, in, reduceRight', () => {
  const settings: { gain: number; bias?: number } = { gain: 2 };
  agree(
    (a) => {
      const frozen = Object.freeze({ three: 3 });
      for (const i of range(a.length)) {
        const digits = [1, 2, a[i]].reduceRight((s, d, at) => 10 * s + d * at, 0) + [4, 2].reduceRight((s, d) => s - d);
        a[i] = digits + frozen.three + ('bias' in settings ? 1 : settings.gain) + ('three' in frozen ? 0.5 : 0);
      }
    },
    { settings },
  );
});

it('functions that are made in a loop keep the names of their iteration, and words of one parameter are given on', () =>
  agree((a, k, x) => {
    for (const i of range(a.length)) {
      const made: ((y: number) => number)[] = [];
      for (const j of [1, 2, 3]) {
        let calls = 0;
        made.push((y) => y * j + calls++);
      }
      k[i] = [k[i], 3].map(Math.abs).every(Number.isFinite) ? 1 : 0;
      a[i] = made.reduce((s, f) => 2 * s + f(x) + f(a[i]), [x, -2].map(Math.floor)[0]);
    }
  }));

it('one of several arrays or objects has a name as long as none of them changes', () =>
  agree((a, k, x) => {
    for (const i of range(a.length)) {
      const points = [
        { x: 1, y: 2 },
        { x: k[i], y: 4 },
      ];
      points[0].x += x;
      {
        const one = points[k[i] & 1];
        const found = points.find((p) => p.x > 0);
        a[i] = one.x + one.y + (found?.y ?? 0);
      }
      for (const p of points) p.x += 1;
      a[i] += points[0].x + points[1].x;
    }
  }));

describe('texts of the surroundings', () => {
  const words = ['alpha', 'beta', 'gamma', 'de'];
  const rows = ['#..#', '.#..', '...a'];

  it('have letters and methods, whichever it is, at any index', () =>
    agree(
      (a, k) => {
        for (const i of range(a.length)) {
          const word = words[k[i] & 3];
          let hash = 0;
          for (let c = 0; c < word.length; c++) hash = (hash * 31 + word.charCodeAt(c)) | 0;
          k[i] = hash + word.indexOf('t') + (word.startsWith('g') ? 1000 : 0) + word.toUpperCase().slice(1).length;
          a[i] = word.charAt(i & 1) === 'e' || word[i & 1] === 'l' ? 1 : 2;
        }
      },
      { words },
    ));

  it('are maps of letters, and gone through', () =>
    agree(
      (a, k) => {
        for (const i of range(a.length)) {
          const [y, x] = [i % 3, i & 3];
          k[i] = rows[y][x] === '#' ? 1 : 0;
          for (const letter of rows[y]) if (letter === '.') k[i] += 10;
          for (const [at, letter] of [...'a😀b'].entries()) if (letter === 'b') k[i] += at * 100;
          switch (rows[2][x]) {
            case 'a':
              a[i] = 1;
              break;
            default:
              a[i] = rows[1][1] === '#' ? 2 : 3;
          }
        }
      },
      { rows },
    ));

  it('of which one is no number say what they have', () =>
    expect(
      problemsOf(
        define(
          [],
          () => {
            let sum = 0;
            for (const i of range(3)) sum += rows[i][0] < 'a' ? 1 : 0;
            return sum;
          },
          { scope: { rows } },
        ),
      )[0].remedy,
    ).toBe('take the code of a letter, text.charCodeAt(k), or look it up, table[text]'));
});

it('objects of objects are asked by one name and another', () => {
  const costs = { road: { road: 1, field: 3 }, field: { road: 2, field: 5, wood: 7 } } as const;
  const kinds = ['road', 'field'] as const;
  const deep = { x: costs, y: { road: { road: 11, field: 12 }, field: { road: 13 } } };
  agree(
    (a, k) => {
      for (const i of range(a.length)) {
        const [from, to] = [kinds[k[i] & 1], kinds[i & 1]];
        k[i] = costs[from][to] + 10 * costs[to].road;
        a[i] = (deep[(['x', 'y'] as const)[(i >> 1) & 1]] as typeof costs)[from][to] ?? -1;
      }
    },
    { costs, kinds, deep },
  );
});

describe('fill of arrays that a launch gives', () => {
  it('is a loop over them, between places that may count from the end', () =>
    agree((a, k, x) => {
      a.fill(x);
      k.fill(7, 3, -2).fill(9.5, -4);
      for (const i of serially(range(2))) if (i > 0) a.fill(1, k[0], a.length + 5);
      for (const i of range(a.length)) a[i] += i;
    }));

  it('at once where it stands outermost', () => {
    const fill = define([array('f32', 64)], (a: Float32Array) => void a.fill(0.5));
    expect(textOf(fill)).toContain('parallel = true');
  });
});

it('items of an array of the kernel are whole numbers where all are', () =>
  agree((a, k) => {
    const queue = new Int32Array(16);
    let [head, tail] = [0, 0];
    queue[tail++] = 5;
    while (head !== tail && head < 9) {
      const at = queue[head++ & 15];
      const [x, y] = [at % 4, Math.floor(at / 4)];
      for (const [dx, dy] of [
        [1, 0],
        [0, 1],
      ])
        if (k[(y + dy) * 4 + x + dx] > 0) queue[tail++ & 15] = (at + 3) % 16;
      a[at] += 1;
    }
  }));

describe('methods of one of several objects', () => {
  class Sum {
    n = 0;
    s = 0;
    add(x: number): number {
      this.n++;
      this.s += x;
      return this.s;
    }
    take(o: Sum): void {
      this.s += o.s;
    }
    get mean(): number {
      return this.n > 0 ? this.s / this.n : 0;
    }
  }

  it('change that one, by its index or by a name for it', () =>
    agree(
      (a, k, x) => {
        const sums = [new Sum(), new Sum(), new Sum()];
        let next = 0;
        for (let i = 0; i < 12; i++) sums[k[i] & 1].add(a[i]);
        for (let i = 0; i < 3; i++) a[i] = sums[next++].add(x) + sums[(k[i] & 1) + 1].add(1);
        for (let i = 0; i < 12; i++) {
          const sum = sums[k[i] & 1];
          sum.add(a[i]);
          if (sum.n > 9) sum.n = 0;
          a[12 + i] = sum.s + sum.n;
        }
        sums.forEach((sum, at) => {
          a[at] += sum.mean;
        });
      },
      { Sum },
    ));

  it('lie in rows, in objects and in iterations', () =>
    agree(
      (a, k) => {
        for (const i of range(a.length)) {
          const world = {
            rows: [
              [new Sum(), new Sum()],
              [new Sum(), new Sum()],
            ],
          };
          for (let t = 0; t < 5; t++) world.rows[k[i] & 1][(k[i] >> t) & 1].add(a[i] + t);
          a[i] = world.rows.flat().reduce((s, { n, mean }) => 2 * s + n + mean, 0);
        }
      },
      { Sum },
    ));

  it('are refused where they see it by another name, too', () => {
    const merged = define(
      [array('f64', N), array('i32', N)],
      (a: Float64Array, k: Int32Array) => {
        const sums = [new Sum(), new Sum()];
        for (let i = 0; i < 3; i++) sums[k[i] & 1].take(sums[k[i + 1] & 1]);
        a[0] = sums[0].s;
      },
      { scope: { Sum } },
    );
    expect(problemsOf(merged)[0].code).toBe('lang/array-alias');
  });
});

describe('getters and setters', () => {
  class Body {
    #mass = 0;
    set = 0;
    constructor(
      mass: number,
      readonly charge?: number,
    ) {
      this.mass = mass;
    }
    get mass(): number {
      return this.#mass;
    }
    set mass(x: number) {
      this.#mass = Math.max(x, 0.5);
      this.set++;
    }
    grown(by: number): number {
      return this.mass + by;
    }
  }
  class Star extends Body {
    override get mass(): number {
      return super.mass;
    }
    override set mass(x: number) {
      super.mass = x + 0.25;
    }
    burn(): this {
      this.mass *= 0.75;
      this.mass--;
      return this;
    }
  }

  it('take what constructors and methods assign, of classes that are extended too', () =>
    agree(
      (a, k, x) => {
        for (const i of range(a.length)) {
          const [body, star] = [new Body(a[i]), new Star(k[i])];
          star.burn();
          if (k[i] > 3) star.burn().mass = x;
          body.mass += 1;
          a[i] = body.mass + 100 * star.mass;
          k[i] = body.set + 10 * star.set;
        }
      },
      { Body, Star },
    ));

  it('and methods are there for who asks, and members that an object lacks are not', () =>
    agree(
      (a, k) => {
        for (const i of range(a.length)) {
          const body = new Body(a[i]) as Body & { spin?: number; turned?(by: number): number };
          const { mass = 9, charge = 2 } = body;
          a[i] = (body.mass ?? 7) + (body.grown?.(1) ?? 100) + (body.turned?.(1) ?? 50) + mass + charge;
          k[i] = (body.spin ? 1 : 2) + ('grown' in body ? 10 : 20) + (!body.charge && body.mass > 0 ? 100 : 200);
          if (body.mass === undefined || body.spin === 3) k[i] += 1000;
          const plain = { at: k[i], get next() { return this.at + 1; } } as { at: number; next: number; last?: number }; // prettier-ignore
          a[i] += (plain.next ?? 3) + (plain.last ? 1 : 2) + (plain.next && plain.at ? 10 : 20);
        }
      },
      { Body },
    ));
});

it('sums in arrays of few bits keep the last of them, as in typed arrays', () => {
  const sums = (a: Uint8Array, b: Int16Array): void => {
    for (const i of range(a.length)) {
      a[i] += 250 + i;
      a[i] -= 600;
      b[i % 3] -= i * 5000;
    }
    for (const i of serially(range(a.length))) a[(3 * i) % 20] += b[i % 4];
  };
  const [a, b] = [new Uint8Array(20).fill(9), new Int16Array(20).fill(30_000)];
  const [c, d] = [a.slice(), b.slice()];
  run(define([array('u8', 20), array('i16', 20)], sums), [a, b]);
  sums(c, d);
  expect([a, b]).toEqual([c, d]);
  const floats = define([array('u8', 20)], (a: Uint8Array) => {
    for (const i of range(a.length)) a[i] += 0.7 * i;
  });
  expect(problemsOf(floats)[0].code).toBe('lang/narrowing');
});

describe('loops', () => {
  it('go on by numbers that follow from what they have come to, and end so', () =>
    agree((a, k) => {
      for (const i of range(a.length)) {
        let sum = 0;
        for (let p = 1; p < 40; p += p) sum += p;
        for (let p = 0; p < 20; p += 1 + (k[p % a.length] & 3)) sum = 2 * sum + p;
        for (let p = 0; p < 20 - p; p++) sum += a[i] + p;
        for (let p = 30; p - (p >> 2) > 3; p -= p >> 1) sum -= p;
        a[i] = sum;
      }
    }));

  it('have their variables anew in each iteration, for functions that are kept', () =>
    agree((a, k) => {
      const both = [a, k];
      const kept: (() => number)[] = [];
      for (let l = 1, h = 1; l >= 0; l--, h *= 3) {
        both[l][2] = l + 5;
        kept.push(() => {
          h += 1;
          return both[l--][1] + 10 * l + h;
        });
      }
      return kept[0]() + 1000 * kept[1]();
    }));

  it('that have no end within loops that have none either are refused soon', () => {
    const a = array('f64', N);
    const loop = (inner: string, name: string): string =>
      `let ${name} = 1; while (${name} > 0) { ${inner} ${name} = 1; }`;
    const body = ['l', 'm', 'n', 'o', 'p'].reduce(loop, '[a, b][(l + m + n + o + p) & 1][0] = 1;');
    expect(problemsOf(define([a, a], fromText(`(a, b) => { ${body} }`)))[0].code).toBe('lang/shape');
  });
});
