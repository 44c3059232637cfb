import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ARITHMETICS,
  Graph,
  Sym,
  evaluateGraph,
  graphCodes,
  symbolicMath as m,
  type Arithmetic,
  type Num,
} from '@filigree/ir';
import { derivatives, gradientOf, hessianOf, jacobianOf } from '@filigree/autodiff';
import { refusal } from './refusal.js';

describe.each(ARITHMETICS)('derivatives of graphs, %s arithmetic', (arithmetic) => {
  it('agree with central differences on random expressions', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 3, maxLength: 25 }), point, (steps, at) => {
        const { graph, variables, root } = built(arithmetic, steps);
        fc.pre(reaches(graph, root, variables));
        const gradient = evaluateGraph(graph, gradientOf(graph, root, variables), at);
        const f = (x: readonly number[]): number => evaluateGraph(graph, [root], x)[0];
        fc.pre(smoothAt(f, at));
        for (let i = 0; i < SIZE; i++) expectNear(gradient[i], difference(f, at, i));

        const rows = gradientOf(graph, root, variables);
        const hessian = dense(graph, hessianOf(graph, root, variables), at);
        for (let j = 0; j < SIZE; j++) {
          const g = (x: readonly number[]): number => evaluateGraph(graph, [rows[j]], x)[0];
          fc.pre(smoothAt(g, at));
          for (let i = 0; i < SIZE; i++) expectNear(hessian[i][j], difference(g, at, i));
        }
      }),
      { numRuns: 150 },
    );
  });

  it('are those of a Jacobian, row by row', () => {
    const { graph, x } = inputs(arithmetic, 3);
    const rows = [m.mul(x[0], x[2]), m.sin(x[1]), 3, m.add(x[0], m.mul(x[0], x[0]))].map((v) => idOf(graph, v));
    const J = jacobianOf(
      graph,
      Int32Array.from(rows),
      Int32Array.from(x, (v) => v.id),
    );
    expect(dense(graph, J, [2, 0.5, 7])).toEqual([
      [7, 0, 2],
      [0, Math.cos(0.5), 0],
      [0, 0, 0],
      [5, 0, 0],
    ]);
    expect([...J.pattern.rowPtr]).toEqual([0, 2, 3, 3, 4]);
  });

  it('find the pattern, and give the lower half alone where that is asked for', () => {
    const { graph, x } = inputs(arithmetic, 3);
    const energy = m.add(m.mul(x[0], m.exp(x[2])), m.pow(x[1], 3)) as Sym;
    const ids = Int32Array.from(x, (v) => v.id);
    const lower = hessianOf(graph, energy.id, ids, { half: 'lower' });
    expect([...lower.pattern.rowPtr]).toEqual([0, 0, 1, 3]);
    expect([...lower.pattern.colIdx]).toEqual([1, 0, 2]);
    const e = Math.exp(0.25);
    expect(dense(graph, hessianOf(graph, energy.id, ids), [2, 3, 0.25])).toEqual([
      [0, 0, e],
      [0, 18, 0],
      [e, 0, 2 * e],
    ]);
  });

  it('are never NaN by an arm that is not taken', () => {
    const { graph, x } = inputs(arithmetic, 2);
    const [a, b] = x;
    const guarded = m.select(m.gt(a, 0), m.mul(m.log(a), b), m.mul(a, b));
    const capped = m.max(m.div(1, a), m.mul(b, b));
    const energy = m.add(guarded, m.select(m.gt(a, 0), capped, m.mul(b, b))) as Sym;
    const ids = Int32Array.from(x, (v) => v.id);
    const at = [0, 3];
    expect([...evaluateGraph(graph, gradientOf(graph, energy.id, ids), at)]).toEqual([3, 6]);
    expect(dense(graph, hessianOf(graph, energy.id, ids), at)).toEqual([
      [0, 1],
      [1, 2],
    ]);
  });

  /* Sums of many terms in three variables. */
  const long = (x: readonly Num[], terms: number, phase: number): Num =>
    Array.from({ length: terms }, (_, k): Num => {
      const [a, b] = [x[k % 3], x[(k + 1) % 3]];
      return m.mul(Math.cos(k + phase) + 1.5, m.mul(m.sin(m.add(a, 0.1 * k)), m.exp(m.mul(0.3, b))));
    }).reduce((a, b) => m.add(a, b));

  it('of functions of long sums are found by the chain rule, with a node more for a term more', () => {
    const at = [0.4, 0.7, -0.2];
    const made = (terms: number): number => {
      const { graph, x } = inputs(arithmetic, 3);
      const [s, t] = [long(x, terms, 0), long(x, terms, 2)];
      const inner = long([m.div(1, m.add(2, m.mul(s, s))), x[1], x[2]], terms, 1);
      const chosen = m.select(m.gt(x[1], 0), m.mul(t, s), m.log(t));
      const energy = m.add(m.add(s, m.mul(x[0], m.log(m.add(300, t)))), m.add(chosen, m.mul(inner, x[2]))) as Sym;
      const ids = Int32Array.from(x, (v) => v.id);
      const before = graph.length;
      const hessian = hessianOf(graph, energy.id, ids);
      const count = graph.length - before;
      const rows = gradientOf(graph, energy.id, ids);
      const found = dense(graph, hessian, at);
      for (let j = 0; j < 3; j++) {
        const g = (y: readonly number[]): number => evaluateGraph(graph, [rows[j]], y)[0];
        for (let i = 0; i < 3; i++) expectNear(found[i][j] / terms ** 2, difference(g, at, i) / terms ** 2);
      }
      return count;
    };
    const [few, many] = [made(120), made(480)];
    if (arithmetic !== 'algebraic') expect(many).toBeLessThan(5 * few);
  });

  it('of many terms in parameters that all have in common are those of one term, once', () => {
    const { graph, x } = inputs(arithmetic, 601);
    const [parameter, ...data] = x;
    const energy = data.map((y) => m.sin(m.mul(y, parameter))).reduce((a: Num, b) => m.add(a, b)) as Sym;
    const members: number[] = [];
    gradientOf(graph, energy.id, Int32Array.of(parameter.id), {
      sums: (bodies, count) => {
        members.push(...bodies.map((b) => b.count));
        return new Int32Array(count).fill(parameter.id);
      },
    });
    expect(members).toEqual([600]);
  });

  it('of many terms with conditions choose once for each, and not again for their sum', () => {
    const { graph, x } = inputs(arithmetic, 3);
    const terms = Array.from({ length: 50 }, (_, k) =>
      m.select(m.gt(x[1], 0.1 * k), m.mul(m.sin(m.mul(k + 1, x[0])), x[2]), m.mul(m.exp(m.mul(-k, x[0])), x[2])),
    );
    const energy = terms.reduce((a, b) => m.add(a, b)) as Sym;
    const ids = Int32Array.from(x, (v) => v.id);
    const before = graph.length;
    const gradient = gradientOf(graph, energy.id, ids);
    const selections = graph.op.slice(before, graph.length).filter((op) => op === graphCodes.SELECT).length;
    /* Two arms, each by two variables. */
    expect(selections).toBeLessThanOrEqual(4 * terms.length);
    const at = [0.3, 2.05, 1.5];
    const f = (y: readonly number[]): number => evaluateGraph(graph, [energy.id], y)[0];
    const found = evaluateGraph(graph, gradient, at);
    for (const i of [0, 2]) expectNear(found[i], difference(f, at, i));
  });

  it('of functions of long sums are never NaN by an arm that is not taken', () => {
    const { graph, x } = inputs(arithmetic, 2);
    const sum = Array.from({ length: 40 }, (_, k) => m.mul(m.mul(k + 1, x[0]), x[1])).reduce((a, b) => m.add(a, b));
    const energy = m.add(m.select(m.gt(x[0], 0), m.log(sum), 0), m.mul(x[1], x[1])) as Sym;
    const ids = Int32Array.from(x, (v) => v.id);
    expect(dense(graph, hessianOf(graph, energy.id, ids), [0, 3])).toEqual([
      [0, 0],
      [0, 2],
    ]);
  });

  /* A ring of points; pairs of neighbours, and functions of what the pairs around a point add up to: the point's curvature, or its density. */
  const ring = (n: number, f: (sum: Num, next: Num, x: Num) => Num) => {
    const { graph, x } = inputs(arithmetic, n);
    const pairs = x.map((a, i) => m.mul(m.sin(m.mul(a, x[(i + 1) % n])), m.exp(m.mul(-0.2, m.add(a, x[(i + 1) % n])))));
    const sums = x.map((_, i) =>
      [-3, -2, -1, 0, 1, 2].reduce((sum: Num, d) => m.add(sum, m.mul(1 + 0.1 * d, pairs[(i + d + n) % n])), 0),
    );
    const energy = x
      .map((a, i) => m.add(m.mul(a, a), f(sums[i], sums[(i + 1) % n], a)))
      .reduce((a: Num, b) => m.add(a, b)) as Sym;
    return { graph, ids: Int32Array.from(x, (v) => v.id), root: energy.id };
  };

  it.each<readonly [string, (s: Num, t: Num, x: Num) => Num]>([
    ['logarithms', (s) => m.log(m.add(3, s))],
    ['products with variables', (s, _, x) => m.mul(m.mul(s, s), x)],
    ['products of two', (s, t, x) => m.mul(m.mul(s, t), m.sin(x))],
    ['choices', (s, _, x) => m.select(m.lt(x, 0.9), m.mul(m.pow(s, 3), x), 0)],
    ['choices by them', (s, t) => m.select(m.lt(s, t), m.mul(s, t), m.pow(t, 2))],
    ['extrema', (s, _, x) => m.pow(m.max(m.sub(s, x), 0), 2)],
  ])('of functions of many sums with terms in common: %s', (_name, f) => {
    const n = 20;
    const { graph, ids, root } = ring(n, f);
    const rows = gradientOf(graph, root, ids);
    const at = Array.from(ids, (_, i) => 0.8 + 0.4 * Math.sin(1.7 * i));
    const found = dense(graph, hessianOf(graph, root, ids), at);
    const gradient = evaluateGraph(graph, rows, at);
    for (let i = 0; i < n; i++) {
      expectNear(
        gradient[i],
        difference((x) => evaluateGraph(graph, [root], x)[0], at, i),
      );
      for (const j of [0, 7, i]) {
        const along = (x: readonly number[]): number => evaluateGraph(graph, [rows[j]], x)[0];
        expectNear(found[i][j], difference(along, at, i));
      }
    }
  });

  it('of functions of sums and of their differences, which are the longer sums', () => {
    const { graph, x } = inputs(arithmetic, 18);
    const sums = [0, 1, 2].map((k) =>
      Array.from({ length: 22 }, (_, e) => m.mul(x[(3 * e + k) % 18], x[(5 * e + 7 * k + 1) % 18])).reduce((p, q) =>
        m.add(p, q),
      ),
    );
    const energy = sums
      .map((s, i) => m.add(m.mul(s, s), m.sin(m.sub(s, sums[(i + 1) % 3]))))
      .reduce((p, q) => m.add(p, q)) as Sym;
    const ids = Int32Array.from(x, (v) => v.id);
    const rows = gradientOf(graph, energy.id, ids);
    const at = Array.from(ids, (_, i) => 0.3 + 0.1 * Math.sin(1.7 * i));
    const found = dense(graph, hessianOf(graph, energy.id, ids), at);
    for (const j of [0, 7, 17]) {
      const along = (y: readonly number[]): number => evaluateGraph(graph, [rows[j]], y)[0];
      at.forEach((_, i) => expectNear(found[i][j], difference(along, at, i)));
    }
  });

  it('of functions of many sums look at each term once', () => {
    const made = (n: number): number => {
      const { graph, ids, root } = ring(n, (s, t, x) => m.mul(m.log(m.add(3, s)), m.mul(t, x)));
      const before = graph.length;
      hessianOf(graph, root, ids);
      return graph.length - before;
    };
    const [few, many] = [made(40), made(80)];
    expect(many).toBeLessThan(2.1 * few);
    /* Point by point it is 917 nodes a point. */
    if (arithmetic !== 'algebraic') expect(many / 80).toBeLessThan(350);
  });

  /* At 0 the logarithms below the sums have infinite derivatives, and no arm that reads the sums is taken. */
  const above = (a: Num, value: Num): Num => m.select(m.gt(a, 0), value, 0);
  it.each<readonly [string, (s: readonly Num[], x: readonly Num[], i: number) => Num]>([
    ['one', (s, x, i) => above(x[i], m.log(m.add(s[i], 1)))],
    ['two', (s, x, i) => m.add(above(x[i], m.log(m.add(s[i], 1))), above(x[(i + 3) % 12], m.mul(s[i], s[i])))],
    ['of two sums', (s, x, i) => m.mul(2.7 + i, above(x[i], m.mul(m.sin(s[i]), s[(i + 1) % 12])))],
    ['maxima', (s, x, i) => m.mul(m.max(s[i], 0), m.max(s[(i + 1) % 12], x[i]))],
    ['within others', (s, x, i) => above(x[i], m.mul(x[(i + 2) % 12], above(x[(i + 1) % 12], m.exp(s[i]))))],
  ])('of functions of many sums are never NaN by arms that are not taken: %s', (_name, f) => {
    const { graph, x } = inputs(arithmetic, 12);
    const logs = x.map((a, i) => m.log(m.mul(a, x[(i + 1) % 12])));
    const sums = x.map((_, i) => [0, 1, 2, 3, 4, 5].map((d) => logs[(i + d) % 12]).reduce((p, q) => m.add(p, q)));
    const energy = x.map((a, i) => m.add(f(sums, x, i), m.mul(a, a))).reduce((p, q) => m.add(p, q)) as Sym;
    const ids = Int32Array.from(x, (v) => v.id);
    const zero = Array.from(ids, () => 0);
    expect([...evaluateGraph(graph, gradientOf(graph, energy.id, ids), zero)].map(Math.abs)).toEqual(zero);
    dense(graph, hessianOf(graph, energy.id, ids), zero).forEach((row, i) =>
      expect(row.map(Math.abs)).toEqual(zero.map((_, j) => (i === j ? 2 : 0))),
    );
  });

  it('may be differentiated again', () => {
    const { graph, x } = inputs(arithmetic, 1);
    const ids = Int32Array.of(x[0].id);
    let d = (m.exp(m.mul(2, x[0])) as Sym).id;
    for (let k = 0; k < 4; k++) d = gradientOf(graph, d, ids)[0];
    expect(evaluateGraph(graph, [d], [0.5])[0]).toBeCloseTo(16 * Math.E, 10);
  });

  it('of deep graphs need no stack', () => {
    const { graph, x } = inputs(arithmetic, 2);
    const depth = 100_000;
    let y: Num = x[0];
    for (let k = 0; k < depth; k++) y = m.sin(y);
    const gradient = gradientOf(
      graph,
      idOf(graph, y),
      Int32Array.from(x, (v) => v.id),
    );
    let [value, expected] = [1, 1];
    for (let k = 0; k < depth; k++) {
      expected *= Math.cos(value);
      value = Math.sin(value);
    }
    expect(evaluateGraph(graph, gradient, [1, 1])[0] / expected).toBeCloseTo(1, 8);
  });
});

