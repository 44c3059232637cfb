import { parseArgs } from 'node:util';
import { program } from 'filigree';
import { commandLine, fromHere, misused, publish, runCommand } from '../command.js';
import { describeMachine } from '../machine.js';
import { measure, speedup, type Contender, type Timing } from '../measure.js';
import { seeded } from '../seeded.js';
import { ms } from '../table.js';
import { fields, form, kernels, lengths, plain, type Arrays, type Idiom } from './idioms.js';

const USAGE = 'usage: npm run bench:idioms -- [--rounds 9] [--out FILE.md]';

const INTRO =
  'Kernels as people write them in their first days: sums in place, small arrays of an iteration, elimination, counts, a transposition, distances, filters, steps over time, what is least or first, sorting, a knapsack (`tools/bench/src/idioms`), in f32 on one thread. ' +
  'Beside them the same on typed arrays in plain TypeScript, written for speed: sums in variables, no arrays made in loops. All results are compared before anything is timed; samples are taken in turns in one process. ' +
  'Elimination is given its matrix anew in each run, which is timed.';

/** The command `npm run bench:idioms`: what is written first, in C++ and WebAssembly, beside plain TypeScript. */
const main = async (argv: readonly string[]): Promise<number> => {
  const parsed = parseArgs({ args: [...argv], options: { rounds: { type: 'string' }, out: { type: 'string' } } });
  const rounds = Number(parsed.values.rounds ?? 9);
  if (!(rounds >= 6)) return misused(USAGE);
  const start = inputs();
  const sims = await Promise.all(
    BACKENDS.map(async (backend) => ({ backend, sim: await program({ layout: form, kernels, backend }) })),
  );
  const rows = NAMES.map((name) => {
    process.stderr.write(`${name}\n`);
    const arrays = copyOf(start);
    const again = CHANGES[name];
    const reference = copyOf(start);
    plain[name](reference);
    const ours = sims.map(({ backend, sim }): Contender => {
      for (const field of FIELDS) sim.fields[field].fromArray(start[field]);
      return {
        name: backend,
        run: () => {
          if (again) sim.fields[again].fromArray(start[again]);
          sim.run[name]();
        },
        check: () =>
          Math.max(...FIELDS.map((field) => errorOf(sim.fields[field].toArray() as Float32Array, reference[field]))),
      };
    });
    const byHand: Contender = {
      name: 'plain',
      run: () => {
        if (again) arrays[again].set(start[again]);
        plain[name](arrays);
      },
      check: () => 0,
    };
    const timings = measure([...ours, byHand], { rounds, tolerance: 1e-3 });
    const last = timings.at(-1)!;
    const ratioOf = (t: Timing): string => speedup(last, t).ratio.toFixed(1);
    return [name, ...timings.map((t) => ms(t.median)), ...timings.slice(0, -1).map(ratioOf)];
  });
  for (const { sim } of sims) sim.dispose();
  publish(fromHere(parsed.values.out ?? 'docs/benchmarks/idioms.md'), {
    title: 'What is written first',
    command: commandLine('bench:idioms', argv),
    machine: describeMachine(),
    intro: INTRO,
    sections: [
      {
        title: 'Milliseconds, and how many times as fast as plain TypeScript',
        table: { head: ['kernel', ...BACKENDS, 'plain', ...BACKENDS.map((b) => `plain ÷ ${b}`)], rows },
      },
    ],
  });
  return 0;
};

const BACKENDS = ['cpp', 'wasm'] as const;

/** Whole numbers to begin with are below these. */
const BELOW: Partial<Record<keyof typeof fields, number>> = { keys: 1000, cells: 2 };

const NAMES = Object.keys(kernels) as readonly Idiom[];

const FIELDS = Object.keys(fields) as readonly (keyof typeof fields)[];

/** What a kernel changes so that it computes something else the next time. */
const CHANGES: Partial<Record<Idiom, keyof typeof fields>> = { elimination: 'b', histogram: 'counts' };

const inputs = (): Arrays => {
  const random = seeded(1);
  const arrays = Object.fromEntries(
    FIELDS.map((name) => [
      name,
      fields[name].type === 'i32'
        ? Int32Array.from({ length: lengths[name] }, () => Math.floor((BELOW[name] ?? 0) * random()))
        : Float32Array.from({ length: lengths[name] }, random),
    ]),
  ) as unknown as Arrays;
  /* Elimination divides by what is on the diagonal. */
  for (let n = 0; n < 256; n++) arrays.b[257 * n] += 300;
  return arrays;
};

const copyOf = (arrays: Arrays): Arrays =>
  Object.fromEntries(Object.entries(arrays).map(([name, a]) => [name, a.slice()])) as unknown as Arrays;

const errorOf = (found: ArrayLike<number>, expected: ArrayLike<number>): number => {
  let worst = 0;
  for (let n = 0; n < expected.length; n++) {
    const error = Math.abs(found[n] - expected[n]) / (1 + Math.abs(expected[n]));
    if (!(error <= worst)) worst = error;
  }
  return worst;
};

await runCommand(main, USAGE);
