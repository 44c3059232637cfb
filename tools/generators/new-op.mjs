/**
 * `npm run new-op NAME -- --arity 1 --expand 's.div(s.sin(a), a)' --summary 'what it gives'`: a row in the table of scalar operations, from which
 * front ends, graph, IR and backends know it. Without `--expand` it is the function of `Math` of this name.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { command } from './command.mjs';

const table = 'packages/ir/src/scalar/scalar-op.ts';
const header = 'const rows = {';

/** Where the rows begin and end in the table's text. @type {(text: string) => readonly [number, number]} */
const rowsIn = (text) => {
  const start = text.indexOf(header);
  const end = text.indexOf('\n} as const', start);
  if (start < 0 || end < 0) throw new Error(`${table} does not look as expected: add the row by hand`);
  return [start + header.length, end];
};

/** @type {(text: string) => string[]} */
const namesIn = (text) => [...text.slice(...rowsIn(text)).matchAll(/^ {2}(\w+): \{/gm)].map(([, name]) => name);

/** What the operation is made of must be code that calls operations which are there. @type {(expand: string, known: readonly string[]) => void} */
const checkExpansion = (expand, known) => {
  const operations = new Proxy(
    {},
    {
      get: (_, name) => {
        if (!known.includes(String(name))) throw new Error(`--expand: there is no operation '${String(name)}'`);
        return () => 'a value';
      },
    },
  );
  const f = new Function('s', 'a', 'b', `'use strict'; return (${expand});`);
  if (f(operations, 'a value', 'a value') !== 'a value') throw new Error('--expand does not call an operation of `s`');
};

/** @type {Record<string, { type: 'string' | 'boolean', default?: string | boolean }>} */
const options = {
  arity: { type: 'string', default: '1' },
  cost: { type: 'string', default: '20' },
  summary: { type: 'string' },
  expand: { type: 'string' },
  c: { type: 'string' },
  commutative: { type: 'boolean', default: false },
};

command(
  "npm run new-op NAME -- [--arity 1|2] [--expand 'EXPRESSION of s, a and b' | --c NAME_IN_C] [--summary TEXT] [--cost CYCLES] [--commutative]",
  options,
  (root, name, { arity, cost = '', summary = name, expand, c = name, commutative }) => {
    const text = readFileSync(join(root, table), 'utf8');
    const names = namesIn(text);
    if (!/^[a-z][a-z0-9]*$/.test(name))
      throw new Error(`'${name}' is not an operation name: use lower-case letters and digits`);
    if (names.includes(name)) throw new Error(`the table has a row '${name}' already`);
    if (arity !== '1' && arity !== '2') throw new Error('--arity is 1 or 2');
    if (!/^[0-9]+$/.test(cost) || Number(cost) > 255) throw new Error('--cost is a whole number of cycles up to 255');
    if (expand === undefined && !(name in Math))
      throw new Error(
        `Math has no function '${name}': say by --expand what it is made of, for example 's.div(s.sin(a), a)'`,
      );
    if (expand !== undefined) checkExpansion(expand, [...names, 'sub', 'gt', 'ge', 'select']);
    const [, end] = rowsIn(text);
    const row = [
      `arity: ${arity}`,
      `cost: ${cost}`,
      `summary: ${JSON.stringify(summary)}`,
      ...(expand === undefined
        ? [`evaluate: Math.${name}`, `c: '${c}'`]
        : [`expand: (s, ${arity === '1' ? 'a' : 'a, b'}) => ${expand}`]),
      ...(commutative ? ['commutative: true'] : []),
    ];
    const lines = [`  ${name}: {`, ...row.map((x) => `    ${x},`), '  },'];
    writeFileSync(join(root, table), `${text.slice(0, end)}\n${lines.join('\n')}${text.slice(end)}`);
    return {
      files: [table],
      next: [
        `call it as \`math.${name}(…)\`, with \`math\` from 'filigree', in numeric programs and kernels; vectors have it as a method`,
        '`npx vitest run packages/backend-wasm packages/backend-cpp` compares it with its meaning on every backend',
        'give it a derivative in packages/autodiff, when that package exists',
      ],
    };
  },
);
