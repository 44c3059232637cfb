import { parseArgs } from 'node:util';
import { distance, mpmCase, smokeCase, type SearchCase } from '@filigree/e2e';
import { quantSearch } from 'filigree';
import { commandLine, fromHere, misused, publish, runCommand } from '../command.js';
import { describeMachine } from '../machine.js';

const USAGE =
  'usage: npm run bench:quant-search -- [CASE…] [--backend NAME] [--trials 24] [--out FILE.md]\nCASE: smoke, smoke-3d, mpm';

const INTRO =
  'A search for the layout that stores a simulation in the fewest bytes, at the error of formats that were chosen by hand: the root mean square of what an output is off, relative to it. Ranges are those of a run; what rounding a field does to the outputs is told ' +
  'by tangents, in forward mode; every row has been run. “expected” is what the tangents said. Bytes are those of all cells in use, grids and solvers included.';

/** The command `npm run bench:quant-search`: what bytes buy, and what a search finds beside formats by hand. */
const main = async (argv: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true });
  const { backend = 'wasm' } = values;
  const trials = Number(values.trials ?? 24);
  if (positionals.some((p) => !Object.hasOwn(CASES, p)) || !(trials >= 1)) return misused(USAGE);
  const names = (Object.keys(CASES) as (keyof typeof CASES)[]).filter(
    (name) => positionals.length === 0 || positionals.includes(name),
  );
  const sections = [];
  for (const name of names) {
    process.stderr.write(`${name}\n`);
    const { title, of } = CASES[name];
    sections.push(await sectionOf(title, of({ backend, dtype: 'f32', threads: 1, ablate: [] }), trials));
  }
  publish(fromHere(values.out ?? 'docs/benchmarks/quant-search.md'), {
    title: 'A search for the fewest bits',
    command: commandLine('bench:quant-search', argv),
    machine: describeMachine(),
    intro: `${INTRO} Programs run on ${backend}, one thread.`,
    sections,
  });
  return 0;
};

const CASES = {
  smoke: {
    title: 'Smoke in 16 × 16 cells, 4 steps',
    of: (options: Parameters<typeof smokeCase>[0]) => smokeCase(options, 2, 16, 4),
  },
  'smoke-3d': {
    title: 'Smoke in 8 × 8 × 8 cells, 2 steps',
    of: (options: Parameters<typeof smokeCase>[0]) => smokeCase(options, 3, 8, 2),
  },
  mpm: {
    title: 'Jelly on 16 × 16 × 16 nodes, 20 steps',
    of: (options: Parameters<typeof mpmCase>[0]) => mpmCase(options, 16, 20),
  },
};

const sectionOf = async (title: string, one: SearchCase, trials: number) => {
  const [exact, byHand] = [await one.full(), await one.byHand()];
  const error = Math.max(...byHand.outputs.map((values, k) => distance(values, exact.outputs[k])));
  const begin = performance.now();
  const { best, curve, fullBytes } = await quantSearch({ ...one.search, error, trials });
  const seconds = (performance.now() - begin) / 1000;
  const row = (name: string, bytes: number, found: number, expected?: number): string[] => [
    name,
    (bytes / one.elements).toFixed(2),
    (fullBytes / bytes).toFixed(2),
    found.toExponential(2),
    expected === undefined ? '' : expected.toExponential(2),
  ];
  return {
    title,
    notes: [
      `Found in ${seconds.toFixed(0)} s, with ${curve.length} layouts tried:`,
      ['```ts', best.text, '```'].join('\n').replaceAll('\n', '\n  '),
    ],
    table: {
      head: ['', 'bytes an element', 'times less', 'error', 'expected'],
      rows: [
        row('full precision', fullBytes, 0),
        row('formats by hand', byHand.bytes, error),
        ...curve.map((t) => row(t === best ? 'found' : 'tried', t.bytes, t.error, t.expected)),
      ],
    },
  };
};

const OPTIONS = { backend: { type: 'string' }, trials: { type: 'string' }, out: { type: 'string' } } as const;

await runCommand(main, USAGE);
