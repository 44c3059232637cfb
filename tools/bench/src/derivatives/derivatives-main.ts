import { parseArgs } from 'node:util';
import { SIMULATORS, type Simulator } from '@filigree/e2e';
import { commandLine, fromHere, misused, publish, runCommand } from '../command.js';
import { describeMachine } from '../machine.js';
import { measure, speedup } from '../measure.js';
import { ms, ratioCell } from '../table.js';
import { openSimulator, type OpenSimulator } from './open-simulator.js';

const NAMES = SIMULATORS.map((s) => s.name);

const USAGE = `usage: npm run bench:derivatives -- [SIMULATOR…] [--dtype f32|f64] [--backend cpp|wasm] [--rounds 9] [--out FILE.md]
SIMULATOR: ${NAMES.join(', ')}`;

const INTRO =
  'Simulations of the gallery at their own sizes: their loss alone, and their loss with its derivatives by all that is optimised, one sample of each a round in ' +
  'turns, on one thread. Before anything is timed each gradient is compared with central differences of a plain program, in f64. The reverse part is the ' +
  'difference of both times: adjoints, what steps that run again cost, and what is put back.';

/** Sizes beside those of the gallery. */
const EXTRA: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ['diffmpm', { dim: '2', size: '64', steps: '128', keep: 'all' }],
  ['diffmpm', { dim: '3', size: '32', steps: '32', keep: 'all' }],
];

/** The command `npm run bench:derivatives`: what gradients of simulations cost. */
const main = async (argv: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true });
  const [dtype, backend, rounds] = [values.dtype ?? 'f64', values.backend ?? 'cpp', Number(values.rounds ?? 9)];
  if ((dtype !== 'f64' && dtype !== 'f32') || (backend !== 'cpp' && backend !== 'wasm')) return misused(USAGE);
  if (!(Number.isInteger(rounds) && rounds > 0) || positionals.some((n) => !NAMES.includes(n))) return misused(USAGE);

  const chosen = (name: string): boolean => positionals.length === 0 || positionals.includes(name);
  const jobs = [...SIMULATORS.map((s) => [s.name, {}] as const), ...EXTRA].filter(([name]) => chosen(name));
  const rows: string[][] = [];
  for (const [name, args] of jobs) {
    const sim = await openSimulator(byName(name), args, { dtype, backend });
    try {
      rows.push([name, textOf(args), ...rowOf(sim, rounds)]);
      process.stderr.write(`${rows[rows.length - 1].join(' | ')}\n`);
    } finally {
      sim.close();
    }
  }
  publish(fromHere(values.out ?? 'docs/benchmarks/derivatives.md'), {
    title: 'Derivatives of simulations',
    command: commandLine('bench:derivatives', argv),
    machine: describeMachine(),
    intro: INTRO,
    sections: [
      {
        title: `${backend}, ${dtype}`,
        table: {
          head: [
            ...['simulator', 'arguments', 'optimised', 'loss ms', 'loss and gradient ms', 'reverse ÷ loss'],
            ...['(loss and gradient) ÷ loss', 'gradient off by', 'tape MB', 'fields MB'],
          ],
          rows,
        },
      },
    ],
  });
  return 0;
};

const byName = (name: string): Simulator => SIMULATORS.find((s) => s.name === name)!;

const textOf = (args: Readonly<Record<string, string>>): string =>
  Object.entries(args)
    .map(([key, value]) => `${key}=${value}`)
    .join(' ');

const rowOf = ({ sim, error, tapeBytes }: OpenSimulator, rounds: number): readonly string[] => {
  const check = (): number => error;
  const contenders = [
    { name: 'loss', run: () => void sim.value(sim.start), check },
    { name: 'gradient', run: () => void sim.gradient(sim.start), check },
  ];
  const [loss, gradient] = measure(contenders, { rounds, tolerance: Infinity });
  return [
    String(sim.size),
    ms(loss.median),
    ms(gradient.median),
    (gradient.median / loss.median - 1).toFixed(2),
    ratioCell(speedup(gradient, loss)),
    error.toExponential(1),
    (tapeBytes / 1e6).toFixed(2),
    (sim.stateBytes / 1e6).toFixed(2),
  ];
};

const OPTIONS = {
  dtype: { type: 'string' },
  backend: { type: 'string' },
  rounds: { type: 'string' },
  out: { type: 'string' },
} as const;

await runCommand(main, USAGE);
