import { dialectsOf } from '@filigree/backend';
import { pairDialect, pairsOfSingles } from '@filigree/backend/gpu';
import {
  type Builder,
  type Module,
  type Value,
  DiagnosticError,
  buildKernel,
  coreDialects,
  declareBuffer,
  interpret,
  makeModule,
  orThrow,
  verifyModule,
  walk,
} from '@filigree/ir';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const dialects = [...dialectsOf([]), pairDialect];

/** A kernel that computes a double of those in `x`, and stores it as two singles. */
const module = (body: (b: Builder, x: (k: number) => Value) => Value): Module => {
  const buffers = [declareBuffer('x', 'f32', 4, 'input'), declareBuffer('y', 'f32', 2, 'output')];
  const kernel = buildKernel(
    'k',
    {},
    (b) => {
      const value = body(b, (k) => b.cast(b.load('x', b.i32(k)), 'f64'));
      const high = b.cast(value, 'f32');
      b.store('y', high, b.i32(0));
      b.store('y', b.cast(b.sub(value, b.cast(high, 'f64')), 'f32'), b.i32(1));
    },
    buffers,
  );
  return makeModule('m', buffers, [kernel]);
};

const lowered = (m: Module): Module => orThrow(pairsOfSingles(dialects).run(m));

/** The nearest single, and the value of both halves, of the module as it is and of it in pairs. */
const both = (m: Module, x: readonly number[]): readonly (readonly [high: number, value: number])[] =>
  [m, lowered(m)].map((each) => {
    const memory = { x: Float32Array.from(x), y: new Float32Array(2) };
    orThrow(interpret(each, dialects, memory, {}));
    return [memory.y[0]!, memory.y[0]! + memory.y[1]!];
  });

const polynomial = module((b, x) => b.sub(b.mul(b.add(x(0), x(1)), b.sub(x(2), b.f64(0.1))), b.mul(x(3), b.f64(1e-9))));