describe('derivatives of graphs are refused', () => {
  it('where nothing depends on what they are by', () => {
    const { graph, x } = inputs('exact', 2);
    expect(refusal(() => gradientOf(graph, (m.sin(x[0]) as Sym).id, Int32Array.of(x[1].id)))).toBe(
      'derivative/independent',
    );
  });

  it('but are zero where that is by steps alone', () => {
    const { graph, x } = inputs('exact', 1);
    const ids = Int32Array.of(x[0].id);
    expect([...evaluateGraph(graph, gradientOf(graph, (m.floor(x[0]) as Sym).id, ids), [0.5])]).toEqual([0]);
  });

  it('for an operation without a rule', () => {
    const { graph, x } = inputs('exact', 1);
    const table = Object.fromEntries(Object.entries(derivatives).filter(([name]) => name !== 'math.sin'));
    const root = (m.sin(x[0]) as Sym).id;
    const ids = Int32Array.of(x[0].id);
    expect(refusal(() => hessianOf(graph, root, ids, { table }))).toBe('derivative/no-rule');
    const refused = {
      ...derivatives,
      'math.sin': { is: 'refused', why: 'it is not known', remedy: 'do without' },
    } as const;
    expect(refusal(() => gradientOf(graph, root, ids, { table: refused }))).toBe('derivative/refused');
  });

  it('by a value that stands twice, and over the reals by an expression', () => {
    const { graph, x } = inputs('algebraic', 1);
    const square = (m.mul(x[0], x[0]) as Sym).id;
    expect(refusal(() => gradientOf(graph, square, Int32Array.of(x[0].id, x[0].id)))).toBe('derivative/twice');
    expect(refusal(() => gradientOf(graph, square, Int32Array.of(square)))).toBe('derivative/by-expression');
  });
});

