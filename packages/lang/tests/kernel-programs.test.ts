import { array } from '@filigree/lang';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { define, fromText, run } from './kernel-run.js';

/*
 * Random programs: all forms of control flow within one another, with integers and floats that change in them. Each is run
 * as what it is and as a kernel. Integers are cut to 32 bits after each step, which is exact on both sides; loops end.
 */
interface Place {
  readonly depth: number;
  readonly loops: number;
  readonly labels: readonly string[];
  readonly inFunction: boolean;
}

type Source = fc.Arbitrary<string>;

const indent = (text: string): string => text.replace(/^/gm, '  ');

const integer: Source = fc.letrec<{ e: string }>((tie) => ({
  e: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('p', 'q', 'r', '3', '7', '-2'),
    fc
      .tuple(fc.constantFrom('+', '-', '*', '&', '^', '%'), tie('e'), tie('e'))
      .map(([op, a, b]) => (op === '%' ? `((${a}) % 5)` : `((${a} ${op} ${b}) | 0)`)),
    fc.tuple(tie('e'), tie('e'), tie('e')).map(([a, b, c]) => `(${a} > ${b} ? ${c} : ${a})`),
  ),
})).e;

const float: Source = fc.letrec<{ e: string }>((tie) => ({
  e: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('x', 'y', '0.5', 'p', 'u[1]'),
    fc.tuple(fc.constantFrom('+', '-', '*'), tie('e'), tie('e')).map(([op, a, b]) => `(${a} ${op} ${b})`),
    fc.tuple(tie('e'), tie('e')).map(([a, b]) => `Math.min(${a}, ${b} / 3)`),
  ),
})).e;

const condition: Source = fc.letrec<{ e: string }>((tie) => ({
  e: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.tuple(integer, fc.constantFrom('<', '>=', '===', '!=='), integer).map(([a, op, b]) => `${a} ${op} ${b}`),
    fc.tuple(float, float).map(([a, b]) => `${a} < ${b}`),
    fc.tuple(tie('e'), fc.constantFrom('&&', '||'), tie('e')).map(([a, op, b]) => `(${a} ${op} ${b})`),
    tie('e').map((a) => `!(${a})`),
  ),
})).e;

const assignment: Source = fc.oneof(
  fc.tuple(fc.constantFrom('p', 'q', 'r'), integer).map(([v, e]) => `${v} = (${e}) | 0;`),
  fc.tuple(fc.constantFrom('x', 'y'), float).map(([v, e]) => `${v} = ${e};`),
  fc.constantFrom('r++;', 'p -= 2;', '[p, q] = [q, p];', 'u[1] = x;'),
  fc.tuple(fc.constantFrom('g', 'h'), integer, float).map(([f, a, b]) => `y = ${f}(${a}, ${b});`),
  fc.tuple(integer, float).map(([a, b]) => `u[((${a}) & 1)] += ${b};`),
);

let names = 0;