describe('doubles as pairs of singles', () => {
  it('hold 46 bits of the largest of what is computed, and no double is left', () => {
    const pairs = lowered(polynomial);
    expect(verifyModule(pairs, dialects)).toEqual([]);
    walk(pairs.kernels[0]!.body, ({ results }) => expect(results.map((v) => v.type)).not.toContain('f64'));
    const number = fc
      .float({ min: Math.fround(-1e6), max: Math.fround(1e6), noNaN: true })
      .map((v) => (Math.abs(v) < 1e-6 ? 0 : v));
    fc.assert(
      fc.property(fc.array(number, { minLength: 4, maxLength: 4 }), (x) => {
        const [[, right], [, got]] = both(polynomial, x) as [[number, number], [number, number]];
        const size = (Math.abs(x[0]!) + Math.abs(x[1]!)) * (Math.abs(x[2]!) + 0.1) + Math.abs(x[3]!);
        expect(Math.abs(got - right)).toBeLessThanOrEqual(size * 2 ** -46);
      }),
      { numRuns: 300 },
    );
  });

  it('keep infinity and NaN, and overflow where a single does', () => {
    const sum = module((b, x) => b.add(b.add(x(0), x(1)), b.add(x(2), x(3))));
    const high = (x: readonly number[]): readonly number[] => both(sum, x).map(([first]) => first);
    expect(high([Infinity, 1, 2, 3])).toEqual([Infinity, Infinity]);
    expect(high([Infinity, 1, -Infinity, 3])).toEqual([NaN, NaN]);
    expect(high([1, NaN, 2, 3])).toEqual([NaN, NaN]);
    /* In doubles what is too much is taken away again. */
    expect(high([3e38, 3e38, -3e38, -3e38])).toEqual([0, NaN]);
    const products = module((b, x) => b.mul(b.add(x(0), x(1)), b.add(x(2), x(3))));
    expect(both(products, [Infinity, 1, 2, 3]).map(([first]) => first)).toEqual([Infinity, Infinity]);
  });

  it('divide to 46 bits, and as singles do where that is not finite', () => {
    const quotient = module((b, x) => b.div(b.add(x(0), x(1)), b.add(x(2), x(3))));
    const number = fc.float({ min: Math.fround(-1e6), max: Math.fround(1e6), noNaN: true });
    fc.assert(
      fc.property(fc.array(number, { minLength: 4, maxLength: 4 }), (given) => {
        /* Halves that are apart by few digits or many, of a divisor that is not near nothing. */
        const x = given.map((v) => (Math.abs(v) < 1e-6 ? 1 : v));
        fc.pre(Math.abs(x[2]! + x[3]!) > 1e-3);
        const [[, right], [, got]] = both(quotient, x) as [[number, number], [number, number]];
        const size = Math.abs(right) * (1 + (Math.abs(x[2]!) + Math.abs(x[3]!)) / Math.abs(x[2]! + x[3]!));
        expect(Math.abs(got - right)).toBeLessThanOrEqual(size * 2 ** -45 + 2 ** -140);
      }),
      { numRuns: 300 },
    );
    const high = (x: readonly number[]): readonly number[] => both(quotient, x).map(([first]) => first);
    for (const x of [
      [1, 1e-9, 0, 0],
      [-1, 1e-9, 0, 0],
      [0, 0, 0, 0],
      [0, 0, 3, 1e-8],
      [Infinity, 1, 3, 1e-8],
      [3, 1e-8, Infinity, 1],
      [NaN, 1, 3, 1e-8],
      [Infinity, 1, Infinity, 1],
    ])
      expect(high(x)[1]).toBe(high(x)[0]);
  });

  it('have a lesser and a greater, and none beside NaN', () => {
    for (const kind of ['min', 'max'] as const) {
      const extreme = module((b, x) => b[kind](b.add(x(0), x(1)), b.add(x(2), x(3))));
      const small = [0, 1e-9, -1e-9, NaN];
      for (const a of small)
        for (const c of small) {
          const [[, right], [, got]] = both(extreme, [1, a, 1, c]) as [[number, number], [number, number]];
          expect(got).toBe(right);
        }
    }
  });

  it('are doubles in memory, whose bits are loaded and stored', () => {
    const buffers = [declareBuffer('x', 'f64', 3, 'input'), declareBuffer('y', 'f64', 3, 'output')];
    const kernel = buildKernel(
      'k',
      {},
      (b) =>
        void b.for(b.i32(0), b.i32(3), b.i32(1), {}, [], (k) =>
          b.store('y', b.add(b.load('x', k), b.f64(2 ** -20)), k),
        ),
      buffers,
    );
    const pairs = lowered(makeModule('m', buffers, [kernel]));
    expect(verifyModule(pairs, dialects)).toEqual([]);
    expect(pairs.buffers.map((b) => b.type)).toEqual(['u64', 'u64']);
    const x = Float64Array.of(1 + 2 ** -40, -3, 2 ** 60);
    const y = new Float64Array(3);
    orThrow(interpret(pairs, dialects, { x: new BigUint64Array(x.buffer), y: new BigUint64Array(y.buffer) }, {}));
    expect([...y]).toEqual([1 + 2 ** -40 + 2 ** -20, -3 + 2 ** -20, 2 ** 60]);
  });

  it('compare by both halves', () => {
    const chosen = module((b, x) => {
      const [a, c] = [b.add(x(0), x(1)), b.add(x(2), x(3))];
      const bit = (holds: Value, k: number): Value => b.select(holds, b.f64(2 ** k), b.f64(0));
      return (['lt', 'le', 'gt', 'ge', 'eq', 'ne'] as const)
        .map((p, k) => bit(b.cmp(p, a, c), k))
        .reduce((s, v) => b.add(s, v));
    });
    const small = [0, 1e-9, -1e-9, NaN];
    for (const a of small)
      for (const c of small) {
        const [[right], [got]] = both(chosen, [1, a, 1, c]) as [[number, number], [number, number]];
        expect(got).toBe(right);
      }
  });

  it('refuse by name what they cannot do', () => {
    const said = (body: Parameters<typeof module>[0]): string => {
      try {
        lowered(module(body));
        return '';
      } catch (e) {
        return e instanceof DiagnosticError ? `${e.diagnostics[0]!.code}: ${e.diagnostics[0]!.message}` : String(e);
      }
    };
    expect(said((b, x) => b.value('math.exp', [x(0)]))).toBe(
      'pairs/op: doubles are pairs of f32 here, and math.exp is not one of what is done with them',
    );
    expect(said((b, x) => b.value('math.sqrt', [x(0)]))).toMatch(/math\.sqrt is not one/);
    expect(said((b, x) => b.bitcast(b.bitcast(x(0), 'u64'), 'f64'))).toMatch(/arith\.bitcast is not one/);
    expect(said((b, x) => b.add(x(0), b.f64(1e300)))).toMatch(/1e\+300 is beyond the exponents of f32/);
    expect(said((b) => b.cast(b.i32(7), 'f64'))).toBe('');
    expect(said((b, x) => b.cast(b.cast(x(0), 'i32'), 'f64'))).toMatch(/they do not become i32/);
    expect(said((b) => b.cast(b.constant(7n, 'i64'), 'f64'))).toMatch(/i64 does not become one/);
  });

  it('leave kernels without doubles as they are', () => {
    const buffers = [declareBuffer('y', 'f32', 1, 'output')];
    const plain = makeModule('m', buffers, [buildKernel('k', {}, (b) => b.store('y', b.f32(1), b.i32(0)), buffers)]);
    expect(verifyModule(plain, coreDialects)).toEqual([]);
    expect(lowered(plain)).toBe(plain);
  });
});
