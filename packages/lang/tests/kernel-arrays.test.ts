import { array, range, serially, vec } from '@filigree/lang';
import { dense, field, i, layout } from '@filigree/sparse/fields';
import { describe, expect, it } from 'vitest';
import { agree } from './agree.js';
import { define, fromText, problemsOf, run, textOf } from './kernel-run.js';

it('arrays that a launch gives are gone through in order', () =>
  agree((a, k) => {
    let [ups, s, last] = [0, 0.5, -100];
    for (const y of serially(k)) {
      if (y > last) ups++;
      last = y;
    }
    for (const [i, y] of serially(a.entries())) s = s * 0.5 + i * y;
    for (const y of serially([1, k[0], 3])) s = s * 0.25 + y;
    return s + 1000 * ups;
  }));

describe('numbers that a kernel writes in arrays', () => {
  it('are a table where they are many, and rows of several lengths are chosen', () =>
    agree((a, k) => {
      const weight = (at: number) => [0.5, -0, 3, 4, 5, 6, 7, 8.25, 9, 10][at];
      const edges = [
        [],
        [[3, 0]],
        [[0, 1]],
        [
          [1, 2],
          [3, 0],
        ],
      ];
      const square = [
        [0, 8, 2, 10],
        [12, 4, 14, 6],
        [3, 11, 1, 9],
      ];
      for (const i of range(a.length)) {
        const j = k[i] & 3;
        let s = weight((i * 7) % 10) + 1 / weight((j + 9) % 10);
        for (const [p, q] of edges[j]) s = s * 4 + p + 10 * q;
        a[i] = s + square[j % 3][i & 3] / 4 + edges[j].length;
        k[i] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10][j] * 3;
      }
    }));

  it('are the same table wherever they are written alike, and variables where one is assigned', () => {
    const text = textOf(
      define(
        [array('i32', 8)],
        fromText(`(k) => {
          const at = (i) => [1, 2, 3, 4, 5, 6, 7, 8, 9][i];
          for (const i of range(8)) k[i] = at(k[i]) + at(k[7 - i]);
        }`),
      ),
    );
    expect(new Set(text.match(/@\w*numbers\w*/g)).size).toBe(1);
    agree((a, k) => {
      for (const i of range(a.length)) {
        const t = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
        t[k[i] & 7] = 40;
        a[i] = t[(k[i] + i) & 7];
      }
    });
  });
});