const statement = (at: Place): Source => {
  const leaf: Source[] = [assignment];
  if (at.loops > 0) {
    leaf.push(fc.tuple(condition, fc.constantFrom('break', 'continue')).map(([c, j]) => `if (${c}) ${j};`));
    leaf.push(fc.constantFrom('break;', 'continue;'));
    if (at.labels.length > 0)
      leaf.push(
        fc
          .tuple(condition, fc.constantFrom('break', 'continue'), fc.constantFrom(...at.labels))
          .map(([c, j, l]) => `if (${c}) ${j} ${l};`),
      );
  }
  if (at.inFunction) leaf.push(fc.tuple(condition, float).map(([c, e]) => `if (${c}) return ${e};`));
  if (at.depth === 0) return fc.oneof(...leaf);

  const inner = { ...at, depth: at.depth - 1 };
  const plain = block(inner);
  const loop = (labelled: boolean): Source => {
    const label = `l${names++}`;
    const i = `i${names++}`;
    const body = block({ ...inner, loops: at.loops + 1, labels: labelled ? [...at.labels, label] : at.labels });
    const head = labelled ? `${label}: ` : '';
    return fc.oneof(
      body.map((b) => `${head}for (let ${i} = 0; ${i} < 3; ${i}++) {\n${b}\n}`),
      fc
        .tuple(body, integer)
        .map(([b, n]) => `${head}for (const ${i} of range((${n}) & 3)) {\n${indent(`p = (p + ${i}) | 0;`)}\n${b}\n}`),
      fc
        .tuple(body, condition)
        .map(([b, c]) => `{ let ${i} = 0;\n${head}while (${i} < 4 && ${c}) {\n  ${i}++;\n${b}\n}}`),
      fc
        .tuple(body, condition)
        .map(([b, c]) => `{ let ${i} = 0;\n${head}do {\n  ${i} += 2;\n${b}\n} while (${i} < 5 && ${c});}`),
      body.map((b) => `${head}for (let ${i} = 9; ${i} > 1; ${i} -= 3) {\n${b}\n}`),
      body.map((b) => `${head}for (const ${i} of unrolled(range(2))) {\n${indent(`q = (q ^ ${i}) | 0;`)}\n${b}\n}`),
      fc
        .tuple(body, condition)
        .map(([b, c]) => `{ let ${i} = 0;\n${head}while (true) {\n  if (++${i} > 3 || ${c}) break;\n${b}\n}}`),
    );
  };
  return fc.oneof(
    ...leaf,
    fc.tuple(condition, plain).map(([c, b]) => `if (${c}) {\n${b}\n}`),
    fc.tuple(condition, plain, plain).map(([c, a, b]) => `if (${c}) {\n${a}\n} else {\n${b}\n}`),
    loop(false),
    loop(true),
  );
};

const block = (at: Place): Source =>
  fc.array(statement(at), { minLength: 1, maxLength: 4 }).map((list) => list.map(indent).join('\n'));

const program = fc
  .record({
    body: block({ depth: 3, loops: 0, labels: [], inFunction: false }),
    g: block({ depth: 2, loops: 0, labels: [], inFunction: true }),
    h: block({ depth: 1, loops: 0, labels: [], inFunction: true }),
  })
  .map(({ body, g, h }) => {
    const variables = (p: string, x: string): string =>
      `let p = ${p}; let q = 1; let r = 2; let x = ${x}; let y = 0.25; const u = [x, 2.5];`;
    const noCalls = (text: string): string => text.replace(/y = [gh]\(/g, 'y = Math.hypot(');
    return [
      '(a, k) => {',
      `  const h = (p0, x0) => {\n${indent(variables('p0', 'x0'))}\n${indent(noCalls(h))}\n    return x - p + u[0];\n  };`,
      `  const g = (p0, x0) => {\n${indent(variables('p0', 'x0'))}\n${indent(g.replace(/y = g\(/g, 'y = h('))}\n    return y + q + u[1];\n  };`,
      '  for (const i of range(a.length)) {',
      indent(variables('k[i]', 'a[i]')),
      indent(body),
      '    a[i] = x + y * 0.5 + u[0];',
      '    k[i] = (p + q * 31 + r * 17) | 0;',
      '  }',
      '}',
    ].join('\n');
  });

it('random programs compute as kernels what they compute as they are', () => {
  fc.assert(
    fc.property(program, (text) => {
      const plain = new Function('range', 'unrolled', `'use strict'; return (${text})`)(
        (n: number) => Array.from({ length: n }, (_, i) => i),
        (x: unknown) => x,
      ) as (a: Float64Array, k: Int32Array) => void;
      const [a, b] = [Float64Array.of(0.5, -3, 2, 1), Float64Array.of(0.5, -3, 2, 1)];
      const [k, l] = [Int32Array.of(1, 5, -3, 0), Int32Array.of(1, 5, -3, 0)];
      plain(a, k);
      run(define([array('f64', 4), array('i32', 4)], fromText(text), { float: 'f64' }), [b, l]);
      expect([...b]).toEqual([...a]);
      expect([...l]).toEqual([...k]);
    }),
    { numRuns: 30 },
  );
});
