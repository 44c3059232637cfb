import { i16, i32, range, serially, u8, unrolled } from '@filigree/lang';
import { dense, field, i, layout } from '@filigree/sparse/fields';
import { describe, expect, it } from 'vitest';
import { agree } from './agree.js';
import { define, fromText, problemsOf } from './kernel-run.js';

describe('numbers as conditions', () => {
  it('if, while, for, do, ternaries, ! and mixtures of && and ||', () =>
    agree((a, k, x) => {
      for (const i of range(k.length)) {
        if (k[i] % 2) a[i] += 1;
        else if (!(k[i] % 3)) a[i] -= 2;
        let n = Math.abs(k[i]);
        while (n) n = n >> 1;
        for (let j = k[i] & 7; j; j--) a[i] += j;
        do n++;
        while (n - 4 && n < 9);
        a[i] += k[i] ? x : 3;
        if ((k[i] && x > 0) || !a[i]) a[i] *= 2;
        k[i] = i32(!n);
      }
    }));

  it('NaN and both zeros are false', () =>
    agree((a, _, x) => {
      for (const i of range(a.length)) {
        const bad = (x - x) / (x - x);
        a[i] = bad ? 1 : -0 * x ? 2 : a[i] - a[i] ? 3 : x * 0 + a[i] ? 4 : 5;
      }
    }));

  it('&& and || of numbers are one of them, of truth values another; a truth value is 1 or 0 where a number is wanted', () => {
    const options = { size: 16, none: 0 };
    agree(
      (a, k, x) => {
        const size = options.size || 8;
        const none = options.none || 8;
        for (const i of range(k.length)) {
          let n = (k[i] % 3 || size) + (k[i] && none);
          n ||= 5;
          n &&= n + 1;
          a[i] = (k[i] % 2 && a[i]) || x;
          const positive = a[i] > 0;
          const both = positive && k[i] > 0;
          k[i] = n + 100 * Number(both) + +(positive || !both);
        }
      },
      { options },
    );
  });

  it('a number beside a truth value as what && or || give is refused', () => {
    const found = problemsOf(define(['i32', 'f32'], fromText('(m, y) => {\n  const t = m && y > 0; return i32(t); }')));
    expect(found.map((d) => [d.code, d.loc?.line])).toEqual([['lang/type', 2]]);
  });
});

describe('switch', () => {
  it('cases that break, several for one, a default at the end', () =>
    agree((a, k) => {
      for (const i of range(k.length)) {
        switch (k[i] % 6) {
          case 0:
            a[i] = 10;
            break;
          case 1:
          case -1:
            a[i] += 3;
            break;
          case 2: {
            const twice = a[i] * 2;
            if (twice > 4) break;
            a[i] = twice;
            break;
          }
          default:
            a[i] = -1;
        }
      }
    }));

  it('cases that run on into others, with the default anywhere', () => {
    /* As text, since TypeScript may refuse what JavaScript allows. */
    const text = `(a, k, x) => {
      for (const i of range(k.length)) {
        let sum = 0;
        switch (k[i] & 7) {
          case 5:
            sum += 1;
          default:
            sum += 10;
          case 1:
          case 4:
            sum += 100;
            break;
          case 2:
            sum += 1000;
          case 3:
            if (x > 0) break;
            sum += 10000;
        }
        a[i] = sum;
      }
    }`;
    agree(new Function('range', `return ${text}`)(range) as Parameters<typeof agree>[0]);
  });

  it('a variable that is given a value by all of them, where one runs on into the default', () =>
    agree(
      new Function(
        'range',
        `return (a, k, x) => {
          for (const i of range(k.length)) {
            let sum;
            switch (k[i] & 3) {
              case 0:
              case 2:
                sum = 1;
                break;
              case 1:
                sum = 2;
              default:
                sum = x;
            }
            a[i] = sum;
          }
        }`,
      )(range) as Parameters<typeof agree>[0],
    ));

  it('the first of equal cases, and comparisons that are computed in order', () =>
    agree((a, k, x) => {
      for (const i of range(k.length)) {
        switch (k[i]) {
          case k[0]:
            a[i] = 1;
            break;
          case k[1]:
            a[i] = 2;
            break;
          default:
            a[i] = 3;
            break;
          case k[0] + 0:
            a[i] = 4;
            break;
          case k[2] + i32(x > 0):
            a[i] = 5;
        }
      }
    }));

  it('continue, return and named loops from within', () => {
    const kind = (n: number): number => {
      switch (n % 3) {
        case 0:
          return 7;
        case 1:
          return 8;
        default:
          return n;
      }
    };
    agree(
      (a, k) => {
        for (const i of range(k.length)) {
          let sum = 0;
          outer: for (const j of range(9)) {
            switch (kind(k[i] + j)) {
              case 7:
                continue;
              case 8:
                sum += 1;
                break;
              case 5:
                break outer;
              default:
                if (sum > 4) break outer;
            }
            sum += 2;
          }
          a[i] = sum;
        }
      },
      { kind },
    );
  });

  it('what is known when the kernel is compiled is decided then', () => {
    const settings = { mode: 'fast' };
    agree(
      (a, k) => {
        for (const i of range(a.length)) {
          switch (settings.mode) {
            case 'slow':
              a[i] = 1;
              break;
            case 'fast':
              for (const j of unrolled(range(3))) {
                switch (j) {
                  case 1:
                    continue;
                  case 2:
                    a[i] += k[i];
                }
                a[i] += j;
              }
          }
        }
      },
      { settings },
    );
  });

  it('a name of one case is not one of another', () => {
    const text = '(m) => {\n  switch (m) {\n  case 1: let t = 2;\n  case 2: return t;\n  default: return 1; } }';
    expect(problemsOf(define(['i32'], fromText(text))).map((d) => [d.code, d.loc?.line])).toEqual([
      ['lang/unassigned', 4],
    ]);
  });
});

