import { describe, expect, it } from 'vitest';
import { keyText } from '@filigree/ir';

/** Two values that a kernel can tell apart, and a way to make each. */
const apart: readonly (readonly [string, (n: number) => unknown])[] = [
  ['numbers', (n) => n],
  ['zeros of either sign', (n) => [n === 1 ? 0 : -0]],
  ['numbers and texts', (n) => (n === 1 ? 1 : '1')],
  ['numbers and integers', (n) => (n === 1 ? 1 : 1n)],
  ['arrays', (n) => [[n], 2]],
  ['arrays with a hole', (n) => (n === 1 ? [1, undefined] : new Array(1).concat([1]))],
  ['typed arrays', (n) => Float64Array.of(0, n)],
  ['zeros of either sign in typed arrays', (n) => Float32Array.of(n === 1 ? 0 : -0)],
  ['typed arrays of other types', (n) => (n === 1 ? Int8Array.of(1) : Uint8Array.of(1))],
  ['objects', (n) => ({ a: { b: n } })],
  [
    'getters',
    (n) => ({
      get a() {
        return n;
      },
    }),
  ],
  ['maps', (n) => new Map([['a', n]])],
  ['sets', (n) => new Set([n])],
];

/** Values that know more than what they hold: two of one text would be taken for each other. */
const untold: readonly (readonly [string, () => unknown])[] = [
  ['functions', () => () => 1],
  [
    'instances',
    () =>
      new (class {
        a = 1;
      })(),
  ],
  ['what is inherited', () => Object.create({ a: 1 })],
  ['hidden members', () => Object.defineProperty({}, 'a', { value: 1 })],
  ['symbols', () => ({ [Symbol.iterator]: 1 })],
  ['arrays of a class', () => new (class extends Array<number> {})()],
  [
    'arrays that are gone through in another way',
    () =>
      Object.assign([1], {
        [Symbol.iterator]: function* () {
          yield 2;
        },
      }),
  ],
  [
    'maps of a class',
    () =>
      new (class extends Map<string, number> {
        a = 1;
      })(),
  ],
  ['maps with members', () => Object.assign(new Map(), { a: 1 })],
  ['sets with members', () => Object.assign(new Set(), { a: 1 })],
  ['views of bytes', () => new DataView(new ArrayBuffer(1))],
  [
    'circles',
    () => {
      const a: unknown[] = [];
      a.push(a);
      return a;
    },
  ],
];

describe('texts of values, by which programs are found again', () => {
  it.each(apart)('tell %s apart, and are the same of the same', (_, make) => {
    expect(keyText(make(1))).toBeDefined();
    expect(keyText(make(1))).toBe(keyText(make(1)));
    expect(keyText(make(1))).not.toBe(keyText(make(2)));
  });

  it.each(untold)('there are none of %s', (_, make) => {
    expect(keyText([make()])).toBeUndefined();
  });
});
