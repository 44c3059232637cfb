import { parseArgs } from 'node:util';
import {
  compiledSmoke,
  distance,
  smokeBytes,
  smokeSetup,
  total,
  type CompiledSmoke,
  type SmokeSchemeName,
} from '@filigree/e2e';
import { commandLine, fromHere, misused, publish, runCommand } from '../command.js';
import { describeMachine } from '../machine.js';
import { measure, speedup } from '../measure.js';
import { ms } from '../table.js';

const USAGE =
  'usage: npm run bench:smoke-quant -- [--size CELLS] [--steps N] [--advect CELLS] [--space CELLS] [--threads 1] [--rounds 9] [--out FILE.md]';

const INTRO =
  'Smoke in a box by advection and reflection, with MacCormack’s scheme and paths of third order. Kernels are the same for all rows, layouts are not. All dye together is known: it thins out by the same ' +
  'factor everywhere. Advection is all that a half step does but for the pressure, each way compared with full precision before it is timed, from the same state; samples are taken in turns in one process. ' +
  'The columns of the thesis are those of its graphics card.';

/** The command `npm run bench:smoke-quant`: Tables 5.4 and 5.5 of the thesis, ours beside them. */
const main = async (argv: readonly string[]): Promise<number> => {
  const { values } = parseArgs({ args: [...argv], options: OPTIONS });
  const given = { size: 64, steps: 150, advect: 256, space: 32, threads: 1, rounds: 9 };
  for (const key of Object.keys(given) as (keyof typeof given)[])
    if (values[key] !== undefined && !((given[key] = Number(values[key])) >= 1)) return misused(USAGE);
  const { size, steps, advect, space, threads, rounds } = given;
  const made = compiledSmoke({ backend: 'cpp', dtype: 'f32', threads, ablate: [] });
  publish(fromHere(values.out ?? 'docs/benchmarks/smoke-quant.md'), {
    title: 'Smoke in few bits',
    command: commandLine('bench:smoke-quant', argv),
    machine: describeMachine(),
    intro: `${INTRO} Here: all dye of ${size} × ${size} cells after ${steps} steps, of which each leaves 0.99 of it; advection in ${advect} × ${advect} and ${space}³ cells, ${threads} thread${threads === 1 ? '' : 's'}.`,
    sections: [
      await decaySection(made, size, steps),
      await advectSection(made, 2, advect, rounds),
      await advectSection(made, 3, space, rounds),
      await bytesSection(threads, size, space),
    ],
  });
  return 0;
};

type Make = ReturnType<typeof compiledSmoke>;

const DYE: readonly (readonly [SmokeSchemeName, string, number])[] = [
  ['full', 'f32', 15425.828],
  ['shared', 'shared exponent: 5 bits, 9 digits', 17072.586],
  ['fixedDye', 'fixed point: 10 bits', 24662.654],
  ['floatDye', 'exponents of their own: 5 bits, fraction 5', 41368.633],
];

const decaySection = async (make: Make, size: number, steps: number) => {
  const left: number[] = [];
  for (const [scheme] of DYE) {
    process.stderr.write(`${scheme}: all dye\n`);
    const smoke = await make(smokeSetup(2, size, KEEP), scheme);
    smoke.step(steps);
    left.push(total(smoke.state().dye));
    smoke.close();
  }
  const off = (found: number, full: number): string => `${(100 * (found / full - 1)).toFixed(1)} %`;
  return {
    title: 'Table 5.4: all dye together',
    table: {
      head: ['dye', 'total', 'off by', 'thesis: total', 'thesis: off by'],
      rows: DYE.map(([, name, thesis], n) => [
        name,
        left[n].toFixed(2),
        off(left[n], left[0]),
        String(thesis),
        off(thesis, DYE[0][2]),
      ]),
    },
  };
};

const WAYS: readonly (readonly [SmokeSchemeName, velocity: string, dye: string, seconds: number | undefined])[] = [
  ['full', 'f32', 'f32', 25.052],
  ['sharedVelocity', 'shared exponent: 5 bits, 9 digits', 'fixed point: 10 bits', 31.776],
  ['allFixed', 'fixed point: 10 bits', 'fixed point: 10 bits', 24.76],
  ['shared', 'fixed point: 16 bits, in space 21', 'shared exponent: 5 bits, 9 digits', undefined],
];

const advectSection = async (make: Make, dim: 2 | 3, size: number, rounds: number) => {
  const all: CompiledSmoke[] = [];
  for (const [scheme] of WAYS) {
    process.stderr.write(`${scheme}: advection in ${dim} dimensions\n`);
    const one = await make(smokeSetup(dim, size), scheme);
    one.step(2);
    all.push(one);
  }
  const [first] = all;
  const expected: { dye: Float64Array } = { dye: new Float64Array(0) };
  const timings = measure(
    all.map((smoke, n) => ({
      name: WAYS[n][0],
      run: smoke.advect,
      check: () => {
        const { dye } = smoke.state();
        if (smoke === first) expected.dye = dye;
        return distance(dye, expected.dye);
      },
    })),
    { rounds, tolerance: LOSS },
  );
  all.forEach((smoke) => smoke.close());
  return {
    title: `Table 5.5: advection, ${dim === 2 ? 'in the plane' : 'in space'}`,
    notes: [`Dye, root mean square, is off by at most ${LOSS}; in brackets the interval of 95 %.`],
    table: {
      head: ['velocity', 'dye', 'ms', '÷ f32', 'thesis: ÷ f32', 'dye off by'],
      rows: WAYS.map(([, velocity, dye, seconds], n) => {
        const { ratio, low, high } = speedup(timings[n], timings[0]);
        return [
          velocity,
          dye,
          ms(timings[n].median),
          n === 0 ? '1' : `${ratio.toFixed(2)} [${low.toFixed(2)} – ${high.toFixed(2)}]`,
          seconds === undefined ? '' : (seconds / WAYS[0][3]!).toFixed(2),
          timings[n].maxRelError.toExponential(1),
        ];
      }),
    },
  };
};

const bytesSection = async (threads: number, size: number, space: number) => {
  const options = { backend: 'cpp', dtype: 'f32', threads, ablate: [] } as const;
  const rows = [];
  for (const [dim, n] of [
    [2, size],
    [3, space],
  ] as const) {
    const setup = smokeSetup(dim, n);
    const [full, few] = [await smokeBytes(options, setup, 'full'), await smokeBytes(options, setup, 'shared')];
    rows.push([
      dim === 2 ? 'in the plane' : 'in space',
      (full / n ** dim).toFixed(1),
      (few / n ** dim).toFixed(1),
      (full / few).toFixed(2),
      dim === 3 ? '1.57' : '',
    ]);
  }
  return {
    title: 'Bytes a cell, all fields and the solver for pressure',
    table: { head: ['', 'f32', 'few bits', 'times less', 'thesis'], rows },
  };
};

/** What is left of the dye after a step. */
const KEEP = 0.99;

/** How far dye may be off after a few steps. */
const LOSS = 0.1;

const OPTIONS = {
  size: { type: 'string' },
  steps: { type: 'string' },
  advect: { type: 'string' },
  space: { type: 'string' },
  threads: { type: 'string' },
  rounds: { type: 'string' },
  out: { type: 'string' },
} as const;

await runCommand(main, USAGE);