describe('a variable that is given no value on some way', () => {
  const [near, far] = [{ weight: 1 }, { weight: 4 }];
  const all = [near, far, { weight: 9 }];
  const weights = [1, 4, 9];

  it('is equal to no number, truth value, text or object', () =>
    agree(
      (a, k) => {
        for (const i of range(k.length)) {
          let n, t, s, o, p;
          if (k[i] > 2) n = k[i] - 3;
          if (k[i] % 2 === 0) t = k[i] > 4;
          if (k[i] % 3 === 1) s = 'far';
          if (k[i] % 5 === 1) s = 'near';
          if (k[i] > 5) o = near;
          if (k[i] < 0) p = all[-k[i] % 3];
          a[i] = (n === 0 ? 1 : 0) + (n !== 0 ? 2 : 0) + (t === false ? 4 : 0) + (t !== true ? 8 : 0);
          a[i] += (s === 'far' ? 16 : 0) + (s !== 'near' ? 32 : 0) + (o === near ? 64 : 0) + (p !== far ? 128 : 0);
          a[i] += (o === p ? 256 : 0) + (n === i ? 512 : 0);
          switch (s) {
            case 'far':
              k[i] = 1;
              break;
            case 'near':
              k[i] = 2;
              break;
            default:
              k[i] = 3;
          }
        }
      },
      { near, far, all },
    ));

  it('may be undefined on some ways and null on the others, and nothing else', () =>
    agree(
      (a, k) => {
        const none = (n: number): null | undefined => {
          if (n > 2) return null;
          return undefined;
        };
        const never = (n: number): null => {
          if (n > 2) return null;
          return null;
        };
        for (const i of range(k.length)) {
          let t: unknown, u, v;
          if (k[i] > 2) t = null;
          for (let j = 0; j < 3; j++) {
            a[i] += (u === undefined ? 1 : 0) + (v === null ? 2 : 0);
            if (k[i] > j) u = null;
            v = null;
          }
          a[i] += (t === null ? 4 : 0) + (t === undefined ? 8 : 0) + ((t as null) ?? 32);
          a[i] += (none(k[i]) === null ? 64 : 0) + (none(k[i]) === t ? 128 : 0) + (never(k[i]) === null ? 256 : 0);
          a[i] +=
            (t === 'far' ? 512 : 0) + (t !== near ? 1024 : 0) + ((t as { weight: number } | null)?.weight ?? 2048);
          switch (t) {
            case null:
              k[i] = 1;
              break;
            default:
              k[i] = 2;
          }
        }
      },
      { near },
    ));

  it('and items behind an end are what a switch asks for: case undefined', () =>
    agree(
      (a, k) => {
        for (const i of range(k.length)) {
          const { weight } = all[i % 3];
          const item = weights[i];
          switch (item) {
            case 4:
              a[i] = weight;
              break;
            case undefined:
              a[i] = -1;
              break;
            default:
              a[i] = item;
          }
        }
      },
      { all, weights },
    ));

  it('so that the one before is compared from the first on', () =>
    agree((a, k) => {
      let changes = 0;
      let before;
      for (const i of serially(range(k.length))) {
        if (k[i] % 3 !== before) changes++;
        before = k[i] % 3;
      }
      a[0] = changes;
    }));

  it('is not read where it has none', () => {
    const lines = (text: string) =>
      problemsOf(define(['i32', 'f32'], fromText(`(m, y) => {\n${text} }`))).map((d) => [d.code, d.loc?.line]);
    expect(lines('let t; if (m > 1) t = 2;\nconst two = t === 2;\nreturn two ? 1 : t;')).toEqual([
      ['lang/unassigned', 4],
    ]);
    expect(lines('let t; if (m > 1) t = 2; else t = 3;\nconst two = t === 2;\nreturn two ? 1 : t;')).toEqual([]);
  });

  it('nor is what a function returned on some ways, and a variable that began as null', () =>
    agree((a, k) => {
      const half = (n: number): number | undefined => {
        if (n % 2 === 0) return n / 2;
        return undefined;
      };
      for (const i of range(k.length)) {
        let z = null;
        if (k[i] > 0) z = k[i] - 1;
        a[i] = (half(k[i]) === 0 ? 1 : 0) + (half(k[i]) !== half(3 * k[i]) ? 2 : 0) + (z === 0 ? 4 : 0);
        a[i] += (z === half(k[i]) ? 8 : 0) + (z ?? 5);
      }
    }));
});

