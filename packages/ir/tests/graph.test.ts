import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluateGraph, Graph, referenceCounts, scalarOp, structuralHashes } from '@filigree/ir';

/** A random bracketing of the sum (or product) of `ids` in this order. */
const bracket = (
  ids: readonly number[],
  choices: readonly number[],
  join: (a: number, b: number) => number,
): number => {
  const list = [...ids];
  for (let k = 0; list.length > 1; k++) {
    const i = (choices[k % choices.length] ?? 0) % (list.length - 1);
    list.splice(i, 2, join(list[i], list[i + 1]));
  }
  return list[0];
};

const shuffled = (n: number, keys: readonly number[]): number[] =>
  Array.from({ length: n }, (_, i) => i).sort(
    (a, b) => (keys[a % keys.length] ?? 0) - (keys[b % keys.length] ?? 0) || a - b,
  );

describe('the expression graph', () => {
  it('refuses an operation that there is not', () => {
    const g = new Graph();
    const x = g.variables(1);
    for (const code of [250, -1, 1.5, 'sin' as never, undefined as never])
      expect(() => g.apply(code, x)).toThrow(/graph\/apply.*there is no operation with the code/);
  });

  it('gives one node to sums and products in any order and bracketing', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 12 }),
        fc.array(fc.nat(100), { minLength: 1, maxLength: 20 }),
        fc.array(fc.nat(100), { minLength: 1, maxLength: 20 }),
        fc.boolean(),
        (n, choices, keys, product) => {
          const g = new Graph({ arithmetic: 'algebraic' });
          const first = g.variables(n);
          const ids = Array.from({ length: n }, (_, i) => first + i);
          const join = (a: number, b: number): number => (product ? g.mul(a, b) : g.add(a, b));
          const other = shuffled(n, keys).map((i) => ids[i]);
          expect(bracket(other, choices, join)).toBe(bracket(ids, [0], join));
        },
      ),
    );
  });

  it('gives one structural hash to trees that differ by their leaves, order and bracketing', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 10 }),
        fc.array(fc.nat(100), { minLength: 1, maxLength: 20 }),
        (n, choices) => {
          const g = new Graph({ arithmetic: 'algebraic' });
          const terms = (): number[] => Array.from({ length: n }, () => g.mul(g.variable(), g.variable()));
          const a = bracket(terms(), [0], (x, y) => g.add(x, y));
          const b = bracket(terms(), choices, (x, y) => g.add(x, y));
          expect(a).not.toBe(b);
          const longer = g.add(a, g.variable());
          const hash = structuralHashes(g);
          expect(hash[a]).toBe(hash[b]);
          expect(hash[a]).not.toBe(hash[longer]);
        },
      ),
    );
  });

  it('recognises algebraically equal expressions', () => {
    const g = new Graph({ arithmetic: 'algebraic' });
    const [x, y, z, w] = [0, 1, 2, 3].map(() => g.variable());
    const two = g.constant(2);
    /* 2(x + y)(z + w) and 2xz + (2z + 2w)y + xw + wx, §4.1.2. */
    const a = g.mul(g.mul(two, g.add(x, y)), g.add(z, w));
    const b = g.add(
      g.add(g.mul(g.mul(two, x), z), g.mul(g.add(g.mul(two, z), g.mul(two, w)), y)),
      g.add(g.mul(x, w), g.mul(w, x)),
    );
    expect(g.algebraicHash(b)).toEqual(g.algebraicHash(a));
    expect(b).toBe(a);
    const square = (v: number): number => g.mul(v, v);
    /* ((x − y)² + xy) / (x² − xy + y²) is 1, App. D. */
    const one = g.div(g.add(square(g.sub(x, y)), g.mul(x, y)), g.add(g.sub(square(x), g.mul(x, y)), square(y)));
    expect(one).toBe(g.constant(1));
    expect(g.sub(g.mul(g.add(x, y), z), g.add(g.mul(x, z), g.mul(y, z)))).toBe(g.constant(0));
    expect(g.div(g.mul(x, y), y)).toBe(x);
  });

  it.each(['exact', 'range-keeping'] as const)(
    'keeps operations apart when they may differ by rounding: %s',
    (arithmetic) => {
      const g = new Graph({ arithmetic });
      const [x, y] = [g.variable(), g.variable()];
      expect(g.sub(g.add(x, y), y)).not.toBe(x);
      expect(g.add(x, y)).toBe(g.add(y, x));
      expect(g.mul(x, g.constant(0))).not.toBe(g.constant(0));
      expect(g.add(g.add(x, y), y)).not.toBe(g.add(x, g.add(y, y)));
      expect(g.add(x, g.constant(0))).not.toBe(x);
      expect(g.sub(x, g.constant(0))).toBe(x);
      expect(g.constant(-0)).not.toBe(g.constant(0));
      /* In f32 the sum of these two, each rounded, is another number than their sum. */
      expect(g.isConstant(g.add(g.constant(0.1), g.constant(0.7)))).toBe(false);
      expect(g.add(g.constant(0.5), g.constant(2))).toBe(g.constant(2.5));
    },
  );

  it('evaluates as plain numbers do', () => {
    const step = fc.tuple(
      fc.constantFrom(
        'add',
        'sub',
        'mul',
        'div',
        'neg',
        'abs',
        'sqrt',
        'min',
        'max',
        'lt',
        'not',
        'or',
        'select',
        'atan2',
      ),
      fc.nat(1000),
      fc.nat(1000),
    );
    /* Of which a product, a quotient, a difference or a root may be anything. */
    const special = fc.constantFrom(0, -0, 1, -1, 2, 0.1, Infinity, -Infinity, NaN, 1e308, -1e-308, 5e-324);
    const values = fc.array(fc.oneof(special, fc.double()), { minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 1, maxLength: 60 }),
        values,
        values,
        fc.constantFrom('exact', 'range-keeping'),
        (steps, x, numbers, arithmetic) => {
          const g = new Graph({ arithmetic });
          const first = g.variables(4);
          const ids = [first, first + 1, first + 2, first + 3, ...numbers.map((v) => g.constant(v))];
          const plain = [...x, ...numbers];
          for (const [name, a, b] of steps) {
            const [i, j] = [a % ids.length, b % ids.length];
            const k = (a + b) % ids.length;
            if (name === 'sub') {
              ids.push(g.sub(ids[i], ids[j]));
              plain.push(plain[i] - plain[j]);
            } else if (name === 'select') {
              ids.push(g.select(ids[i], ids[j], ids[k]));
              plain.push(plain[i] ? plain[j] : plain[k]);
            } else {
              ids.push(g.apply(scalarOp(name).code, ids[i], ids[j]));
              plain.push(scalarOp(name).evaluate(plain[i], plain[j]));
            }
          }
          evaluateGraph(g, ids, x).forEach((v, i) => expect(v).toBe(plain[i]));
        },
      ),
    );
  });

  it('holds a million nodes in at most 40 bytes each, and builds the same ids twice', () => {
    const build = (): Graph => {
      const g = new Graph({ arithmetic: 'algebraic', capacity: 1 << 20 });
      const first = g.variables(4000);
      const id = (i: number): number => first + (i % 4000);
      for (let i = 0; g.length < 1_000_000; i++) g.mul(id(i), id(Math.floor(i / 4000) + i));
      return g;
    };
    const g = build();
    expect(g.bytes / g.length).toBeLessThanOrEqual(40);
    const grown = new Graph({ arithmetic: 'algebraic' });
    const a = grown.variables(300);
    const make = (): number[] =>
      Array.from({ length: 40_000 }, (_, i) => grown.mul(a + (i % 300), a + Math.floor(i / 300)));
    const once = make();
    expect(make()).toEqual(once);
  });

  it('makes sums of products in a row as it makes them one by one, however often it grows', () => {
    const pair = fc.tuple(fc.nat(7), fc.nat(7));
    fc.assert(
      fc.property(fc.array(fc.array(pair, { maxLength: 6 }), { minLength: 1, maxLength: 60 }), (rows) => {
        const [together, apart] = [
          new Graph({ arithmetic: 'algebraic' }),
          new Graph({ arithmetic: 'algebraic', capacity: 1 << 12 }),
        ];
        const operands = [together, apart].map((g) => {
          const x = g.variables(4);
          return Int32Array.of(x, x + 1, x + 2, x + 3, g.add(x, x + 1), g.neg(x), g.constant(0), g.constant(3));
        });
        const pairs = rows.flat();
        const [ai, bi] = [0, 1].map((side) => Int32Array.from(pairs, (p) => p[side]));
        const ptr = new Int32Array(rows.length + 1);
        rows.forEach((row, e) => (ptr[e + 1] = ptr[e] + row.length));
        const sums = new Int32Array(rows.length);
        const [a, b] = operands;
        together.dots(sums, 0, a, ai, a, bi, ptr, rows.length);
        const single = rows.map((row, e) => {
          const [from, to] = [ptr[e], ptr[e + 1]];
          return apart.dot(b, ai.subarray(from, to), b, bi.subarray(from, to), row.length);
        });
        expect([...sums]).toEqual(single);
        const x = [0.5, 0.75, 1.25, 1.5];
        const value = [...x, x[0] + x[1], -x[0], 0, 3];
        const expected = rows.map((row) => row.reduce((s, [i, j]) => s + value[i] * value[j], 0));
        [...evaluateGraph(together, sums, x)].forEach((v, e) => expect(v).toBeCloseTo(expected[e], 12));
      }),
    );
  });

  it('survives a million levels', () => {
    const g = new Graph({ arithmetic: 'algebraic' });
    const x = g.variable();
    let e = x;
    const sin = scalarOp('sin').code;
    for (let i = 0; i < 1_000_000; i++) e = g.apply(sin, e);
    expect(referenceCounts(g, [e])[x]).toBe(1);
    expect(evaluateGraph(g, [e], [1])[0]).toBeGreaterThan(0);
  });

  it('finds and keeps sums without their parts', () => {
    const g = new Graph({ arithmetic: 'algebraic' });
    const a = g.variables(5);
    const b = g.variables(5);
    const ids = (f: number): Int32Array => Int32Array.from({ length: 5 }, (_, i) => f + i);
    const forward = Int32Array.of(0, 1, 2, 3, 4);
    const backward = Int32Array.of(4, 3, 2, 1, 0);
    const first = g.dot(ids(a), forward, ids(b), forward, 5);
    const length = g.length;
    expect(g.dot(ids(b), backward, ids(a), backward, 5)).toBe(first);
    expect(g.length).toBe(length);
    expect(g.sum(Int32Array.of(a, b), 2)).toBe(g.add(b, a));
  });

  it('does not find what is hidden, and finds everything else', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 400 }), fc.array(fc.nat(399), { maxLength: 60 }), (n, hidden) => {
        const g = new Graph({ arithmetic: 'algebraic', capacity: 64 });
        const x = g.variables(n);
        const make = (i: number): number => g.mul(x + i, x + ((i * i + 1) % n));
        const made = Array.from({ length: n }, (_, i) => make(i));
        const gone = new Set(hidden.map((i) => made[i % n]));
        for (const id of gone) g.hide(id);
        const kept = made.flatMap((id, i) => (gone.has(id) ? [] : [i]));
        expect(kept.map(make)).toEqual(kept.map((i) => made[i]));
        for (const [i, id] of made.entries()) if (gone.has(id)) expect(make(i)).toBeGreaterThan(made[n - 1]);
        g.reserve(4 * g.length);
        expect(kept.map(make)).toEqual(kept.map((i) => made[i]));
      }),
    );
  });

  it('agrees with itself when collisions are checked', () => {
    const g = new Graph({ arithmetic: 'algebraic', checkCollisions: true });
    const [x, y] = [g.variable(), g.variable()];
    const e = g.div(g.mul(g.add(x, y), g.sub(x, y)), g.apply(scalarOp('sqrt').code, g.mul(x, x)));
    expect(g.div(g.sub(g.mul(x, x), g.mul(y, y)), g.apply(scalarOp('sqrt').code, g.mul(x, x)))).toBe(e);
  });

  it('tells expressions apart that meet by chance', () => {
    const g = new Graph({ arithmetic: 'algebraic', checkCollisions: true });
    const [x, y] = [g.variable(), g.variable()];
    g.hash.copyWithin(3 * y, 3 * x, 3 * x + 3);
    g.mul(x, x);
    expect(() => g.mul(x, y)).toThrow('two different expressions have one algebraic hash');
    g.apply(scalarOp('sqrt').code, y);
    expect(() => g.apply(scalarOp('sqrt').code, x)).toThrow('a new sqrt');
  });

  it('finds what was made as written, whoever asks for residues and when, and however many read one node', () => {
    const names = ['max', 'atan2', 'pow', 'sin', 'add', 'mul'] as const;
    const commutative = new Set(['max', 'add', 'mul']);
    const operations = fc.array(fc.record({ name: fc.constantFrom(...names), a: fc.nat(), b: fc.nat() }), {
      minLength: 1,
      maxLength: 400,
    });
    fc.assert(
      fc.property(operations, fc.integer({ min: 3, max: 300 }), fc.nat(400), (list, width, asked) => {
        const [late, early] = [new Graph({ capacity: 4 }), new Graph()];
        const known = new Map<string, number>();
        for (const g of [late, early]) {
          const first = g.variables(3);
          /* Neither is an f32 number, so that nothing is folded. */
          const ids = [first, first + 1, first + 2, g.constant(0.1), g.constant(0.3)];
          for (const [k, { name, a, b }] of list.entries()) {
            if (g === early || k === asked) g.algebraicHash(first);
            const [x, y] = [a, b].map((n) => ids[n % Math.min(width, ids.length)]);
            const unary = name === 'sin';
            const [p, q] = unary ? [x, 0] : commutative.has(name) ? [Math.min(x, y), Math.max(x, y)] : [x, y];
            const key = `${name} ${p} ${q}`;
            const id = g.apply(scalarOp(name).code, x, unary ? 0 : y);
            expect(id).toBe(known.get(key) ?? g.length - 1);
            known.set(key, id);
            ids.push(id);
          }
        }
        expect(late.length).toBe(early.length);
        for (let id = 0; id < late.length; id++) expect(late.algebraicHash(id)).toEqual(early.algebraicHash(id));
      }),
    );
  });

  it('takes numbers as they are', () => {
    const g = new Graph({ arithmetic: 'algebraic' });
    expect(g.constantValue(g.constant(0.1))).toBe(0.1);
    expect(g.add(g.constant(0.5), g.constant(0.5))).toBe(g.constant(1));
    expect(g.constant(NaN)).toBe(g.constant(NaN));
    expect(g.constantValue(g.constant(-1e308))).toBe(-1e308);
    expect(g.constantValue(g.constant(5e-324))).toBe(5e-324);
    expect(g.constant(-0)).toBe(g.constant(0));
  });
});
