import { array, range } from '@filigree/lang';
import { describe, expect, it } from 'vitest';
import { agree } from './agree.js';
import { define, problemsOf } from './kernel-run.js';

type Gain = number | ((x: number) => number) | { readonly low: number; readonly high: number } | 'off' | boolean;
const gains: readonly Gain[] = [2, (x) => x * x, { low: 1, high: 3 }, 'off', 5, true, (x) => x + 1];
const laws = gains.map((gain, n) => ({ gain, n, sizes: n % 2 ? n : [n, n + 1] }));

describe('one of several values of several kinds', () => {
  it('is what typeof says of it', () =>
    agree(
      (a, k) => {
        for (const i of range(a.length)) {
          const { gain, n } = laws[Math.abs(k[i]) % 7];
          if (typeof gain === 'function') a[i] = gain(a[i]);
          else if (typeof gain === 'object') a[i] = gain.low + 10 * gain.high;
          else if (typeof gain === 'number') a[i] = gain * 100;
          else if (gain === 'off') a[i] = -1;
          else a[i] = gain ? -2 : -3;
          a[i] += n / 8;
        }
      },
      { laws },
    ));

  it('is told apart by switch, by comparisons, as a truth value and as an array', () =>
    agree(
      (a, k, x) => {
        for (const i of range(a.length)) {
          const law = laws[Math.abs(k[i]) % 7];
          let s = 0;
          switch (typeof law.gain) {
            case 'number':
              s = law.gain + 0.5;
              break;
            case 'function':
              s = law.gain(x) * 2;
              break;
            default:
              s = 100;
          }
          if (law.gain === 5) s += 1000;
          if (law.gain !== 'off') s += 2000;
          if (law.gain === k[i]) s += 4000;
          if (law.gain) s += 0.25;
          const { sizes } = law;
          a[i] = s + (Array.isArray(sizes) ? sizes[0] + sizes[k[i] & 1] + sizes.length : 7 * sizes);
        }
      },
      { laws },
    ));

  it('given to a function', () => {
    const scaled = (gain: Gain, x: number): number =>
      typeof gain === 'function' ? gain(x) : typeof gain === 'number' ? gain : 0;
    const widths: readonly (number | 'auto' | readonly number[])[] = [3, 'auto', 0.5, [1, 8], 'auto'];
    const scales: readonly (number | ((x: number) => number))[] = [3, (x) => x / 4];
    const width = (n: number): number => {
      const w = widths[n % 5];
      if (w === 'auto') return 100;
      return typeof w !== 'number' ? w[1] : w;
    };
    agree(
      (a, k) => {
        for (const i of range(a.length)) {
          const scale = scales[k[i] & 1];
          a[i] = scaled(gains[Math.abs(k[i]) % 7], a[i]) + width(Math.abs(k[i])) * 1000;
          a[i] += typeof scale === 'function' ? scale(i) : scale;
        }
      },
      { gains, scales, widths, scaled, width },
    );
  });

  it('is compared with numbers and with truth values, which are of its own kind or differ', () => {
    const rules: readonly unknown[] = [true, 5, false, (x: number) => x, 1, 0, 'on'];
    const texts: readonly unknown[] = ['on', (x: number) => x];
    agree(
      (a, k) => {
        for (const i of range(a.length)) {
          const one = rules[Math.abs(k[i]) % 7];
          const [flag, number] = [(k[i] & 8) > 0, (k[i] >> 3) & 1];
          a[i] =
            (one === flag ? 1 : 0) + (one !== flag ? 10 : 0) + (number === one ? 100 : 0) + (one === true ? 1000 : 0);
          if (texts[k[i] & 1] === flag) a[i] += 1e4;
        }
      },
      { rules, texts },
    );
  });

  it('may be missing, too, and is a number where it is a truth value', () => {
    const some: readonly unknown[] = [null, 2, undefined, (x: number) => x + 1, null, 0, true];
    const flags: readonly unknown[] = [true, 5, false];
    agree(
      (a, k) => {
        for (const i of range(a.length)) {
          const one = some[Math.abs(k[i]) % 7];
          a[i] = (one === null ? 1 : 0) + (one === undefined ? 10 : 0) + (one ? 1000 : 0);
          if (typeof one === 'undefined') a[i] += 1e4;
          if (typeof one === 'object') a[i] += 1e5;
          if (typeof one === 'function') a[i] += 1e6;
          a[i] += Number(flags[Math.abs(k[i]) % 3]) * 1e7;
        }
      },
      { some, flags },
    );
  });

  it('may be missing where it is asked what it is, and lacks what other kinds have', () => {
    const lists: readonly (readonly number[] | null)[] = [[4, 5], null];
    const some: readonly unknown[] = [undefined, 7, [1, 2], null, '3px'];
    const texts: readonly (string | null | undefined)[] = [null, '3', undefined];
    const widths: readonly unknown[] = [7, 'auto', { wide: 2 }];
    const named: readonly unknown[] = [{ wide: 2 }, 7];
    return agree(
      (a, k) => {
        for (const i of range(a.length)) {
          const [list, one, text] = [lists[k[i] & 1], some[Math.abs(k[i]) % 5], texts[Math.abs(k[i]) % 3]];
          const [width, wide] = [widths[Math.abs(k[i]) % 3], named[k[i] & 1]] as [
            string | undefined,
            { wide?: number },
          ];
          a[i] =
            (Array.isArray(list) ? list.length : 8) +
            (Number.isFinite(one) ? 10 : 20) +
            (isNaN(one as number) ? 100 : 200) +
            (isNaN(Number(one)) ? 1000 : Number(one)) +
            (isNaN(Number(text)) ? 1e4 : Number(text)) +
            (isNaN(parseFloat(text as string)) ? 1e5 : 2e5) +
            (width?.length ?? 6) * 1e6 +
            (wide.wide ?? 6) * 1e7;
        }
      },
      { lists, some, texts, widths, named },
    );
  });

  it.each([
    ['m || x', (m: unknown) => (m || 5) as number],
    ['m && x', (m: unknown) => (m && 5) as number],
    // oxlint-disable-next-line eqeqeq -- what is refused
    ['m == x of a number that is computed', (m: unknown, x: number) => ((m as number) == x ? 1 : 0)],
  ])('is refused where JavaScript asks more of it: %s', (_, f) => {
    const of = [2, '2', (x: number) => x];
    const kernel = define(
      [array('f64', 8), array('i32', 8)],
      (a: Float64Array, k: Int32Array) => {
        for (const i of range(a.length)) a[i] = f(of[k[i] % 3], a[i]);
      },
      { scope: { of, f } },
    );
    expect(problemsOf(kernel)[0].code).toBe('lang/shape');
  });

  it('is the number that JavaScript makes of it, and what its functions say of it', () => {
    const some: readonly (number | string | boolean | readonly number[])[] = [1, '2.5', true, 'x', '', [7], -0];
    const texts = ['3', '4.5m', 'zz', ''];
    const { isFinite, isInteger } = Number;
    return agree(
      (a, k) => {
        for (const i of range(a.length)) {
          const one = some[Math.abs(k[i]) % 7];
          const text = texts[Math.abs(k[i]) % 4];
          a[i] =
            (isNaN(Number(one)) ? -1 : Number(one)) +
            (isFinite(one) ? 10 : 20) +
            (isInteger(one) ? 100 : 200) +
            (isNaN(one as number) ? 1000 : 2000) +
            (Number.isNaN(+text) ? 0.25 : +text) +
            (Number.isNaN(parseFloat(text)) ? 0.5 : parseFloat(text)) / 128 +
            (Number.isNaN(parseInt(text)) ? 3 : parseInt(text)) / 1024;
        }
      },
      { some, texts, isFinite, isInteger },
    );
  });

  it('of which all are numbers for JavaScript is computed with', () => {
    const some: readonly (number | string | boolean | readonly number[])[] = [1, '2.5', true, [7], '1e3', ''];
    return agree(
      (a, k) => {
        for (const i of range(a.length)) a[i] = (some[Math.abs(k[i]) % 6] as number) * 2 - a[i];
      },
      { some },
    );
  });

  it('has the members that each of them has', () => {
    const some: readonly (number | string | readonly number[] | { length: number })[] = [
      1,
      'abc',
      [7, 8],
      { length: 9 },
      '',
    ];
    return agree(
      (a, k) => {
        for (const i of range(a.length)) a[i] = (some[Math.abs(k[i]) % 5] as string).length ?? -1;
      },
      { some },
    );
  });

  it('is refused where it has a method as several kinds', () => {
    const of = [[1], 'a'];
    const kernel = define(
      [array('f64', 8), array('i32', 8)],
      (a: Float64Array, k: Int32Array) => {
        for (const i of range(a.length)) a[i] = of[k[i] & 1].includes('a' as never) ? 1 : 0;
      },
      { scope: { of } },
    );
    expect(problemsOf(kernel)[0]).toMatchObject({
      code: 'lang/shape',
      message: expect.stringContaining('has `includes` as array and as string') as string,
    });
  });

  it('is refused where nothing says of which kind it is wanted', () => {
    const of = [[1], 'a'];
    const kernel = define(
      [array('f64', 8), array('i32', 8)],
      (a: Float64Array, k: Int32Array) => {
        for (const i of range(a.length)) a[i] = (of as unknown as number[])[k[i] & 1];
      },
      { scope: { of } },
    );
    expect(problemsOf(kernel)[0]).toMatchObject({
      code: 'lang/shape',
      message: expect.stringContaining('which are of several kinds') as string,
    });
  });
});