describe('a function that changes the array it is asked about', () => {
  it('some', () =>
    agree((a, k, x) => {
      for (const i of range(a.length)) {
        const list = [1, k[i], x];
        let asked = 0;
        a[i] = list.some((y) => (list[2] = 7 * y) > ++asked) ? 1 : 0;
        a[i] += 10 * list[0] + 100 * list[2] + 1000 * asked;
      }
    }));

  it('every', () =>
    agree((a, k, x) => {
      for (const i of range(a.length)) {
        const list = [1, k[i], x];
        let asked = 0;
        a[i] = list.every((y) => (list[2] = y + 1) < 10 - ++asked) ? 1 : 0;
        a[i] += 10 * list[0] + 100 * list[2] + 1000 * asked;
      }
    }));

  it('find', () =>
    agree((a, k, x) => {
      for (const i of range(a.length)) {
        const list = [1, k[i], x];
        let asked = 0;
        a[i] = list.find((y) => (list[2] = y + 10) > 8 + ++asked) ?? -5;
        a[i] += 10 * list[0] + 100 * list[2] + 1000 * asked;
      }
    }));

  it('findLast', () =>
    agree((a, k, x) => {
      for (const i of range(a.length)) {
        const list = [1, k[i], x];
        let asked = 0;
        a[i] = list.findLast((y) => (list[0] = y + 10) > 8 + ++asked) ?? -5;
        a[i] += 10 * list[0] + 100 * list[2] + 1000 * asked;
      }
    }));

  it('findIndex', () =>
    agree((a, k, x) => {
      for (const i of range(a.length)) {
        const list = [1, k[i], x];
        let asked = 0;
        a[i] = list.findIndex((y) => (list[2] = y + x) > 1 + ++asked);
        a[i] += 10 * list[0] + 100 * list[2] + 1000 * asked;
      }
    }));

  it('findLastIndex', () =>
    agree((a, k, x) => {
      for (const i of range(a.length)) {
        const list = [1, k[i], x];
        let asked = 0;
        a[i] = list.findLastIndex((y) => (list[0] = y + x) > 1 + ++asked);
        a[i] += 10 * list[0] + 100 * list[2] + 1000 * asked;
      }
    }));

  it('filter, flatMap and Array.from', () =>
    agree((a, k, x) => {
      for (const i of range(a.length)) {
        const list = [1, k[i], x];
        const kept = list.filter((_, j) => {
          list[2] += 3;
          return j !== 1;
        });
        const pair = [0, 0];
        const pairs = list.flatMap((y) => {
          list[2] += y;
          pair[1] = y;
          return pair;
        });
        const made = Array.from(list, (y) => (list[2] += y));
        a[i] = [...kept, ...pairs, ...made].reduce((s, y) => 2 * s + y, 0);
      }
    }));

  it('entries and values are gone through one by one, and kept by a copy', () =>
    agree((a, k, x) => {
      for (const i of range(a.length)) {
        const list = [1, k[i], x];
        let s = 0;
        const before = [...list.entries()];
        for (const [j, y] of list.entries()) {
          s = 2 * s + y + j;
          list[2] += y;
        }
        for (const y of list.values()) {
          s = 2 * s + y;
          list[2] += y;
        }
        a[i] = s + before[2][1];
      }
    }));

  it('names that an array is taken apart into are given items as they are then', () =>
    agree((a, k, x) => {
      for (const i of range(a.length)) {
        const list = [1, k[i], x];
        [list[1], list[0]] = list;
        const v = vec(a[i], x, 2);
        [v.y, v.x] = v;
        let s = 0;
        for (const c of v) {
          v.z = c;
          s = 2 * s + c;
        }
        a[i] = s + list[0] + 3 * list[1] + v.z;
      }
    }));
});

it('includes finds NaN, indexOf does not', () =>
  agree((a, k) => {
    for (const i of range(a.length)) {
      const list = [a[i], 0 / (k[i] - k[i])];
      a[i] = (list.includes(Math.sqrt(-1 - k[i] * k[i])) ? 1 : 0) + list.indexOf(Math.sqrt(-1 - k[i] * k[i]));
      a[i] +=
        (list.includes(NaN) ? 10 : 0) + ([a[i], NaN].includes(NaN) ? 100 : 0) + ([1, a[i]].includes(NaN) ? 1000 : 0);
      a[i] +=
        ([NaN, a[i]].includes(list[1]) ? 1e4 : 0) + ([NaN, 1].includes(a[i]) ? 1e5 : 0) + [a[i], NaN].indexOf(NaN);
      k[i] = [1, k[i]].includes(3) ? 1 : 0;
    }
  }));

it('a place that is known when the kernel is compiled is an index', () =>
  agree((a, k, x) => {
    for (const i of range(a.length)) {
      const lists = [[1, 2], [x]];
      a[i] =
        lists[[3, 4].indexOf(4)].length + lists[[3, 4].findIndex((y) => y === 3)].length + k[[5, 6].lastIndexOf(6)];
    }
  }));