describe('an item behind the end of an array', () => {
  const nums = [10, 20, 30, 40];
  const rows = [
    [1, 2, 3],
    [4, 5, 6],
  ];
  const names = ['red', 'green', 'blue'];
  const items = [{ r: 1 }, { r: 2 }];
  class Numbers {
    constructor(readonly all: readonly number[]) {}
    get(n: number): number {
      return this.all[n];
    }
  }
  const numbers = new Numbers(nums);

  it('is undefined where a function gives it, and that is asked', () =>
    agree(
      (a, k) => {
        const item = (n: number) => nums[n];
        const later = (n: number) => {
          if (n > 2) return item(n - 1);
          return n === 1 ? nums[n + 4] : nums[n];
        };
        for (const i of range(k.length)) {
          a[i] = (item(k[i]) ?? -1) + (later(k[i]) ?? -5) + (numbers.get(k[i]) ?? -9);
          a[i] += (k[i] % 2 ? nums[k[i]] : nums[k[i] + 1]) ?? 100;
          const found = later(k[i]);
          if (found !== undefined) a[i] += found;
        }
      },
      { nums, numbers, Numbers },
    ));

  it('is equal to nothing, neither less nor more, and false', () =>
    agree(
      (a, k) => {
        const item = (n: number) => nums[n];
        for (const i of range(k.length)) {
          const t = nums[k[i]];
          const f = item(k[i]);
          a[i] = (t === 40 ? 1 : 0) + (f === 10 ? 2 : 0) + (nums[k[i]] !== 30 ? 4 : 0) + (t < 35 ? 8 : 0);
          a[i] += (nums[k[i]] >= 15 ? 16 : 0) + (item(k[i]) ? 32 : 0) + (nums[k[i]] || 64) + (t && 128 ? 256 : 0);
          a[i] += (rows[k[i] & 1][k[i]] > 4 ? 512 : 0) + (names[k[i]] === 'blue' ? 1024 : 0) + (items[k[i]] ? 2048 : 0);
          a[i] += (k[k[i]] === 0 ? 0.5 : 0) + (k[k[i]] < 3 ? 0.25 : 0) + (t === nums[k[i] + 1] ? 0.125 : 0);
          if (k[i] >= 0 && k[i] < 4) a[i] += t + f;
          let j = 0;
          while (nums[j]) j++;
          let last = 0;
          for (let n = 0; n < 3; n++) {
            last = nums[k[i] + n];
            if (last === 40) j += 10;
          }
          k[i] = j;
        }
      },
      { nums, rows, names, items },
    ));

  it('is taken to be there where a number is made of it, and what is compared is a truth value still', () => {
    const flags = [true, false, true];
    agree(
      (a, k) => {
        for (const i of range(k.length)) {
          const on = flags[k[i] & 3];
          const same = Number(nums[k[i] & 7] === nums[i & 7]);
          a[i] = same + (on ? 4 : 8) + (k[i] & 2 ? 16 : nums[Number(on)]) + (on === true ? 32 : 0);
          const sign = flags[((k[i] % 3) + 3) % 3];
          if (sign) a[i] += nums[1 - Number(sign)];
        }
      },
      { nums, flags },
    );
  });

  it('so are what has no value on some way, and a copy of that', () =>
    agree((a, k) => {
      for (const i of range(k.length)) {
        let s, least;
        if (k[i] > 0) s = k[i];
        const copy = s;
        a[i] = (s! < 5 ? 1 : 0) + (s! >= 5 ? 2 : 0) + (copy === 3 ? 4 : 0) + (copy! > 3 ? 8 : 0);
        for (const j of range(i)) if (least === undefined || k[j] < least) least = k[j];
        a[i] += (least! < 3 ? 16 : 0) + (least! >= 3 ? 32 : 0);
      }
    }));

  it('of which a copy that is used as a number needs a value on each way', () => {
    const codes = (s: string): readonly string[] =>
      problemsOf(define(['i32'], fromText(`(m) => { let t; ${s} const u = t; return u === 3 ? 1 : u + 1; }`))).map(
        (d) => d.code,
      );
    expect(codes('if (m > 1) t = 2;')).toEqual(['lang/unassigned']);
    expect(codes('if (m > 1) t = 2; else t = 5;')).toEqual([]);
  });

  it('but what each way gives a value at first is one, wherever it goes in a loop', () => {
    agree((a, k) => {
      for (const i of range(k.length)) {
        let [at, before] = [0, -1];
        while (true) {
          const parent = 2 * at - 1;
          if (at > 6) {
            before = at;
            at = parent >> 2;
            continue;
          }
          let next;
          if (before < at) next = 2 * at + 1;
          else if (before === k[i]) {
            const far = at + 3;
            next = far > 5 ? -1 : far;
          } else next = -1;
          if (next === -1) break;
          before = at;
          at = next;
        }
        a[i] = at + before * 10;
      }
    });
    const codes = (s: string): readonly string[] =>
      problemsOf(
        define(
          ['i32'],
          fromText(
            `(m) => { let u = m; for (let k = 0; k < m; k++) { let t; ${s} if (t === 4) break; u = t + u; } return u; }`,
          ),
        ),
      ).map((d) => d.code);
    expect(codes('if (m > 1) t = 2; else if (u > 3) continue; else { const v = u; t = v; }')).toEqual([]);
    expect(codes('if (m > 1) t = 2; else if (u > 3) t = 5;')).toEqual(['lang/unassigned']);
    expect(codes('if (t === m) t = 2; else t = 3;')).toEqual([]);
  });
});

