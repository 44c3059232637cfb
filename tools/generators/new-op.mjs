/**
 * `npm run new-op NAME -- --arity 1 --cost 20 --evaluate 'Math.sin(a) / a' [--flags ca]`: a row in the table of scalar
 * operations, and where the operation must be spelled besides. `--like` names an existing operation to take those places from.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { command } from './command.mjs';

const table = 'packages/ir/src/scalar/scalar-op.ts';

/** @type {(text: string, name: string, row: string) => string} */
const withRow = (text, name, row) => {
  if (new RegExp(`\\['${name}',`).test(text)) throw new Error(`the table has a row '${name}' already`);
  const start = text.indexOf('const rows:');
  const end = text.indexOf('\n];', start);
  if (start < 0 || end < 0) throw new Error(`${table} does not look as expected: add the row by hand`);
  return `${text.slice(0, end)}\n${row}${text.slice(end)}`;
};

/** Source files that spell this operation, the table itself excepted. @type {(root: string, name: string) => string[]} */
const spelledIn = (root, name) =>
  readdirSync(join(root, 'packages'), { recursive: true, encoding: 'utf8' })
    .map((file) => join('packages', file).replaceAll('\\', '/'))
    .filter((file) => /^packages\/[^/]+\/src\/.*\.ts$/.test(file) && file !== table)
    .filter((file) => new RegExp(`\\b${name}\\b`).test(readFileSync(join(root, file), 'utf8')))
    .sort();

/** @type {Record<string, { type: 'string', default?: string }>} */
const options = {
  arity: { type: 'string' },
  cost: { type: 'string', default: '20' },
  evaluate: { type: 'string' },
  flags: { type: 'string', default: '' },
  like: { type: 'string', default: 'expm1' },
};

command(
  "npm run new-op NAME -- --arity 1|2 --evaluate 'EXPRESSION of a (and b)' [--cost CYCLES] [--flags cap] [--like OP]",
  options,
  (root, name, { arity, cost = '', evaluate, flags = '', like = '' }) => {
    if (!/^[a-z][a-z0-9]*$/.test(name))
      throw new Error(`'${name}' is not an operation name: use lower-case letters and digits`);
    if (arity !== '1' && arity !== '2') throw new Error('--arity is 1 or 2');
    if (evaluate === undefined)
      throw new Error('--evaluate is missing: the meaning on numbers, for example "Math.sin(a) / a"');
    if (!/^[0-9]+$/.test(cost)) throw new Error('--cost is a whole number of cycles');
    if (!/^c?a?p?$/.test(flags))
      throw new Error('--flags are c (commutative), a (associative), p (predicate), in this order');
    const parameters = arity === '1' ? '(a)' : '(a, b)';
    const row = `  ['${name}', 'math.${name}', ${arity}, ${cost}, ${parameters} => ${evaluate}${flags ? `, '${flags}'` : ''}],`;
    writeFileSync(join(root, table), withRow(readFileSync(join(root, table), 'utf8'), name, row));
    return {
      files: [table],
      next: [
        `spell it where \`${like}\` is spelled, as far as it applies:`,
        ...spelledIn(root, like).map((file) => `  ${file}`),
        'if Math has no function of this name, write it in packages/backend-wasm/src/emit/scalar-ops.ts too',
        'give it a derivative in packages/autodiff, when that package exists',
        '`npm run test:unit` finds it in the table by itself and says what is missing',
      ],
    };
  },
);