it('by expressions, these are independent of each other', () => {
  const { graph, x } = inputs('exact', 1);
  const y = m.sin(x[0]) as Sym;
  const energy = m.mul(m.mul(y, y), x[0]) as Sym;
  const gradient = gradientOf(graph, energy.id, Int32Array.of(y.id, x[0].id));
  const s = Math.sin(0.7);
  expect([...evaluateGraph(graph, gradient, [0.7])]).toEqual([s * 0.7 + s * 0.7, s * s]);
});

it.each(['exact', 'range-keeping'] as const)('by a product of what is multiplied with it, %s', (arithmetic) => {
  const { graph, x } = inputs(arithmetic, 3);
  const [u, v, w] = x;
  const a = m.mul(u, v) as Sym;
  const by = Int32Array.of(a.id, w.id);
  const at = [0.7, 1.3, 0.4];
  /* As a node u·v is a itself. */
  const linear = m.mul(m.mul(a, v), u) as Sym;
  expect([...evaluateGraph(graph, gradientOf(graph, linear.id, Int32Array.of(a.id)), at)]).toEqual([1.3 * 0.7]);
  const product = m.mul(m.mul(m.mul(a, w), v), u) as Sym;
  const expected = [0.4 * 1.3 * 0.7, 0.7 * 1.3 * 1.3 * 0.7];
  evaluateGraph(graph, gradientOf(graph, product.id, by), at).forEach((d, i) => expect(d).toBeCloseTo(expected[i], 14));
  const { pattern, values } = hessianOf(graph, product.id, by);
  expect([...pattern.colIdx]).toEqual([1, 0]);
  for (const d of evaluateGraph(graph, values, at)) expect(d).toBeCloseTo(1.3 * 0.7, 14);
});