describe('integers of few bits', () => {
  const [b, s, c, x] = [field('b', 'u8'), field('s', 'i16'), field('c', 'i32'), field('x', 'f32')];
  const place = layout(dense(i, 8).place(b, s, c, x));
  const codes = (body: string): readonly string[] =>
    problemsOf(define([b, s, c, x, 'i32'], fromText(`(b, s, c, x, m) => { ${body} }`)), place).map((d) => d.code);

  it('take choices between literals, masks and indices that they hold', () => {
    expect(codes('for (const i of range(8)) b[i] = c[i] > 2 ? 1 : 0;')).toEqual([]);
    expect(codes('for (const i of range(8)) s[i] = c[i] > 2 ? (m ? 3 : -7) : 300;')).toEqual([]);
    expect(codes('for (const i of range(8)) b[i] = (c[i] & 127) + i;')).toEqual([]);
    expect(codes('for (const i of range(8)) b[i] = Math.min(Math.max(i, 2), 255);')).toEqual([]);
    expect(codes('for (const i of range(8)) b[i] = (b[i] ^ 1) | (b[7 - i] ^ i);')).toEqual([]);
    expect(codes('for (const i of range(8)) b[i] = Math.abs(i - 7) + Math.abs(2 - i);')).toEqual([]);
    expect(codes('for (const i of range(8)) s[i] = 300 * Math.sign(s[i]) - Math.abs(b[i]);')).toEqual([]);
    expect(codes('for (const i of range(8)) b[i] = randomInt() % 6;')).toEqual([]);
  });

  it('take variables that are given such numbers alone, and what functions return on their ways', () => {
    const kind = 'let kind = 0; if (c[i] > 2) kind = 7; else if (m) kind = i;';
    expect(codes(`for (const i of range(8)) { ${kind} b[i] = 2 * kind + 1; }`)).toEqual([]);
    expect(
      codes('const f = (x) => { if (x > 2) return x & 15; return 1; }; for (const i of range(8)) b[i] = f(c[i]);'),
    ).toEqual([]);
    expect(codes(`for (const i of range(8)) { ${kind} b[i] = kind - 1; }`)).toEqual(['lang/narrowing']);
    expect(codes('for (const i of range(8)) { let n = 0; while (n < c[i]) n++; b[i] = n; }')).toEqual([
      'lang/narrowing',
    ]);
    expect(codes('for (const i of range(8)) { let n = 0; if (m) n = c[i]; b[i] = n; }')).toEqual(['lang/narrowing']);
    expect(codes('for (const i of range(8)) { let n = u32(0); if (m) n = u32(3); b[i] = n - 5; }')).toEqual([
      'lang/narrowing',
    ]);
    expect(codes('let n = 0; for (const i of range(8)) n += 1; for (const i of range(8)) b[i] = n;')).toEqual([
      'lang/narrowing',
    ]);
  });

  it('take their own numbers with another sign, and leading zeros', () => {
    const own = (value: string): readonly string[] => codes(`for (const i of range(8)) { s[i] = ${value}; }`);
    for (const value of ['-s[i]', 's[i] * -1', 'Math.clz32(c[i])']) expect(own(value)).toEqual([]);
    for (const value of ['1 - s[i]', '-2 * s[i]', 's[i] + 1', '-c[i]']) expect(own(value)).toEqual(['lang/narrowing']);
  });

  it('take what loops count through whose ends are known', () => {
    const argmin = (loop: string, start = 0): string =>
      `for (const i of range(8)) { let at = ${start}; for (${loop}) if (c[k] < c[at]) at = k; b[i] = at; }`;
    expect(codes(argmin('let k = 1; k < 256; k++'))).toEqual([]);
    expect(codes(argmin('let k = 1; k <= 255; k += 2', 4))).toEqual([]);
    expect(codes(argmin('let k = 255; k >= 0; k--'))).toEqual([]);
    expect(
      codes('for (const i of range(8)) for (let k = 0; k < i; k++) for (let j = k; j > 0; j--) b[i] = j;'),
    ).toEqual([]);
    expect(codes(argmin('let k = 1; k <= 256; k++'))).toEqual(['lang/narrowing']);
    expect(codes(argmin('let k = 255; k > -2; k--'))).toEqual(['lang/narrowing']);
    expect(codes(argmin('let k = 0; k < m; k++'))).toEqual(['lang/narrowing']);
    expect(codes(argmin('let k = 0, n = m; k < 8; k++, n++'))).toEqual(['lang/narrowing']);
  });

  it('what many conditions leave of them is found in a moment', () => {
    const many = (n: number, each: (k: number) => string): string =>
      Array.from({ length: n }, (_, k) => each(k)).join(' ');
    const clamps = many(60, (k) => `if (v > ${1000 - k}) v = ${1000 - k}; if (v < ${k}) v = ${k};`);
    const choices = many(60, (k) => `v = v > ${1000 - k} ? v - 1 : v < w ? ${k} : v + 1; if (w > v) w = v + ${k};`);
    const end = 'if (v > 255) v = 255; if (v < 0) v = 0; b[i] = v;';
    for (const body of [clamps, choices, `for (let p = 0; p < 9; p++) for (let q = 0; q < 9; q++) { ${choices} }`])
      expect(codes(`for (const i of range(8)) { let v = c[i], w = 0; ${body} ${end} }`)).toEqual([]);
  });

  it('an f32 is computed of literals as f32 has them', () => {
    /* 0.7162563740633259 times the greatest y is less than 256, and the f32 next to it times that is 256. */
    const scaled = (by: string): string =>
      `for (const i of range(8)) { const y = Math.min(357.4139099121094, Math.max(0, x[i])); b[i] = Math.floor(y * ${by}); }`;
    expect(codes(scaled('0.7162563740633259'))).toEqual(['lang/narrowing']);
    expect(codes(scaled('0.7162563'))).toEqual([]);
  });

  it('take what is kept within ends, however that is written', () => {
    const within = (value: string): readonly string[] =>
      codes(`const clamp = (x, low, high) => (x < low ? low : x > high ? high : x);
        for (const i of range(8)) { const v = c[i]; b[i] = ${value}; }`);
    const kept = [
      'Math.min(255, Math.max(0, v))',
      'Math.max(0, Math.min(255, v * 3 + m))',
      'Math.round(Math.max(0, Math.min(255, x[i])))',
      'Math.max(Math.min(Math.floor(x[i] * 0.5), 255), 0)',
      'Math.trunc(Math.max(0, Math.min(255.9, x[i])))',
      'v < 0 ? 0 : v > 255.5 ? 255 : v',
      'v < 0 ? 0 : v > 255 ? 255 : v',
      'clamp(v, 0, 255)',
      'v >= 0 && v < 256 ? v : 7',
      '!(v < 0 || 255 < v) ? v : 7',
      'v === 9 ? v : 8',
    ];
    const open = [
      'Math.min(255, v)',
      'Math.max(0, v)',
      'Math.round(Math.max(0, Math.min(256, x[i])))',
      'Math.round(x[i])',
      /* These ends are 256 and 255.5 as f32. */
      'Math.floor(Math.max(0, Math.min(255.99999999, x[i])))',
      'Math.round(Math.max(0, Math.min(255.49999999, x[i])))',
      'v < 0 ? 0 : v > 255.99999999 ? 255 : v',
      'v <= 0 ? 0 : v > 256 ? 255 : v',
      'v < 0 ? v : 3',
      'v >= 0 || v < 256 ? v : 7',
      'v !== 9 ? v : 8',
    ];
    expect(kept.map((value) => [value, ...within(value)])).toEqual(kept.map((value) => [value]));
    expect(open.map((value) => [value, ...within(value)])).toEqual(open.map((value) => [value, 'lang/narrowing']));
  });

  it('take what statements and functions keep within ends, and what conditions say where they are stored', () => {
    const within = (statements: string): readonly string[] =>
      codes(`const clamp = (x) => { if (x < 0) return 0; if (x > 255) return 255; return x; };
        const unit = (x) => { if (!(x > 0)) return 0; if (x >= 1) return 1; return x; };
        for (const i of range(8)) { let v = c[i]; let f = x[i]; ${statements} }`);
    const kept = [
      'if (v > 255) v = 255; if (v < 0) v = 0; b[i] = v;',
      'if (v > 255) v = 255; else if (v < 0) v = 0; b[i] = v;',
      'if (v > 255) { v = 255; } else { if (v < 0) v = 0; } b[i] = v;',
      'b[i] = clamp(3 * v);',
      'const w = b[i] + 3; b[i] = w < 0 ? 0 : w > 255 ? 255 : w;',
      'b[i] = clamp(Math.round(f));',
      'const r = Math.round(f); if (f < 0) b[i] = 0; else if (f <= 255) b[i] = r;',
      'if (v >= 0 && c[7 - i] > 2 && v < 256) b[i] = v;',
      'if (v < 0 || v > 255) continue; b[i] = v;',
      'if (v < 0) continue; const w = v >> 24; b[i] = w;',
      'b[i] = Math.round(255 * unit(f));',
      'b[i] = Math.floor(255.9 * unit(f));',
      'b[i] = (unit(f) * 255) | 0;',
      'b[i] = ~~(unit(f) * 255);',
      'b[i] = (255 - unit(f) * 255) >>> 0;',
      'b[i] = Math.round(127.5 + 127.4 * Math.sin(f));',
      'b[i] = Math.floor(Math.sqrt(Math.min(65535.0, Math.max(f, 0))));',
      'b[i] = Math.round(unit(f) ** 0.4545 * 255);',
      'b[i] = Math.floor(random() * 256);',
      'let n = 0; while (n < 255 && f * f < 4) { f = f * f; n++; } b[i] = n;',
      'let n = 0; for (let k = 0; k < 9; k++) { n += c[k]; if (n > 200) n = 200; if (n < 0) n = 0; } b[i] = n;',
      'let n = 5; for (let k = 0; k < 9; k++) n = n === 7 ? 0 : (n + k) & 7; b[i] = n;',
      'b[i] = v >>> 24;',
      'b[i] = idiv(v & 1023, 5);',
      'if (v === 0) v = 1; else v = v & 3; b[i] = v - 0;',
      'const low = m & 15; if (v < low) v = low; if (v > low + 200) v = low + 200; b[i] = v;',
    ];
    const open = [
      'if (v > 255) v = 255; b[i] = v;',
      'if (v > 256) v = 256; if (v < 0) v = 0; b[i] = v;',
      'if (v > 255) v = 255; if (v < 0) v = 0; v += 1; b[i] = v;',
      'if (v > 255) v = 255; if (m) { if (v < 0) v = 0; } b[i] = v;',
      'b[i] = clamp(v) + 1;',
      'const w = v; if (v > 255) v = 255; if (v < 0) v = 0; b[i] = w;',
      'if (v >= 0 || v < 256) b[i] = v;',
      'if (v >= 0 && c[i] < 256) b[i] = v;',
      'b[i] = Math.round(256 * unit(f));',
      'b[i] = Math.floor(255 * unit(f) + 1.5);',
      'b[i] = (f * 255) | 0;',
      'b[i] = Math.round(127.5 + 128 * Math.sin(f));',
      'b[i] = Math.round(unit(f) / unit(f));',
      'b[i] = Math.floor(random() * 257);',
      /* What is no number lies on no side of another. */
      'let w = 300; if (f < x[7 - i]) w = 7; else if (f >= 300) w = 7; b[i] = w;',
      'const q = f / f; if (!(v > q)) { if (v >= 0) b[i] = v; }',
      'let n = 0; while (n <= 255 && f * f < 4) { f = f * f; n++; } b[i] = n;',
      'let n = 0; for (let k = 0; k < 9; k++) { if (n > 200) n = 200; n += c[k]; if (n < 0) n = 0; } b[i] = n;',
      'let n = 0; for (let k = 0; k < m; k++) n++; b[i] = n;',
      'let n = 0; let o = 0; for (let k = 0; k < m; k++) { o = n; n = n + 1; } b[i] = o;',
      'b[i] = v >>> 23;',
      'b[i] = f < 0 ? 0 : f > 255 ? 255 : f;',
    ];
    expect(kept.map((value) => [value, ...within(value)])).toEqual(kept.map((value) => [value]));
    expect(open.map((value) => [value, ...within(value)])).toEqual(open.map((value) => [value, 'lang/narrowing']));
  });

  it('and refuse what may be too large', () => {
    expect(codes('for (const i of range(8)) b[i] = c[i] > 2 ? 256 : 0;')).toEqual(['lang/narrowing']);
    expect(codes('for (const i of range(8)) b[i] = c[i] > 2 ? -1 : 0;')).toEqual(['lang/narrowing']);
    expect(codes('for (const i of range(8)) b[i] = (c[i] & 255) + i;')).toEqual(['lang/narrowing']);
    expect(codes('for (const i of range(8)) b[i] = (i - 1) ^ 1;')).toEqual(['lang/narrowing']);
    expect(codes('for (const i of range(8)) b[i] = b[i] | 256;')).toEqual(['lang/narrowing']);
    expect(codes('for (const i of range(8)) s[i] = Math.abs(s[i]);')).toEqual(['lang/narrowing']);
    expect(codes('for (const i of range(8)) b[i] = randomInt() % 300;')).toEqual(['lang/narrowing']);
    expect(codes('for (const i of range(8)) b[i] = c[i] > 2 ? 1 : c[i];')).toEqual(['lang/narrowing']);
    expect(codes('for (const i of range(8)) b[i] = c[i] & m;')).toEqual(['lang/narrowing']);
  });

  it('hold what the same function stores into typed arrays', () => {
    agree((_, k, x) => {
      for (const i of serially(range(k.length))) k[i] = u8(k[i]) > 9 ? (x > 0 ? 12 : 3) & i16(k[i]) : 1;
    });
  });
});
