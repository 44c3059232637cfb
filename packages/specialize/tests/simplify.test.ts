import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluateGraph, Graph, referenceCounts, scalarOp, scalarOps, symbolicMath as m, type Num } from '@filigree/ir';
import {
  decompose,
  defaultOptions,
  group,
  harvest,
  simplify,
  simplifyTemplate,
  trace,
  type Harvest,
  type Program,
  type SimplifyOptions,
  type Template,
} from '@filigree/specialize';
import { right } from './support.js';

const all: SimplifyOptions = {
  factor: true,
  fractions: true,
  summands: true,
  roots: true,
  constants: true,
  keepSums: false,
};
const none: SimplifyOptions = {
  ...all,
  factor: false,
  fractions: false,
  summands: false,
  roots: false,
  constants: false,
};

const names = 'xyzwvuabc';
const SQRT = scalarOp('sqrt').code;

/** An expression of variables x, y, z, w, v, u, a, b, c. */
class Build {
  constructor(readonly graph = new Graph({ arithmetic: 'algebraic' })) {
    graph.variables(names.length);
  }
  v(name: string): number {
    for (let id = 0; id < this.graph.length; id++)
      if (this.graph.isVariable(id) && names[this.graph.variableIndex(id)] === name) return id;
    throw new Error(name);
  }
  sum = (...ids: number[]): number => ids.reduce((p, q) => this.graph.add(p, q));
  prod = (...ids: number[]): number => ids.reduce((p, q) => this.graph.mul(p, q));
  sqrt = (id: number): number => this.graph.apply(SQRT, id);
  num = (value: number): number => this.graph.constant(value);
}

/** Fully bracketed text. */
const print = ({ graph, roots }: Template): string => {
  const text = (id: number): string => {
    const { name, arity } = scalarOps[graph.op[id]];
    if (name === 'variable') return names[graph.variableIndex(id)];
    if (name === 'constant') return String(graph.constantValue(id));
    const a = text(graph.left[id]);
    if (arity === 1) return name === 'neg' ? `-${a}` : `${name}(${a})`;
    const b = text(graph.right[id]);
    const sign = ({ add: '+', mul: '*', div: '/' } as Record<string, string>)[name];
    return sign ? `(${a}${sign}${b})` : `${name}(${a},${b})`;
  };
  return roots.map(text).join('; ');
};

/** Costs of distinct operations; a sign that a sum takes as subtraction is free. */
const cost = ({ graph, roots }: Template): number => {
  const references = referenceCounts(graph, roots);
  const free = new Map<number, number>();
  let sum = 0;
  for (let id = 0; id < graph.length; id++) {
    if (references[id] === 0 || scalarOps[graph.op[id]].name !== 'add') continue;
    const sign = [graph.right[id], graph.left[id]].find((x) => scalarOps[graph.op[x]].name === 'neg');
    if (sign !== undefined) free.set(sign, (free.get(sign) ?? 0) + 1);
  }
  for (let id = 0; id < graph.length; id++)
    if (references[id] > (free.get(id) ?? 0)) sum += scalarOps[graph.op[id]].cost;
  return sum;
};

const simplified = (make: (b: Build) => number | number[], options: SimplifyOptions = all): string => {
  const b = new Build();
  const roots = [make(b)].flat();
  return print(simplifyTemplate({ graph: b.graph, roots }, options));
};

const written = (make: (b: Build) => number | number[]): string => simplified(make, none);

/* The examples of App. D. */
const factoring = (b: Build): number => {
  const [x, y, z, w, v, u] = [...'xyzwvu'].map((c) => b.v(c));
  return b.sum(b.prod(x, y, z), b.prod(x, w, y), b.prod(v, x, y), b.prod(u, x));
};
const fraction = (b: Build): number => {
  const [x, y, z, w] = [...'xyzw'].map((c) => b.v(c));
  const s = b.graph.add(x, y);
  return b.graph.mul(b.graph.div(b.prod(s, z, z), b.prod(s, s, w)), b.graph.div(b.prod(w, w), z));
};
const summands = (b: Build): number => {
  const [x, y] = [b.v('x'), b.v('y')];
  return b.graph.sub(b.sum(x, x, y), b.prod(b.num(2), b.sum(y, x)));
};
const squaredNorm = (b: Build): number => {
  const [x, y] = [b.v('x'), b.v('y')];
  const r = b.sqrt(b.sum(b.prod(x, x), b.prod(y, y)));
  return b.graph.mul(r, r);
};
const hidden = (b: Build): number => {
  const [x, y] = [b.v('x'), b.v('y')];
  const d = b.graph.sub(x, y);
  return b.graph.div(b.sum(b.prod(d, d), b.prod(x, y)), b.sum(b.prod(x, x), b.graph.neg(b.prod(x, y)), b.prod(y, y)));
};