describe('arrays that grow', () => {
  it('do so in functions that are called, and in those that methods call', () =>
    agree((a, k, x) => {
      for (const i of range(a.length)) {
        const list: number[] = [];
        const add = (y: number): number => list.push(y, 2 * y);
        const addTo = (to: number[], y: number): number[] => {
          to.push(y);
          return to;
        };
        const count = add(x);
        [3, 1].forEach((y) => list.push(y * a[i]));
        const lengths = [1, 2].map(() => list.push(k[i]));
        const rest = addTo(list, 7);
        const even = [1, 2, 3].reduce<number[]>((so, y) => {
          if (y !== 2) so.push(y * x);
          return so;
        }, []);
        const walk = (n: number): void => {
          list.push(n);
          if (n > 0) walk(n - 1);
        };
        walk(2);
        a[i] = [...list, ...lengths, ...even, count].reduce((s, y) => 2 * s + y, 0) + list.length + rest.length;
      }
    }));

  it('are those of objects, of arrays, and made by new Array, fill, map and slice', () => {
    class Queue {
      items: number[] = [];
      add(y: number): this {
        this.items.push(y);
        return this;
      }
    }
    agree(
      (a, k, x) => {
        for (const i of range(a.length)) {
          const queue = new Queue().add(x).add(k[i]);
          const grid = [[1], [2]];
          grid[0].push(x);
          grid[1].push(k[i], 3);
          grid.push([5]);
          const object = { list: [1] };
          object.list.push(x);
          const filled = new Array<number>(2).fill(0);
          filled.push(x);
          filled[0] = 3;
          const made = new Array<number>(2);
          made[1] = x;
          made[0] = made[1] + made.push(4);
          const mapped = filled.map((y) => 2 * y);
          mapped.push(1);
          const all = [
            ...queue.items,
            ...grid.flat(),
            ...object.list,
            ...filled,
            ...made,
            ...mapped,
            ...Array.of(1, x),
          ];
          a[i] = all.reduce((s, y) => 2 * s + y, grid.length);
        }
      },
      { Queue },
    );
  });

  it('give items back', () =>
    agree((a, k, x) => {
      for (const i of range(a.length)) {
        const list = [1, x, k[i], 4];
        const [last, first] = [list.pop()!, list.shift()!];
        list[0] += 1;
        a[i] = [last, first, list.unshift(7, 8), ...list].reduce((s, y) => 2 * s + y, 0);
        k[i] = [].length + ([1].pop() ?? 3) + (new Array<number>().pop() ?? 5);
      }
    }));
});

it('a row of an array around the kernel, at an index that it finds, is taken apart', () => {
  const edges = [
    [
      [0, 3],
      [-1, -1],
    ],
    [
      [0, 1],
      [2, 3],
    ],
  ];
  agree(
    (a, k) => {
      for (const i of range(a.length)) {
        const [[p, q], last] = edges[k[i] & 1];
        a[i] = p + 10 * q;
        for (const [from, to] of edges[k[i] & 1]) {
          if (from === -1) break;
          a[i] += 100 * from + 1000 * to;
        }
        a[i] += last.map((x) => 2 * x).reduce((sum, x) => sum + x, 0);
      }
    },
    { edges },
  );
});

it('texts are joined where all of them are known', () =>
  agree((a, k) => {
    for (const i of range(a.length)) {
      k[i] = [1, 'b', true].join('-') === '1-b-true' ? 1 : 0;
      a[i] = ['x', 'y'].join().length;
    }
  }));

describe('what filter leaves where the kernel decides it', () => {
  it('is gone through, counted and indexed', () =>
    agree((a, k, x) => {
      for (const i of range(a.length)) {
        const list = [a[i], x, k[i], 2, -a[i]];
        const kept = list.filter((y) => y > 1);
        let [sum, last] = [0, -1];
        for (const y of kept) {
          if (y > 6) continue;
          sum = 2 * sum + y;
          if (sum > 90) break;
        }
        for (const [n, y] of kept.entries()) last = n * 10 + y;
        for (const n of kept.keys()) sum += n;
        for (const y of kept.values()) sum -= y / 2;
        kept.forEach((y, n) => {
          sum += y * n;
        });
        a[i] = sum + kept.length * 1000 + (kept[0] ?? 0.5) + (kept[k[i] % 3] ?? 7) + (kept.at(-2) ?? 0.125) + last;
      }
    }));

  it('is mapped, added up, filtered again and searched', () =>
    agree((a, k, x) => {
      for (const i of range(a.length)) {
        const kept = [a[i], k[i], x, 3].filter((y, n) => y * (n + 1) > x);
        const more = kept.map((y, n) => y * y + n).filter((y) => y < 20);
        const asked =
          (more.some((y) => y > 9) ? 1 : 0) + (kept.every((y) => y > 0) ? 2 : 0) + (kept.includes(3) ? 4 : 0);
        const places = kept.indexOf(3) + 10 * kept.findIndex((y) => y < 2) + 100 * kept.lastIndexOf(k[i]);
        a[i] = kept.reduce((s, y, n) => 2 * s + y * n, 1) + more.reduceRight((s, y) => s / 2 + y, 0) + asked;
        k[i] = places + more.length + ((kept.find((y) => y < 3) ?? 5) > 4 ? 1 : 0);
        a[i] += (kept.findLast((y) => y < 3) ?? 0.25) + more.filter((_, n) => n > 0).length;
      }
    }));

  it('is of what there was then, objects as they are', () =>
    agree((a, k) => {
      const positive = (list: readonly number[]): number[] => list.filter((y) => y > 0);
      for (const i of range(a.length)) {
        const points = [1, 2, 3].map((m) => ({ at: m * a[i], n: m + k[i] }));
        const near = points.filter((p) => p.at < 4);
        for (const p of near) p.n *= 2;
        const numbers = [a[i], k[i]];
        const there = positive(numbers);
        numbers[0] = -100;
        a[i] = points.reduce((s, p) => s + p.n, 0) + there.reduce((s, y) => s + y, 0) + positive(numbers).length;
      }
    }));
});

