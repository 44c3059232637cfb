import { parseArgs } from 'node:util';
import { compiledQuantMpm, farthestApart, mpm3dSetup, type CompiledQuantMpm, type Transfer } from '@filigree/e2e';
import { commandLine, fromHere, misused, publish, runCommand } from '../command.js';
import { describeMachine } from '../machine.js';
import { measure, speedup } from '../measure.js';
import { ms } from '../table.js';

const USAGE = 'usage: npm run bench:mpm-quant -- [--size NODES] [--threads 1] [--rounds 9] [--out FILE.md]';

const INTRO =
  'Jelly in space by the material point method, a particle in 40 bytes instead of 68: positions in fixed point of 21 bits, velocities of 17 digits with one exponent, deformations in fixed point of 16 bits. Particles go to the grid and back by two ' +
  'loops a step (P2G + G2P), or by one (G2P2G). Kernels are the same for all rows. Positions after a few steps are compared with those of full precision before anything is timed; samples are taken in turns in one process. The columns of the thesis are those of its graphics card.';

/** The command `npm run bench:mpm-quant`: Table 5.6 of the thesis, ours beside it. */
const main = async (argv: readonly string[]): Promise<number> => {
  const { values } = parseArgs({ args: [...argv], options: OPTIONS });
  const given = { size: 32, threads: 1, rounds: 9 };
  for (const key of Object.keys(given) as (keyof typeof given)[])
    if (values[key] !== undefined && !((given[key] = Number(values[key])) >= 1)) return misused(USAGE);
  const n = 8 * Math.ceil(given.size / 8);
  const setup = { ...mpm3dSetup({ n }), soft: 1 };
  const sections = [];
  for (const transfer of ['g2p2g', 'p2g'] as const) sections.push(await sectionOf(setup, transfer, given));
  publish(fromHere(values.out ?? 'docs/benchmarks/mpm-quant.md'), {
    title: 'The material point method in few bits',
    command: commandLine('bench:mpm-quant', argv),
    machine: describeMachine(),
    intro: `${INTRO} Here: ${setup.body.length} particles on ${n}³ nodes, ${given.threads} thread${given.threads === 1 ? '' : 's'}.`,
    sections,
  });
  return 0;
};

const WAYS = [
  { name: 'no optimisation', scheme: 'few', ablate: ['fuse-stores', 'own-words'] },
  { name: 'store fusion only', scheme: 'few', ablate: ['own-words'] },
  { name: 'atomic demotion only', scheme: 'few', ablate: ['fuse-stores'] },
  { name: 'all optimisations', scheme: 'few', ablate: [] },
  { name: 'full precision', scheme: 'full', ablate: [] },
] as const;

/** Seconds of the thesis. */
const IN_THESIS: Readonly<Record<Transfer, readonly number[]>> = {
  g2p2g: [16.52, 15.99, 16.36, 15.09, 15.57],
  p2g: [28.43, 17.19, 16.69, 15.77, 17.96],
};

const sectionOf = async (
  setup: Parameters<ReturnType<typeof compiledQuantMpm>>[0],
  transfer: Transfer,
  { threads, rounds }: { readonly threads: number; readonly rounds: number },
) => {
  const all: CompiledQuantMpm[] = [];
  for (const { name, scheme, ablate } of WAYS) {
    process.stderr.write(`${transfer}: ${name}\n`);
    all.push(await compiledQuantMpm({ backend: 'cpp', dtype: 'f32', threads, ablate }, scheme, transfer)(setup));
  }
  const last = all[all.length - 1];
  last.step(2);
  const expected = last.state();
  const timings = measure(
    all.map((mpm, k) => ({
      name: WAYS[k].name,
      run: () => mpm.step(2),
      check: () => (mpm === last ? 0 : farthestApart(setup, mpm.state(), expected)),
    })),
    { rounds, tolerance: LOSS },
  );
  const bytes = all.map((mpm) => [mpm.particleBytes, mpm.allBytes()].map((b) => b / setup.body.length));
  all.forEach((mpm) => mpm.close());
  const full = WAYS.length - 1;
  return {
    title: `Table 5.6: ${transfer === 'p2g' ? 'P2G + G2P' : 'G2P2G'}`,
    notes: [`Positions are off by at most ${LOSS} of the distance of two nodes; in brackets the interval of 95 %.`],
    table: {
      head: ['', 'ms a step', '÷ full precision', 'thesis: ÷ full precision', 'bytes a particle', 'with grids'],
      rows: WAYS.map(({ name }, k) => {
        const { ratio, low, high } = speedup(timings[k], timings[full]);
        return [
          name,
          ms(timings[k].median / 2),
          k === full ? '1' : `${ratio.toFixed(2)} [${low.toFixed(2)} – ${high.toFixed(2)}]`,
          (IN_THESIS[transfer][k] / IN_THESIS[transfer][full]).toFixed(2),
          bytes[k][0].toFixed(1),
          bytes[k][1].toFixed(1),
        ];
      }),
    },
  };
};

/** How far positions may be off after two steps. */
const LOSS = 2e-2;

const OPTIONS = {
  size: { type: 'string' },
  threads: { type: 'string' },
  rounds: { type: 'string' },
  out: { type: 'string' },
} as const;

await runCommand(main, USAGE);
