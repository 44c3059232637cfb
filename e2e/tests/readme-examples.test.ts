import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { cpp } from '@filigree/backend-cpp';
import { describe, expect, it } from 'vitest';

/** What an example printed: for each line of its text that prints, the text. */
type Printed = ReadonlyMap<number, string>;

const root = new URL('../../', import.meta.url);
const out = new URL('e2e/out/readmes/', root);

/** All of them, in order. The first is the one that `npm run check:pack` runs in an empty project. */
const examplesOf = (folder: string): readonly string[] =>
  [...readFileSync(new URL(`packages/${folder}/README.md`, root), 'utf8').matchAll(/^```js\n(.*?)^```/gms)].map(
    ([, example]) => example!,
  );

/** Runs an example as a user would, and gathers what each of its lines prints. */
const printedBy = (name: string, example: string): Printed => {
  mkdirSync(out, { recursive: true });
  const file = new URL(`${name}.mjs`, out);
  const noted = example
    .split('\n')
    .map((line, n) => line.replace(/console\.log\(/g, `__print(${n}, `))
    .join('\n');
  const print =
    "import { formatWithOptions as __text } from 'node:util'; const __print = (n, ...x) => console.log(`\\u0001${n}\\u0002${__text({ depth: 9 }, ...x)}`);\n";
  writeFileSync(file, print + noted);
  const flags = process.env['FILIGREE_BUILT'] === '1' ? [] : process.env['FILIGREE_NODE_FLAGS']!.split(' ');
  const run = spawnSync(process.execPath, [...flags, fileURLToPath(file)], { encoding: 'utf8', cwd: root });
  if (run.status !== 0) throw new Error(`the example of ${pathToFileURL(name).pathname} fails\n${run.stderr}`);
  return new Map(
    run.stdout
      .split('\u0001')
      .slice(1)
      .map((part) => [Number(part.split('\u0002')[0]), part.split('\u0002')[1]!]),
  );
};

const numbersIn = (text: string): readonly string[] =>
  text.match(/-?\d+(\.\d+)?(e[-+]?\d+)?|\btrue\b|\bfalse\b/g) ?? [];

/** The numbers that a line says in its comment it prints: `// 0, 2, 4` and `// 1: the same` say some, `// as above` none. */
const claimOf = (line: string): readonly string[] =>
  numbersIn(/console\.log\(.*\); \/\/ ((?:(?:-?[\d.]+|true|false)(?:[, ]+|(?=:|$)))+)/.exec(line)?.[1] ?? '');

const contains = (all: readonly string[], part: readonly string[]): boolean =>
  all.some((_, n) => part.every((x, k) => all[n + k] === x));

const packages = readdirSync(new URL('packages', root)).sort();

const examples = packages.flatMap((folder) =>
  examplesOf(folder).map((example, n) => [n === 0 ? folder : `${folder}-${n + 1}`, example] as const),
);

describe.each(examples)('the example of %s', (name, example) => {
  it('prints what its comments say', () => {
    const printed = printedBy(name, example);
    expect(printed.size).toBeGreaterThan(0);
    for (const [n, line] of example.split('\n').entries()) {
      const claim = claimOf(line);
      if (claim.length === 0) continue;
      const got = numbersIn(printed.get(n) ?? '');
      expect(contains(got, claim), `${line.trim()}\n  printed: ${printed.get(n)}`).toBe(true);
    }
  });
});

/* The same on another backend, where an example takes one. What is compared is the last number that it prints, or all of them. */
const wasm = "(await import('@filigree/backend-wasm')).wasm()";
const native = "(await import('@filigree/backend-cpp')).cpp()";
const others: readonly (readonly [string, string, string, 'all' | 'last'])[] = [
  ['runtime', 'backend: interpreter', `backend: ${wasm}`, 'all'],
  ['runtime', 'backend: interpreter', `backend: ${native}`, 'all'],
  ['backend-cpp', 'backend = cpp()', `backend = ${wasm}`, 'last'],
  ['backend-wasm', 'backend = wasm()', `backend = ${native}`, 'last'],
  ['filigree', 'scope: { distance }', "scope: { distance }, backend: 'wasm'", 'last'],
];
const { usable } = await cpp().probe();

it.each(others)('the example of %s gives the same with %s as %s', (folder, from, to, which) => {
  if (!usable && (folder === 'backend-cpp' || to.includes('cpp()'))) return expect(process.env['CI']).not.toBe('true');
  const example = examplesOf(folder)[0]!;
  expect(example).toContain(from);
  const numbers = (text: string, name: string): readonly number[] => {
    const all = [...printedBy(name, text).values()].flatMap(numbersIn).map(Number);
    return which === 'all' ? all : all.slice(-1);
  };
  const [first, second] = [numbers(example, `${folder}-own`), numbers(example.replace(from, to), `${folder}-other`)];
  expect(first.length).toBeGreaterThan(0);
  expect(second.length).toBe(first.length);
  second.forEach((x, n) => expect(Math.abs(x - first[n]!)).toBeLessThanOrEqual(1e-6 * Math.abs(first[n]!)));
});
