import { inspect } from 'node:util';
import {
  codeFrame,
  coreDialects,
  evaluateGraph,
  Graph,
  interpret,
  parseModule,
  Sym,
  symbolicMath as m,
} from '@filigree/ir';
import type { Num, Truth } from '@filigree/ir';
import { describe, expect, it } from 'vitest';

/** What each word means, said by JavaScript and not by the table that the graph reads. */
const WORDS: Readonly<
  Record<string, readonly [of: (a: Num, b: Num) => Num | Truth, plain: (a: number, b: number) => number | boolean]>
> = {
  add: [m.add, (a, b) => a + b],
  sub: [m.sub, (a, b) => a - b],
  mul: [m.mul, (a, b) => a * b],
  div: [m.div, (a, b) => a / b],
  rem: [m.rem, (a, b) => a % b],
  min: [m.min, (a, b) => (a < b ? a : b)],
  max: [m.max, (a, b) => (a > b ? a : b)],
  lt: [m.lt, (a, b) => a < b],
  le: [m.le, (a, b) => a <= b],
  gt: [m.gt, (a, b) => a > b],
  ge: [m.ge, (a, b) => a >= b],
  eq: [m.eq, (a, b) => a === b],
  ne: [m.ne, (a, b) => a !== b],
  and: [(a, b) => m.and(m.gt(a, 0), m.gt(b, 0)), (a, b) => a > 0 && b > 0],
  or: [(a, b) => m.or(m.gt(a, 0), m.gt(b, 0)), (a, b) => a > 0 || b > 0],
  not: [(a, b) => m.not(m.lt(a, b)), (a, b) => !(a < b)],
  select: [(a, b) => m.select(m.lt(a, b), m.neg(a), b), (a, b) => (a < b ? -a : b)],
};

const VALUES = [-2.5, -1, 0.5, 1, 3, 7];
const PAIRS = VALUES.flatMap((a) => VALUES.map((b) => [a, b] as const));

describe.each(['algebraic', 'exact'] as const)('words on numbers and on symbols, arithmetic %s', (arithmetic) => {
  it.each(Object.keys(WORDS))('%s', (name) => {
    const [of, plain] = WORDS[name];
    const rows = PAIRS.map(([a, b]) => {
      const graph = new Graph({ arithmetic });
      const [x, y] = [new Sym(graph, graph.variable()), new Sym(graph, graph.variable())];
      const all = [of(x, y), of(x, b), of(a, y)].map((s) => (s as Sym).id);
      return [a, b, Number(of(a, b)), ...evaluateGraph(graph, all, [a, b])];
    });
    expect(rows).toEqual(
      PAIRS.map(([a, b]) => {
        const value = Number(plain(a, b));
        return [a, b, value, value, value, value];
      }),
    );
  });
});

it('a symbol is printed as the operation that it is the result of, and not with its graph', () => {
  const g = new Graph();
  const x = new Sym(g, g.variable());
  expect(inspect([x, m.add(x, 2), m.sin(x)])).toBe('[ Sym { variable }, Sym { add }, Sym { sin } ]');
});

it('a symbol is no text, in a list and in JSON neither', () => {
  const graph = new Graph();
  const x = new Sym(graph, graph.variable());
  /* As whoever calls methods of numbers has it. */
  const number = x as unknown as number;
  for (const text of [
    () => String(x),
    () => [x, x].join(),
    () => JSON.stringify({ x }),
    () => number.toString(),
    () => number.toFixed(2),
    () => number.toPrecision(3),
    () => number.toExponential(),
    () => number.toLocaleString(),
  ])
    expect(text).toThrow('symbol/as-text');
});

it('arguments of a kernel reach the parameters that they are given for', () => {
  const module = parseModule(`module @m {
  buffer @out : f64[3] output
  kernel @k(%a: f64, %b: f64, %c: f64) {
    %0 = arith.constant {value = 0} : i32
    %1 = arith.constant {value = 1} : i32
    %2 = arith.constant {value = 2} : i32
    mem.store %a, %0 {buffer = @out}
    mem.store %b, %1 {buffer = @out}
    mem.store %c, %2 {buffer = @out}
    scf.yield
  }
}
`);
  expect(module._tag).toBe('Right');
  const out = new Float64Array(3);
  if (module._tag === 'Right')
    expect(interpret(module.right, coreDialects, { out }, { kernel: 'k', args: [3, 5, 7] })._tag).toBe('Right');
  expect([...out]).toEqual([3, 5, 7]);
});

it('a place is shown with the line before it and the line behind it', () => {
  expect(codeFrame('one\ntwo\nthree\nfour', { file: 'f', line: 3, column: 2 })).toBe(
    '  2 | two\n> 3 | three\n    |  ^\n  4 | four',
  );
  expect(codeFrame('one\ntwo', { file: 'f', line: 1, column: 1 })).toBe('> 1 | one\n    | ^\n  2 | two');
  /* A terminal takes none of it for a command. */
  expect(codeFrame('\u001b[2J\tone\u0007\r\n', { file: 'f', line: 1, column: 1 })).toBe(
    '> 1 | �[2J\tone�\r\n    | ^\n  2 | ',
  );
});