describe('splice', () => {
  it('takes out and puts in where that is known, and gives what it took', () =>
    agree((a, k, x) => {
      for (const i of range(a.length)) {
        const list = [a[i], x, k[i], 4, 5];
        const out = list.splice(1, 2, x * 2, 7, a[i] + 1);
        const none = list.splice(2, 0, -1);
        const rest = list.splice(-2);
        list[0] += 0.5;
        list.splice(0, 1);
        const all = [...list, ...out, ...rest];
        a[i] = all.reduce((s, y) => 2 * s + y, none.length) + list.length * 1000 + out.length * 100 + rest.length;
      }
    }));
});

it('an iterator is gone through once', () => {
  agree((a, k) => {
    for (const i of range(a.length)) {
      const it = [a[i], k[i]].entries();
      let s = 0;
      for (const [n, y] of it) s += (n + 1) * y;
      const places = [...[4, 5, 6].keys()];
      for (const n of places) for (const m of places) s += n * m;
      a[i] = s;
    }
  });
  /* Of what is there then, as in JavaScript. */
  agree((a, k) => {
    for (const i of range(a.length)) {
      const list = [a[i], k[i], 3, 4];
      const [all, places, pairs] = [list.values(), list.keys(), list.entries()];
      list.push(5);
      list.splice(1, 1);
      list.shift();
      let s = 0;
      for (const y of all) s = 10 * s + y;
      for (const n of places) s = 10 * s + n;
      for (const [n, y] of pairs) s = 10 * s + n * y;
      a[i] = s;
    }
  });
  const codes = (body: string): readonly string[] =>
    problemsOf(
      define([array('f64', 8)], fromText(`(o) => { for (const i of range(8)) { const a = [o[i], 2]; ${body} } }`), {
        name: 'k',
      }),
    ).map((d) => d.code);
  expect(
    codes('const it = a.entries(); for (const [n, y] of it) o[i] += y; for (const [n, y] of it) o[i] += n;'),
  ).toEqual(['lang/iterator']);
  expect(codes('const it = a.values(); for (let k = 0; k < i; k++) for (const y of it) o[i] += y;')).toEqual([
    'lang/iterator',
  ]);
  expect(codes('const it = a.keys(); const all = [...it, ...it]; o[i] = all.length;')).toEqual(['lang/iterator']);
  expect(codes('for (const y of a.values()) a.push(y);')).toEqual(['lang/dynamic-index']);
  expect(codes('for (const [n, y] of a.entries()) { o[i] += n; a.pop(); }')).toEqual(['lang/dynamic-index']);
  expect(
    codes('const it = a.keys(); o[i] = [...it].length; for (const k of range(3)) for (const n of a.keys()) o[i] += n;'),
  ).toEqual([]);
});

