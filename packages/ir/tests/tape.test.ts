import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Graph, Sym, scalarOp, symbolicMath as m, type GraphOptions, type Num } from '@filigree/ir';

/** One operation of a random program: its operands are numbers or earlier values, by their distance. */
type Step = readonly [op: number, a: number, b: number, c: number];

const NUMBERS = [0, 1, -1, 0.5, 3];
const INPUTS = 6;

const steps = fc.array(fc.tuple(fc.nat(9), fc.nat(40), fc.nat(40), fc.nat(40)), { minLength: 1, maxLength: 900 });

const code = (name: string): number => scalarOp(name).code;

/** The program on symbols. */
const onSymbols = (graph: Graph, program: readonly Step[]): readonly Num[] => {
  const values: Num[] = Array.from({ length: INPUTS }, () => new Sym(graph, graph.variable()));
  const ops = [m.add, m.sub, m.mul, m.div, m.min] as const;
  for (const [op, x, y, z] of program) {
    const [a, b, c] = [x, y, z].map((k) =>
      k < NUMBERS.length && op < 5 ? NUMBERS[k] : values.at(-1 - (k % values.length))!,
    );
    if (op < 5) values.push(ops[op](a, b));
    else if (op === 5) values.push(m.neg(a));
    else if (op === 6) values.push(m.sqrt(a));
    else if (op === 7) values.push(m.select(m.lt(a, b), a, c));
    else if (op === 8) {
      const less = m.lt(a, b);
      values.push(typeof less === 'boolean' ? Number(less) : less);
    } else values.push(m.pow(a, z % 5));
  }
  return values;
};

/** The same program by calls of the graph, which makes each node at once. */
const onNodes = (graph: Graph, program: readonly Step[]): readonly Num[] => {
  const at = (x: Num): number => (typeof x === 'number' ? graph.constant(x) : x.id);
  const values: Num[] = Array.from({ length: INPUTS }, () => new Sym(graph, graph.variable()));
  const made = (f: (a: number, b: number) => number, a: Num, b: Num, plain: (a: number, b: number) => number): Num =>
    typeof a === 'number' && typeof b === 'number' ? plain(a, b) : new Sym(graph, f(at(a), at(b)));
  const ops = [
    (a: Num, b: Num) =>
      made(
        (x, y) => graph.add(x, y),
        a,
        b,
        (x, y) => x + y,
      ),
    (a: Num, b: Num) =>
      made(
        (x, y) => graph.sub(x, y),
        a,
        b,
        (x, y) => x - y,
      ),
    (a: Num, b: Num) =>
      made(
        (x, y) => graph.mul(x, y),
        a,
        b,
        (x, y) => x * y,
      ),
    (a: Num, b: Num) =>
      made(
        (x, y) => graph.div(x, y),
        a,
        b,
        (x, y) => x / y,
      ),
    (a: Num, b: Num) => made((x, y) => graph.apply(code('min'), x, y), a, b, Math.min),
  ] as const;
  const one = (a: Num, plain: (x: number) => number, f: (x: number) => number): Num =>
    typeof a === 'number' ? plain(a) : new Sym(graph, f(a.id));
  for (const [op, x, y, z] of program) {
    const [a, b, c] = [x, y, z].map((k) =>
      k < NUMBERS.length && op < 5 ? NUMBERS[k] : values.at(-1 - (k % values.length))!,
    );
    const less = (): Num =>
      made(
        (u, v) => graph.apply(code('lt'), u, v),
        a,
        b,
        (u, v) => (u < v ? 1 : 0),
      );
    if (op < 5) values.push(ops[op](a, b));
    else if (op === 5)
      values.push(
        one(
          a,
          (v) => -v,
          (v) => graph.neg(v),
        ),
      );
    else if (op === 6) values.push(one(a, Math.sqrt, (v) => graph.apply(code('sqrt'), v)));
    else if (op === 7) {
      const condition = less();
      if (typeof condition === 'number') values.push(condition !== 0 ? a : c);
      else values.push(new Sym(graph, graph.select(condition.id, at(a), at(c))));
    } else if (op === 8) values.push(less());
    else if (typeof a === 'number') values.push(a ** (z % 5));
    else if (z % 5 === 0) values.push(1);
    else {
      const square = z % 5 > 1 ? graph.mul(a.id, a.id) : a.id;
      if (z % 5 < 3) values.push(new Sym(graph, square));
      else if (z % 5 === 3) values.push(new Sym(graph, graph.mul(a.id, square)));
      else values.push(new Sym(graph, graph.mul(square, square)));
    }
  }
  return values;
};

const contents = ({ op, left, right, length }: Graph) => [op, left, right].map((a) => [...a.subarray(0, length)]);

const makesTheSame = (program: readonly Step[], options: GraphOptions): void => {
  const [noted, direct] = [new Graph(options), new Graph(options)];
  const symbols = onSymbols(noted, program);
  const nodes = onNodes(direct, program);
  expect(symbols.map((x) => (x instanceof Sym ? x.id : x))).toEqual(nodes.map((x) => (x instanceof Sym ? x.id : x)));
  expect(contents(noted)).toEqual(contents(direct));
};

describe('symbols', () => {
  it('make the nodes that direct calls of the graph make, in the same order', () => {
    fc.assert(
      fc.property(
        steps,
        fc.constantFrom<GraphOptions>({}, { identity: 'exact' }, { checkCollisions: true }),
        makesTheSame,
      ),
      { numRuns: 60 },
    );
  });

  it('of operations that fold do not mislead those that follow', () => {
    const graph = new Graph();
    const [x, y] = [new Sym(graph, graph.variable()), new Sym(graph, graph.variable())];
    const same = m.select(m.lt(x, y), x, m.add(x, 0));
    expect((m.add(m.neg(same), x) as Sym).id).toBe(graph.constant(0));
    const third = m.div(new Sym(graph, graph.constant(1)), 3);
    expect((m.mul(third, x) as Sym).id).toBe(graph.mul(graph.constant(1 / 3), x.id));
  });

  it('find the nodes of a program that runs again, whatever it computes in between', () => {
    fc.assert(
      fc.property(steps, steps, (first, other) => {
        const graph = new Graph();
        const inputs = Array.from({ length: INPUTS }, () => new Sym(graph, graph.variable()));
        const run = (program: readonly Step[]): Num[] => {
          const values: Num[] = [...inputs];
          for (const [op, x, y] of program) {
            const [a, b] = [x, y].map((k) => values.at(-1 - (k % values.length))!);
            values.push([m.add, m.sub, m.mul, m.div][op % 4](a, b));
          }
          return values;
        };
        const ids = (values: readonly Num[]) => values.map((x) => (x as Sym).id);
        const once = ids(run(first));
        run(other);
        expect(ids(run(first))).toEqual(once);
      }),
      { numRuns: 60 },
    );
  });
});
