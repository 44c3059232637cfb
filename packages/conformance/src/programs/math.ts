import { binaryFunctions, type ScalarType, type TypedArray, unaryFunctions } from '@filigree/ir';
import type { Program } from '../program.js';
import { arrayOf, edgePairs, edges, randoms } from '../values.js';
import { type Output, elementwise } from './elementwise.js';

/**
 * Every op of `math` on f32 and f64, alone and on lanes: those that IEEE 754 fixes bit by bit, the others within a few units in the last
 * place.
 */
export const mathPrograms = (): readonly Program[] =>
  ([1, 8] as const).flatMap((lanes) =>
    (['f64', 'f32'] as const).flatMap((t) => [
      exact(t, lanes),
      rounded(t, lanes),
      elementary(t, lanes),
      powers(t, lanes),
      roots(t, lanes),
      ...pairs(t, lanes),
      fused(t, lanes),
    ]),
  );

/* The names come from the table, so an op that is added there is tested here. */
const fixed = ['sqrt', 'abs', 'floor', 'ceil', 'round', 'trunc', 'sign', 'fround'];
const unary = unaryFunctions.filter((n) => !fixed.includes(n));
const atEdges = ['atan2', 'pow', 'hypot'];
const others = binaryFunctions.filter((n) => !atEdges.includes(n));

const of =
  (name: string): Output[2] =>
  (b, x) =>
    b.math(name, ...x);

/* Defined above 1 only. */
const above: Output[2] = (b, [x]) => b.math('acosh', b.add(x!, b.constant(1, x!.type)));

const exact = (t: ScalarType, lanes: number): Program =>
  elementwise(
    `exact functions of ${t}`,
    [['x', t, edges(t)]],
    fixed.map((n): Output => [n, t, of(n)]),
    { lanes },
  );

/* Numbers that no f32 holds; how many there are leaves some behind the last whole vector, which compilers treat apart. */
const rounded = (t: ScalarType, lanes: number): Program =>
  elementwise(`fround of ordinary ${t}`, [['x', t, ordinary(t, 27, 13, -4, 4)]], [['fround', t, of('fround')]], {
    lanes,
  });

const ordinary = (t: ScalarType, n: number, seed: number, low: number, high: number): TypedArray => {
  const next = randoms(seed);
  return arrayOf(t, n, () => low + (high - low) * next());
};

/* Within every function's domain and away from the poles: libraries differ by rounding there and no more. */
const elementary = (t: ScalarType, lanes: number): Program =>
  elementwise(
    `elementary functions of ${t}`,
    [['x', t, ordinary(t, 64, 11, 0.01, 0.99)]],
    unary.map((n): Output => [n, t, n === 'acosh' ? above : of(n)]),
    { ulps: 8, lanes },
  );

const powers = (t: ScalarType, lanes: number): Program => {
  const [x, y] = edgePairs(t);
  const dull = (a: TypedArray): TypedArray =>
    arrayOf(t, a.length, (k) => (Math.abs(Number(a[k])) > 1e9 && Number.isFinite(Number(a[k])) ? 3 : a[k]!));
  return elementwise(
    `pow, atan2 and hypot of ${t}`,
    [
      ['x', t, dull(x)],
      ['y', t, dull(y)],
    ],
    atEdges.map((n): Output => [n, t, of(n)]),
    { ulps: 16, lanes },
  );
};

/* Compilers know powers by these, and what they make of them differs at zeros and infinities. */
const roots = (t: ScalarType, lanes: number): Program =>
  elementwise(
    `powers of ${t} by constants`,
    [['x', t, edges(t)]],
    [0.5, -0.5, 1.5, 0.25, 2, -1, 1 / 3].map((by, k): Output => [
      `by${k}`,
      t,
      (b, [x]) => b.math('pow', x!, b.constant(by, x!.type)),
    ]),
    { ulps: 16, lanes },
  );

/* Functions of two numbers that nothing says more of, on ordinary ones. */
const pairs = (t: ScalarType, lanes: number): readonly Program[] =>
  others.length === 0
    ? []
    : [
        elementwise(
          `functions of two ${t}`,
          [
            ['x', t, ordinary(t, 64, 12, 0.01, 0.99)],
            ['y', t, ordinary(t, 64, 13, 0.01, 0.99)],
          ],
          others.map((n): Output => [n, t, of(n)]),
          { ulps: 16, lanes },
        ),
      ];

/* Positive terms, so that one rounding and two differ by an ulp and not by cancellation. */
const fused = (t: ScalarType, lanes: number): Program =>
  elementwise(
    `fma on ${t}`,
    [
      ['x', t, ordinary(t, 64, 1, 0, 4)],
      ['y', t, ordinary(t, 64, 2, 0, 4)],
      ['z', t, ordinary(t, 64, 3, 0, 4)],
    ],
    [['fma', t, (b, [x, y, z]) => b.fma(x!, y!, z!)]],
    { ulps: 2, lanes },
  );