describe('simplification', () => {
  it('simplifies every example of App. D as printed', () => {
    expect(simplified(factoring)).toBe('(x*((y*((z+w)+v))+u))');
    expect(simplified(fraction)).toBe('((z*w)/(x+y))');
    expect(simplified(summands)).toBe('-y');
    expect(simplified(squaredNorm)).toBe('((x*x)+(y*y))');
    expect(simplified(hidden)).toBe('1');
  });

  it('does each with its own switch only', () => {
    expect(simplified(factoring, { ...all, factor: false })).toBe(written(factoring));
    expect(simplified(fraction, { ...all, fractions: false })).toBe(written(fraction));
    expect(simplified(summands, { ...all, summands: false, factor: false })).toBe(written(summands));
    expect(simplified(squaredNorm, { ...all, roots: false })).toBe(written(squaredNorm));
    expect(simplified(factoring, { ...none, factor: true })).toBe(simplified(factoring));
    expect(simplified(fraction, { ...none, fractions: true })).toBe(simplified(fraction));
    expect(simplified(summands, { ...none, summands: true })).toBe('-y');
    expect(simplified(squaredNorm, { ...none, roots: true })).toBe(simplified(squaredNorm));
  });

  it('leaves sums alone when told to', () => {
    expect(simplified(factoring, { ...all, keepSums: true })).toBe(written(factoring));
    expect(simplified(summands, { ...all, keepSums: true })).toBe(written(summands));
    expect(simplified(fraction, { ...all, keepSums: true })).toBe('((z*w)/(x+y))');
  });

  it('writes roots and quotients cheaply', () => {
    expect(simplified((b) => b.prod(b.sqrt(b.v('x')), b.sqrt(b.v('y'))))).toBe('sqrt((x*y))');
    expect(simplified((b) => b.graph.div(b.v('x'), b.sqrt(b.v('y'))))).toBe('(x*rsqrt(y))');
    expect(simplified((b) => b.sqrt(b.prod(b.v('x'), b.v('x'))))).toBe('abs(x)');
    expect(simplified((b) => b.sqrt(b.prod(b.num(4), b.v('x'), b.v('x'))))).toBe('(2*abs(x))');
    expect(simplified((b) => b.graph.div(b.v('x'), b.num(3)))).toBe(`(${1 / 3}*x)`);
    expect(
      simplified((b) =>
        b.graph.div(
          b.sum(b.v('x'), b.v('y')),
          b.sum(b.v('y'), b.v('x'), b.v('y'), b.v('x'), b.v('x'), b.v('y'), b.v('x'), b.v('y')),
        ),
      ),
    ).toBe('0.25');
    expect(simplified((b) => b.sum(b.graph.div(b.v('x'), b.v('z')), b.graph.div(b.v('y'), b.v('z'))))).toBe(
      '((x+y)/z)',
    );
  });

  it('inverts a shared denominator once', () => {
    const normal = (b: Build): number[] => {
      const v = [...'xyz'].map((c) => b.v(c));
      const r = b.sqrt(b.sum(...v.map((c) => b.prod(c, c))));
      return v.map((c) => b.graph.div(c, r));
    };
    const squares = '(((x*x)+(y*y))+(z*z))';
    expect(simplified(normal)).toBe([...'xyz'].map((c) => `(${c}*rsqrt(${squares}))`).join('; '));
    expect(simplified((b) => [...'xyw'].map((c) => b.graph.div(b.v(c), b.sum(b.v('a'), b.v('c')))))).toBe(
      [...'xyw'].map((c) => `(${c}*(1/(a+c)))`).join('; '),
    );
  });

  it('does not pull a factor out of what others use', () => {
    /* x·y is computed anyway. */
    expect(
      simplified((b) => [
        b.sum(b.prod(b.v('x'), b.v('y')), b.v('z')),
        b.graph.div(b.v('w'), b.prod(b.v('x'), b.v('y'))),
      ]),
    ).toBe('((x*y)+z); (w/(x*y))');
  });

  it('keeps values, never raises the cost, and leaves its input alone', () => {
    const step = fc.tuple(
      fc.constantFrom(
        'add',
        'add',
        'sub',
        'mul',
        'mul',
        'div',
        'neg',
        'sqrt',
        'rsqrt',
        'abs',
        'max',
        'lt',
        'select',
        'twice',
        'third',
      ),
      fc.nat(1000),
      fc.nat(1000),
    );
    const switches = fc.record({
      factor: fc.boolean(),
      fractions: fc.boolean(),
      summands: fc.boolean(),
      roots: fc.boolean(),
      constants: fc.boolean(),
      keepSums: fc.boolean(),
    });
    const point = fc.array(fc.double({ min: 0.5, max: 2, noNaN: true }), { minLength: 9, maxLength: 9 });
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 1, maxLength: 50 }),
        fc.oneof(fc.constant(all), switches),
        point,
        (steps, options, x) => {
          const b = new Build();
          const g = b.graph;
          const ids = [...names].slice(0, 4).map((c) => b.v(c));
          for (const [name, i, j] of steps) {
            const [p, q] = [ids[ids.length - 1 - (i % Math.min(ids.length, 8))], ids[j % ids.length]];
            if (name === 'sub') ids.push(g.sub(p, q));
            else if (name === 'twice') ids.push(g.mul(b.num(2), p));
            else if (name === 'third') ids.push(g.div(p, b.num(3)));
            else if (name === 'select') ids.push(g.select(g.apply(scalarOp('lt').code, p, q), q, p));
            else ids.push(g.apply(scalarOp(name).code, p, q));
          }
          const template = { graph: g, roots: ids.slice(-3) };
          const before = evaluateGraph(
            g,
            g.length > 0
              ? Array.from({ length: g.length }, (_, i) => i).filter((i) => scalarOps[g.op[i]].name !== 'arms')
              : [],
            x,
          );
          /* Rewriting holds for real numbers: where nothing is undefined, huge, tiny or cancelled. */
          fc.pre(before.every((v) => Number.isFinite(v) && Math.abs(v) < 1e4 && (v === 0 || Math.abs(v) > 1e-4)));
          const length = g.length;
          const result = simplifyTemplate(template, options);
          const [expected, actual] = [
            evaluateGraph(g, template.roots, x),
            evaluateGraph(result.graph, result.roots, x),
          ];
          expected.forEach((v, i) => expect(Math.abs(actual[i] - v)).toBeLessThan(1e-6));
          expect(cost(result)).toBeLessThanOrEqual(cost(template));
          expect(g.length).toBe(length);
          expect(result.graph.variableCount).toBe(g.variableCount);
        },
      ),
      { numRuns: 400 },
    );
  });

  it('leaves exact programs as they are', () => {
    const b = new Build(new Graph({ arithmetic: 'exact' }));
    const template = { graph: b.graph, roots: [summands(b)] };
    expect(print(simplifyTemplate(template, all))).toBe(print(template));
  });

  it('takes long chains without recursion', () => {
    const b = new Build();
    const [x, y] = [b.v('x'), b.v('y')];
    let chain = x;
    for (let i = 0; i < 20_000; i++) chain = i % 2 === 0 ? b.graph.mul(chain, y) : b.graph.add(chain, b.sqrt(chain));
    const result = simplifyTemplate({ graph: b.graph, roots: [chain] }, all);
    const at = Float64Array.from({ length: 9 }, (_, i) => (i === 0 ? 0.3 : 0.01));
    const [expected, actual] = [
      evaluateGraph(b.graph, [chain], at)[0],
      evaluateGraph(result.graph, result.roots, at)[0],
    ];
    expect(Math.abs(actual - expected)).toBeLessThanOrEqual(1e-9 * Math.abs(expected));
  });
});