describe('objects of which one has more members', () => {
  type Hit = { t: number; n?: number | undefined };
  const scope = {
    pick: (k: number): Hit => {
      if (k % 2) return { t: 1 };
      return { t: 2, n: 5 };
    },
  };
  const { pick } = scope;
  const codes = (fn: (a: Float64Array, k: Int32Array) => void): readonly string[] =>
    problemsOf(define([array('f64', 8), array('i32', 8)], fn, { scope })).map(({ code }) => code);

  it('are told apart where all have them, undefined where one has none', () =>
    agree((a, k) => {
      for (const i of range(a.length)) {
        const hit: Hit = k[i] % 2 ? { t: 1, n: undefined } : { t: 2, n: 5 };
        a[i] = hit.t + (hit.n ?? 9);
      }
    }));

  it('go where fewer are asked for', () =>
    agree((a, k) => {
      for (const i of range(a.length)) {
        let nearest = { t: 8 };
        const other = { t: a[i], n: k[i] };
        if (other.t < nearest.t) nearest = other;
        a[i] = nearest.t + other.n;
      }
    }));

  it('are refused where it is asked whether one has it', () => {
    expect(
      codes((a) => {
        for (const i of range(8)) a[i] = pick(i).n ?? 9;
      }),
    ).toEqual(['lang/shape']);
    expect(
      codes((a) => {
        for (const i of range(8)) {
          let hit: Hit = { t: 1 };
          for (let k = 0; k < 3; k++) {
            a[i] += 'n' in hit ? 1 : 2;
            hit = { t: 2, n: 5 };
          }
        }
      }),
    ).toEqual(['lang/shape']);
    expect(
      codes((a) => {
        for (const i of range(8)) {
          const { t, n = 7 } = pick(i);
          a[i] = t + n;
        }
      }),
    ).toEqual(['lang/shape']);
    expect(
      codes((a) => {
        for (const i of range(8)) a[i] = Object.keys(pick(i)).length + ({ n: 1, ...pick(i) }.n ?? 0);
      }),
    ).toContain('lang/shape');
  });
});