const inputs = (arithmetic: Arithmetic, count: number): { readonly graph: Graph; readonly x: readonly Sym[] } => {
  const graph = new Graph({ arithmetic });
  const first = graph.variables(count);
  return { graph, x: Array.from({ length: count }, (_, i) => new Sym(graph, first + i)) };
};

const idOf = (graph: Graph, x: Num): number => (typeof x === 'number' ? graph.constant(x) : x.id);

const SIZE = 4;
const point = fc.array(fc.double({ min: 0.3, max: 1.7, noNaN: true }), { minLength: SIZE, maxLength: SIZE });

/** One operation on two of the values so far, counted from the last. */
const step = fc.record({
  op: fc.constantFrom(
    'add',
    'sub',
    'mul',
    'mul',
    'div',
    'sqrt',
    'rsqrt',
    'sin',
    'atan',
    'exp',
    'log',
    'pow2',
    'pow',
    'hypot',
    'min',
    'max',
    'select',
    'abs',
    'neg',
  ),
  a: fc.nat(8),
  b: fc.nat(8),
});

const built = (
  arithmetic: Arithmetic,
  steps: readonly { readonly op: string; readonly a: number; readonly b: number }[],
): { readonly graph: Graph; readonly variables: Int32Array; readonly root: number } => {
  const graph = new Graph({ arithmetic });
  const first = graph.variables(SIZE);
  const variables = Int32Array.from({ length: SIZE }, (_, i) => first + i);
  const values: Num[] = Array.from(variables, (id) => new Sym(graph, id));
  for (const { op, a, b } of steps) {
    const [x, y] = [values[(values.length - 1 - a + 9 * values.length) % values.length], values[b % values.length]];
    const f = (m as unknown as Record<string, (...operands: Num[]) => Num>)[op];
    /* Away from poles. */
    const positive = (v: Num): Num => m.add(m.abs(v), 0.5);
    if (op === 'pow2') values.push(m.pow(x, 2));
    else if (op === 'select') values.push(m.select(m.lt(x, y), m.mul(x, y), m.add(x, 0.5)));
    else if (op === 'div') values.push(m.div(x, positive(y)));
    else values.push(f(['pow', 'log', 'rsqrt'].includes(op) ? positive(x) : x, y));
  }
  const root = values.slice(-3).reduce((p, q) => m.add(p, q)) as Sym;
  return { graph, variables, root: root.id };
};

