import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { commandLine, fromHere, misused, publish, runCommand } from './command.js';
import { GROWTH_CASES } from './growth-cases.js';
import { growthSvg } from './growth-svg.js';
import type { GrowthJob, GrowthResult } from './growth-child.js';
import { describeMachine } from './machine.js';
import { runProcess } from './run-child.js';
import { slopeOf } from './slope.js';

const NAMES = Object.keys(GROWTH_CASES);

const USAGE = `usage: npm run bench:growth -- [CASE…] [--faces 1000,10000,100000,1000000] [--dtype f32|f64] [--seconds 300] [--out FILE.md]
CASE: ${NAMES.join(', ')}`;

const INTRO =
  'What compiling costs by the number of faces of a mesh, from the plain program to loaded kernels, each in a process of its own with nothing cached. ' +
  'Processor time is that of the process, just-in-time compiler and garbage collection included, C++ not: it does not depend on what else the machine does. ' +
  'Memory is what is resident at most beyond what was before. The slopes are of the line with the least squares through all sizes.';

/** The command `npm run bench:growth`: time and memory of compilation against the number of elements. */
const main = async (argv: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true });
  const sizes = (values.faces ?? '1000,10000,100000,1000000').split(',').map(Number);
  const dtype = values.dtype ?? 'f64';
  const limit = Number(values.seconds ?? 300);
  const isSize = (n: number): boolean => Number.isInteger(n) && n >= 8;
  if (!sizes.every(isSize) || (dtype !== 'f64' && dtype !== 'f32') || !(limit > 0)) return misused(USAGE);
  if (positionals.some((name) => !NAMES.includes(name))) return misused(USAGE);

  const rows: string[][] = [];
  const slopes: string[][] = [];
  const lines: { readonly name: string; readonly found: readonly GrowthResult[] }[] = [];
  for (const name of positionals.length > 0 ? positionals : NAMES) {
    const found: GrowthResult[] = [];
    for (const faces of sizes) {
      const job: GrowthJob = { name, faces, dtype };
      const outcome = await runProcess<GrowthResult>('growth-child', job, limit, undefined, 'sources', HEAP);
      if ('failed' in outcome) {
        rows.push([name, String(faces), ...HEAD.slice(3).map(() => ''), outcome.failed]);
        continue;
      }
      found.push(outcome.result);
      rows.push([name, ...cellsOf(outcome.result)]);
      process.stderr.write(`${rows[rows.length - 1].join(' | ')}\n`);
    }
    const slope = (of: (r: GrowthResult) => number, by: (r: GrowthResult) => number = (r) => r.faces): number =>
      slopeOf(found.map((r) => [by(r), of(r)]));
    if (found.length > 1) {
      lines.push({ name, found });
      const seconds = (r: GrowthResult): number => r.processorSeconds;
      const mb = (r: GrowthResult): number => r.addedMB;
      slopes.push([
        name,
        GROWTH_CASES[name].title,
        (slope(seconds) * 1e6).toFixed(2),
        (slope(seconds, (r) => r.operations) * 1e9).toFixed(0),
        (slope(mb) * 1e3).toFixed(2),
        (slope(mb, (r) => r.leafEntries) * 1e6).toFixed(0),
      ]);
    }
  }
  const file = fromHere(values.out ?? 'docs/benchmarks/compile-growth.md');
  const picture = (what: string, up: string, of: (r: GrowthResult) => number): string => {
    const path = file.replace(/\.md$/, `-${what}.svg`);
    writeFileSync(
      path,
      growthSvg({
        title: `Compiling: ${what} by the number of faces`,
        across: 'faces',
        up,
        lines: lines.map(({ name, found }) => ({ name, points: found.map((r) => [r.faces, of(r)]) })),
      }),
    );
    return `![${what} by the number of faces](${path.split(/[/\\]/).pop()})`;
  };
  const pictures =
    lines.length > 0
      ? `\n\n${picture('time', 'processor s', (r) => r.processorSeconds)}\n\n${picture('memory', 'MB', (r) => Math.max(1, r.addedMB))}`
      : '';
  publish(file, {
    title: 'How compiling grows',
    command: commandLine('bench:growth', argv),
    machine: describeMachine(),
    intro: `${INTRO}${pictures}`,
    sections: [
      {
        title: 'A face more',
        table: {
          head: ['case', 'program', 'µs a face', 'ns an operation', 'kB a face', 'bytes a leaf entry'],
          rows: slopes,
        },
        notes: [
          'Operations are those that the plain program executes, written as loops (of what is differentiated those of the energy). Leaf entries are what elements read, and terms of sums over them.',
        ],
      },
      {
        title: 'All sizes',
        table: {
          head: HEAD,
          rows,
        },
      },
    ],
  });
  return 0;
};

/* Inputs of a million faces are arrays of arrays. */
const HEAP = ['--max-old-space-size=12288'];

const HEAD: readonly string[] = [
  ...['case', 'faces', 'operations', 'leaf entries', 'processor s', 'C++ s'],
  ...['in all s', 'MB', 'nodes', 'kernels', 'largest error'],
];

const cellsOf = (r: GrowthResult): string[] => [
  String(r.faces),
  String(r.operations),
  String(r.leafEntries),
  r.processorSeconds.toFixed(2),
  r.compilerSeconds.toFixed(2),
  r.seconds.toFixed(2),
  r.addedMB.toFixed(0),
  String(r.nodes),
  String(r.kernels),
  r.maxRelError.toExponential(1),
];

const OPTIONS = {
  faces: { type: 'string' },
  dtype: { type: 'string' },
  seconds: { type: 'string' },
  out: { type: 'string' },
} as const;

await runCommand(main, USAGE);
