import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { derivative, scalarOps, type ScalarAlgebra, type ScalarOp } from '@filigree/ir';
import { derivatives, type Derivative } from '@filigree/autodiff';
import { dense, field, fieldDialects, i, layout } from '@filigree/sparse/fields';

describe('the table of derivatives', () => {
  it('has every op of the core and of fields, of the dialect that these become, and of derivatives themselves', () => {
    const tree = layout(dense(i, 4).place(field('x', 'f64')));
    const dialects = [...fieldDialects(tree), derivative];
    const ops = dialects.flatMap((d) => Object.values(d.ops).map((o) => o.name));
    /* `linalg` stands on the same floor as this package: that it is complete is tested above both. */
    expect(Object.keys(derivatives).filter((name) => !name.startsWith('linalg.')).sort()).toEqual(ops.sort()); // prettier-ignore
  });

  it('says why an op has no derivative, and what to do where that is a refusal', () => {
    for (const d of Object.values(derivatives)) {
      if (d.is === 'rule') continue;
      expect((d.is === 'structure' ? d.how : d.why).length).toBeGreaterThan(10);
      if (d.is === 'refused') expect(d.remedy.length).toBeGreaterThan(10);
    }
  });
});

/** Where a function is smooth, so that differences tell its derivative. */
const DOMAIN: Readonly<Record<string, readonly [number, number]>> = {
  asin: [-0.9, 0.9],
  acos: [-0.9, 0.9],
  acosh: [1.1, 5],
  atanh: [-0.9, 0.9],
  log: [0.2, 5],
  log2: [0.2, 5],
  log10: [0.2, 5],
  log1p: [-0.8, 5],
  sqrt: [0.1, 5],
  rsqrt: [0.1, 5],
  cbrt: [0.1, 5],
  tan: [-1.2, 1.2],
  pow: [0.3, 3],
  div: [0.3, 3],
  rem: [0.3, 3],
};

type Rule = Extract<Derivative, { readonly is: 'rule' }>;
const scalarRules = scalarOps.flatMap((op): readonly (readonly [string, ScalarOp, Rule])[] => {
  const rule = derivatives[op.kernelOp];
  const steps = op.kernelOp === 'arith.select' || op.name === 'fround';
  return rule?.is === 'rule' && !steps ? [[op.name, op, rule]] : [];
});

describe.each(scalarRules)('the rule of %s', (name, op, { times }) => {
  const [from, to] = DOMAIN[name] ?? [-2, 2];
  const value = fc.nat(1_000_000).map((k) => from + ((to - from) * k) / 1_000_000);
  const operands = fc.tuple(value, value).map((xs) => xs.slice(0, op.arity));
  /* Kinks and steps lie where operands, or their quotient and its whole part, meet; away from them differences mean something. */
  const smooth = ([a, b = 0.5]: readonly number[]): boolean =>
    Math.abs(a - b) > 0.01 && Math.abs(a) > 0.01 && Math.abs(b) > 0.01 && Math.abs(a / b - Math.round(a / b)) > 0.01;
  const f = (xs: readonly number[]): number => op.evaluate(xs[0], xs[1] ?? 0);
  const partials = (xs: readonly number[], seed = 1): readonly number[] =>
    times(numbers, seed, f(xs), ...xs).map((p) => p ?? 0);

  it('agrees with central differences', () => {
    fc.assert(
      fc.property(operands, (xs) => {
        fc.pre(smooth(xs));
        partials(xs).forEach((p, k) => expectNear(p, difference(f, xs, k)));
      }),
    );
  });

  it('is linear in the seed', () => {
    fc.assert(
      fc.property(operands, fc.double({ min: -3, max: 3, noNaN: true }), (xs, seed) => {
        fc.pre(smooth(xs));
        partials(xs, seed).forEach((p, k) => expectNear(p, seed * partials(xs)[k], 1e-12));
      }),
    );
  });

  it('gives second derivatives when it is differentiated itself: dual numbers agree with central differences', () => {
    fc.assert(
      fc.property(operands, (xs) => {
        fc.pre(smooth(xs));
        for (let k = 0; k < xs.length; k++) {
          const dual = xs.map((v, i) => ({ v, d: i === k ? 1 : 0 }));
          const found = times(duals, { v: 1, d: 0 }, duals[name](...dual), ...dual);
          for (let j = 0; j < xs.length; j++)
            expectNear(
              found[j]?.d ?? 0,
              difference((at) => partials(at)[j], xs, k),
              1e-5,
            );
        }
      }),
    );
  });
});

