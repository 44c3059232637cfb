import { array, range } from '@filigree/lang';
import { describe, expect, it } from 'vitest';
import { agree } from './agree.js';
import { define, problemsOf } from './kernel-run.js';

describe('Maps and Sets of the surroundings are asked for keys that the kernel finds', () => {
  it('of numbers, NaN too', () => {
    const cost = new Map([
      [1, 5],
      [2, 7.5],
      [-4, -3],
      [NaN, 9],
      [100, 0],
    ]);
    const special = new Set([3, 5, 8, NaN]);
    const halves = new Set([0.5, 1.5]);
    agree(
      (a, k) => {
        for (const i of range(a.length)) {
          const key = k[i] % 7;
          const odd = i === 2 ? NaN : a[i];
          a[i] =
            (cost.get(key) ?? 1000) +
            (cost.get(odd) ?? 0.25) +
            (special.has(key) ? 10 : 0) +
            (special.has(odd) ? 100 : 0) +
            (cost.has(key - 2) ? 10000 : 0) +
            (halves.has(key / 2) ? 0.125 : 0);
        }
      },
      { cost, special, halves },
    );
  });

  it('for objects, functions and other Maps, which may be missing', () => {
    const balls = new Map([
      [0, { radius: 2, grow: (x: number) => x + 1 }],
      [3, { radius: 5, grow: (x: number) => 2 * x }],
    ]);
    agree(
      (a, k) => {
        for (const i of range(a.length)) {
          const ball = balls.get(k[i] % 4);
          a[i] = (ball?.radius ?? -1) + (ball ? ball.grow(a[i]) : 0.5);
          if (ball !== undefined && ball.radius > 3) a[i] *= 2;
        }
      },
      { balls },
    );
  });

  it('by texts and objects of which the kernel finds one', () => {
    const kinds = ['water', 'rock', 'air'];
    const density = new Map([
      ['water', 1],
      ['rock', 2.5],
    ]);
    const solid = new Set(['rock', 'ice']);
    const things = [{ n: 1 }, { n: 2 }, { n: 3 }];
    const owners = new Map(things.slice(0, 2).map((thing, k) => [thing, 10 * k + 4]));
    agree(
      (a, k) => {
        for (const i of range(a.length)) {
          const kind = kinds[Math.abs(k[i]) % 3];
          a[i] =
            (density.get(kind) ?? 0.125) + (solid.has(kind) ? 10 : 0) + (owners.get(things[Math.abs(k[i]) % 3]) ?? 7);
        }
      },
      { kinds, density, solid, things, owners },
    );
  });

  it('of several hundred', () => {
    const squares = new Map(Array.from({ length: 300 }, (_, n) => [n * 3, n * n]));
    agree(
      (a, k) => {
        for (const i of range(a.length)) a[i] = squares.get(k[i] * 6 + (i % 2)) ?? -1;
      },
      { squares },
    );
  });
});

it('records are asked for numbers that the kernel finds, enumerations for their names', () => {
  enum Kind {
    Fire,
    Ice = 4,
    Air,
  }
  const damage: Record<Kind, number> = { [Kind.Fire]: 5, [Kind.Ice]: 7, [Kind.Air]: 0.5 };
  const labels: Partial<Record<number, { weight: number }>> = { 1: { weight: 3 }, 2: { weight: 8 } };
  agree(
    (a, k) => {
      for (const i of range(a.length)) {
        const n = k[i] % 6;
        const kind: Kind = n < 2 ? Kind.Fire : n < 4 ? Kind.Ice : Kind.Air;
        a[i] = damage[kind] + 10 * (labels[n]?.weight ?? 0) + (Kind[n] === 'Ice' ? 1000 : 0);
      }
    },
    { damage, labels, Kind },
  );
});

it('of a record without numbers for names the index must be known', () => {
  const named = { a: 1, b: 2 };
  const kernel = define(
    [array('f64', 4)],
    (a: Float64Array) => {
      for (const i of range(a.length)) a[i] = (named as unknown as number[])[i];
    },
    { scope: { named } },
  );
  expect(problemsOf(kernel)[0]).toMatchObject({ code: 'lang/dynamic-index' });
});