describe('simplification of harvested groups', () => {
  const harvested = (program: Program): Harvest =>
    right(
      harvest().run(right(group().run(right(decompose().run(right(trace({ arithmetic: 'algebraic' }).run(program))))))),
    );
  const n = 80;
  const each = (f: (x: Num, y: Num, i: number) => Num): Program => ({
    inputs: { x: n, y: n },
    run: ({ x, y }) => ({ out: Array.from({ length: n }, (_, i) => f((x as Num[])[i], (y as Num[])[i], i)) }),
  });

  it('drops leaves that cancel', () => {
    const h = harvested(each((x, y) => m.sub(m.add(m.mul(m.abs(y), m.abs(y)), m.sin(x)), m.mul(y, y))));
    expect(h.harvested[0].body!.columns.length).toBe(2);
    const s = right(simplify().run(h)).harvested[0].body!;
    expect(s.columns.length).toBe(1);
    expect(s.template.graph.variableCount).toBe(1);
    expect(evaluateGraph(s.template.graph, s.template.roots, [0.7])[0]).toBe(Math.sin(0.7));
  });

  it('inverts and combines constants that vary from instance to instance', () => {
    const c = (i: number): number => 3 + i;
    const h = harvested(each((x, y, i) => m.add(m.div(m.mul(x, y), c(i)), m.sin(x))));
    const before = h.harvested[0].body!;
    expect(before.constants.length).toBe(1);
    const after = right(simplify().run(h)).harvested[0].body!;
    expect([...after.constants[0]]).toEqual([...before.constants[0]].map((v) => 1 / v));
    expect(
      scalarOps
        .filter((o) => o.name === 'div')
        .some((o) => [...after.template.graph.op.slice(0, after.template.graph.length)].includes(o.code)),
    ).toBe(false);
  });

  it('changes nothing when switched off', () => {
    const h = harvested(each((x, y) => m.add(m.mul(x, y), m.mul(x, 3))));
    expect(right(simplify(false).run(h))).toBe(h);
    expect(right(simplify(defaultOptions.simplify).run(h)).harvested[0].units).toBe(h.harvested[0].units);
  });
});