describe('at kinks', () => {
  const at = (name: string, ...xs: number[]): readonly (number | undefined)[] => {
    const op = scalarOps.find((o) => o.name === name)!;
    const rule = derivatives[op.kernelOp] as Rule;
    return rule.times(numbers, 1, op.evaluate(xs[0], xs[1] ?? 0), ...xs);
  };

  it.each([
    ['min', [2, 2], [1, 0]],
    ['max', [2, 2], [1, 0]],
    ['abs', [0], [0]],
    ['sqrt', [0], [0]],
    ['hypot', [0, 0], [0, 0]],
    ['atan2', [0, 0], [0, -0]],
    ['pow', [0, 2], [0, 0]],
    ['pow', [0, 0], [0, 0]],
    ['pow', [-2, 3], [12, NaN]],
  ] as const)('%s of %j has the derivatives %j', (name, xs, expected) => {
    expect(at(name, ...xs)).toEqual(expected);
  });

  it('a number that is rounded has the derivative of one that is not', () => expect(at('fround', 0.1)).toEqual([1]));

  it('a selection follows the arm that is taken', () => {
    const { times } = derivatives['arith.select'] as Rule;
    expect(times(numbers, 5, 2, 1, 2, 3)).toEqual([undefined, 5, 0]);
    expect(times(numbers, 5, 3, 0, 2, 3)).toEqual([undefined, 0, 5]);
  });
});

const numbers: ScalarAlgebra<number> = {
  ...Object.fromEntries(scalarOps.map((o) => [o.name, (a: number, b = 0) => o.evaluate(a, b)])),
  sub: (a, b) => a - b,
  gt: (a, b) => (a > b ? 1 : 0),
  ge: (a, b) => (a >= b ? 1 : 0),
  select: (c, a, b) => (c !== 0 && !Number.isNaN(c) ? a : b),
};

/** A number with its derivative by one variable. */
interface Dual {
  readonly v: number;
  readonly d: number;
}

const dualOf = (x: Dual | number): Dual => (typeof x === 'number' ? { v: x, d: 0 } : x);

/** Forward mode by the table itself: the tangent of a result is the sum over operands of their tangents times partials. */
const duals: ScalarAlgebra<Dual> = {
  ...Object.fromEntries(
    scalarOps.map((o) => [
      o.name,
      (...given: readonly (Dual | number)[]): Dual => {
        const xs = given.slice(0, o.arity).map(dualOf);
        const v = o.evaluate(xs[0].v, xs[1]?.v ?? 0);
        const rule = derivatives[o.kernelOp];
        if (rule.is !== 'rule') return { v, d: 0 };
        const values = xs.map((x) => x.v);
        const terms = xs.map((x, k) => (x.d === 0 ? 0 : (rule.times(numbers, x.d, v, ...values)[k] ?? 0)));
        return { v, d: terms.reduce((a, b) => a + b, 0) };
      },
    ]),
  ),
  sub: (a, b) => ({ v: dualOf(a).v - dualOf(b).v, d: dualOf(a).d - dualOf(b).d }),
  gt: (a, b) => ({ v: dualOf(a).v > dualOf(b).v ? 1 : 0, d: 0 }),
  ge: (a, b) => ({ v: dualOf(a).v >= dualOf(b).v ? 1 : 0, d: 0 }),
  select: (c, a, b) => dualOf(dualOf(c).v !== 0 ? a : b),
};

const difference = (f: (x: readonly number[]) => number, xs: readonly number[], k: number, h = 1e-4): number => {
  const along = (t: number): number => f(xs.map((x, i) => (i === k ? x + t : x)));
  /* Five points, so that what is left of the error is rounding. */
  return (8 * (along(h) - along(-h)) - (along(2 * h) - along(-2 * h))) / (12 * h);
};

const expectNear = (found: number, expected: number, tolerance = 1e-6): void => {
  expect(Math.abs(found - expected)).toBeLessThanOrEqual(tolerance * Math.max(1, Math.abs(expected)));
};
