import { parseArgs } from 'node:util';
import { fail } from '@filigree/ir';
import { commandLine, fromHere, misused, publish, runCommand } from '../command.js';
import { describeMachine } from '../machine.js';
import { measure } from '../measure.js';
import { printedByPython } from '../python-script.js';
import { ms } from '../table.js';
import { thrown, type MpmSize } from './mpm.js';

const USAGE = 'usage: npm run bench:mpm-gradient -- [--rounds 9] [--python python3] [--out FILE.md]';

const INTRO =
  'Elastic particles on a grid (MLS-MPM in the plane, f32) that are thrown at the floor: the loss alone, and with its gradient by all first velocities, every state kept, on one thread. ' +
  'Before anything is timed the gradient is compared with central differences in f64, and with that of the same program under Taichi (`tools/bench/native/mpm_gradient.py`), which runs ' +
  'afterwards in a process of its own, where the interpreter that is named finds it: of both the least of several runs after a first one.';

/** Those that Taichi was measured at. */
const SIZES: readonly MpmSize[] = [
  { n: 64, count: 1000, steps: 128 },
  { n: 128, count: 8000, steps: 32 },
];

/** What the script prints. */
interface Printed {
  readonly version: string;
  readonly loss: number;
  readonly gradient: number;
  readonly value: number;
  readonly first: readonly number[];
}

/** The command `npm run bench:mpm-gradient`: the gradient of a simulation beside Taichi's tape. */
const main = async (argv: readonly string[]): Promise<number> => {
  const { values } = parseArgs({ args: [...argv], options: OPTIONS });
  const rounds = Number(values.rounds ?? 9);
  if (!Number.isInteger(rounds) || rounds < 1) return misused(USAGE);
  const rows: string[][] = [];
  for (const size of SIZES) rows.push(...(await rowsOf(size, rounds, values.python ?? 'python3')));
  publish(fromHere(values.out ?? 'docs/benchmarks/mpm-gradient.md'), {
    title: 'The gradient of particles on a grid',
    command: commandLine('bench:mpm-gradient', argv),
    machine: describeMachine(),
    intro: INTRO,
    sections: [
      {
        table: {
          head: ['', 'what', 'filigree cpp, ms', 'Taichi, ms', 'Taichi ÷ ours', 'gradient off by', 'from Taichi’s by'],
          rows,
        },
      },
    ],
  });
  return 0;
};

const rowsOf = async (size: MpmSize, rounds: number, python: string): Promise<readonly string[][]> => {
  const { n, count, steps } = size;
  const off = await errorOf(size);
  const sim = await thrown(size, 'f32');
  try {
    const ours = sim.gradient(sim.start);
    const printed = printedByPython<Printed>(python, 'mpm_gradient.py', [n, count, steps]);
    const peer = 'found' in printed ? printed.found : undefined;
    const apart = peer && furthest(peer.first, ours.gradient);
    const check = (): number => Math.max(off, apart ?? 0);
    const [loss, gradient] = measure(
      [
        { name: 'loss', run: () => void sim.value(sim.start), check },
        { name: 'loss and gradient', run: () => void sim.gradient(sim.start), check },
      ],
      { rounds, tolerance: 1e-2 },
    );
    const row = (what: string, time: number, theirs: number | undefined): string[] => [
      `grid of ${n}², ${count.toLocaleString('en')} particles, ${steps} steps`,
      what,
      ms(time),
      theirs === undefined ? ('why' in printed ? printed.why : '') : ms(theirs),
      theirs === undefined ? '' : (theirs / time).toFixed(2),
      off.toExponential(1),
      apart === undefined ? '' : apart.toExponential(1),
    ];
    return [row('loss', loss.least, peer?.loss), row('loss and gradient', gradient.least, peer?.gradient)];
  } finally {
    sim.close();
  }
};

/** How far the gradient in f64 is from differences along one direction, relative. Error: `bench/wrong-result`. */
const errorOf = async (size: MpmSize): Promise<number> => {
  const sim = await thrown(size, 'f64');
  try {
    const along = sim.start.map((_, k) => 1 + 0.5 * Math.cos(k));
    const h = 1e-5;
    const [up, down] = [h, -h].map((by) => sim.value(sim.start.map((v, k) => v + by * along[k])));
    const slope = sim.gradient(sim.start).gradient.reduce((sum, g, k) => sum + g * along[k], 0);
    const error = Math.abs((up - down) / (2 * h) - slope) / Math.abs(slope);
    return error <= 1e-6
      ? error
      : fail('bench/wrong-result', `the gradient is off by ${error.toExponential(2)}`, {
          remedy: 'compare it with another length',
        });
  } finally {
    sim.close();
  }
};

const furthest = (some: readonly number[], all: Float64Array): number =>
  some.reduce((most, g, k) => Math.max(most, Math.abs(g - all[k])), 0) /
  all.reduce((m, g) => Math.max(m, Math.abs(g)), 0);

const OPTIONS = { rounds: { type: 'string' }, python: { type: 'string' }, out: { type: 'string' } } as const;

await runCommand(main, USAGE);