it('typed arrays from lists, with and without a function, and of items', () =>
  agree((a, k, x) => {
    for (const i of range(a.length)) {
      const f = Float32Array.from([a[i], x / 3, k[i]]);
      const n = Int32Array.from([1, 2, 3], (y, at) => y * k[i] + at);
      const u = Uint8Array.of(255, 3);
      u[0] += 2;
      const d = Float64Array.of(a[i]);
      a[i] = d[0] + f[0] + f[1] + f[2] + n[0] + 10 * n[2] + u[0] + u[1] + f.length + n.length;
    }
  }));

it('an item that is kept is nothing behind the end of its array where its name is asked for one', () => {
  const numbers = [10, 20, 30];
  const rows = [[1, 2], [3], [4, 5, 6], []];
  const named = { radius: 2 };
  agree(
    (a, k) => {
      for (const i of range(k.length)) {
        const place = Math.abs(k[i]) % 6;
        const one = numbers[place];
        const row = rows[place % 4];
        const item = row[place % 3];
        const own = [1, 2, 3, a[i]][place];
        let later;
        later = numbers[place + 1];
        a[i] = (one ?? -1) + (item === undefined ? 100 : item) + (own ?? 0.5);
        later ??= 1000;
        a[i] += later;
        const mass = (named as { mass?: number }).mass;
        a[i] += mass ?? 3;
        const weight = numbers[place];
        if (weight) a[i] += 0.25;
      }
    },
    { numbers, rows, named },
  );
});

it('arrays grow in loops that count between known numbers, which are written out', () => {
  agree((a, k, x) => {
    for (const i of range(a.length)) {
      const powers: number[] = [];
      for (let n = 0; n < 5; n++) powers.push(x ** n);
      const odd = [];
      for (let n = 9; n >= 1; n -= 2) odd.unshift(n);
      const pairs: number[][] = [];
      for (let p = 0; p < 4; p++) pairs.push([p, p + k[i]]);
      const table: number[] = [];
      for (let p = 0; p < 3; ++p) for (const q of range(1, 3)) table.push(10 * p + q * k[i]);
      const add = (n: number): number => table.push(n);
      for (const n of range(2)) {
        const own: number[] = [];
        for (let m = 0; m <= n; m += 1) add(m * x);
        for (let m = 0; m < powers.length; m++) own.push(powers[m]);
        a[i] += own.length + own[n];
      }
      for (let n = 0; n < table.length; n++) a[i] += (n + 1) * table[n] + powers[n % 5] * odd[n % odd.length];
      a[i] += pairs.length + pairs[1][1];
    }
  });
  const codes = (body: string): readonly string[] =>
    problemsOf(
      define(
        [array('f64', 8), 'i32'],
        fromText(`(o, m) => { for (const i of range(8)) { const a = [o[i]]; ${body} } }`),
        {
          name: 'k',
        },
      ),
    ).map((d) => d.code);
  expect(codes('for (let k = 0; k < m; k++) a.push(k);')).toEqual(['lang/dynamic-index']);
  expect(codes('for (let k = 0; k < 300; k++) a.push(k);')).toEqual(['lang/dynamic-index']);
  expect(codes('for (let k = 0; k < 4; k++) if (o[k] > 1) a.push(k);')).toEqual(['lang/dynamic-index']);
  expect(codes('for (let k = 0; k < 4; k++) { if (o[k] > 1) break; a.push(k); }')).toEqual(['lang/dynamic-index']);
  expect(codes('for (let k = 0; k < a.length; k++) a.push(k);')).toEqual(['lang/dynamic-index']);
});

it('an array without items has none at an index that the kernel finds', () => {
  agree((a, k) => {
    for (const i of range(a.length)) {
      const none: number[] = [];
      a[i] = none[k[i]] ?? 3;
    }
  });
  const def = fromText('(o) => { const a = []; for (const i of range(8)) o[i] = a[i]; }');
  expect(problemsOf(define([array('f64', 8)], def, { name: 'k' })).map((d) => d.code)).toEqual(['lang/index-range']);
});

