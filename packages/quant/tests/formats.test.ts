import type { ScalarType } from '@filigree/ir';
import { fixed, float, int } from '@filigree/quant';
import type { Format } from '@filigree/sparse/fields';
import { describe, expect, it } from 'vitest';
import { fixedNumbers, floatNumbers, floorOf, nearestOf, next, previous, type Float, type Numbers } from './exact.js';

const floats: readonly Float[] = ['f32', 'f64'];
const signs = [true, false];
const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, k) => from + k);

/** The least normal number of a type: what is smaller counts as zero. */
const leastNormal = { f32: 2 ** -126, f64: 2 ** -1022 };

/**
 * Every code comes back, every number around each threshold goes to its side, and what is outside to the end.
 *
 * @param elsewhere of codes that no number is stored as, whether they are read as zero, or as the number at which end
 */
const checkAll = (
  format: Format,
  type: Float,
  { coded, thresholds }: Numbers,
  elsewhere: (code: number) => number = () => NaN,
): string[] => {
  const wrong: string[] = [];
  const is = (x: number, code: number): void => {
    const got = Number(format.encode(x, type));
    if (got !== code) wrong.push(`${x} is stored as ${got}, not ${code}`);
  };
  for (const { value, code } of coded) {
    const x = nearestOf(value, type);
    const got = format.decode(code, type);
    if (!Object.is(got, x)) wrong.push(`${code} stands for ${got}, not ${x}`);
    is(x, code);
  }
  aroundThresholds(type, { coded, thresholds }, is);
  const [first, last] = [coded[0], coded[coded.length - 1]];
  const known = new Set(coded.map((c) => c.code));
  for (let code = 0; code < 2 ** format.bits; code++) {
    if (known.has(code)) continue;
    const got = format.decode(code, type);
    const x = nearestOf(elsewhere(code) < 0 ? first.value : last.value, type);
    if (!Object.is(got, elsewhere(code) === 0 ? 0 : x)) wrong.push(`${code} stands for ${got}`);
  }
  const most = type === 'f32' ? 3.4028234663852886e38 : Number.MAX_VALUE;
  for (const x of [most, Infinity]) is(x, last.code);
  for (const x of [-most, -Infinity]) is(x, first.code);
  for (const x of [0, -0, NaN, leastNormal[type] / 2, -leastNormal[type] / 2]) is(x, 0);
  return wrong;
};

/** What numbers around each threshold are to be stored as. */
const aroundThresholds = (type: Float, { coded, thresholds }: Numbers, is: (x: number, code: number) => void): void =>
  thresholds.forEach((threshold, k) => {
    const { down, same } = floorOf(threshold, type);
    if (down !== 0 && Math.abs(down) < leastNormal[type]) return;
    is(previous(down, type), coded[k].code);
    is(down, coded[same && down > 0 ? k + 1 : k].code);
    is(next(down, type), coded[k + 1].code);
  });

/** Terms of sums: every step of three times all codes, beginning below them, or from the middle of them to beyond, and what lies around the middles between two. */
const checkTerms = ({ bits, addend }: Format, type: Float, r: number, signed: boolean): string[] => {
  const wrong: string[] = [];
  const is = (x: number, code: number): void => {
    const got = Number(addend!.encode(x, type));
    if (got !== code) wrong.push(`${x} counts as ${got}, not ${code}`);
  };
  const numbers =
    bits < 14
      ? fixedNumbers(bits, r, signed, -(2 ** bits), 3 * 2 ** bits)
      : fixedNumbers(bits, r, signed, 2 ** (bits - 1));
  for (const { value, code } of numbers.coded) {
    const { down, same } = floorOf(value, type);
    if (same) is(down, code);
  }
  aroundThresholds(type, numbers, is);
  const last = signed ? 2 * r : r;
  for (const x of [NaN, Infinity, -Infinity, last * 2 ** (type === 'f32' ? 23 : 52), 0, -0, leastNormal[type] / 2])
    is(x, 0);
  return wrong;
};

describe.each(floats)('of %s', (type) => {
  it('fixed with the least step stores subnormal numbers as zero without a look at them', () => {
    const least = leastNormal[type];
    const format = fixed(8, 2 ** 8 * least);
    expect(format.refuses(type)).toBeUndefined();
    for (const to of [format.encode, format.addend!.encode]) {
      expect(Number(to(previous(least, type), type))).toBe(0);
      expect(Number(to(least, type))).toBe(1);
    }
    expect(fixed(8, 2 ** 7 * least).refuses(type)).toContain('too small');
  });

  describe.each(signs)('signed: %s', (signed) => {
    it.each(range(1, 16))('fixed of %i bits stores to the nearest, halves away from zero, for every code', (bits) => {
      for (const r of [2, 3, 0.1].map((x) => (type === 'f32' ? Math.fround(x) : x)))
        expect(checkAll(fixed(bits, r, { signed }), type, fixedNumbers(bits, r, signed)).slice(0, 5)).toEqual([]);
    });

    it.each(range(1, 16))('sums of fixed of %i bits count the nearest number of steps of each term', (bits) => {
      for (const r of [2, 3, 0.1].map((x) => (type === 'f32' ? Math.fround(x) : x)))
        expect(checkTerms(fixed(bits, r, { signed }), type, r, signed).slice(0, 5)).toEqual([]);
    });

    it.each(range(1, type === 'f32' ? 8 : 11))(
      'float with %i bits of exponent and at most 16 in all does, and flushes, for every code',
      (exponent) => {
        for (const fraction of range(0, 16 - exponent - (signed ? 1 : 0)))
          expect(
            checkAll(
              float(exponent, fraction, { signed }),
              type,
              floatNumbers(exponent, fraction, signed, type),
              (code) => {
                if (((code >> fraction) & (2 ** exponent - 1)) === 0) return 0;
                return code >> (exponent + fraction) === 1 ? -1 : 1;
              },
            ).slice(0, 5),
          ).toEqual([]);
      },
    );
  });
});

const holds = (type: ScalarType, x: number): boolean => {
  const bits = Number(type.slice(1));
  return type.startsWith('i') ? x >= -(2 ** (bits - 1)) && x < 2 ** (bits - 1) : x >= 0 && x < 2 ** bits;
};

describe('int', () => {
  it.each(range(1, 16))('of %i bits wraps', (bits) => {
    const wrong: string[] = [];
    for (const signed of signs)
      for (const type of ['i8', 'u8', 'i16', 'u16', 'i32', 'u32', 'i64', 'u64'] as const) {
        const of = int(bits, { signed });
        if (of.refuses(type) !== undefined) continue;
        const low = signed ? -(2 ** (bits - 1)) : 0;
        for (let value = low; value < low + 2 ** bits; value++)
          for (const given of [-1, 0, 1].map((turn) => value + turn * 2 ** bits)) {
            if (!holds(type, given)) continue;
            const got = Number(of.decode(of.encode(type.endsWith('64') ? BigInt(given) : given, type), type));
            if (got !== value) wrong.push(`${given} in ${type} is read as ${got}`);
          }
      }
    expect(wrong.slice(0, 5)).toEqual([]);
  });
});
