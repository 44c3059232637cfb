import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { measureBandwidth } from '../bandwidth.js';
import { commandLine, fromHere, misused, publish, runCommand } from '../command.js';
import { describeMachine } from '../machine.js';
import { APPLICATIONS } from './applications.js';
import { fieldTables } from './field-table.js';
import { OPTIMISER_PARTS, TABLE_PARTS } from './measure-application.js';

const USAGE = `usage: npm run bench:fields -- [APPLICATION…] [--size N] [--dtype f32|f64] [--threads 1] [--parts LIST|none] [--rounds 9] [--cells ${1 << 20}] [--seconds 900] [--backend NAME] [--out FILE.md]
APPLICATION: ${APPLICATIONS.join(', ')}
LIST: some of ${OPTIMISER_PARTS.join(',')}, several at once as a+b`;

const INTRO =
  'The applications of sparse fields (`filigree run NAME`), each with everything on, with each part of the optimiser off, with all of them off, and ' +
  'beside C++ that was written by hand with care. All of an application run in one process, one sample of each a round, in rotating order.';

/** The command `npm run bench:fields`. */
const main = async (argv: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true });
  const applications = APPLICATIONS.filter((a) => positionals.includes(a));
  const parts = values.parts === undefined ? TABLE_PARTS : values.parts.split(',').filter((p) => p !== 'none');
  const { dtype = 'f32' } = values;
  const numbers = { size: NaN, threads: 1, rounds: 9, cells: 1 << 20, seconds: 900 };
  for (const key of Object.keys(numbers) as (keyof typeof numbers)[])
    if (values[key] !== undefined && !((numbers[key] = Number(values[key])) >= (key === 'cells' ? 0 : 1)))
      return misused(USAGE);
  if (
    applications.length < positionals.length ||
    parts.some((p) => p.split('+').some((q) => !OPTIMISER_PARTS.includes(q))) ||
    (dtype !== 'f32' && dtype !== 'f64')
  )
    return misused(USAGE);

  const { size, ...counts } = numbers;
  const file = fromHere(values.out ?? 'docs/benchmarks/fields.md');
  const picture = file.replace(/(\.md)?$/, '.svg');
  const { sections, chart } = await fieldTables({
    ...counts,
    ...(applications.length > 0 && { applications }),
    ...(Number.isNaN(size) ? {} : { size }),
    ...(values.backend !== undefined && { backend: values.backend }),
    dtype,
    parts,
    say: (line) => process.stderr.write(`${line}\n`),
  });
  const page = {
    title: 'Sparse fields: applications and what the optimiser is worth',
    command: commandLine('bench:fields', argv),
    machine: describeMachine(),
    bandwidth: measureBandwidth(),
    intro: `${INTRO} Numbers are ${dtype}; ${counts.threads === 1 ? 'one thread' : `${counts.threads} threads`}.\n\n![times of the applications](${basename(picture)})`,
    sections,
  };
  publish(file, page);
  writeFileSync(picture, chart);
  return 0;
};

const OPTIONS = {
  size: { type: 'string' },
  dtype: { type: 'string' },
  threads: { type: 'string' },
  parts: { type: 'string' },
  rounds: { type: 'string' },
  cells: { type: 'string' },
  seconds: { type: 'string' },
  backend: { type: 'string' },
  out: { type: 'string' },
} as const;

await runCommand(main, USAGE);