const reaches = (graph: Graph, root: number, variables: Int32Array): boolean => {
  try {
    gradientOf(graph, root, variables);
    return true;
  } catch {
    return false;
  }
};

const difference = (f: (x: readonly number[]) => number, at: readonly number[], i: number, h = 1e-4): number => {
  const along = (t: number): number => f(at.map((x, k) => (k === i ? x + t : x)));
  /* Five points, so that what is left of the error is rounding. */
  return (8 * (along(h) - along(-h)) - (along(2 * h) - along(-2 * h))) / (12 * h);
};

/** Far enough from kinks and poles that differences with two steps, and those to both sides, agree. */
const smoothAt = (f: (x: readonly number[]) => number, at: readonly number[]): boolean =>
  at.every((_, i) => {
    const [a, b] = [difference(f, at, i, 1e-4), difference(f, at, i, 3e-4)];
    const [up, down] = [1e-4, -1e-4].map((h) => (f(at.map((x, k) => (k === i ? x + h : x))) - f(at)) / h);
    if (!(Math.abs(up - down) <= 0.1 * (1 + Math.abs(a)))) return false;
    return Math.abs(f(at)) < 1e4 && Math.abs(a) < 1e5 && Math.abs(a - b) <= 1e-7 * (1 + Math.abs(a));
  });

const expectNear = (found: number, expected: number): void => {
  expect(Math.abs(found - expected)).toBeLessThanOrEqual(1e-6 * Math.max(1, Math.abs(expected)));
};

const dense = (graph: Graph, h: ReturnType<typeof hessianOf>, at: readonly number[]): number[][] => {
  const { rows, cols, rowPtr, colIdx } = h.pattern;
  const values = evaluateGraph(graph, h.values, at);
  const out = Array.from({ length: rows }, () => new Array<number>(cols).fill(0));
  for (let i = 0; i < rows; i++) for (let e = rowPtr[i]; e < rowPtr[i + 1]; e++) out[i][colIdx[e]] = values[e];
  return out;
};