it('arrays of a launch and fields are taken apart', () => {
  agree((a, k) => {
    for (const i of range(1)) {
      let [x, y = 5, , z] = a;
      const [, n = 3] = k;
      [x, y] = [y, x];
      x += n + i;
      [a[0], a[1], a[2], z] = k;
      a[3] = x + 10 * y + 100 * z;
    }
  });
  const few = define(
    [array('f64', 8)],
    fromText('(a) => { const [x = 7, y, z = 9] = a; return x + 10 * z + (y === y ? 100 : 0); }'),
  );
  expect(run(few, [Float64Array.of(1, 2)])).toBe(1 + 90 + 100);
  const u = field('u', 'f64');
  const taken = define([u], fromText('(u) => { const [x, , y] = u; return x + 2 * y; }'), { float: 'f64' });
  expect(textOf(taken, layout(dense(i, 3).place(u))).match(/field.load/g)).toHaveLength(2);
  const beyond = define([u], fromText('(u) => { const [x, y] = u; return x + y; }'));
  expect(problemsOf(beyond, layout(dense(i, 1).place(u))).map((d) => d.code)).toEqual(['lang/index-range']);
  const rest = define([array('f64', 8)], fromText('(a) => { const [x, ...others] = a; return x; }'));
  expect(problemsOf(rest).map((d) => d.code)).toEqual(['lang/shape']);
});

describe('arrays that a launch gives', () => {
  it('are searched, asked and reduced as any array', () =>
    agree((a, k, x) => {
      const total =
        a.reduce((s, y) => s + y, 0) + Math.max(...a, x, 3) * Math.min(...a) + Math.max(...k) - Math.min(0, ...k);
      const product = a.reduce((s, y, n) => (n % 5 ? s : s * (1 + y / 100)));
      const back = a.reduceRight((s, y, n, all) => s / 2 + y + n + all.length, x);
      const last = a.reduceRight((s, y) => s / 3 + y);
      const found = a.find((y) => y > 1) ?? -100;
      const other = a.findLast((y, n) => y < 0 && n > 3) ?? 200;
      const places = [a.findIndex((y) => y > 2), a.findLastIndex((y) => y > x), k.indexOf(3), k.lastIndexOf(k[0])];
      const truths = [a.some((y) => y > 7), a.every((y) => y < 7.5), k.includes(5), a.includes(NaN)];
      let weighted = 0;
      k.forEach((n, at) => {
        weighted += n * at;
      });
      for (const i of range(a.length)) {
        a[i] =
          total +
          product +
          back +
          last +
          found +
          other +
          weighted +
          k.reduce((s, n) => Math.max(s, n), -100) +
          i +
          places.reduce((s, p) => 7 * s + p, 0) +
          truths.filter((t) => t).length / 8;
      }
    }));

  it('are gone through with their indices', () =>
    agree((a, k) => {
      for (const [i, x] of a.entries()) a[i] = x * 2 + i;
      for (const i of k.keys()) k[i] += i;
      let sum = 0;
      for (const x of k.values()) sum += x;
      for (const i of range(a.length)) for (const [n, y] of k.entries()) if (n < i) a[i] += y * n;
      for (const [i] of a.entries()) a[i] += sum;
    }));

  it('and those that a kernel makes take the items of others by set', () =>
    agree((a, k) => {
      const sorted = [a[3], a[1], a[2]].toSorted((x, y) => x - y);
      const small = new Float32Array(4);
      small.set([a[0], 0.1]);
      small.set(sorted.slice(0, 1), 3);
      a.set(sorted, 5);
      a.set([small[0], small[1], small[2], small[3]]);
      k.set(Int32Array.of(7, 8), k.length - 2);
      a.set(k, 0);
    }));

  it('make no others', () => {
    const kernel = define([array('f64', 4)], (a: Float64Array) => void a.map((x) => x + 1));
    expect(problemsOf(kernel)[0]).toMatchObject({ code: 'lang/unknown-member' });
    const without = define([array('f64', 4)], (a: Float64Array) => void (a as unknown as { find(): void }).find());
    expect(problemsOf(without)[0]).toMatchObject({ code: 'lang/arguments' });
  });
});
